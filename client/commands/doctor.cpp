#include <cstdio>

#include "client/commands/command.hpp"
#include "client/doctor/finding.hpp"
#include "client/run/outputs.hpp"

namespace autokernel::client {
namespace {

/// What this machine has, what is missing, and the command that brings it.
class Doctor final : public ClientCommand {
 public:
  explicit Doctor(config::Program& program) {
    config::Command& command = program.command("doctor", "shows what this machine has and lacks",
                                               {"autokernel doctor", "autokernel doctor --json"});
    command.flag("json", json_, "print one JSON document on stdout");
  }

  Result<int> run() override {
    const std::vector<Finding> findings = examine_machine();
    if (json_) {
      print_json(findings_value(findings));
    } else {
      std::fputs(findings_text(findings).c_str(), stdout);
    }
    return can_sweep(findings) ? 0 : kMachineFailed;
  }

 private:
  bool json_ = false;
};

}  // namespace

std::unique_ptr<ClientCommand> make_doctor(config::Program& program) { return std::make_unique<Doctor>(program); }

}  // namespace autokernel::client
