#pragma once

#include <ATen/core/Tensor.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "worker/messages/judge.hpp"
#include "worker/runner/compare/checksum.hpp"
#include "worker/runner/device/device.hpp"
#include "worker/runner/python/attempt.hpp"
#include "worker/runner/python/items.hpp"

namespace autokernel::judge {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

/// What get_inputs() returned, and its description.
struct ProblemInputs {
  pybind11::tuple arguments;
  runner::Description description;
};

/// A problem's reference: its module, and an instance of Model under the job's seed. Trusted code, but it may fail:
/// every call into it returns an Attempt. Needs the interpreter; main thread.
class Problem {
 public:
  /// Imports the file and constructs Model.
  [[nodiscard]] static runner::Attempt<Problem> load(runner::Device& device, const messages::Prepare& request);

  /// A fresh instance under the same seed; the old one is dropped first, so that both never take memory together.
  [[nodiscard]] runner::Attempt<void> construct(protocol::InputSource source);
  /// Where the present instance's weights were drawn.
  [[nodiscard]] protocol::InputSource drawn_from() const { return drawn_from_; }

  /// get_inputs() under the seed, as describable arguments. Failed when an argument is neither tensor nor plain value.
  [[nodiscard]] runner::Attempt<ProblemInputs> make_inputs(std::uint64_t seed, protocol::InputSource source) const;

  /// One forward under the seed; waits for the device. Failed when the result is not made of plain tensors and values.
  [[nodiscard]] runner::Attempt<runner::Description> forward(const pybind11::tuple& arguments,
                                                             std::uint64_t seed) const;

  /// One forward without waiting or looking at the result, for timing.
  [[nodiscard]] runner::Attempt<pybind11::object> call(const pybind11::tuple& arguments) const;

  /// Parameters and buffers in state_dict order.
  [[nodiscard]] runner::Attempt<NamedTensors> state() const;

  /// Checksums of the state and of tensors that modules hold as plain attributes: whether a forward leaves traces.
  [[nodiscard]] runner::Attempt<std::vector<std::uint64_t>> state_checksums(const compare::Checksummer& sums) const;

  /// The same forward in float64, by a deep copy of the model as it is now. `arguments` are taken as they are now.
  /// Failed where the model cannot be run that way, or memory is short.
  [[nodiscard]] runner::Attempt<runner::Description> forward_in_float64(const pybind11::tuple& arguments,
                                                                        std::uint64_t seed) const;

  /// The module's `batch_size`, where it is an integer constant.
  [[nodiscard]] std::optional<std::int64_t> batch_size() const;
  /// get_inputs() under another batch_size, which is put back after.
  [[nodiscard]] runner::Attempt<ProblemInputs> make_inputs_for_batch(std::int64_t batch, std::uint64_t seed,
                                                                     protocol::InputSource source);

  [[nodiscard]] runner::Device& device() const { return *device_; }

 private:
  Problem(runner::Device& device, const messages::Prepare& request) : device_(&device), request_(&request) {}

  runner::Device* device_;
  const messages::Prepare* request_;
  pybind11::object module_;
  pybind11::object model_class_;
  pybind11::object model_;
  protocol::InputSource drawn_from_ = protocol::InputSource::kDevice;
};

/// Gives cached device memory back to the driver, so that the candidate's process can have it. Nothing on the CPU.
void release_cached_memory(const runner::Device& device);

}  // namespace autokernel::judge
