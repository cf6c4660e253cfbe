#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include "client/commands/command.hpp"
#include "client/stdout_check.hpp"
#include "common/config/program.hpp"
#include "common/text/printable.hpp"

namespace {

namespace client = autokernel::client;
namespace config = autokernel::config;

int run(int argc, char** argv) {
  config::Program program(
      {"autokernel",
       "Compiles, checks and times kernels against KernelBench's problems, and scores them.",
       {"autokernel sweep", "autokernel sweep --problems KernelBench --candidates runs/mine --level 1",
        "autokernel eval level1/19_ReLU.py my_relu.cu", "autokernel doctor"},
       {"AUTOKERNEL_APT", "AUTOKERNEL_CACHE_DIR", "AUTOKERNEL_INCLUDE_DIR", "AUTOKERNEL_KERNELBENCH",
        "AUTOKERNEL_PYTHON", "AUTOKERNEL_SAMPLES_DIR"},
       {"coordinator", "worker"}});
  std::map<std::string, std::unique_ptr<client::ClientCommand>> commands;
  commands["sweep"] = client::make_sweep(program);
  commands["eval"] = client::make_eval(program);
  commands["baseline"] = client::make_baseline(program);
  commands["score"] = client::make_score(program);
  commands["status"] = client::make_status(program);
  commands["doctor"] = client::make_doctor(program);

  if (const auto exit_code = program.parse_or_print(argc, argv)) return *exit_code;
  const std::string chosen = program.chosen();
  if (chosen.empty()) {
    std::fputs(program.help().c_str(), stdout);
    return 0;
  }
  const auto outcome = commands.at(chosen)->run();
  if (!outcome) {
    const std::string message = autokernel::text::printable(outcome.error().message);
    std::fprintf(stderr, "autokernel %s: %s\n", chosen.c_str(), message.c_str());
    return autokernel::exit_code_of(outcome.error().code);
  }
  return *outcome;
}

}  // namespace

int main(int argc, char** argv) {
  // Whatever was printed, by whichever command: a lost sheet must not look like success.
  return client::exit_code_after_output("autokernel", run(argc, argv), stdout, stderr);
}
