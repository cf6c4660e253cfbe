#include "worker/runner/judge/judge.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "worker/runner/judge/problem_words.hpp"
#include "worker/runner/judge/timing_run.hpp"
#include "worker/runner/roles.hpp"

namespace autokernel::judge {

using protocol::Verdict;

namespace {

/// A lane may keep its judge for as long as it likes; its death closes the channel.
constexpr std::chrono::hours kPatience{24};
/// Killing a candidate and forking another takes the agent well under a second.
constexpr std::chrono::seconds kFreshCandidateLimit{60};
constexpr int kMachineFault = 3;
constexpr int kSenseless = 1;

int complain(const std::string& text, int code) {
  fmt::print(stderr, "judge: {}\n", text);
  return code;
}

}  // namespace

int Judge::run() {
  for (;;) {
    auto frame = agent_.receive(kPatience);
    if (!frame) return 0;
    if (!*frame) continue;
    auto message = protocol::unpack_message<messages::ToJudge>((*frame)->bytes);
    if (!message) return complain(message.error().message, kSenseless);
    if (const auto* request = std::get_if<messages::OpenDevice>(&*message)) {
      if (const int code = open(request->device); code != 0) return code;
      if (!send(messages::DeviceOpen())) return 0;
      continue;
    }
    if (auto* request = std::get_if<messages::Prepare>(&*message)) {
      if (problem_) return complain("prepared twice", kSenseless);
      if (const int code = prepare(std::move(*request)); code != 0 || !problem_) return code;
      continue;
    }
    if (!problem_) return complain("nothing is prepared", kSenseless);
    Result<void> done;
    if (auto* order = std::get_if<messages::JudgeCandidate>(&*message)) {
      if ((*frame)->fds.size() != 1) return complain("a candidate without a channel", kSenseless);
      done = on_candidate(std::move(*order), std::move((*frame)->fds.front()));
    } else {
      done = on_time_reference();
    }
    if (!done) return 0;  // the agent is gone
  }
}

int Judge::open(protocol::DeviceKind kind) {
  if (device_) return 0;
  auto device = runner::open_device(kind);
  if (!device) return complain(device.error().message, kMachineFault);
  device_ = *std::move(device);
  sums_.emplace(device_->torch_device(), compare::secret_number());
  return 0;
}

int Judge::prepare(messages::Prepare request) {
  const auto began = clock_.now();
  request_ = std::move(request);
  {
    const auto span = phases_.span("device");
    if (const int code = open(request_.device); code != 0) return code;
  }
  messages::Prepared answer;
  auto prepared = prepare_problem(*device_, request_, *sums_, phases_);
  if (prepared) {
    problem_.emplace(*std::move(prepared));
    if (auto made = make_bench(request_.options.weights == protocol::WeightSource::kCopy); !made) {
      answer.problem_error = "the problem does not fit into this device's memory: " + made.error().message +
                             ". A smaller batch (--batch N) or a larger device helps";
      problem_.reset();
    } else if (request_.options.timing && !device_->is_cpu()) {
      // While no candidate is near: what it leaves behind on a GPU could slow the reference. On a CPU it is stopped.
      const auto alone =
          runner::attempt([&] { return time_alone(*problem_, *bench_, phases_, request_.options.inputs); });
      if (alone && *alone) problem_->alone_us = **alone;
    }
  } else {
    answer.problem_error = prepared.error();
  }
  answer.environment = device_->environment();
  answer.phases = phases_.take();
  answer.seconds = seconds_between(began, clock_.now());
  if (!send(answer)) problem_.reset();
  return 0;
}

Result<void> Judge::make_bench(bool with_weights) {
  const auto span = phases_.span("arena");
  bench_.reset();
  std::optional<NamedTensors> weights;
  if (with_weights) {
    auto state = problem_->problem.state();
    if (!state) return fail(Code::kInvalid, "{}", state.error().message);
    weights = *std::move(state);
  }
  release_cached_memory(*device_);
  AUTOKERNEL_TRY_ASSIGN(bench_, Workbench::create(*device_, problem_->inputs, problem_->outputs, weights));
  return {};
}

protocol::Record Judge::fresh_record() const {
  protocol::Record record;
  record.problem = request_.problem.name;
  record.level = request_.problem.level;
  record.problem_id = request_.problem.id;
  record.batch_overridden = request_.problem.batch_overridden;
  record.options = request_.options;
  record.vacuous = problem_->vacuous;
  record.environment = device_->environment();
  return record;
}

Result<void> Judge::on_candidate(messages::JudgeCandidate order, system::UniqueFd fd) {
  const auto began = clock_.now();
  protocol::Record record = fresh_record();
  const bool wants_weights = order.language != protocol::Language::kPython;
  if (wants_weights && !bench_->has_weights()) {
    if (auto made = make_bench(true); !made) {
      messages::Judged answer;
      record.verdict = Verdict::kProblemError;
      record.detail = "the weights that a native candidate is given do not fit into memory: " + made.error().message;
      answer.record = std::move(record);
      answer.judge_is_spent = true;
      return send(answer);
    }
  }
  CandidateSession session(meet_candidate(system::Channel(std::move(fd))), clock_, request_.options.timeout_seconds);
  const TurnHost host{
      [this](const protocol::StageReport& stage) { return send(messages::StageDone{stage}); },
      [this](const std::string& reason) { return receive_candidate(reason); },
  };
  AUTOKERNEL_TRY_ASSIGN(messages::Judged answer, take_turn({*problem_, *bench_, session, *sums_, phases_, clock_,
                                                            request_, std::move(order), record},
                                                           *device_, host));
  answer.record.seconds = seconds_between(began, clock_.now());
  return send(answer);
}

Result<void> Judge::on_time_reference() {
  const auto began = clock_.now();
  messages::Judged answer;
  protocol::Record record = fresh_record();
  record.kind = protocol::JobKind::kBaseline;
  protocol::StageReport stage{protocol::StageName::kTiming, protocol::StageOutcome::kPassed, 0, ""};
  auto timed = runner::attempt([&] { return time_reference(*problem_, *bench_, request_, phases_); });
  if (timed && *timed) {
    record.timing = **std::move(timed);
    record.verdict = Verdict::kTimed;
    stage.detail = fmt::format("{} samples", record.timing->reference_us.samples);
  } else {
    const Fault fault = timed ? timed->error() : problem_fault(timed.error(), "timing the reference");
    record.verdict = fault.verdict;
    record.detail = fault.detail;
    answer.judge_is_spent = fault.verdict == Verdict::kInfrastructure;
    stage.outcome = protocol::StageOutcome::kFailed;
    stage.detail = fault.detail;
  }
  stage.seconds = seconds_between(began, clock_.now());
  record.stages = {stage};
  record.phases = phases_.take();
  record.seconds = stage.seconds;
  AUTOKERNEL_TRY(send(messages::StageDone{stage}));
  answer.record = std::move(record);
  return send(answer);
}

Result<FreshCandidate> Judge::receive_candidate(const std::string& reason) {
  AUTOKERNEL_TRY(send(messages::NeedCandidate{reason}));
  AUTOKERNEL_TRY_ASSIGN(auto frame, agent_.receive(kFreshCandidateLimit));
  if (!frame) return fail(Code::kUnavailable, "no fresh candidate came within {} s", kFreshCandidateLimit.count());
  AUTOKERNEL_TRY_ASSIGN(auto message, protocol::unpack_message<messages::ToJudge>(frame->bytes));
  auto* order = std::get_if<messages::JudgeCandidate>(&message);
  if (order == nullptr || frame->fds.size() != 1)
    return fail(Code::kInternal, "no candidate came when one was asked for");
  return FreshCandidate{meet_candidate(system::Channel(std::move(frame->fds.front()))), std::move(*order)};
}

Result<void> Judge::send(const messages::FromJudge& message) { return agent_.send(protocol::pack_message(message)); }

}  // namespace autokernel::judge

namespace autokernel::runner {

int run_judge(system::Channel channel) { return judge::Judge(std::move(channel)).run(); }

}  // namespace autokernel::runner
