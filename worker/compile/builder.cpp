#include "worker/compile/builder.hpp"

#include <signal.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "common/clock/clock.hpp"
#include "common/protocol/tagged.hpp"
#include "worker/devices/device.hpp"
#include "worker/runner_process/scratch_folder.hpp"

namespace autokernel::compile {
namespace {

constexpr auto kLockPoll = std::chrono::milliseconds(50);  // flock(2) cannot wait with a limit or be cancelled
constexpr auto kExitWait = std::chrono::seconds(2);

BuildResult machine_fault(std::string detail) {
  BuildResult result;
  result.outcome = messages::BuildOutcome::kMissingTool;
  result.detail = std::move(detail);
  return result;
}

BuildResult with_outcome(messages::BuildOutcome outcome, std::string detail) {
  BuildResult result;
  result.outcome = outcome;
  result.detail = std::move(detail);
  return result;
}

/// A compiler's message names the source by its path in the cache; to a person the file's name says as much.
std::string without_folder(std::string text, const std::filesystem::path& folder) {
  const std::string prefix = folder.string() + "/";
  for (auto found = text.find(prefix); found != std::string::npos; found = text.find(prefix, found)) {
    text.erase(found, prefix.size());
  }
  return text;
}

}  // namespace

struct Builder::Answer {
  BuildResult result;
  bool keep = true;  ///< false: another day or machine may answer otherwise
};

struct Builder::Target {
  std::string key;
  std::filesystem::path source;
  std::filesystem::path artefacts;
};

Builder::Builder(runner_process::Zygote& zygote, BuildCache cache, Toolchain toolchain, BuilderSettings settings,
                 CpuGate* gate)
    : zygote_(zygote),
      cache_(std::move(cache)),
      toolchain_(std::move(toolchain)),
      settings_(std::move(settings)),
      gate_(gate) {}

Builder::Target Builder::target_of(const BuildRequest& request) const {
  Target target;
  target.key = build_key(request, toolchain_);
  target.source = cache_.source_path(target.key, suffix_of(request.language));
  target.artefacts = cache_.artefact_folder(target.key);
  return target;
}

std::optional<CacheHit> Builder::shared_hit(const Target& target, system::FileLock lock) const {
  if (!lock.share()) return std::nullopt;
  auto manifest = cache_.find(target.key);
  if (!manifest) return std::nullopt;
  return CacheHit{*std::move(manifest), std::move(lock)};
}

BuildResult Builder::from_hit(const Target& target, CacheHit hit) {
  const BuildManifest& manifest = hit.manifest;
  BuildResult result = with_outcome(manifest.outcome, manifest.detail);
  result.cached = true;
  result.source_path = target.source;
  result.artefact_folder = target.artefacts;
  result.artefact_digest = manifest.artefact_digest;
  result.in_use = std::make_shared<const system::FileLock>(std::move(hit.lock));
  return result;
}

std::optional<BuildResult> Builder::without_process(const BuildRequest& request) const {
  const Target target = target_of(request);
  if (auto hit = cache_.use(target.key)) return from_hit(target, *std::move(hit));
  if (needs_builder(request.language, request.text)) return std::nullopt;
  auto lock = cache_.try_lock(target.key);
  if (!lock) return machine_fault(lock.error().message);
  if (!*lock) return std::nullopt;  // the same text is being laid down this moment: let a builder thread wait for it
  if (!cache_.find(target.key)) {
    auto written = cache_.begin(target.key, suffix_of(request.language), request.text);
    if (written) written = cache_.finish(target.key, BuildManifest());
    if (!written) return machine_fault(written.error().message);
  }
  auto hit = shared_hit(target, **std::move(lock));
  if (!hit) return std::nullopt;  // removed at once: let a builder thread try again
  return from_hit(target, *std::move(hit));
}

BuildResult Builder::build(const BuildRequest& request, runner_process::Cancellation& cancellation) const {
  const SteadyClock clock;
  const auto start = clock.now();
  const Target target = target_of(request);
  for (;;) {
    if (cancellation.cancelled()) return machine_fault("cancelled");
    if (auto hit = cache_.use(target.key)) {
      BuildResult result = from_hit(target, *std::move(hit));
      result.waited = seconds_between(start, clock.now());
      return result;
    }
    auto lock = cache_.try_lock(target.key);
    if (!lock) return machine_fault(lock.error().message);
    if (!*lock) {
      std::this_thread::sleep_for(kLockPoll);
      continue;
    }
    if (cache_.find(target.key)) continue;  // finished between the two looks; the lock goes with this turn of the loop
    BuildResult result = run_builder(request, target, cancellation);
    if (result.outcome == messages::BuildOutcome::kBuilt) {
      auto hit = shared_hit(target, **std::move(lock));
      if (!hit) continue;  // removed at once, or cancelled
      result.in_use = std::make_shared<const system::FileLock>(std::move(hit->lock));
    }
    result.source_path = target.source;
    result.artefact_folder = target.artefacts;
    result.waited = std::max(seconds_between(start, clock.now()) - result.seconds, 0.0);
    return result;
  }
}

BuildResult Builder::run_builder(const BuildRequest& request, const Target& target,
                                 runner_process::Cancellation& cancellation) const {
  if (auto begun = cache_.begin(target.key, suffix_of(request.language), request.text); !begun) {
    return machine_fault(begun.error().message);
  }
  auto scratch = runner_process::ScratchFolder::make(settings_.scratch, "build");
  if (!scratch) return machine_fault(scratch.error().message);
  const CpuGate::Shared turn(gate_);
  const auto spawn = child_request(request, target, scratch->path());
  auto child = zygote_.spawn(spawn);
  if (!child) return machine_fault(child.error().message);
  const auto attachment = cancellation.attach([zygote = &zygote_, id = child->id()] { zygote->kill(id); });

  messages::Build order;
  order.language = request.language;
  order.source_path = target.source.string();
  order.artefact_folder = target.artefacts.string();
  order.include_folder = settings_.include_folder.string();
  order.architectures = request.architectures;
  // A builder that died at once shows itself in the answer, not here.
  static_cast<void>(child->channel().send(protocol::pack_message(messages::ToBuilder(order))));
  auto answer = wait_for_builder(*child, request, spawn.output_path);
  child->kill();  // whatever compiler processes it left
  if (!answer) return machine_fault(answer.error().message);
  BuildResult result = std::move(answer->result);
  result.detail = without_folder(std::move(result.detail), target.source.parent_path());
  if (!answer->keep || cancellation.cancelled()) return result;

  BuildManifest manifest;
  manifest.outcome = result.outcome;
  manifest.detail = result.detail;
  manifest.seconds = result.seconds;
  manifest.artefact_digest = cache_.digest_artefacts(target.key);
  result.artefact_digest = manifest.artefact_digest;
  if (auto finished = cache_.finish(target.key, manifest); !finished) return machine_fault(finished.error().message);
  if (settings_.trimmer != nullptr) settings_.trimmer->built();
  return result;
}

Result<Builder::Answer> Builder::wait_for_builder(runner_process::RunnerChild& child, const BuildRequest& request,
                                                  const std::filesystem::path& output) const {
  auto frame = child.channel().receive(settings_.limit);
  if (frame && *frame) {
    AUTOKERNEL_TRY_ASSIGN(const auto message, protocol::unpack_message<messages::FromBuilder>((*frame)->bytes));
    const auto& built = std::get<messages::Built>(message);
    BuildResult result = with_outcome(built.outcome, built.detail);
    result.seconds = built.seconds;
    return Answer{std::move(result), built.outcome != messages::BuildOutcome::kMissingTool};
  }
  if (frame) {
    BuildResult stopped = with_outcome(messages::BuildOutcome::kCompileError,
                                       fmt::format("the build was stopped: it exceeded {} s", settings_.limit.count()));
    stopped.seconds = static_cast<double>(settings_.limit.count());
    return Answer{std::move(stopped), false};
  }
  const auto ending = child.wait(kExitWait);
  const std::string how = ending ? ending->text() : "it closed its channel";
  const bool out_of_memory_likely = ending && ending->status.signal == SIGKILL;
  if (!ending || ending->zygote_lost || out_of_memory_likely || request.language != protocol::Language::kPython) {
    return fail(Code::kUnavailable, "the builder process ended before it answered ({}){}{}", how,
                out_of_memory_likely ? ", most likely for lack of memory" : "",
                output.empty() ? "" : "\n" + runner_process::output_tail(output));
  }
  // Importing it killed the process. That is no compile error: the lane imports it again, in a candidate process, and
  // judges.
  return Answer{with_outcome(messages::BuildOutcome::kBuilt, fmt::format("importing it ended the builder: {}", how))};
}

runner_process::ChildRequest Builder::child_request(const BuildRequest& request, const Target& target,
                                                    const std::filesystem::path& folder) const {
  runner_process::ChildRequest spawn;
  spawn.role = messages::Role::kBuilder;
  spawn.folder = folder.string();
  spawn.output_path = (folder / "output.log").string();
  spawn.environment = {
      {"CUDA_VISIBLE_DEVICES", ""},  // a build must not hold a lane's GPU
      {"HIP_VISIBLE_DEVICES", ""},
      {"TORCH_EXTENSIONS_DIR", target.artefacts.string()},
      {"TRITON_CACHE_DIR", (target.artefacts / "triton").string()},
      {"MAX_JOBS", std::to_string(std::max(settings_.jobs, 1))},
      {"TMPDIR", folder.string()},
      {"HOME", folder.string()},
  };
  if (!request.architectures.empty()) {
    spawn.environment["TORCH_CUDA_ARCH_LIST"] = devices::architecture_list(request.architectures);
  }
  if (settings_.interpret_triton) spawn.environment["TRITON_INTERPRET"] = "1";
  return spawn;
}

}  // namespace autokernel::compile
