#include "worker/runner/judge/evaluation.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>

#include "worker/runner/compare/accuracy.hpp"
#include "worker/runner/compare/structure.hpp"
#include "worker/runner/judge/foreign_text.hpp"
#include "worker/runner/judge/problem_words.hpp"
#include "worker/runner/python/model.hpp"

namespace autokernel::judge {

using protocol::Verdict;
using runner::Attempt;
using runner::Description;

namespace {

template <class T>
tl::unexpected<Fault> from_error(const Result<T>& result) {
  return tl::unexpected(infrastructure_fault(result.error()));
}

}  // namespace

Fault problem_fault(const messages::Failed& failed, const std::string& doing) {
  if (failed.kind == messages::FailureKind::kDeviceError) {
    Fault fault = fault_with(Verdict::kInfrastructure,
                             fmt::format("the judge's device failed during {}: {}", doing, failed.message));
    fault.device_suspect = true;
    return fault;
  }
  return fault_with(Verdict::kProblemError, problem_words(failed, doing, {}));
}

Fault infrastructure_fault(const Error& error) {
  if (error.code == Code::kInvalid || error.code == Code::kExhausted) {
    return fault_with(Verdict::kProblemError, "the problem cannot be judged here: " + error.message);
  }
  Fault fault = fault_with(Verdict::kInfrastructure, "the judge failed: " + error.message);
  fault.device_suspect = error.code == Code::kUnavailable;
  return fault;
}

Evaluation::Evaluation(Parts parts)
    : parts_(std::move(parts)),
      source_(parts_.request.options.inputs),
      changed_inputs_(parts_.bench.layout().inputs.size(), false) {}

bool Evaluation::changes_inputs() const {
  return std::any_of(changed_inputs_.begin(), changed_inputs_.end(), [](bool changed) { return changed; });
}

bool Evaluation::is_hang(const Fault& fault) const {
  return fault.verdict == Verdict::kTimeout && last_wait_seconds_ > 10 * longest_wait_seconds_;
}

std::vector<std::uint64_t> Evaluation::trial_seeds() const {
  runner::seed_torch(options().seed, device());
  std::vector<std::uint64_t> seeds;
  for (std::int64_t i = 0; i < options().trials; ++i) {
    seeds.push_back(static_cast<std::uint64_t>(
        at::randint(0, 4294967295, {1}, at::TensorOptions().dtype(at::kLong)).item<std::int64_t>()));
  }
  return seeds;
}

Asked<void> Evaluation::load() {
  PreparedProblem& prepared = parts_.problem;
  const bool spent = (prepared.changes_state || prepared.depends_on_state) && prepared.used;
  if (spent || prepared.problem.drawn_from() != source_) {  // an earlier candidate may have asked for the CPU's draws
    const auto span = parts_.phases.span("model");
    if (auto built = prepared.problem.construct(source_); !built) {
      return tl::unexpected(problem_fault(built.error(), "constructing Model again"));
    }
    prepared.used = false;
  }
  messages::Load question;
  question.language = parts_.candidate.language;
  question.candidate_path = parts_.candidate.candidate_path;
  question.artefact_folder = parts_.candidate.artefact_folder;
  question.problem_path = parts_.request.problem_path;
  question.device = parts_.request.device;
  question.precision = options().precision;
  question.arena = parts_.bench.arena().handle();
  {
    const auto span = parts_.phases.span("candidate_load");
    auto loaded = parts_.session.ask<messages::Loaded>(question, parts_.bench.arena().fd());
    if (!loaded) return tl::unexpected(std::move(loaded).error());
  }
  return instantiate();
}

Asked<void> Evaluation::instantiate() {
  messages::Instantiate question;
  question.seed = options().seed;
  question.source = source_;
  if (is_native() || options().weights == protocol::WeightSource::kCopy) {
    const auto span = parts_.phases.span("weights");
    auto state = parts_.problem.problem.state();
    if (!state) return tl::unexpected(problem_fault(state.error(), "reading the reference's weights"));
    auto written = parts_.bench.write_weights(*state);
    if (!written) return from_error(written);
    question.weights = *std::move(written);
    if (auto idle = device().synchronize(); !idle) return from_error(idle);
  }
  make_room();
  const auto span = parts_.phases.span("candidate_load");
  auto built = parts_.session.ask<messages::Instantiated>(question);
  if (!built) return tl::unexpected(std::move(built).error());
  return {};
}

Asked<void> Evaluation::restart_from(protocol::InputSource source) {
  source_ = source;
  {
    const auto span = parts_.phases.span("model");
    if (auto built = parts_.problem.problem.construct(source); !built) {
      return tl::unexpected(problem_fault(built.error(), "constructing Model again"));
    }
    parts_.problem.used = false;
  }
  return instantiate();
}

Asked<Trial> Evaluation::place_inputs(std::uint64_t seed, InputPlace where) {
  Attempt<ProblemInputs> inputs = [&] {
    const auto span = parts_.phases.span("inputs");
    return parts_.problem.problem.make_inputs(seed, source_);
  }();
  if (!inputs) return tl::unexpected(problem_fault(inputs.error(), "get_inputs()"));
  inputs->arguments = pybind11::tuple();
  return place_inputs(seed, inputs->description, where);
}

Asked<Trial> Evaluation::place_inputs(std::uint64_t seed, const Description& inputs, InputPlace where) {
  const auto span = parts_.phases.span("inputs");
  Trial trial;
  trial.seed = seed;
  auto placed = parts_.bench.write(inputs, where);
  if (!placed) return from_error(placed);
  trial.inputs = *std::move(placed);
  if (auto idle = device().synchronize(); !idle) return from_error(idle);
  return trial;
}

Asked<Trial> Evaluation::make_trial(std::uint64_t seed, InputPlace where) {
  return answered(place_inputs(seed, where));
}

Asked<Trial> Evaluation::make_trial(std::uint64_t seed, const Description& inputs, InputPlace where) {
  return answered(place_inputs(seed, inputs, where));
}

Asked<Trial> Evaluation::answered(Asked<Trial> trial) {
  if (!trial) return trial;
  if (auto done = answer(*trial); !done) return tl::unexpected(std::move(done).error());
  return trial;
}

Asked<void> Evaluation::answer(Trial& trial) {
  PreparedProblem& prepared = parts_.problem;
  trial.reference.clear();
  std::vector<std::pair<at::Tensor, at::Tensor>> before;  // where the reference writes to its inputs: view and copy
  if (prepared.changes_inputs) {
    for (const messages::Item& item : trial.inputs.items) {
      auto views = runner::tensors_from(item, parts_.bench.arena());
      if (!views) return from_error(views);
      for (const at::Tensor& view : *views) before.emplace_back(view, view.clone());
    }
  }
  Attempt<Description> result = [&] {
    const auto span = parts_.phases.span("reference");
    return prepared.problem.forward(trial.inputs.arguments, trial.seed);
  }();
  prepared.used = true;
  if (!result) return tl::unexpected(problem_fault(result.error(), "its forward"));
  for (const at::Tensor& tensor : result->tensors) {
    // A result that is a view of an input must not stay where the candidate can write.
    trial.reference.push_back(parts_.bench.is_in_arena(tensor) ? tensor.clone() : tensor);
  }
  for (const auto& [view, copy] : before) view.copy_(copy);
  auto placed = parts_.bench.place_result(result->item);
  if (!placed) return from_error(placed);
  trial.expected = *std::move(placed);
  const auto span = parts_.phases.span("checksum");
  trial.checksums = parts_.bench.input_checksums(parts_.sums, trial.inputs.set);
  return {};
}

void Evaluation::make_room() {
  if (device().is_cpu()) return;
  const auto free = device().memory_free_bytes();
  if (free && *free < parts_.problem.working_bytes) release_cached_memory(device());
}

Asked<messages::Forwarded> Evaluation::ask_forward(const messages::Forward& question) {
  if (auto poisoned = parts_.bench.poison(); !poisoned) return from_error(poisoned);
  if (auto idle = device().synchronize(); !idle) return from_error(idle);
  const auto span = parts_.phases.span("candidate_forward");
  const double before = parts_.session.waited_seconds();
  auto reply = parts_.session.ask<messages::Forwarded>(question);
  last_wait_seconds_ = parts_.session.waited_seconds() - before;
  if (reply) longest_wait_seconds_ = std::max(longest_wait_seconds_, last_wait_seconds_);
  return reply;
}

messages::ResultPlace Evaluation::result_place(messages::Item expected) const {
  return {std::move(expected), parts_.bench.layout().output_offset, parts_.bench.layout().output_bytes};
}

Asked<messages::Launches> Evaluation::trace() {
  auto trial = make_trial(options().seed);
  if (!trial) return tl::unexpected(std::move(trial).error());
  make_room();
  const auto span = parts_.phases.span("candidate_trace");
  return parts_.session.ask<messages::Launches>(
      messages::TraceLaunches{messages::CallInputs{trial->seed, trial->inputs.items}, result_place(trial->expected)});
}

Asked<std::vector<at::Tensor>> Evaluation::forward(const Trial& trial) {
  const messages::Forward question{{trial.seed, trial.inputs.items}, result_place(trial.expected)};
  make_room();
  auto reply = ask_forward(question);
  if (!reply && reply.error().verdict == Verdict::kOutOfMemory && !reply.error().process_is_lost &&
      !device().is_cpu()) {
    release_cached_memory(device());  // the judge's own cache may have been in the way
    reply = ask_forward(question);
  }
  if (!reply) return tl::unexpected(std::move(reply).error());
  if (reply->peak_memory_mb > 0) {
    parts_.record.peak_memory_mb = std::max(parts_.record.peak_memory_mb.value_or(0), reply->peak_memory_mb);
  }
  {
    const auto span = parts_.phases.span("checksum");
    const auto after = parts_.bench.input_checksums(parts_.sums, trial.inputs.set);
    for (std::size_t i = 0; i < after.size() && !parts_.problem.changes_inputs; ++i) {
      if (after[i] != trial.checksums[i]) changed_inputs_[i] = true;
    }
  }
  if (!reply->violation.empty())
    return tl::unexpected(fault_with(Verdict::kWrongStructure, foreign_text(reply->violation, 500)));
  if (auto lie = check_places(reply->result, trial.expected)) return tl::unexpected(*std::move(lie));
  if (auto words =
          compare::structure_difference(reply->result, trial.expected, tolerance().absolute, tolerance().relative)) {
    return tl::unexpected(fault_with(Verdict::kWrongStructure, foreign_text(*words, 500)));
  }
  auto tensors = runner::tensors_from(trial.expected, parts_.bench.arena());
  if (!tensors) return from_error(tensors);
  return *std::move(tensors);
}

Comparison Evaluation::compare(const Trial& trial, const std::vector<at::Tensor>& found, const Leniency& leniency) {
  Comparison result;
  result.passed = true;
  messages::Item expected = trial.expected;
  const auto names = compare::tensors_of(expected);
  bool only_floats_fail = true;
  {
    const auto span = parts_.phases.span("compare");
    for (std::size_t i = 0; i < found.size(); ++i) {
      const bool is_float = at::isFloatingType(found[i].scalar_type());
      if (!is_float && leniency.any_integers) continue;
      const auto difference = compare::difference_of(found[i], trial.reference[i], tolerance(), leniency.non_finite);
      if (difference.max >= result.max_difference) {
        result.max_difference = difference.max;
        result.mean_difference = difference.mean;
      }
      if (difference.passed()) continue;
      if (result.passed) result.detail = compare::words_for(difference, names[i].name, found[i].sizes());
      result.passed = false;
      if (!is_float || difference.unwritten) only_floats_fail = false;
      const bool strict = leniency.non_finite == compare::NonFinite::kMustMatch;
      if (is_float && strict && compare::has_nan(trial.reference[i])) result.reference_is_nan = true;
    }
  }
  if (result.passed || result.reference_is_nan || !only_floats_fail) return result;
  return compare_precisely(trial, found, std::move(result), leniency.non_finite);
}

Comparison Evaluation::compare_precisely(const Trial& trial, const std::vector<at::Tensor>& found, Comparison so_far,
                                         compare::NonFinite non_finite) {
  const auto undecided = [&](const std::string& why) {
    so_far.undecided = true;
    so_far.detail += " (" + why + ")";
    return so_far;
  };
  if (parts_.problem.depends_on_state)
    return undecided("no float64 check: the reference's result depends on what it did before");
  if (changes_inputs()) return undecided("no float64 check: the candidate changed its inputs");
  const auto span = parts_.phases.span("float64");
  release_cached_memory(device());
  auto exact = parts_.problem.problem.forward_in_float64(trial.inputs.arguments, trial.seed);
  if (!exact) return undecided("no float64 check: " + foreign_text(exact.error().message, 200));
  if (exact->tensors.size() != found.size()) return undecided("no float64 check: it returns another structure");
  const double factor = compare::error_factor(parts_.problem.depth);
  messages::Item expected = trial.expected;
  const auto names = compare::tensors_of(expected);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!at::isFloatingType(found[i].scalar_type())) continue;
    if (exact->tensors[i].sizes() != found[i].sizes()) return undecided("no float64 check: it returns another shape");
    const auto precise = compare::precise_difference_of(found[i], trial.reference[i], exact->tensors[i], tolerance(),
                                                        factor, non_finite);
    if (!precise.decides) {
      return undecided(fmt::format("float64 decides nothing: the reference itself is off by {:.2g} of its size",
                                   precise.relative_error));
    }
    if (!precise.difference.passed()) {
      so_far.detail +=
          fmt::format("; against float64 {} is off by up to {:.3g} where the reference's own error is {:.2g}",
                      names[i].name, precise.difference.max, precise.reference_error);
      return so_far;
    }
  }
  so_far.passed = true;
  so_far.by_float64 = true;
  so_far.detail.clear();
  return so_far;
}

}  // namespace autokernel::judge
