#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <tl/expected.hpp>

#include "common/protocol/record.hpp"
#include "worker/devices/device.hpp"
#include "worker/devices/gpu_monitor.hpp"
#include "worker/runner_process/zygote.hpp"

namespace autokernel::lane {

/// What a lane works with; everything referred to outlives it.
struct LaneResources {
  runner_process::Zygote& zygote;
  devices::Device device;
  devices::GpuMonitor* gpu_monitor = nullptr;      ///< null on the CPU
  std::vector<std::string> architectures;          ///< of the whole node, as the builders were given
  std::filesystem::path scratch;                   ///< this lane's own folder
  std::map<std::string, std::string> environment;  ///< of every record: "evaluator", "worker"
};

/// Why there is no regular verdict: what to put in the record instead.
struct Failure {
  protocol::Verdict verdict;
  std::string detail;
};

template <class T>
using Outcome = tl::expected<T, Failure>;

[[nodiscard]] inline tl::unexpected<Failure> infrastructure(std::string detail) {
  return tl::unexpected(Failure{protocol::Verdict::kInfrastructure, std::move(detail)});
}

/// What a judge or candidate on this device gets into its environment: one visible GPU, or none and Triton's
/// interpreter.
[[nodiscard]] std::map<std::string, std::string> device_environment(const devices::Device& device);

/// The address space a judge or candidate may use beyond the zygote's: on the CPU a share of what the machine can give,
/// so that a hungry candidate gets an error it can report instead of waking the kernel's killer; 0 (no limit) on a GPU,
/// where CUDA reserves address space by the terabyte.
[[nodiscard]] std::uint64_t memory_limit(const devices::Device& device);

}  // namespace autokernel::lane
