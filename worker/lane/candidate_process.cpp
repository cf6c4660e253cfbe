#include "worker/lane/candidate_process.hpp"

#include <cstdlib>
#include <utility>

#include "worker/devices/host_memory.hpp"
#include "worker/lane/candidate_ending.hpp"
#include "worker/messages/candidate.hpp"

namespace autokernel::lane {
namespace {

constexpr auto kExitWait = std::chrono::seconds(2);
constexpr auto kEndWait = std::chrono::seconds(10);
constexpr std::string_view kOutput = "output.log";

/// Where Hugging Face's weights are, which references of level 4 load: HOME is replaced, and would hide them.
std::string weights_folder() {
  if (const char* set = std::getenv("HF_HOME"); set != nullptr) return set;  // NOLINT(concurrency-mt-unsafe)
  const char* home = std::getenv("HOME");                                    // NOLINT(concurrency-mt-unsafe)
  return home == nullptr ? "" : std::string(home) + "/.cache/huggingface";
}

}  // namespace

Outcome<CandidateProcess::Started> CandidateProcess::start(const LaneResources& resources, const LaneJob& job) {
  auto folder = runner_process::ScratchFolder::make(resources.scratch, "candidate");
  if (!folder) return infrastructure(folder.error().message);
  auto ends = system::Channel::make_pair();
  if (!ends) return infrastructure(ends.error().message);

  const std::string scratch = folder->path().string();
  runner_process::ChildRequest request;
  request.role = messages::Role::kCandidate;
  request.folder = scratch;
  request.output_path = (folder->path() / kOutput).string();
  request.memory_bytes = memory_limit(resources.device);
  request.environment = device_environment(resources.device);
  request.environment["HOME"] = scratch;
  request.environment["TMPDIR"] = scratch;
  request.environment["TORCH_EXTENSIONS_DIR"] = job.build.artefact_folder.string();
  // What Triton compiles on the lane is a build product too: kept beside the others, it is compiled once.
  request.environment["TRITON_CACHE_DIR"] = (job.build.artefact_folder / "triton").string();
  if (const std::string weights = weights_folder(); !weights.empty()) request.environment["HF_HOME"] = weights;
  if (!resources.architectures.empty()) {
    request.environment["TORCH_CUDA_ARCH_LIST"] = devices::architecture_list(resources.architectures);
  }

  auto child = resources.zygote.spawn_with(request, std::move(ends->second));
  if (!child) return infrastructure(child.error().message);
  // It may have died at once: the judge will find its channel closed.
  static_cast<void>(
      ends->first.send(protocol::pack_message(messages::ToCandidate(messages::OpenDevice{resources.device.kind}))));
  return Started{CandidateProcess(resources.zygote, *std::move(folder), *std::move(child)), std::move(ends->first)};
}

CandidateProcess::CandidateProcess(runner_process::Zygote& zygote, runner_process::ScratchFolder folder,
                                   runner_process::RunnerChild child)
    : zygote_(&zygote),
      folder_(std::move(folder)),
      child_(std::move(child)),
      out_of_memory_kills_(devices::out_of_memory_kills()) {}

runner_process::Cancellation::Attachment CandidateProcess::attach_to(runner_process::Cancellation& cancellation) {
  return cancellation.attach([zygote = zygote_, id = child_.id()] { zygote->kill(id); });
}

void CandidateProcess::explain_end(protocol::Record& record) {
  CandidateEnding candidate;
  candidate.ending = child_.wait(kExitWait);
  candidate.kernel_killed_for_memory = devices::out_of_memory_kills() > out_of_memory_kills_;
  std::error_code error;
  candidate.never_ran = candidate.ending && !std::filesystem::exists(folder_.path() / kOutput, error);
  candidate.last_output = runner_process::output_tail(folder_.path() / kOutput);
  explain(record, candidate);
}

void CandidateProcess::end() {
  child_.kill();
  static_cast<void>(child_.wait(kEndWait));
}

}  // namespace autokernel::lane
