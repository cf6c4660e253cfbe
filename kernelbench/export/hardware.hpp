#pragma once

#include <string>

#include "common/protocol/record.hpp"

namespace autokernel::kernelbench {

/// The name of the device that a record was made on, as KernelBench's `hardware`; "unknown" where nobody said.
[[nodiscard]] std::string hardware_of(const protocol::Record& record);

/// KernelBench's `device`, torch's name of it: "cpu", or "cuda:0", since each process of ours sees one GPU only.
[[nodiscard]] std::string torch_device_of(const protocol::Record& record);

}  // namespace autokernel::kernelbench
