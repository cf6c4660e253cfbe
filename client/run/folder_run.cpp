#include "client/run/folder_run.hpp"

#include <cmath>
#include <set>
#include <utility>

#include "client/interrupt.hpp"
#include "client/node/devices.hpp"
#include "client/node/local_node.hpp"
#include "client/plan/supported.hpp"
#include "client/progress/progress.hpp"
#include "client/queue/coordinator_link.hpp"
#include "client/run/queue_run.hpp"
#include "common/clock/clock.hpp"
#include "common/config/version.hpp"
#include "common/system/file.hpp"
#include "common/text/printable.hpp"

namespace autokernel::client {
namespace {

namespace fs = std::filesystem;
using protocol::DeviceKind;

constexpr const char* kRuns = "runs";

/// nullopt where a cluster has no worker yet: then nothing can be said about its devices.
Result<std::optional<std::set<DeviceKind>>> device_kinds(const FolderRunRequest& request) {
  if (request.connect.empty()) {
    AUTOKERNEL_TRY_ASSIGN(const auto devices, local_devices(request.devices));
    return kinds_of(devices);
  }
  AUTOKERNEL_TRY_ASSIGN(CoordinatorLink link, CoordinatorLink::connect(request.connect));
  auto status = ask_status(link, std::chrono::seconds(10));
  if (!status) return tl::unexpected(status.error().within(request.connect));
  std::set<DeviceKind> kinds;
  for (const protocol::WorkerStatus& worker : status->workers) kinds.merge(kinds_of(worker.devices));
  if (kinds.empty()) return std::nullopt;
  return kinds;
}

RunDescription describe_run(const FolderRunRequest& request, const Plan& plan) {
  RunDescription description;
  description.command = request.command;
  description.version = config::version();
  description.created = wall_time_text();
  description.problems = fs::absolute(request.plan.problems).string();
  if (!request.plan.candidates.empty()) description.candidates = fs::absolute(request.plan.candidates).string();
  description.verdicts = static_cast<std::int64_t>(plan.verdicts());
  description.devices = request.devices;
  description.connect = request.connect;
  description.options = request.plan.options;
  description.problem_digests = plan.problem_digests;
  description.candidate_digests = plan.candidate_digests;
  return description;
}

fs::path choose_folder(const FolderRunRequest& request, const RunDescription& description, Progress& progress) {
  if (request.out) return *request.out;
  if (const auto unfinished = find_unfinished(kRuns, description)) {
    progress.note(fmt::format("resuming {} (the same command, not finished)", unfinished->string()));
    return *unfinished;
  }
  return fresh_folder(kRuns, description.created);
}

void show_plan(const Plan& plan, Progress& progress) {
  for (const std::string& warning : plan.warnings) progress.note("warning: " + warning);
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const SkippedCandidate& skipped : plan.skipped) by_reason[skipped.reason].push_back(skipped.candidate);
  for (const auto& [reason, names] : by_reason) {
    progress.note(fmt::format("skipped, {}: {}", reason, fmt::join(names, ", ")));
  }
}

/// What the queue reported, under the names that the run knows it by.
protocol::Record record_of(const protocol::FinishedJob& job, const protocol::Record& planned) {
  if (!job.record) {
    protocol::Record record = planned;
    record.detail = fmt::format("the job was {} before it had a verdict", protocol::name_of(job.end));
    return record;
  }
  protocol::Record record = *job.record;
  record.kind = planned.kind;
  record.problem = planned.problem;
  record.level = planned.level;
  record.problem_id = planned.problem_id;
  record.candidate = planned.candidate;
  record.sample = planned.sample;
  return record;
}

/// A full disk first shows as some program's death; what that one said last names anything but the disk.
Error cause_of(Error error, const fs::path& folder) {
  const auto available = system::free_bytes(folder);
  if (!available || *available >= kFullDiskBytes) return error;
  const auto room = check_free_disk(folder);
  return Error{Code::kExhausted, fmt::format("the disk is full: {} (it showed as: {})", room.error().message,
                                             error.message.substr(0, error.message.find('\n')))};
}

Result<QueueRunEnd> run_remaining(const FolderRunRequest& request, const Clock& clock, const Interrupt& interrupt,
                                  Progress& progress, RunFolder& folder, std::vector<QueuedJob> jobs) {
  std::map<std::string, protocol::Record> planned;
  for (const QueuedJob& job : jobs) {
    planned.emplace(job.submit_key, decided_record(job.spec, protocol::Verdict::kInfrastructure, ""));
  }
  std::unique_ptr<LocalNode> node;
  std::string endpoint = request.connect;
  if (endpoint.empty()) {
    auto started = LocalNode::start(clock, {folder.path(), request.devices}, [&] { return interrupt.requested(); });
    if (!started && interrupt.requested()) return QueueRunEnd{jobs.size(), std::nullopt};
    if (!started) return tl::unexpected(std::move(started).error());
    node = *std::move(started);
    endpoint = node->clients_endpoint();
  }
  QueueRun run{clock,
               interrupt,
               progress,
               node.get(),
               endpoint,
               std::move(jobs),
               [&](const protocol::FinishedJob& job) -> Result<void> {
                 const protocol::Record record = record_of(job, planned.at(job.submit_key));
                 AUTOKERNEL_TRY_ASSIGN(const bool added, folder.results().append(record));
                 if (added) progress.verdict(record);
                 return {};
               }};
  auto end = run_jobs(run);
  if (node) node->stop();
  return end;
}

}  // namespace

Result<FolderRun> run_in_folder(const FolderRunRequest& request) {
  AUTOKERNEL_TRY(check_supported(request.plan.options));
  const SteadyClock clock;
  const Interrupt interrupt;
  AUTOKERNEL_TRY_ASSIGN(const auto kinds, device_kinds(request));
  AUTOKERNEL_TRY_ASSIGN(Plan plan, make_plan(request.plan, kinds));
  Progress progress(clock, ProgressStyle::of_stderr(), plan.verdicts());
  show_plan(plan, progress);

  const RunDescription description = describe_run(request, plan);
  const fs::path path = choose_folder(request, description, progress);
  AUTOKERNEL_TRY(check_free_disk(path));
  AUTOKERNEL_TRY_ASSIGN(RunFolder folder, RunFolder::open(path, description));
  for (const std::string& defect : folder.results().defects()) progress.note("warning: " + defect);
  for (const protocol::Record& record : folder.results().records()) {
    if (kernelbench::is_settled(record)) progress.already_done(record);
  }
  if (folder.resumed()) {
    const std::size_t settled = folder.results().settled();
    progress.note(fmt::format("{} holds {} of {} verdicts", path.string(), settled, plan.verdicts()));
    const std::size_t failed = folder.results().records().size() - settled;
    if (failed > 0) progress.note(fmt::format("what the machine failed at is tried again: {} of them", failed));
  }
  for (const protocol::Record& record : plan.decided) {
    AUTOKERNEL_TRY_ASSIGN(const bool added, folder.results().append(record));
    if (added) progress.verdict(record);
  }

  std::vector<QueuedJob> remaining;
  for (QueuedJob& job : plan.jobs) {
    if (!folder.results().holds(identity_of(job.spec.problem.name, job.spec.candidate.name))) {
      remaining.push_back(std::move(job));
    }
  }
  const std::size_t total = plan.verdicts();
  plan.jobs.clear();
  QueueRunEnd end;
  const auto begin = clock.now();
  if (!remaining.empty()) {
    auto ended = run_remaining(request, clock, interrupt, progress, folder, std::move(remaining));
    if (!ended) {
      progress.finish();
      Error error = cause_of(std::move(ended).error(), path);
      error.message += fmt::format("\n{} of {} verdicts are in {}; run the same command again to resume",
                                   folder.results().settled(), total, path.string());
      return tl::unexpected(std::move(error));
    }
    end = *std::move(ended);
  }
  progress.finish();
  const auto elapsed = std::chrono::duration_cast<std::chrono::seconds>(clock.now() - begin);
  return FolderRun{std::move(folder), std::move(plan), total, end.unfinished, std::move(end.status), elapsed};
}

std::vector<std::string> busy_lines(const FolderRun& run) {
  constexpr auto kTellingRun = std::chrono::seconds(10);
  std::vector<std::string> lines;
  if (!run.status || run.elapsed < kTellingRun) return lines;
  for (const protocol::WorkerStatus& worker : run.status->workers) {
    for (const protocol::DeviceInfo& device : worker.devices) {
      const auto share = worker.busy.find(device.id);
      if (share == worker.busy.end()) continue;
      lines.push_back(fmt::format("{} {}%", text::printable(device.name.empty() ? device.id : device.name),
                                  std::lround(share->second * 100)));
    }
  }
  return lines;
}

}  // namespace autokernel::client
