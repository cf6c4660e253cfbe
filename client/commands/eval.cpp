#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <utility>

#include "client/commands/command.hpp"
#include "client/interrupt.hpp"
#include "client/node/direct_worker.hpp"
#include "client/plan/plan.hpp"
#include "client/plan/supported.hpp"
#include "client/progress/progress.hpp"
#include "client/progress/verdict_block.hpp"
#include "client/run/outputs.hpp"
#include "common/config/evaluation_options.hpp"
#include "kernelbench/candidate/folder.hpp"
#include "kernelbench/export/record_json.hpp"
#include "kernelbench/problem/catalogue.hpp"

namespace autokernel::client {
namespace {

/// One verdict, without a queue: nothing here is worth keeping, so it needs no Redis and answers in seconds.
class Eval final : public ClientCommand {
 public:
  explicit Eval(config::Program& program) {
    config::Command& command =
        program.command("eval", "evaluates one candidate against one problem",
                        {"autokernel eval KernelBench/level1/19_ReLU.py my_relu.cu",
                         "autokernel eval problem.py candidate.py --stages correct --no-timing --json"});
    command.argument("PROBLEM", problem_, "the problem's file");
    command.argument("CANDIDATE", candidate_, "the candidate's file: .py, .cu, .hip or .cpp");
    command.text("devices", devices_, "DEVICE", "all (the first that there is), cpu, or a GPU: cuda:0");
    config::bind_evaluation_options(command, options_);
    command.flag("json", json_, "print the verdict as JSON on stdout");
  }

  Result<int> run() override {
    AUTOKERNEL_TRY(check_supported(options_));
    AUTOKERNEL_TRY_ASSIGN(const kernelbench::Problem problem, kernelbench::load_problem(problem_));
    if (!problem.usable()) return fail(Code::kInvalid, "{}: {}", problem_, problem.broken);
    AUTOKERNEL_TRY_ASSIGN(const kernelbench::Candidate candidate,
                          kernelbench::load_candidate(candidate_, problem.source));
    if (!candidate.usable()) return fail(Code::kInvalid, "{}: {}", candidate_, candidate.broken);

    const Interrupt interrupt;
    const ProgressStyle style = ProgressStyle::of_stderr();
    const Paint paint(style.colours);
    // Who watches sees each stage as it ends; whoever reads a file or a pipe gets all of them with the verdict.
    const bool live = style.terminal;
    const bool seen = live && ::isatty(STDOUT_FILENO) == 1;
    AUTOKERNEL_TRY_ASSIGN(DirectWorker worker, DirectWorker::start(devices_));
    const auto record = worker.evaluate(
        make_spec(protocol::JobKind::kEvaluate, problem.source, candidate.source, options_),
        [&](const protocol::StageReport& stage) {
          if (live) std::fprintf(stderr, "%s\n", stage_line(stage, paint).c_str());
        },
        interrupt.fd());
    if (!record) return tl::unexpected(record.error());
    if (!*record) return kInterruptedExitCode;
    if (json_) {
      print_json(kernelbench::record_value(**record));
    } else {
      std::fputs(verdict_block(**record, Paint(stdout_colours()), !seen).c_str(), stdout);
    }
    return exit_code_of(**record);
  }

 private:
  std::string problem_;
  std::string candidate_;
  std::string devices_ = "all";
  protocol::EvaluationOptions options_;
  bool json_ = false;
};

}  // namespace

int exit_code_of(const protocol::Record& record) {
  switch (record.verdict) {
    case protocol::Verdict::kInfrastructure: return kMachineFailed;
    case protocol::Verdict::kProblemError: return kBadInput;
    default: return record.correct ? 0 : kNotCorrect;
  }
}

std::unique_ptr<ClientCommand> make_eval(config::Program& program) { return std::make_unique<Eval>(program); }

}  // namespace autokernel::client
