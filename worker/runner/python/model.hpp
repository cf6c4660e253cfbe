#pragma once

#include <ATen/core/Tensor.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>

#include "common/protocol/options.hpp"
#include "worker/runner/device/device.hpp"
#include "worker/runner/python/attempt.hpp"
#include "worker/runner/python/generators.hpp"

/// A problem's or a candidate's Python, called by KernelBench's rules. The Python in these files is foreign: whatever
/// it throws comes back as Failed. Needs the interpreter; main thread.
namespace autokernel::runner {

/// Imports a file as module `name`; throws what the file throws.
[[nodiscard]] pybind11::object import_file(const std::string& path, const std::string& name);

/// Imports a file as module `name`, under which inspect and pickle find it. Writes no __pycache__.
[[nodiscard]] Attempt<pybind11::object> load_module(const std::string& path, const std::string& name);

/// An attribute of a module; Failed with "the file defines no class ModelNew" when `what` is "class" and it is missing.
[[nodiscard]] Attempt<pybind11::object> member_of(const pybind11::object& module, const char* name, const char* what);

/// Floating tensors get the precision, integer and boolean ones keep theirs (KernelBench casts these too, which breaks
/// class labels and token ids); all move to the device.
[[nodiscard]] at::Tensor cast(const at::Tensor& tensor, const Device& device, protocol::Precision precision);

/// Seeds, then calls get_init_inputs(); tensors among the results are cast and moved. A file without it has no
/// arguments.
[[nodiscard]] Attempt<pybind11::tuple> initial_inputs(const pybind11::object& module, std::uint64_t seed,
                                                      const Device& device, protocol::Precision precision);

/// Seeds, calls the class, and moves the instance to device and precision. With kDevice its weights are drawn on the
/// device (torch's default device during the call), with kCpu on the CPU as KernelBench does.
[[nodiscard]] Attempt<pybind11::object> construct(const pybind11::object& model_class, const pybind11::tuple& arguments,
                                                  std::uint64_t seed, protocol::InputSource source,
                                                  const Device& device, protocol::Precision precision);

/// Seeds, then calls get_inputs() (drawn where `source` says); tensors in it, also within lists, tuples and dicts, are
/// cast and moved.
[[nodiscard]] Attempt<pybind11::tuple> make_inputs(const pybind11::object& module, std::uint64_t seed,
                                                   protocol::InputSource source, const Device& device,
                                                   protocol::Precision precision);

/// model(*arguments) without gradients. Neither seeds nor waits for the device.
[[nodiscard]] Attempt<pybind11::object> call_model(const pybind11::object& model, const pybind11::tuple& arguments);

}  // namespace autokernel::runner
