#include <cstdio>
#include <filesystem>
#include <utility>

#include "client/commands/command.hpp"
#include "client/interrupt.hpp"
#include "client/plan/samples.hpp"
#include "client/run/folder_run.hpp"
#include "client/run/outputs.hpp"
#include "common/config/evaluation_options.hpp"
#include "common/system/file.hpp"
#include "kernelbench/export/baseline_json.hpp"
#include "kernelbench/export/json.hpp"

namespace autokernel::client {
namespace {

/// Times the references alone, through the same queue, and writes KernelBench's baseline file.
class Baseline final : public ClientCommand {
 public:
  explicit Baseline(config::Program& program) {
    config::Command& command = program.command(
        "baseline", "times the references and writes KernelBench's baseline JSON",
        {"autokernel baseline", "autokernel baseline --problems KernelBench --level 1 --out results/H200/eager.json"});
    command.optional_text("problems", problems_, "DIR", "a KernelBench folder; default: the samples");
    command.list("level", request_.plan.levels, "N...", "levels to take; default: all");
    command.list("only", request_.plan.only, "LIST", "problems to take: numbers, ranges, names (12,40-45,ReLU)");
    command.optional_text("out", file_, "FILE", "a file for the baseline, beside RUN_DIR/baseline_time_torch.json");
    command.optional_text("run", request_.out, "RUN_DIR",
                          "run folder (sweep's --out); default: runs/<time>, or the unfinished one");
    command.text("devices", request_.devices, "LIST", "all, cpu, or GPUs: cuda:0,cuda:1");
    command.text("connect", request_.connect, "ENDPOINT", "a coordinator to use instead of this machine");
    config::bind_evaluation_options(command, request_.plan.options);
    command.flag("json", json_, "print the baseline on stdout, too, and nothing else");
  }

  Result<int> run() override {
    request_.command = "baseline";
    request_.plan.kind = protocol::JobKind::kBaseline;
    request_.plan.problems = problems_ ? std::filesystem::path(*problems_) : sample_problems();
    if (!request_.plan.options.timing) return fail(Code::kInvalid, "--no-timing leaves a baseline nothing to do");
    AUTOKERNEL_TRY(check_place());
    AUTOKERNEL_TRY_ASSIGN(FolderRun run, run_in_folder(request_));

    const auto& records = run.folder.results().records();
    if (!run.complete()) {
      std::fprintf(stderr, "interrupted: %zu of %zu references are timed in %s; run the same command again to resume\n",
                   run.folder.results().settled(), run.total, run.folder.path().c_str());
      return kInterruptedExitCode;
    }
    const std::string text = kernelbench::baseline_text(kernelbench::baseline_of(records));
    const auto own = finished_marker(run.folder.path(), request_.command);
    AUTOKERNEL_TRY(system::write_file(own, text));
    if (file_) AUTOKERNEL_TRY(system::write_file(*file_, text));
    if (json_) {
      AUTOKERNEL_TRY_ASSIGN(const protocol::Value document, kernelbench::parse_json(text));
      print_json(document);
      return 0;
    }
    std::size_t failed = 0;
    for (const protocol::Record& record : records) failed += record.verdict == protocol::Verdict::kTimed ? 0 : 1;
    std::printf("%zu of %zu references timed; baseline: %s\nrun folder: %s\n", records.size() - failed, records.size(),
                file_ ? file_->c_str() : own.c_str(), run.folder.path().c_str());
    return 0;
  }

 private:
  /// Better said now than after an hour of timing.
  [[nodiscard]] Result<void> check_place() const {
    if (!file_) return {};
    std::error_code error;
    const auto folder = std::filesystem::absolute(*file_, error).parent_path();
    if (std::filesystem::is_directory(*file_, error)) {
      return fail(Code::kInvalid, "--out: '{}' is a folder: name a file in it; a run folder is named by --run", *file_);
    }
    if (std::filesystem::is_directory(folder, error)) return {};
    return fail(Code::kNotFound, "--out: '{}' cannot be written: create the folder '{}', or name another file", *file_,
                folder.string());
  }

  std::optional<std::string> problems_;
  std::optional<std::string> file_;
  FolderRunRequest request_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<ClientCommand> make_baseline(config::Program& program) { return std::make_unique<Baseline>(program); }

}  // namespace autokernel::client
