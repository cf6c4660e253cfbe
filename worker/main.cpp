#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "common/id/digest.hpp"
#include "common/protocol/describe.hpp"
#include "common/system/owned_folder.hpp"
#include "common/telemetry/log.hpp"
#include "kernelbench/export/json.hpp"
#include "worker/agent/agent.hpp"
#include "worker/agent/direct_server.hpp"
#include "worker/devices/gpu_lock.hpp"
#include "worker/devices/nvml.hpp"
#include "worker/devices/selection.hpp"
#include "worker/options.hpp"

namespace autokernel::worker {
namespace {

constexpr std::string_view kCacheTag = "Signature: 8a477f597d28d172789f06886806bc55\n";
constexpr std::uint64_t kLeastFreeBytes = std::uint64_t{64} << 20U;
constexpr std::size_t kMaxProgramBytes = std::size_t{1} << 30U;

std::atomic<bool> stop_requested{false};
transport::Waker* waker_of_main = nullptr;

void request_stop(int /*signal*/) {
  stop_requested.store(true);
  waker_of_main->wake();
}

void handle_signals(transport::Waker& waker) {
  waker_of_main = &waker;
  struct sigaction action {};
  action.sa_handler = request_stop;
  ::sigaction(SIGTERM, &action, nullptr);
  ::sigaction(SIGINT, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

/// Names the code that judges: records say by which build they were made.
Result<std::string> evaluator_digest(const std::string& runner) {
  auto program = system::read_file(runner, kMaxProgramBytes);
  if (!program && program.error().code == Code::kNotFound) {
    return fail(
        Code::kUnavailable,
        "'{}' is missing: autokernel-runner is built only where PyTorch is found. Run scripts/setup and build again",
        runner);
  }
  AUTOKERNEL_TRY(program);
  return digest_of(*program).substr(0, 16);
}

/// The folder is there and has room: better said now than by the first job that fails.
Result<void> check_folder(const std::string& folder, std::string_view option) {
  AUTOKERNEL_TRY(system::make_folders(folder));
  AUTOKERNEL_TRY_ASSIGN(const auto bytes, system::free_bytes(folder));
  if (bytes >= kLeastFreeBytes) return {};
  return fail(Code::kExhausted,
              "the disk of '{}' is full ({} MiB left, {} are needed): free some, or choose another with {}", folder,
              bytes >> 20U, kLeastFreeBytes >> 20U, option);
}

std::string include_folder() { return variable("AUTOKERNEL_INCLUDE_DIR").value_or(AUTOKERNEL_INCLUDE_FOLDER); }

Result<compile::Toolchain> toolchain_of(const runner_process::Zygote& zygote) {
  AUTOKERNEL_TRY_ASSIGN(const auto header,
                        system::read_file(include_folder() + "/autokernel/kernel.h", kMaxProgramBytes));
  return compile::Toolchain{zygote.environment(), compile::compiler_identity(), digest_of(header)};
}

/// In bytes.
std::uint64_t cache_limit(const WorkerOptions& options) {
  constexpr double kMostGib = 1e9;  // more would not fit
  return static_cast<std::uint64_t>(std::min(options.cache_limit_gib, kMostGib) * static_cast<double>(1U << 30U));
}

bool only_cpu(const std::vector<devices::Device>& chosen) {
  return chosen.size() == 1 && chosen.front().kind == protocol::DeviceKind::kCpu;
}

/// "all" as this machine has it, for people and for the client: GPUs that CUDA would see, or the CPU.
Result<std::vector<devices::Device>> chosen_devices(const std::string& wanted, devices::GpuMonitor* monitor) {
  const auto gpus = monitor != nullptr ? devices::visible_gpus(monitor->list(), variable("CUDA_VISIBLE_DEVICES"))
                                       : std::vector<devices::Device>();
  return devices::select_devices(wanted, gpus, devices::find_cpu());
}

Result<int> list_devices(const WorkerOptions& options) {
  const auto monitor = devices::load_nvml();
  AUTOKERNEL_TRY_ASSIGN(const auto chosen, chosen_devices(options.devices, monitor.get()));
  std::vector<protocol::DeviceInfo> list;
  list.reserve(chosen.size());
  for (const devices::Device& device : chosen) list.push_back(devices::info_of(device));
  std::printf("%s\n", kernelbench::to_json(protocol::to_value(list)).c_str());
  return 0;
}

/// Everything between the options and the work, in the order in which the parts need one another.
Result<int> run(const WorkerOptions& options) {
  transport::Waker waker;
  handle_signals(waker);

  const auto monitor = devices::load_nvml();
  AUTOKERNEL_TRY_ASSIGN(const auto chosen, chosen_devices(options.devices, monitor.get()));
  AUTOKERNEL_TRY(check_folder(options.cache, "--cache (or AUTOKERNEL_CACHE_DIR)"));
  AUTOKERNEL_TRY(check_folder(options.folder, "--folder (or TMPDIR)"));
  // The convention by which backup tools leave a cache out; writing it also shows that the folder is writable.
  AUTOKERNEL_TRY(system::write_file(std::filesystem::path(options.cache) / "CACHEDIR.TAG", kCacheTag));
  AUTOKERNEL_TRY_ASSIGN(const auto lock_folder, devices::gpu_lock_folder(options.cache));
  AUTOKERNEL_TRY_ASSIGN(const auto locks, devices::lock_gpus(chosen, lock_folder));
  AUTOKERNEL_TRY_ASSIGN(const auto scratch, system::OwnedFolder::make(options.folder, "autokernel-worker"));

  AUTOKERNEL_TRY_ASSIGN(const auto evaluator, evaluator_digest(options.runner));
  runner_process::ZygoteOptions zygote_options;
  zygote_options.program = options.runner;
  zygote_options.output_path = (scratch.path() / "runner.log").string();
  for (const auto& lock : locks) zygote_options.inherited.push_back(lock.fd());
  AUTOKERNEL_TRY_ASSIGN(const auto zygote, runner_process::Zygote::start(zygote_options));

  AUTOKERNEL_TRY_ASSIGN(auto toolchain, toolchain_of(*zygote));
  const bool cpu_node = only_cpu(chosen);
  compile::CpuGate gate;
  compile::CpuGate* const used_gate = cpu_node ? &gate : nullptr;
  compile::BuilderSettings builder_settings;
  builder_settings.scratch = scratch.path() / "builds";
  builder_settings.include_folder = include_folder();
  builder_settings.jobs =
      static_cast<int>(std::max<std::int64_t>(1, std::thread::hardware_concurrency() / options.builders));
  builder_settings.interpret_triton = cpu_node;
  const SteadyClock clock;
  const compile::BuildCache cache(std::filesystem::path(options.cache) / "builds");
  compile::CacheTrimmer trimmer(clock, cache, cache_limit(options));
  builder_settings.trimmer = &trimmer;
  trimmer.built();
  const compile::Builder builder(*zygote, cache, std::move(toolchain), builder_settings, used_gate);

  std::vector<std::string> gpu_ids;
  pipeline::Pipeline::Options pipeline_options;
  pipeline_options.builders = static_cast<std::size_t>(options.builders);
  for (const devices::Device& device : chosen) {
    const bool gpu = device.kind != protocol::DeviceKind::kCpu;
    if (gpu) gpu_ids.push_back(device.id);
    pipeline_options.lanes.push_back(
        lane::LaneResources{*zygote,
                            device,
                            gpu ? monitor.get() : nullptr,
                            devices::architectures_of(chosen),
                            scratch.path() / ("lane-" + device.id),
                            {{"evaluator", evaluator}, {"worker", options.id}, {"sandbox", "none"}}});
    telemetry::info("device in use", {{"device", device.flag()}, {"name", device.name}, {"id", device.id}});
  }
  std::optional<devices::UtilizationSampler> utilization;
  if (!gpu_ids.empty()) pipeline_options.utilization = &utilization.emplace(*monitor, gpu_ids);
  pipeline::EventQueue events([&waker] { waker.wake(); });
  pipeline::Pipeline pipeline(std::move(pipeline_options), builder, used_gate, events);

  int exit_code = 0;
  if (options.direct_fd) {
    system::Channel client{system::UniqueFd(static_cast<int>(*options.direct_fd))};
    AUTOKERNEL_TRY(agent::serve_directly(std::move(client), pipeline, events, waker, stop_requested));
  } else {
    agent::LinkIdentity identity{options.id, random_bits(), evaluator, {}, pipeline.capacity()};
    for (const devices::Device& device : chosen) identity.devices.push_back(devices::info_of(device));
    agent::Agent agent(options.connect, std::move(identity), {}, pipeline, events, waker, stop_requested);
    AUTOKERNEL_TRY_ASSIGN(exit_code, agent.run());
  }
  for (const auto& [device, share] : pipeline.busy()) {
    telemetry::info("device was in use", {{"device", device}, {"share", fmt::format("{:.3f}", share)}});
  }
  return exit_code;
}

int run_program(int argc, char** argv) {
  WorkerOptions options;
  config::Program program({"autokernel-worker",
                           "Builds, checks and times candidates on this machine's devices for a coordinator.",
                           {"autokernel-worker --connect tcp://coordinator:7701",
                            "autokernel-worker --connect ipc:///run/autokernel/workers --devices cuda:0,cuda:1"}});
  declare(program, options);
  if (const auto exit_code = program.parse_or_print(argc, argv)) return *exit_code;
  auto completed = complete(options);
  auto exit_code = completed ? Result<int>(0) : tl::unexpected(completed.error());
  if (completed) {
    telemetry::start_logging({"worker", options.log, options.log_json});
    exit_code = options.list_devices ? list_devices(options) : run(options);
  }
  if (exit_code) return *exit_code;
  std::fprintf(stderr, "autokernel-worker: %s\n", exit_code.error().message.c_str());
  if (!options.log.empty()) telemetry::error(exit_code.error().message);
  return exit_code_of(exit_code.error().code);
}

}  // namespace
}  // namespace autokernel::worker

int main(int argc, char** argv) { return autokernel::worker::run_program(argc, argv); }
