#pragma once

#include <ATen/core/Tensor.h>
#include <autokernel/kernel.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "worker/runner/candidate/subject.hpp"

namespace autokernel::runner {

/// A `.cu`, `.hip` or `.cpp` candidate: the C function of kernels/include/autokernel/kernel.h in kernel.so. Python has
/// no part in its calls. Its outputs are buffers of this process, copied to the arena like ModelNew's: were the arena's
/// own addresses passed, a kernel could tell by them which of the timed calls is looked at.
class NativeSubject final : public Subject {
 public:
  using Function = int (*)(const AutokernelCall*);

  [[nodiscard]] static Attempt<std::unique_ptr<Subject>> load(const messages::Load& request, Device& device,
                                                              const Arena& arena);

  [[nodiscard]] Attempt<std::vector<std::string>> instantiate(const messages::Instantiate& request) override;
  [[nodiscard]] Attempt<void> prepare(std::span<const messages::CallInputs> calls,
                                      const messages::ResultPlace& place) override;
  [[nodiscard]] Attempt<void> poison() override;
  [[nodiscard]] Attempt<void> invoke(std::size_t call) override;
  [[nodiscard]] Description result() override;
  void drop() override {}

 private:
  NativeSubject(Function function, Device& device, const Arena& arena)
      : function_(function), device_(device), arena_(arena) {}

  /// The C form of a dense tensor; shape and strides stay the tensor's own, which must be kept.
  [[nodiscard]] Attempt<AutokernelTensor> c_tensor(const at::Tensor& tensor) const;
  /// Appends an argument to those of the last of input_values_.
  [[nodiscard]] Attempt<void> add_inputs(const messages::Item& item);
  [[nodiscard]] Attempt<void> add_input_tensor(const messages::TensorView& view);

  Function function_;
  Device& device_;
  const Arena& arena_;
  std::vector<at::Tensor> weights_;
  std::vector<at::Tensor> inputs_;
  std::vector<at::Tensor> outputs_;
  std::vector<AutokernelTensor> weight_values_;
  std::vector<std::vector<AutokernelValue>> input_values_;  ///< one list per call
  std::vector<AutokernelTensor> output_values_;
  messages::Item expected_;
  std::array<char, 1024> message_{};
  AutokernelCall call_{};
};

}  // namespace autokernel::runner
