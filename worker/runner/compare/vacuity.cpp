#include "worker/runner/compare/vacuity.hpp"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <functional>

namespace autokernel::compare {

namespace {

using Answer = std::function<at::Tensor(const at::Tensor& output, std::int64_t begin, std::int64_t count)>;

/// Most answers fail in the first few numbers. Those are compared on the CPU: on a GPU each kind of kernel that runs
/// for the first time costs milliseconds, and this needs a dozen kinds.
constexpr std::int64_t kFirstPiece = 1 << 12;

bool passes(const at::Tensor& output, const Answer& answer, const messages::Tolerance& tolerance) {
  const at::Tensor values = output.reshape({-1});
  std::int64_t piece = kFirstPiece;
  for (std::int64_t begin = 0; begin < values.numel();) {
    const std::int64_t count = std::min(piece, values.numel() - begin);
    at::Tensor expected = values.narrow(0, begin, count);
    if (begin == 0) expected = expected.cpu();
    const at::Tensor found = answer(output, begin, count).to(expected.device(), at::kFloat);
    if (!at::allclose(expected.to(at::kFloat), found, tolerance.relative, tolerance.absolute)) return false;
    begin += count;
    piece = std::min<std::int64_t>(piece * 16, 1 << 25);
  }
  return true;
}

Answer constant(double value) {
  return [value](const at::Tensor&, std::int64_t, std::int64_t) { return at::full({1}, value, at::kFloat); };
}

bool all_pass(const std::vector<at::Tensor>& outputs, const messages::Tolerance& tolerance,
              const std::function<Answer(const at::Tensor&)>& answer_for) {
  return std::all_of(outputs.begin(), outputs.end(),
                     [&](const at::Tensor& output) { return passes(output, answer_for(output), tolerance); });
}

}  // namespace

std::vector<std::string> trivial_answers(const std::vector<at::Tensor>& outputs, const std::vector<at::Tensor>& inputs,
                                         const messages::Tolerance& tolerance) {
  std::vector<std::string> found;
  const c10::NoGradGuard no_grad;
  const bool sound = outputs.empty() || std::any_of(outputs.begin(), outputs.end(), [](const at::Tensor& output) {
                       return !at::isFloatingType(output.scalar_type()) || output.numel() == 0;
                     });
  if (sound) return found;
  const auto try_answer = [&](const char* name, const std::function<Answer(const at::Tensor&)>& answer_for) {
    if (all_pass(outputs, tolerance, answer_for)) found.emplace_back(name);
  };
  try_answer("zeros", [](const at::Tensor&) { return constant(0); });
  try_answer("ones", [](const at::Tensor&) { return constant(1); });
  try_answer("mean", [](const at::Tensor& output) { return constant(output.mean(at::kFloat).item<double>()); });
  if (!inputs.empty()) {
    const at::Tensor& first = inputs.front();
    const bool alike = std::all_of(outputs.begin(), outputs.end(), [&](const at::Tensor& output) {
      return output.sizes() == first.sizes() && output.scalar_type() == first.scalar_type();
    });
    if (alike) {
      const at::Tensor echo = first.reshape({-1});
      try_answer("input", [&echo](const at::Tensor&) {
        return
            [&echo](const at::Tensor&, std::int64_t begin, std::int64_t count) { return echo.narrow(0, begin, count); };
      });
    }
  }
  return found;
}

}  // namespace autokernel::compare
