#pragma once

#include <string_view>

#include "common/protocol/job.hpp"

namespace autokernel::kernelbench {

/// The device that a candidate cannot do without, judged by its text. Native files: by their language. Python: CUDA
/// (HIP where the text includes a HIP header) when it carries CUDA source for load_inline or imports a language that
/// compiles for GPUs only (CuTe DSL, TileLang); otherwise any, Triton included, since its interpreter runs on the CPU.
/// A wrong guess costs a skipped candidate or a load error, never a wrong score.
[[nodiscard]] protocol::DeviceKind device_needs(protocol::Language language, std::string_view text);

}  // namespace autokernel::kernelbench
