#include "client/run/run_status.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "client/node/endpoint_file.hpp"
#include "client/progress/format.hpp"
#include "client/queue/coordinator_link.hpp"
#include "client/run_folder/run_folder.hpp"
#include "common/protocol/describe.hpp"
#include "common/text/printable.hpp"
#include "kernelbench/export/results_file.hpp"

namespace autokernel::client {
namespace {

namespace fs = std::filesystem;
using protocol::Value;

std::optional<protocol::StatusReply> ask(const std::string& endpoint) {
  auto link = CoordinatorLink::connect(endpoint);
  if (!link) return std::nullopt;
  auto reply = ask_status(*link, std::chrono::seconds(2));
  if (!reply) return std::nullopt;
  return *std::move(reply);
}

std::string workers_text(const protocol::StatusReply& queue) {
  std::string text;
  for (const protocol::WorkerStatus& worker : queue.workers) {
    text += fmt::format("  worker {}: {} running, {} places free", worker.worker, worker.running, worker.credit);
    for (const protocol::DeviceInfo& device : worker.devices) {
      text += fmt::format(", {}", device.name.empty() ? device.id : device.name);
      const auto share = worker.busy.find(device.id);
      if (share != worker.busy.end()) text += fmt::format(" busy {}%", std::lround(share->second * 100));
    }
    if (worker.silent_seconds > 5) text += fmt::format(", silent for {:.0f} s", worker.silent_seconds);
    text += "\n";
  }
  for (const auto& [job, progress] : queue.running) {
    text += fmt::format("  now {}: {} {}\n", job, protocol::name_of(progress.stage.name),
                        protocol::name_of(progress.stage.outcome));
  }
  return text;
}

}  // namespace

Result<RunStatus> status_of_run(const fs::path& run) {
  AUTOKERNEL_TRY_ASSIGN(const RunDescription description, read_description(run));
  AUTOKERNEL_TRY_ASSIGN(const kernelbench::ResultsFile results, kernelbench::read_results(results_path(run)));
  RunStatus status;
  status.run = run.string();
  status.command = description.command;
  status.total = description.verdicts;
  status.done = results.records.size();
  for (const protocol::Record& record : results.records) ++status.verdicts[verdict_text(record)];
  if (const auto endpoint = read_endpoint(run)) status.queue = ask(endpoint->clients);
  std::error_code error;
  status.state = status.queue                                                   ? "running"
                 : fs::exists(finished_marker(run, description.command), error) ? "finished"
                                                                                : "interrupted";
  return status;
}

Result<RunStatus> status_of_cluster(const std::string& endpoint) {
  RunStatus status;
  status.run = endpoint;
  status.state = "cluster";
  status.queue = ask(endpoint);
  if (!status.queue) return fail(Code::kUnavailable, "no coordinator answers at {}", endpoint);
  return status;
}

Result<fs::path> newest_run(const fs::path& runs) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(runs, error)) {
    if (fs::exists(description_path(entry.path()), error)) folders.push_back(entry.path());
  }
  if (folders.empty()) return fail(Code::kNotFound, "there is no run in '{}': name a run folder", runs.string());
  return *std::max_element(folders.begin(), folders.end());
}

std::string status_text(const RunStatus& status) {
  const bool baseline = status.command == "baseline";
  std::string text = fmt::format("{}: {}{}", status.run, baseline ? "baseline, " : "", status.state);
  if (status.state != "cluster") {
    text += fmt::format(", {} of {} {}", status.done, status.total, baseline ? "references" : "verdicts");
  }
  if (!status.verdicts.empty()) text += ": " + counts_text(status.verdicts);
  text += "\n";
  if (status.queue) {
    std::map<std::string, std::size_t> jobs;
    for (const auto& [state, count] : status.queue->jobs) {
      if (count > 0) jobs[state] = count;
    }
    if (!jobs.empty()) text += fmt::format("  queue: {}\n", counts_text(jobs));
    text += workers_text(*status.queue);
  }
  return text::printable(text);
}

Value status_value(const RunStatus& status) {
  Value::Map verdicts;
  for (const auto& [name, count] : status.verdicts) verdicts.emplace_back(name, Value(std::uint64_t{count}));
  return Value(Value::Map{{"run", Value(status.run)},
                          {"command", status.command.empty() ? Value() : Value(status.command)},
                          {"state", Value(status.state)},
                          {"done", Value(std::uint64_t{status.done})},
                          {"total", Value(status.total)},
                          {"verdicts", Value(std::move(verdicts))},
                          {"queue", protocol::to_value(status.queue)}});
}

}  // namespace autokernel::client
