#include "worker/lane/lane.hpp"

#include <algorithm>
#include <utility>

#include "worker/lane/record_completion.hpp"

namespace autokernel::lane {
namespace {

using namespace std::chrono_literals;
/// A spare judge that has no device by then is given up: a device in trouble shows itself in the job.
constexpr auto kSpareLimit = 60s;
constexpr std::int64_t kLongestRuntimeMs = std::int64_t{30} * 24 * 3600 * 1000;  // more would overflow a time point

}  // namespace

Lane::Lane(LaneResources resources, ReadyQueue& queue, LaneListener& listener, compile::CpuGate* gate)
    : resources_(std::move(resources)),
      queue_(queue),
      listener_(listener),
      gate_(gate),
      start_(clock_.now()),
      thread_([this] { run(); }) {}

Lane::~Lane() {
  thread_.join();
  retire_judge();
}

std::string Lane::warm_problem() const {
  const std::lock_guard lock(mutex_);
  return warm_problem_;
}

double Lane::busy_share() const {
  const double elapsed = seconds_between(start_, clock_.now());
  const std::lock_guard lock(mutex_);
  return elapsed <= 0 ? 0 : busy_seconds_ / elapsed;
}

void Lane::run() {
  while (auto job = queue_.take(resources_.device.kind, judge_ ? judge_->key() : "")) {
    const compile::CpuGate::Exclusive turn(gate_);
    const auto start = clock_.now();
    work(*job);
    const std::lock_guard lock(mutex_);
    busy_seconds_ += seconds_between(start, clock_.now());
  }
}

void Lane::work(const LaneJob& job) {
  if (job.cancellation->cancelled()) {
    listener_.lane_dropped(job);
    return;
  }
  listener_.lane_began(job);
  const auto start = clock_.now();
  protocol::PhaseSeconds phases{{"queue_wait", seconds_between(job.ready_since, start)}};
  protocol::Record record = judge(job, phases);
  if (job.cancellation->cancelled()) {
    retire_judge();  // it may have been killed half way
    listener_.lane_dropped(job);
    return;
  }
  for (const auto& [name, seconds] : phases) record.phases[name] += seconds;
  describe_environment(record);
  complete_record(record, job.dispatch, job.build);
  record.seconds = seconds_between(start, clock_.now());
  listener_.lane_finished(job, std::move(record));
}

protocol::Record Lane::judge(const LaneJob& job, protocol::PhaseSeconds& phases) {
  std::optional<Clock::TimePoint> deadline;
  if (job.dispatch.max_runtime_ms > 0) {
    deadline = clock_.now() + std::chrono::milliseconds(std::min(job.dispatch.max_runtime_ms, kLongestRuntimeMs));
  }
  auto candidate = ready_judge(job, deadline, phases);
  if (!candidate) return failed_record(candidate.error().verdict, candidate.error().detail);
  auto result = evaluate(resources_, *judge_, job, *std::move(candidate), deadline,
                         [&](const protocol::StageReport& stage) { listener_.stage_ended(job, stage); });
  for (const auto& [name, value] : judge_->prepared().environment) result.record.environment.emplace(name, value);
  if (result.judge_is_spent) retire_judge();
  return std::move(result.record);
}

Outcome<std::optional<CandidateProcess::Started>> Lane::ready_judge(const LaneJob& job,
                                                                    const std::optional<Clock::TimePoint>& deadline,
                                                                    protocol::PhaseSeconds& phases) {
  phases["judge_prepare"] = 0;
  if (judge_ && judge_->key() == job.judge_key && judge_->alive()) return std::nullopt;
  const auto start = clock_.now();
  retire_judge();
  std::chrono::milliseconds limit = kPrepareLimit;
  if (deadline) limit = std::clamp(std::chrono::ceil<std::chrono::milliseconds>(*deadline - start), 0ms, limit);

  AUTOKERNEL_TRY_ASSIGN(auto judge, take_spare_judge());
  const auto attachment = judge->attach_to(*job.cancellation);
  std::optional<CandidateProcess::Started> candidate;
  const auto prepared = [&]() -> Outcome<void> {
    AUTOKERNEL_TRY(judge->begin_preparing(job.dispatch.spec));
    // While the problem is prepared, and before anything is timed, the processes that come next make their contexts.
    if (job.dispatch.spec.kind == protocol::JobKind::kEvaluate) {
      AUTOKERNEL_TRY_ASSIGN(candidate, CandidateProcess::start(resources_, job));
    }
    spawn_spare_judge();
    return judge->await_prepared(limit);
  }();
  phases["judge_prepare"] = seconds_between(start, clock_.now());
  if (!prepared) {
    judge->end();
    if (candidate) candidate->process.end();
    return tl::unexpected(prepared.error());
  }
  if (spare_judge_ && !spare_judge_->await_device(kSpareLimit)) spare_judge_.reset();

  judge_ = std::move(judge);
  for (const auto& [name, seconds] : judge_->prepared().phases) phases[name] += seconds;
  const std::lock_guard lock(mutex_);
  warm_problem_ = judge_->problem();
  return candidate;
}

Outcome<std::unique_ptr<JudgeSession>> Lane::take_spare_judge() {
  auto spare = std::move(spare_judge_);
  if (spare && spare->alive()) return spare;
  return JudgeSession::spawn(resources_);
}

void Lane::spawn_spare_judge() {
  if (resources_.device.kind == protocol::DeviceKind::kCpu) return;  // opening it costs nothing
  if (auto spare = JudgeSession::spawn(resources_)) spare_judge_ = *std::move(spare);
}

void Lane::retire_judge() {
  if (judge_) judge_->end();
  judge_.reset();
  const std::lock_guard lock(mutex_);
  warm_problem_.clear();
}

void Lane::describe_environment(protocol::Record& record) const {
  auto& environment = record.environment;  // what the judge said stands
  for (const auto& [name, value] : resources_.zygote.environment()) environment.emplace(name, value);
  for (const auto& [name, value] : resources_.environment) environment.emplace(name, value);
  environment.emplace("device", resources_.device.name);
  environment.emplace("device_id", resources_.device.id);
  if (!resources_.device.driver.empty()) environment.emplace("driver", resources_.device.driver);
  if (resources_.gpu_monitor == nullptr) return;
  const auto reading = resources_.gpu_monitor->read(resources_.device.id);
  if (!reading) return;
  environment.emplace("sm_clock_mhz", std::to_string(reading->sm_clock_mhz));
  environment.emplace("temperature_celsius", std::to_string(reading->temperature_celsius));
  std::string reasons;
  for (const std::string& reason : reading->throttle_reasons) reasons += (reasons.empty() ? "" : ",") + reason;
  environment.emplace("throttle_reasons", reasons.empty() ? "none" : reasons);
}

}  // namespace autokernel::lane
