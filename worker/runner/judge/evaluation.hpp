#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/clock/clock.hpp"
#include "worker/messages/judge.hpp"
#include "worker/runner/compare/difference.hpp"
#include "worker/runner/judge/assessment.hpp"
#include "worker/runner/judge/phase_clock.hpp"
#include "worker/runner/judge/prepared_problem.hpp"
#include "worker/runner/judge/session.hpp"
#include "worker/runner/judge/workbench.hpp"

namespace autokernel::judge {

/// One set of inputs with the reference's answer to them. The answer's tensors are the judge's own memory, never the
/// arena's.
struct Trial {
  std::uint64_t seed = 0;
  PlacedInputs inputs;
  messages::Item expected;               ///< placed in the arena: what the candidate is told
  std::vector<at::Tensor> reference;     ///< in the order of expected's tensors
  std::vector<std::uint64_t> checksums;  ///< of the inputs, before the candidate
};

/// What a comparison lets pass.
struct Leniency {
  compare::NonFinite non_finite = compare::NonFinite::kMustMatch;
  bool any_integers =
      false;  ///< where inputs have ties: which of two equal elements an index names is nobody's promise
};

/// How a candidate's answer compares, over all tensors of the result.
struct Comparison {
  bool passed = false;
  bool reference_is_nan = false;  ///< somewhere, and nobody can be right there: it was not the candidate's failure
  bool by_float64 = false;        ///< allclose refused it, the float64 rule took it
  bool undecided = false;     ///< allclose refused it, and the float64 reference could not be had or decides nothing
  double max_difference = 0;  ///< against the reference, by allclose's measure
  double mean_difference = 0;
  std::string detail;
};

/// One candidate's evaluation: what all stages share. Main thread; every ask blocks for the candidate's answer.
class Evaluation {
 public:
  struct Parts {
    PreparedProblem& problem;
    Workbench& bench;
    CandidateSession& session;
    const compare::Checksummer& sums;
    PhaseClock& phases;
    const Clock& clock;
    const messages::Prepare& request;
    messages::JudgeCandidate candidate;
    protocol::Record& record;
  };
  explicit Evaluation(Parts parts);

  /// Loads and constructs ModelNew in the candidate's process; also after a fresh process took over.
  [[nodiscard]] Asked<void> load();

  /// Constructs both models anew, drawing weights and inputs from `source` from now on.
  [[nodiscard]] Asked<void> restart_from(protocol::InputSource source);

  /// New inputs under the seed, without an answer yet. Where a forward leaves traces, reference and candidate must see
  /// the same number of them.
  [[nodiscard]] Asked<Trial> place_inputs(std::uint64_t seed, InputPlace where = {});
  /// New inputs under the seed, and the reference's answer.
  [[nodiscard]] Asked<Trial> make_trial(std::uint64_t seed, InputPlace where = {});
  /// The same for inputs made elsewhere (another batch).
  [[nodiscard]] Asked<Trial> make_trial(std::uint64_t seed, const runner::Description& inputs, InputPlace where = {});
  /// The reference's answer to inputs that lie in the arena already (a stage has changed them there).
  [[nodiscard]] Asked<void> answer(Trial& trial);

  /// One forward of the candidate: outputs poisoned before, structure and places checked after, inputs' checksums
  /// compared. The tensors are views of the arena.
  [[nodiscard]] Asked<std::vector<at::Tensor>> forward(const Trial& trial);

  /// The device kernels that one forward launches, by name.
  [[nodiscard]] Asked<messages::Launches> trace();

  /// Allclose, then the float64 rule when that refuses.
  [[nodiscard]] Comparison compare(const Trial& trial, const std::vector<at::Tensor>& found,
                                   const Leniency& leniency = {});

  /// Whether a fault is a hang on these inputs rather than the end of a long, slow evaluation: the answer was waited
  /// for ten times longer than any before.
  [[nodiscard]] bool is_hang(const Fault& fault) const;

  /// Where results go that have the structure of `expected`.
  [[nodiscard]] messages::ResultPlace result_place(messages::Item expected) const;

  /// Seeds of KernelBench's trials: manual_seed(seed), then one randint per trial.
  [[nodiscard]] std::vector<std::uint64_t> trial_seeds() const;

  /// Gives the judge's cached memory back when less is free than the reference itself needed.
  void make_room();

  [[nodiscard]] bool is_native() const { return parts_.candidate.language != protocol::Language::kPython; }
  [[nodiscard]] protocol::InputSource source() const { return source_; }
  [[nodiscard]] const protocol::EvaluationOptions& options() const { return parts_.request.options; }
  [[nodiscard]] const messages::Tolerance& tolerance() const { return parts_.request.tolerance; }
  [[nodiscard]] Parts& parts() { return parts_; }
  [[nodiscard]] runner::Device& device() const { return parts_.problem.problem.device(); }

  /// Indices of input tensors that the candidate changed and the reference does not.
  [[nodiscard]] const std::vector<bool>& changed_inputs() const { return changed_inputs_; }
  [[nodiscard]] bool changes_inputs() const;
  /// For one forward so far.
  [[nodiscard]] double longest_wait_seconds() const { return longest_wait_seconds_; }

 private:
  [[nodiscard]] Asked<void> instantiate();
  [[nodiscard]] Asked<Trial> place_inputs(std::uint64_t seed, const runner::Description& inputs, InputPlace where);
  [[nodiscard]] Asked<Trial> answered(Asked<Trial> trial);
  [[nodiscard]] Asked<messages::Forwarded> ask_forward(const messages::Forward& question);
  [[nodiscard]] Comparison compare_precisely(const Trial& trial, const std::vector<at::Tensor>& found,
                                             Comparison so_far, compare::NonFinite non_finite);

  Parts parts_;
  protocol::InputSource source_;
  std::vector<bool> changed_inputs_;
  double longest_wait_seconds_ = 0;  ///< of one forward
  double last_wait_seconds_ = 0;
};

/// A failure of the reference or of the judge's own device in the middle of an evaluation: never the candidate's fault.
[[nodiscard]] Fault problem_fault(const messages::Failed& failed, const std::string& doing);
/// kInvalid and kExhausted are the problem's: inputs of another shape for another seed, results that no longer fit.
[[nodiscard]] Fault infrastructure_fault(const Error& error);

}  // namespace autokernel::judge
