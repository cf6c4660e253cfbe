#include <cstdio>
#include <utility>

#include "client/commands/command.hpp"
#include "client/interrupt.hpp"
#include "client/plan/samples.hpp"
#include "client/run/folder_run.hpp"
#include "client/run/outputs.hpp"
#include "common/config/evaluation_options.hpp"
#include "kernelbench/export/scores_json.hpp"

namespace autokernel::client {
namespace {

using protocol::Value;

/// The main job: every candidate against its problem, as a run folder and a score sheet.
class Sweep final : public ClientCommand {
 public:
  explicit Sweep(config::Program& program) {
    config::Command& command = program.command(
        "sweep", "evaluates candidates over problems and scores them",
        {"autokernel sweep", "autokernel sweep --problems KernelBench --candidates runs/mine --level 1 2",
         "autokernel sweep --only 12,40-45,ReLU --devices cuda:0", "autokernel sweep --out runs/first --json"});
    command.optional_text("problems", problems_, "DIR", "a KernelBench folder; default: the samples");
    command.optional_text("candidates", candidates_, "DIR", "the candidates' folder; default for the samples: theirs");
    command.list("level", request_.plan.levels, "N...", "levels to take; default: all");
    command.list("only", request_.plan.only, "LIST", "problems to take: numbers, ranges, names (12,40-45,ReLU)");
    command.optional_text("out", request_.out, "RUN_DIR", "run folder; default: runs/<time>, or the unfinished one");
    command.text("devices", request_.devices, "LIST", "all, cpu, or GPUs: cuda:0,cuda:1");
    command.text("connect", request_.connect, "ENDPOINT", "a coordinator to use instead of this machine");
    config::bind_evaluation_options(command, request_.plan.options);
    command.flag("json", json_, "print one JSON document on stdout");
  }

  Result<int> run() override {
    request_.command = "sweep";
    if (problems_ && !candidates_) {
      return fail(Code::kInvalid, "--candidates is missing: say where the candidates for '{}' are", *problems_);
    }
    request_.plan.problems = problems_ ? std::filesystem::path(*problems_) : sample_problems();
    request_.plan.candidates = candidates_ ? std::filesystem::path(*candidates_) : sample_candidates();
    AUTOKERNEL_TRY_ASSIGN(FolderRun run, run_in_folder(request_));

    const auto& records = run.folder.results().records();
    AUTOKERNEL_TRY(write_results(run.folder.path(), records));
    if (!run.complete()) {
      std::fprintf(stderr, "interrupted: %zu of %zu verdicts are in %s; run the same command again to resume%s\n",
                   run.folder.results().settled(), run.total, run.folder.path().c_str(),
                   request_.out ? "" : fmt::format(" (or with --out {})", run.folder.path().string()).c_str());
      return kInterruptedExitCode;
    }
    const auto sheet = sheet_of(records, run.plan.problems, nullptr, request_.plan.options);
    AUTOKERNEL_TRY(write_scores(run.folder.path(), sheet));
    const std::vector<std::string> busy = busy_lines(run);
    if (json_) {
      print_json(document(run, sheet));
      return 0;
    }
    print_sheet(sheet);
    if (!run.plan.skipped.empty()) std::printf("\n%zu candidates were skipped\n", run.plan.skipped.size());
    if (!busy.empty()) std::printf("\nbusy: %s\n", fmt::format("{}", fmt::join(busy, ", ")).c_str());
    const std::string lanes = lane_time_text(lane_time(records));
    if (!lanes.empty()) std::printf("%s\n", lanes.c_str());
    std::printf("run folder: %s\n", run.folder.path().c_str());
    return 0;
  }

 private:
  static Value document(const FolderRun& run, const kernelbench::ScoreSheet& sheet) {
    Value::Array skipped;
    for (const SkippedCandidate& candidate : run.plan.skipped) {
      skipped.push_back(Value(Value::Map{{"candidate", candidate.candidate}, {"reason", candidate.reason}}));
    }
    Value::Map busy;
    if (run.status) {
      for (const protocol::WorkerStatus& worker : run.status->workers) {
        for (const auto& [device, share] : worker.busy) busy.emplace_back(worker.worker + " " + device, Value(share));
      }
    }
    return Value(Value::Map{{"run", Value(run.folder.path().string())},
                            {"verdicts", Value(static_cast<std::uint64_t>(run.total))},
                            {"skipped", Value(std::move(skipped))},
                            {"busy", Value(std::move(busy))},
                            {"phases", protocol::to_value(phase_totals(run.folder.results().records()))},
                            {"lane_seconds", Value(lane_time(run.folder.results().records()).seconds)},
                            {"scores", kernelbench::scores_value(sheet)}});
  }

  std::optional<std::string> problems_;
  std::optional<std::string> candidates_;
  FolderRunRequest request_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<ClientCommand> make_sweep(config::Program& program) { return std::make_unique<Sweep>(program); }

}  // namespace autokernel::client
