#include "worker/runner/judge/prepared_problem.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "worker/runner/compare/accuracy.hpp"
#include "worker/runner/compare/difference.hpp"
#include "worker/runner/compare/vacuity.hpp"
#include "worker/runner/judge/problem_words.hpp"

namespace py = pybind11;

namespace autokernel::judge {

using runner::Attempt;
using runner::Description;

namespace {

std::uint64_t bytes_of(const std::vector<at::Tensor>& tensors) {
  return std::accumulate(tensors.begin(), tensors.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const at::Tensor& tensor) { return sum + tensor.nbytes(); });
}

std::vector<std::uint64_t> checksums_of(const std::vector<at::Tensor>& tensors, const compare::Checksummer& sums) {
  std::vector<std::uint64_t> checksums;
  for (const at::Tensor& tensor : tensors) checksums.push_back(sums.of(tensor.contiguous()));
  return checksums;
}

/// None, or containers of nothing else. What a forward did to its inputs is not compared.
bool says_nothing(const messages::Item& item) {
  using messages::ItemKind;
  const bool container = item.kind == ItemKind::kList || item.kind == ItemKind::kTuple || item.kind == ItemKind::kDict;
  return item.kind == ItemKind::kNone || (container && std::all_of(item.items.begin(), item.items.end(), says_nothing));
}

std::uint64_t reserved_bytes(const runner::Device& device) {
  if (device.is_cpu()) return 0;
  const auto bytes = runner::attempt(
      [] { return py::cast<std::uint64_t>(py::module_::import("torch").attr("cuda").attr("max_memory_reserved")()); });
  return bytes.value_or(0);
}

/// Whether a second forward on the same inputs and seed gives another result, within the tolerance.
Attempt<bool> answers_differ(const Problem& problem, const py::tuple& arguments, const Description& first,
                             const messages::Prepare& request) {
  auto second = problem.forward(arguments, request.options.seed);
  if (!second) return tl::unexpected(std::move(second).error());
  if (!runner::same_structure(first.item, second->item)) return true;
  return runner::attempt([&] {
    for (std::size_t i = 0; i < first.tensors.size(); ++i) {
      if (!compare::difference_of(second->tensors[i], first.tensors[i], request.tolerance).passed()) return true;
    }
    return false;
  });
}

class Preparation {
 public:
  Preparation(runner::Device& device, const messages::Prepare& request, const compare::Checksummer& sums,
              PhaseClock& phases)
      : device_(device), request_(request), sums_(sums), phases_(phases) {}

  tl::expected<PreparedProblem, std::string> run() {
    auto problem = timed("model", [&] { return Problem::load(device_, request_); });
    if (!problem) return refuse(problem.error(), "loading and constructing Model");
    auto inputs = timed("inputs", [&] { return problem->make_inputs(request_.options.seed, request_.options.inputs); });
    if (!inputs) return refuse(inputs.error(), "get_inputs()");
    needed_bytes_ = bytes_of(inputs->description.tensors);

    auto before = checksums(*problem, inputs->description);
    if (!before) return refuse(before.error(), "reading its state");
    const py::tuple arguments = inputs->arguments;
    auto outputs = timed("reference", [&] { return problem->forward(arguments, request_.options.seed); });
    if (!outputs) return refuse(outputs.error(), "its forward");
    if (says_nothing(outputs->item)) {
      return tl::unexpected<std::string>(
          "the reference's forward returns nothing but None: there is nothing that a candidate could be compared with");
    }
    needed_bytes_ += bytes_of(outputs->tensors);
    auto after = checksums(*problem, inputs->description);
    if (!after) return refuse(after.error(), "reading its state");

    PreparedProblem prepared{*std::move(problem), inputs->description.item, outputs->item};
    prepared.changes_state = before->state != after->state;
    prepared.changes_inputs = before->inputs != after->inputs;
    if (auto failed = look_at(prepared, *inputs, *outputs); !failed)
      return refuse(failed.error(), "looking at its output");
    if (!nan_.empty()) return tl::unexpected(nan_);
    prepared.working_bytes = reserved_bytes(device_);
    return prepared;
  }

 private:
  struct Checksums {
    std::vector<std::uint64_t> state;
    std::vector<std::uint64_t> inputs;
  };

  template <class Function>
  std::invoke_result_t<Function> timed(const char* phase, Function&& function) {
    const auto span = phases_.span(phase);
    return function();
  }

  Attempt<Checksums> checksums(const Problem& problem, const Description& inputs) {
    const auto span = phases_.span("checksum");
    auto state = problem.state_checksums(sums_);
    if (!state) return tl::unexpected(std::move(state).error());
    return runner::attempt([&] { return Checksums{*std::move(state), checksums_of(inputs.tensors, sums_)}; });
  }

  Attempt<void> look_at(PreparedProblem& prepared, const ProblemInputs& inputs, const Description& answer) {
    const auto span = phases_.span("vacuity");
    const std::vector<at::Tensor>& outputs = answer.tensors;
    // Whatever the checksums say: a counter, a list of tensors or a generator of its own is seen by nothing else.
    if (!prepared.changes_inputs) {
      auto differ = answers_differ(prepared.problem, inputs.arguments, answer, request_);
      if (!differ) return tl::unexpected(std::move(differ).error());
      prepared.depends_on_state = *differ;
    }
    std::vector<std::uint64_t> operands;
    for (const at::Tensor& tensor : inputs.description.tensors)
      operands.push_back(static_cast<std::uint64_t>(tensor.numel()));
    auto state = prepared.problem.state();
    if (!state) return tl::unexpected(std::move(state).error());
    for (const auto& [name, tensor] : *state) operands.push_back(static_cast<std::uint64_t>(tensor.numel()));
    return runner::attempt([&] {
      std::uint64_t largest = 0;
      for (const at::Tensor& output : outputs) {
        largest = std::max(largest, static_cast<std::uint64_t>(output.numel()));
        bool unwritten = false;
        if (!compare::first_not_finite(output, at::Tensor(), unwritten)) continue;
        prepared.finite = false;
        if (compare::has_nan(output)) {
          nan_ = fmt::format(
              "the reference's own output has a NaN in it at precision {}: no candidate can be compared with it",
              protocol::name_of(request_.options.precision));
          return;
        }
      }
      prepared.depth = compare::accumulation_depth(operands, largest);
      prepared.vacuous = compare::trivial_answers(outputs, inputs.description.tensors, request_.tolerance);
    });
  }

  tl::unexpected<std::string> refuse(const messages::Failed& failed, const char* doing) {
    const MemoryState memory{needed_bytes_, device_.memory_free_bytes().value_or(0)};
    return tl::unexpected(problem_words(failed, doing, memory));
  }

  runner::Device& device_;
  const messages::Prepare& request_;
  const compare::Checksummer& sums_;
  PhaseClock& phases_;
  std::uint64_t needed_bytes_ = 0;
  std::string nan_;
};

}  // namespace

tl::expected<PreparedProblem, std::string> prepare_problem(runner::Device& device, const messages::Prepare& request,
                                                           const compare::Checksummer& sums, PhaseClock& phases) {
  return Preparation(device, request, sums, phases).run();
}

}  // namespace autokernel::judge
