#include "worker/pipeline/pipeline.hpp"

#include <algorithm>
#include <utility>

#include "worker/lane/record_completion.hpp"

namespace autokernel::pipeline {
namespace {

protocol::Verdict verdict_of(messages::BuildOutcome outcome) {
  return outcome == messages::BuildOutcome::kCompileError ? protocol::Verdict::kCompileError
                                                          : protocol::Verdict::kInfrastructure;
}

}  // namespace

Pipeline::Pipeline(Options options, const compile::Builder& builder, compile::CpuGate* gate, EventQueue& events)
    : builders_(options.builders), builder_(builder), events_(events), utilization_(options.utilization) {
  AUTOKERNEL_CHECK(!options.lanes.empty());
  architectures_ = options.lanes.front().architectures;
  environment_ = options.lanes.front().zygote.environment();
  for (const auto& [name, value] : options.lanes.front().environment) environment_.emplace(name, value);
  pool_ = std::make_unique<compile::BuilderPool>(builder, builders_);
  for (lane::LaneResources& resources : options.lanes) {
    lanes_.push_back(std::make_unique<lane::Lane>(std::move(resources), ready_, *this, gate));
  }
}

Pipeline::~Pipeline() {
  ready_.close();
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [token, cancellation] : running_) cancellation->cancel();
  }
  lanes_.clear();
  pool_.reset();
}

void Pipeline::accept(const protocol::Dispatch& dispatch) {
  const LeaseToken token = dispatch.token;
  const protocol::JobSpec& spec = dispatch.spec;
  auto cancellation = std::make_shared<runner_process::Cancellation>();
  {
    const std::lock_guard lock(mutex_);
    running_.emplace(token, cancellation);
  }
  auto job = std::make_shared<const Job>(Job{dispatch, clock_.now(), std::move(cancellation)});
  if (std::string reason = refusal(spec); !reason.empty()) {
    protocol::Record record = lane::failed_record(protocol::Verdict::kInfrastructure, std::move(reason));
    record.environment = environment_;
    lane::complete_record(record, dispatch, {});
    finish(token, std::move(record));
    return;
  }
  if (spec.kind == protocol::JobKind::kBaseline) {
    built(*job, {});
    return;
  }
  const compile::BuildRequest request{spec.candidate.language, spec.candidate.text, architectures_};
  if (auto at_once = builder_.without_process(request)) {
    built(*job, *std::move(at_once));
    return;
  }
  events_.push(PhaseChanged{token, protocol::Phase::kBuilding, false});
  compile::BuildTask task;
  task.request = request;
  task.cancellation = job->cancellation;
  task.begun = [this, token] { events_.push(PhaseChanged{token, protocol::Phase::kBuilding, true}); };
  task.done = [this, job](compile::BuildResult build) { built(*job, std::move(build)); };
  task.dropped = [this, token] { drop(token); };
  pool_->submit(std::move(task));
}

void Pipeline::built(const Job& job, compile::BuildResult build) {
  const LeaseToken token = job.dispatch.token;
  const protocol::JobSpec& spec = job.dispatch.spec;
  if (spec.kind == protocol::JobKind::kEvaluate) events_.push(StageEnded{token, lane::build_stage(spec, build)});
  if (build.outcome != messages::BuildOutcome::kBuilt) {
    protocol::Record record = lane::failed_record(verdict_of(build.outcome), build.detail);
    record.environment = environment_;
    lane::complete_record(record, job.dispatch, build);
    finish(token, std::move(record));
    return;
  }
  events_.push(PhaseChanged{token, protocol::Phase::kWaiting, true});
  ready_.push(lane::LaneJob{job.dispatch, std::move(build), lane::judge_key_of(spec), clock_.now(), job.cancellation});
}

void Pipeline::cancel(const LeaseToken& token) {
  std::shared_ptr<runner_process::Cancellation> cancellation;
  {
    const std::lock_guard lock(mutex_);
    const auto found = running_.find(token);
    if (found == running_.end()) return;
    cancellation = found->second;
  }
  cancellation->cancel();
  if (ready_.remove(token)) drop(token);  // no lane or builder will ever see it
}

std::string Pipeline::warm_problem() const {
  for (const auto& lane : lanes_) {
    if (std::string name = lane->warm_problem(); !name.empty()) return name;
  }
  return "";
}

std::map<std::string, double> Pipeline::busy() const {
  std::map<std::string, double> shares;
  if (utilization_ != nullptr) shares = utilization_->shares();
  for (const auto& lane : lanes_) shares.emplace(lane->device().id, lane->busy_share());
  return shares;
}

void Pipeline::lane_began(const lane::LaneJob& job) {
  events_.push(PhaseChanged{job.dispatch.token, protocol::Phase::kRunning, true});
}

void Pipeline::stage_ended(const lane::LaneJob& job, const protocol::StageReport& stage) {
  events_.push(StageEnded{job.dispatch.token, stage});
}

void Pipeline::lane_finished(const lane::LaneJob& job, protocol::Record record) {
  finish(job.dispatch.token, std::move(record));
}

void Pipeline::lane_dropped(const lane::LaneJob& job) { drop(job.dispatch.token); }

void Pipeline::finish(const LeaseToken& token, protocol::Record record) {
  {
    const std::lock_guard lock(mutex_);
    running_.erase(token);
  }
  events_.push(JobFinished{token, std::move(record)});
}

void Pipeline::drop(const LeaseToken& token) {
  {
    const std::lock_guard lock(mutex_);
    running_.erase(token);
  }
  events_.push(JobDropped{token});
}

std::string Pipeline::refusal(const protocol::JobSpec& spec) const {
  const auto fits = [&](const auto& lane) { return lane::runs_on(spec.candidate.needs, lane->device().kind); };
  if (std::none_of(lanes_.begin(), lanes_.end(), fits)) {
    return fmt::format("this worker has no {} device; start one with --devices that has",
                       protocol::name_of(spec.candidate.needs));
  }
  if (spec.options.sandbox == protocol::SandboxMode::kRequire) {
    return "--sandbox require: this worker has no sandbox layer to put a candidate into; use --sandbox best or off";
  }
  return "";
}

}  // namespace autokernel::pipeline
