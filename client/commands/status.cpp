#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <optional>

#include "client/commands/command.hpp"
#include "client/interrupt.hpp"
#include "client/run/outputs.hpp"
#include "client/run/run_status.hpp"

namespace autokernel::client {
namespace {

/// How far a run or a cluster is.
class Status final : public ClientCommand {
 public:
  explicit Status(config::Program& program) {
    config::Command& command = program.command("status", "shows how far a run or a cluster is",
                                               {"autokernel status", "autokernel status runs/first --watch",
                                                "autokernel status --connect tcp://127.0.0.1:7002"});
    command.optional_argument("RUN_DIR", run_, "a run folder; default: the newest in runs/");
    command.text("connect", connect_, "ENDPOINT", "a coordinator to ask instead");
    command.flag("watch", watch_, "again every second, until the run ends");
    command.flag("json", json_, "print one JSON document on stdout");
  }

  Result<int> run() override {
    if (watch_ && json_) return fail(Code::kInvalid, "--watch and --json exclude each other");
    AUTOKERNEL_TRY_ASSIGN(RunStatus status, look());
    if (json_) {
      print_json(status_value(status));
      return 0;
    }
    show(status);
    if (!watch_) return 0;
    const Interrupt interrupt;
    while (!interrupt.requested() && (status.state == "running" || status.state == "cluster")) {
      pollfd wait{interrupt.fd(), POLLIN, 0};
      ::poll(&wait, 1, 1000);
      if (interrupt.requested()) break;
      AUTOKERNEL_TRY_ASSIGN(status, look());
      show(status);
    }
    return 0;
  }

 private:
  [[nodiscard]] Result<RunStatus> look() const {
    if (!connect_.empty()) return status_of_cluster(connect_);
    if (run_) return status_of_run(*run_);
    AUTOKERNEL_TRY_ASSIGN(const auto newest, newest_run("runs"));
    return status_of_run(newest);
  }

  void show(const RunStatus& status) {
    const std::string text = status_text(status);
    if (text == shown_) return;
    if (watch_ && ::isatty(STDOUT_FILENO) == 1) std::fputs("\x1b[H\x1b[J", stdout);
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
    shown_ = text;
  }

  std::optional<std::string> run_;
  std::string connect_;
  bool watch_ = false;
  bool json_ = false;
  std::string shown_;
};

}  // namespace

std::unique_ptr<ClientCommand> make_status(config::Program& program) { return std::make_unique<Status>(program); }

}  // namespace autokernel::client
