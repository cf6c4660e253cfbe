#include "worker/runner/candidate/session.hpp"

#include <chrono>
#include <utility>

#include "worker/runner/candidate/collect.hpp"
#include "worker/runner/candidate/launches.hpp"
#include "worker/runner/candidate/native_subject.hpp"
#include "worker/runner/candidate/python_subject.hpp"
#include "worker/runner/python/model.hpp"
#include "worker/runner/timing/block.hpp"
#include "worker/runner/zygote/memory_limit.hpp"

namespace autokernel::runner {
namespace {

using messages::FailureKind;
constexpr double kBytesPerMegabyte = 1e6;

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// A step of run_block speaks Result; how the candidate failed is kept beside it.
Result<void> as_step(Attempt<void> outcome, messages::Failed& kept) {
  if (outcome) return {};
  kept = std::move(outcome).error();
  return fail(Code::kInvalid, "{}", kept.message);
}

messages::FromCandidate out_of_turn() {
  return failed_with(FailureKind::kException, "the judge spoke of a timed call outside of a block");
}

template <class T>
Attempt<T> as_attempt(Result<T> result) {
  if (!result) return tl::unexpected(failed_from(result.error()));
  if constexpr (std::is_void_v<T>) {
    return {};
  } else {
    return *std::move(result);
  }
}

}  // namespace

std::optional<messages::FromCandidate> CandidateSession::answer(const messages::ToCandidate& question,
                                                                system::UniqueFd fd) {
  using Answer = std::optional<messages::FromCandidate>;
  arena_fd_ = std::move(fd);
  return std::visit(protocol::Overloaded{
                        [this](const messages::OpenDevice& request) -> Answer {
                          open(request.device);
                          return std::nullopt;
                        },
                        [](const messages::Go&) -> Answer { return out_of_turn(); },
                        [](const messages::Keep&) -> Answer { return out_of_turn(); },
                        [this](const auto& request) -> Answer {
                          auto outcome = on(request);
                          if (outcome) return *std::move(outcome);
                          messages::Failed failed = std::move(outcome).error();
                          explain(failed);
                          return failed;
                        },
                    },
                    question);
}

void CandidateSession::explain(messages::Failed& failed) {
  if (subject_) subject_->drop();
  if (!device_ || failed.kind == FailureKind::kDeviceError) return;
  // An exception can be the echo of a device that broke some calls ago.
  if (const auto idle = device_->synchronize(); !idle && idle.error().code == Code::kUnavailable) {
    failed.kind = FailureKind::kDeviceError;
    failed.message += "; the device: " + idle.error().message;
  }
}

void CandidateSession::open(protocol::DeviceKind device) {
  if (!device_ && !opened_) opened_ = open_device(device);
}

Attempt<messages::Loaded> CandidateSession::on(const messages::Load& request) {
  const Stopwatch watch;
  if (device_) return tl::unexpected(failed_with(FailureKind::kException, "a candidate process loads once"));
  open(request.device);
  AUTOKERNEL_TRY_ASSIGN(device_, as_attempt(*std::exchange(opened_, std::nullopt)));
  settle_memory_limit(request.arena.ipc.data.empty() ? request.arena.bytes : 0);
  AUTOKERNEL_TRY_ASSIGN(arena_, as_attempt(Arena::open(*device_, request.arena, std::move(arena_fd_))));
  AUTOKERNEL_TRY_ASSIGN(subject_, request.language == protocol::Language::kPython
                                      ? PythonSubject::load(request, *device_, *arena_)
                                      : NativeSubject::load(request, *device_, *arena_));
  return messages::Loaded{watch.seconds()};
}

Attempt<messages::Instantiated> CandidateSession::on(const messages::Instantiate& request) {
  const Stopwatch watch;
  if (!subject_) return tl::unexpected(failed_with(FailureKind::kException, "nothing is loaded"));
  AUTOKERNEL_TRY_ASSIGN(auto names, subject_->instantiate(request));
  AUTOKERNEL_TRY(wait());
  return messages::Instantiated{watch.seconds(), std::move(names)};
}

Attempt<messages::Forwarded> CandidateSession::on(const messages::Forward& request) {
  AUTOKERNEL_TRY(make_ready({&request.inputs, 1}, request.place));
  device_->reset_peak_memory();
  const Stopwatch watch;
  AUTOKERNEL_TRY(forward_once(request.inputs.seed));
  messages::Forwarded answer;
  answer.seconds = watch.seconds();
  answer.peak_memory_mb = static_cast<double>(device_->peak_memory_bytes()) / kBytesPerMegabyte;
  AUTOKERNEL_TRY_ASSIGN(auto collected, collect(subject_->result(), request.place, *arena_));
  AUTOKERNEL_TRY(wait());
  subject_->drop();
  answer.result = std::move(collected.item);
  answer.violation = std::move(collected.violation);
  return answer;
}

Attempt<messages::BlockTimed> CandidateSession::on(const messages::TimeBlock& request) {
  AUTOKERNEL_TRY(make_ready(request.calls, request.place));
  messages::Failed failed;
  bool subject_failed = false;
  const auto step = [&](Attempt<void> outcome) {
    subject_failed = !outcome;
    return as_step(std::move(outcome), failed);
  };
  Collected collected;
  BlockSteps steps;
  // Every call is poisoned and seeded alike: nothing tells the candidate which one will be looked at. What a result
  // takes with it when it goes (finalizers are the candidate's code) is timed with the next call.
  steps.before = [&](int index) {
    seed_all(request.calls[static_cast<std::size_t>(index)].seed, *device_);
    return step(subject_->poison());
  };
  if (request.in_turn) steps.inputs = [&](int index) { return turns_.wait_for_inputs(index); };
  steps.call = [&](int index) {
    subject_->drop();
    return step(subject_->invoke(static_cast<std::size_t>(index)));
  };
  steps.after = [&](int index) -> Result<void> {
    bool kept = index == request.keep;
    if (request.in_turn) {
      AUTOKERNEL_TRY_ASSIGN(kept, turns_.is_kept(index));
    }
    if (!kept) return {};
    // Queued right behind the call, not after the block: a later call cannot make up for this one.
    auto outcome = collect(subject_->result(), request.place, *arena_);
    if (!outcome) return step(tl::unexpected(std::move(outcome).error()));
    collected = *std::move(outcome);
    return {};
  };
  const BlockPlan plan{
      static_cast<int>(request.calls.size()), {request.hold_us, request.hold_each_us}, request.host_cpu};
  auto samples = run_block(*device_, plan, steps);
  subject_->drop();
  if (!samples) return tl::unexpected(subject_failed ? std::move(failed) : failed_from(samples.error()));
  return messages::BlockTimed{std::move(samples->samples_us),
                              samples->enqueue_us,
                              samples->launch_us,
                              samples->host_bound,
                              samples->wall_us,
                              std::move(collected.item),
                              std::move(collected.violation)};
}

Attempt<messages::Launches> CandidateSession::on(const messages::TraceLaunches& request) {
  AUTOKERNEL_TRY(make_ready({&request.inputs, 1}, request.place));
  if (device_->is_cpu()) return messages::Launches{};
  seed_all(request.inputs.seed, *device_);
  AUTOKERNEL_TRY_ASSIGN(const auto names, traced_kernels([&] { return subject_->invoke(0); }));
  AUTOKERNEL_TRY(wait());
  subject_->drop();
  return sort_launches(names);
}

Attempt<void> CandidateSession::make_ready(std::span<const messages::CallInputs> calls,
                                           const messages::ResultPlace& place) {
  if (!subject_) return tl::unexpected(failed_with(FailureKind::kException, "nothing is loaded"));
  device_->use_default_stream();
  return subject_->prepare(calls, place);
}

Attempt<void> CandidateSession::forward_once(std::uint64_t seed) {
  seed_all(seed, *device_);
  AUTOKERNEL_TRY(subject_->poison());  // last: what seeding allocates would take the poisoned blocks
  AUTOKERNEL_TRY(subject_->invoke(0));
  device_->use_default_stream();
  return wait();
}

Attempt<void> CandidateSession::wait() { return as_attempt(device_->synchronize()); }

}  // namespace autokernel::runner
