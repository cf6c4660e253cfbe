#include "worker/runner/judge/session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "worker/runner/compare/structure.hpp"
#include "worker/runner/judge/foreign_text.hpp"
#include "worker/runner/judge/layout.hpp"

namespace autokernel::judge {

using messages::FailureKind;
using messages::Item;
using messages::ItemKind;
using protocol::Verdict;

namespace {

/// A structure of a few tensors and at most some thousand samples: far less than what the codec would take.
constexpr protocol::Limits kReplyLimits{std::size_t{4} << 20U, 16, 200'000};
constexpr std::size_t kMostRanks = 64;
/// A fresh process says Started within milliseconds, and stops as fast: beyond this the machine is at fault.
constexpr std::chrono::seconds kStartLimit{60};
constexpr std::chrono::seconds kStopLimit{10};
/// More would overflow a duration.
constexpr double kLongestWaitSeconds = 30.0 * 24 * 3600;

/// Python compiles a file when it loads it, so that its refusal is a compile error, as a C++ compiler's is.
bool is_syntax_error(std::string_view message) {
  return message.starts_with("SyntaxError:") || message.starts_with("IndentationError:") ||
         message.starts_with("TabError:");
}

std::string_view doing(const messages::ToCandidate& question) {
  return std::visit(protocol::Overloaded{
                        [](const messages::OpenDevice&) { return std::string_view("opening the device"); },
                        [](const messages::Load&) { return std::string_view("loading the candidate"); },
                        [](const messages::Instantiate&) { return std::string_view("constructing ModelNew"); },
                        [](const messages::Forward&) { return std::string_view("forward"); },
                        [](const messages::TimeBlock&) { return std::string_view("a timed block of forwards"); },
                        [](const messages::Go&) { return std::string_view("a timed forward"); },
                        [](const messages::Keep&) { return std::string_view("a timed block of forwards"); },
                        [](const messages::TraceLaunches&) { return std::string_view("a traced forward"); },
                    },
                    question);
}

bool sane(const messages::TensorView& view) {
  if (view.shape.size() > kMostRanks || view.strides.size() != view.shape.size()) return false;
  double elements = 1;
  for (const std::int64_t extent : view.shape) {
    if (extent < 0) return false;
    elements *= static_cast<double>(extent);
  }
  return elements < 1e15;
}

Fault lost_with(Verdict verdict, std::string detail) {
  Fault fault = fault_with(verdict, std::move(detail));
  fault.process_is_lost = true;
  return fault;
}

std::optional<Fault> check(const Item& result, const Item* expected) {
  if (result.kind == ItemKind::kTensor) {
    if (!result.tensor || !sane(*result.tensor))
      return cheating("reply", "the candidate's process describes an impossible tensor");
    const messages::TensorView& view = *result.tensor;
    if (expected != nullptr && expected->kind == ItemKind::kTensor && expected->tensor &&
        expected->tensor->shape == view.shape && expected->tensor->dtype == view.dtype) {
      const bool empty = std::find(view.shape.begin(), view.shape.end(), 0) != view.shape.end();
      if (!empty && (view.offset != expected->tensor->offset || view.strides != dense_strides(view.shape))) {
        return cheating("reply",
                        "the candidate's process says that it wrote its result elsewhere than where it was told to");
      }
    }
  }
  const bool alike = expected != nullptr && expected->items.size() == result.items.size();
  for (std::size_t i = 0; i < result.items.size(); ++i) {
    if (auto fault = check(result.items[i], alike ? &expected->items[i] : nullptr)) return fault;
  }
  return std::nullopt;
}

}  // namespace

CandidateEnd meet_candidate(system::Channel channel) {
  const auto group = [&]() -> Result<system::ProcessGroup> {
    AUTOKERNEL_TRY_ASSIGN(const auto frame, channel.receive(kStartLimit, kReplyLimits.bytes));
    if (!frame) return fail(Code::kUnavailable, "it says nothing");
    AUTOKERNEL_TRY_ASSIGN(const auto message,
                          protocol::unpack_message<messages::FromCandidate>(frame->bytes, kReplyLimits));
    const auto* started = std::get_if<messages::Started>(&message);
    if (started == nullptr) return fail(Code::kInvalid, "it said something else first");
    return system::ProcessGroup::of_leader(static_cast<pid_t>(started->process_group), ::getppid());
  }();
  if (group) return {std::move(channel), *group};
  fmt::print(stderr, "judge: no candidate to meet: {}\n", group.error().message);
  channel.close();
  return {std::move(channel), std::nullopt};
}

CandidateSession::CandidateSession(CandidateEnd candidate, const Clock& clock, double budget_seconds)
    : channel_(std::move(candidate.channel)),
      group_(candidate.group),
      clock_(clock),
      budget_seconds_(budget_seconds),
      full_budget_seconds_(budget_seconds) {}

void CandidateSession::replace(CandidateEnd candidate) {
  channel_ = std::move(candidate.channel);
  group_ = candidate.group;
}

void CandidateSession::kill() {
  if (group_) group_->kill();
  channel_.close();
}

Fault CandidateSession::blamed(Fault fault) {
  if (fault.process_is_lost) channel_.close();
  last_fault_ = fault;
  return fault;
}

Fault fault_with(Verdict verdict, std::string detail) {
  Fault fault;
  fault.verdict = verdict;
  fault.detail = std::move(detail);
  return fault;
}

Fault cheating(const char* kind, std::string detail) {
  Fault fault = lost_with(Verdict::kCheating, std::move(detail));
  fault.cheating_kind = kind;
  return fault;
}

Fault senseless(const std::string& what) {
  return lost_with(Verdict::kCrashed, "the candidate's process is out of its mind (its memory may be overwritten): " +
                                          foreign_text(what, 300));
}

Result<std::optional<system::Frame>> CandidateSession::wait_for_answer(const messages::ToCandidate& question, int fd) {
  const auto started = clock_.now();
  const auto left = [&] {
    const double seconds = budget_seconds_ - seconds_between(started, clock_.now());
    return std::chrono::milliseconds(static_cast<std::int64_t>(std::clamp(seconds, 0.0, kLongestWaitSeconds) * 1000) +
                                     1);
  };
  if (group_) group_->resume();
  const auto sent =
      channel_.send(protocol::pack_message(question), fd >= 0 ? std::vector<int>{fd} : std::vector<int>{}, left());
  auto frame = sent ? channel_.receive(left(), kReplyLimits.bytes) : tl::unexpected(sent.error());
  const double waited = seconds_between(started, clock_.now());
  waited_seconds_ += waited;
  budget_seconds_ -= waited;
  if (!sent && budget_seconds_ <= 0) return std::nullopt;  // it did not read
  return frame;
}

Asked<messages::FromCandidate> CandidateSession::exchange(const messages::ToCandidate& question, int fd) {
  const auto vanished = [&] {
    Fault fault = lost_with(Verdict::kCrashed, fmt::format("the candidate's process ended during {}", doing(question)));
    fault.vanished = true;
    return tl::unexpected(std::move(fault));
  };
  if (!channel_.valid()) return vanished();
  auto frame = wait_for_answer(question, fd);
  if (group_) {
    const auto stopped = group_->stop(kStopLimit);
    if (!stopped && stopped.error().code != Code::kNotFound)
      return tl::unexpected(
          lost_with(Verdict::kInfrastructure, "the candidate cannot be stopped: " + stopped.error().message));
  }
  if (!frame)
    return frame.error().code == Code::kInvalid ? tl::unexpected(senseless(frame.error().message)) : vanished();
  if (!*frame) {
    budget_seconds_ = 0;
    return tl::unexpected(lost_with(Verdict::kTimeout, fmt::format("no answer during {} within the limit of {:g} s",
                                                                   doing(question), full_budget_seconds_)));
  }
  auto answer = protocol::unpack_message<messages::FromCandidate>((*frame)->bytes, kReplyLimits);
  if (!answer) return tl::unexpected(senseless(answer.error().message));
  if (const auto* failed = std::get_if<messages::Failed>(&*answer))
    return tl::unexpected(fault_from(*failed, question));
  return *std::move(answer);
}

Fault fault_from(const messages::Failed& failed, const messages::ToCandidate& question) {
  Fault fault;
  std::string words = foreign_text(failed.message, 1000);
  if (!failed.traceback.empty()) words += "\n" + foreign_text(failed.traceback, 3000);
  fault.detail = fmt::format("{}: {}", doing(question), words);
  const bool loading = std::holds_alternative<messages::Load>(question);
  switch (failed.kind) {
    case FailureKind::kException:
    case FailureKind::kNativeError:
      fault.verdict = !loading                          ? Verdict::kRuntimeError
                      : is_syntax_error(failed.message) ? Verdict::kCompileError
                                                        : Verdict::kLoadError;
      break;
    case FailureKind::kOutOfMemory: fault.verdict = Verdict::kOutOfMemory; break;
    case FailureKind::kDeviceError:
      fault.verdict = loading ? Verdict::kLoadError : Verdict::kRuntimeError;
      fault.device_suspect = true;
      fault.process_is_lost = true;
      break;
  }
  return fault;
}

std::optional<Fault> check_places(const Item& result, const Item& expected) { return check(result, &expected); }

}  // namespace autokernel::judge
