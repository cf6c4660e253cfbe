#include "client/plan/plan.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "common/id/digest.hpp"
#include "kernelbench/problem/batch.hpp"
#include "kernelbench/problem/selection.hpp"

namespace autokernel::client {
namespace {

using kernelbench::Candidate;
using kernelbench::Problem;
using protocol::DeviceKind;

Result<std::vector<int>> parse_levels(const std::vector<std::string>& texts) {
  std::vector<int> levels;
  for (const std::string& text : texts) {
    int level = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), level);
    if (error != std::errc() || end != text.data() + text.size() || level < 1) {
      return fail(Code::kInvalid, "--level: '{}' is no level: give numbers, like 1 2", text);
    }
    levels.push_back(level);
  }
  return levels;
}

/// The digest that records hold, too. A broken file has no text to take one of; what is wrong with it stands in for
/// that, so that repairing it is a difference.
std::string digest_of_file(const std::string& text, const std::string& broken) {
  return broken.empty() ? digest_of(text) : digest_of({"broken", broken});
}

std::string reason_to_skip(DeviceKind needs, const std::set<DeviceKind>& kinds) {
  if (needs == DeviceKind::kAny || kinds.count(needs) != 0) return {};
  switch (needs) {
    case DeviceKind::kCuda: return "needs a CUDA GPU";
    case DeviceKind::kHip: return "needs a HIP GPU";
    case DeviceKind::kCpu: return "runs on the CPU only: use --devices cpu";
    case DeviceKind::kAny: break;
  }
  return {};
}

class Planner {
 public:
  Planner(const PlanRequest& request, const std::optional<std::set<DeviceKind>>& kinds)
      : request_(request), kinds_(kinds) {}

  void add_baseline(const Problem& problem) { add(problem, protocol::CandidateSource{}, {}); }

  void add_candidate(const Problem& problem, const Candidate& candidate) {
    plan_.candidate_digests[candidate.source.name] = digest_of_file(candidate.source.text, candidate.broken);
    if (candidate.usable() && kinds_) {
      const std::string reason = reason_to_skip(candidate.source.needs, *kinds_);
      if (!reason.empty()) {
        plan_.skipped.push_back({candidate.source.name, reason});
        return;
      }
    }
    add(problem, candidate.source, candidate.broken);
  }

  void add_problem(const Problem& problem) {
    plan_.problems.push_back({problem.source.level, problem.source.id, problem.source.name});
    plan_.problem_digests[problem.source.name] = digest_of_file(problem.source.text, problem.broken);
  }

  Plan take() {
    if (!without_batch_.empty()) {
      plan_.warnings.push_back(fmt::format("--batch leaves {} as they are: they have no batch_size of their own",
                                           fmt::join(without_batch_, ", ")));
    }
    return std::move(plan_);
  }
  Plan& plan() { return plan_; }

 private:
  void add(const Problem& problem, const protocol::CandidateSource& candidate, const std::string& broken_candidate) {
    const protocol::JobSpec spec = make_spec(request_.kind, problem.source, candidate, request_.options);
    if (!problem.usable()) {
      plan_.decided.push_back(decided_record(spec, protocol::Verdict::kProblemError, problem.broken));
    } else if (!broken_candidate.empty()) {
      plan_.decided.push_back(decided_record(spec, protocol::Verdict::kLoadError, broken_candidate));
    } else {
      if (request_.options.batch && !spec.problem.batch_overridden) without_batch_.insert(problem.source.name);
      // Weights are not known before something is measured; the coordinator sets priorities as verdicts arrive.
      plan_.jobs.push_back({protocol::submit_key_of(spec).value, 0, spec});
    }
  }

  const PlanRequest& request_;
  const std::optional<std::set<DeviceKind>>& kinds_;
  Plan plan_;
  std::set<std::string> without_batch_;
};

}  // namespace

protocol::JobSpec make_spec(protocol::JobKind kind, protocol::ProblemSource problem,
                            protocol::CandidateSource candidate, const protocol::EvaluationOptions& options) {
  if (options.batch) {
    kernelbench::BatchOverride overridden = kernelbench::override_batch(problem.text, *options.batch);
    problem.text = std::move(overridden.text);
    problem.batch_overridden = overridden.replaced;
    if (candidate.language == protocol::Language::kPython) {
      candidate.text = kernelbench::override_batch(candidate.text, *options.batch).text;
    }
  }
  return protocol::JobSpec{kind, std::move(problem), std::move(candidate), options};
}

protocol::Record decided_record(const protocol::JobSpec& spec, protocol::Verdict verdict, const std::string& detail) {
  protocol::Record record;
  record.kind = spec.kind;
  record.problem = spec.problem.name;
  record.level = spec.problem.level;
  record.problem_id = spec.problem.id;
  record.candidate = spec.candidate.name;
  record.sample = spec.candidate.sample;
  record.verdict = verdict;
  record.detail = detail;
  for (const auto& [stage, name] : names_of(protocol::StageName{})) record.stages.push_back({stage});
  record.trials = spec.options.trials;
  record.options = spec.options;
  record.batch_overridden = spec.problem.batch_overridden;
  record.digests.problem = digest_of(spec.problem.text);
  record.digests.candidate = digest_of(spec.candidate.text);
  return record;
}

Result<Plan> make_plan(const PlanRequest& request, const std::optional<std::set<DeviceKind>>& kinds) {
  AUTOKERNEL_TRY_ASSIGN(const kernelbench::Catalogue all, kernelbench::load_catalogue(request.problems));
  kernelbench::Selection selection;
  AUTOKERNEL_TRY_ASSIGN(selection.levels, parse_levels(request.levels));
  AUTOKERNEL_TRY_ASSIGN(selection.only, kernelbench::parse_only(request.only));
  AUTOKERNEL_TRY_ASSIGN(const kernelbench::Catalogue selected, kernelbench::select(all, selection));

  Planner planner(request, kinds);
  for (const Problem& problem : selected.problems) planner.add_problem(problem);
  if (request.kind == protocol::JobKind::kBaseline) {
    for (const Problem& problem : selected.problems) planner.add_baseline(problem);
    return planner.take();
  }
  AUTOKERNEL_TRY_ASSIGN(const kernelbench::CandidateFolder folder,
                        kernelbench::load_candidates(request.candidates, all));
  for (const std::string& warning : folder.unmatched) planner.plan().warnings.push_back(warning);
  if (std::string warning = folder.misnamed(); !warning.empty()) {
    planner.plan().warnings.push_back(std::move(warning));
  }
  std::size_t without = 0;
  for (const Problem& problem : selected.problems) {
    const auto candidates = folder.of(problem.source);
    for (const Candidate* candidate : candidates) planner.add_candidate(problem, *candidate);
    without += candidates.empty() ? 1 : 0;
  }
  Plan plan = planner.take();
  if (plan.verdicts() == 0 && plan.skipped.empty()) {
    return fail(Code::kInvalid, "'{}' holds no candidate for any of the {} selected problems",
                request.candidates.string(), selected.problems.size());
  }
  if (without > 0) {
    plan.warnings.push_back(
        fmt::format("{} of {} problems have no candidate; they count as failed", without, selected.problems.size()));
  }
  return plan;
}

}  // namespace autokernel::client
