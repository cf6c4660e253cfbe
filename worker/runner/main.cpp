#include <pybind11/pybind11.h>

#include <cstdio>
#include <string_view>

#include "common/system/channel.hpp"
#include "worker/runner/python/interpreter.hpp"
#include "worker/runner/roles.hpp"
#include "worker/runner/zygote/zygote.hpp"

namespace {

using namespace autokernel;

constexpr int kAgentFd = 3;

constexpr const char* kHelp =
    "autokernel-runner: builds, judges and runs candidates; started by autokernel-worker, not by hand\n"
    "  --zygote    serve the agent on descriptor 3\n"
    "  --version   print what it was built with\n";

int print_version() {
  fmt::print("autokernel-runner {}\ntorch {}\npython {} ({})\ncuda {}\n", AUTOKERNEL_VERSION, AUTOKERNEL_TORCH_VERSION,
             PY_VERSION, runner::python_program(),
#ifdef AUTOKERNEL_WITH_CUDA
             "yes"
#else
             "no"
#endif
  );
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc == 2 ? argv[1] : "";
  if (mode == "--version") return print_version();
  if (mode == "--zygote") {
    const runner::Roles roles{{messages::Role::kBuilder, runner::run_builder},
#ifdef AUTOKERNEL_WITH_JUDGE
                              {messages::Role::kJudge, runner::run_judge},
#endif
                              {messages::Role::kCandidate, runner::run_candidate}};
    runner::Zygote zygote(system::Channel(system::UniqueFd(kAgentFd)), roles);
    runner::leave(zygote.run());
  }
  std::fputs(kHelp, mode == "--help" ? stdout : stderr);
  return mode == "--help" ? 0 : 2;
}
