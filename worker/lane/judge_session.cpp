#include "worker/lane/judge_session.hpp"

#include <signal.h>

#include <utility>

#include "common/protocol/tagged.hpp"
#include "kernelbench/rules/rules.hpp"
#include "worker/devices/host_memory.hpp"
#include "worker/lane/lane_job.hpp"

namespace autokernel::lane {
namespace {

constexpr auto kExitWait = std::chrono::seconds(2);
constexpr auto kEndWait = std::chrono::seconds(10);
constexpr std::string_view kOutput = "output.log";

std::int64_t seconds_of(std::chrono::milliseconds limit) {
  return std::chrono::duration_cast<std::chrono::seconds>(limit).count();
}

/// Signals that a reference's own code raises.
bool is_fault(int signal) {
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGABRT || signal == SIGFPE || signal == SIGILL;
}

}  // namespace

Outcome<std::unique_ptr<JudgeSession>> JudgeSession::spawn(const LaneResources& resources) {
  auto folder = runner_process::ScratchFolder::make(resources.scratch, "judge");
  if (!folder) return infrastructure(folder.error().message);
  runner_process::ChildRequest request;
  request.role = messages::Role::kJudge;
  request.environment = device_environment(resources.device);
  request.folder = folder->path().string();
  request.output_path = (folder->path() / kOutput).string();
  request.memory_bytes = memory_limit(resources.device);
  auto child = resources.zygote.spawn(request);
  if (!child) return infrastructure(child.error().message);
  std::unique_ptr<JudgeSession> session(new JudgeSession(resources, *std::move(folder), *std::move(child)));
  // A judge that died at once shows itself in the answer, not here.
  static_cast<void>(session->send(messages::OpenDevice{resources.device.kind}));
  return session;
}

JudgeSession::JudgeSession(const LaneResources& resources, runner_process::ScratchFolder folder,
                           runner_process::RunnerChild child)
    : zygote_(resources.zygote),
      device_(resources.device.kind),
      folder_(std::move(folder)),
      child_(std::move(child)),
      out_of_memory_kills_(devices::out_of_memory_kills()) {}

template <class Answer>
Outcome<std::optional<Answer>> JudgeSession::answer(std::chrono::milliseconds limit) {
  auto frame = child_.channel().receive(limit);
  if (!frame) return tl::unexpected(died_in_preparation());
  if (!*frame) return std::nullopt;
  auto message = protocol::unpack_message<messages::FromJudge>((*frame)->bytes);
  if (!message) return infrastructure(fmt::format("the judge's answer does not parse: {}", message.error().message));
  auto* expected = std::get_if<Answer>(&*message);
  if (expected == nullptr) return infrastructure("the judge answered with something else");
  return std::optional<Answer>(std::move(*expected));
}

Outcome<void> JudgeSession::await_device(std::chrono::milliseconds limit) {
  if (device_open_) return {};
  auto open = answer<messages::DeviceOpen>(limit);
  if (!open) return infrastructure(open.error().detail);  // whatever signal it was: no problem's code had run yet
  if (!*open) return infrastructure(fmt::format("the device did not open within {} s", seconds_of(limit)));
  device_open_ = true;
  return {};
}

Outcome<void> JudgeSession::begin_preparing(const protocol::JobSpec& spec) {
  key_ = judge_key_of(spec);
  problem_ = spec.problem.name;
  const auto rules = kernelbench::find_rules(spec.options.rules);
  if (!rules) return infrastructure(rules.error().message);
  const auto& tolerance = (*rules)->tolerance(spec.options.precision);
  const auto path = folder_.path() / std::filesystem::path(spec.problem.name).filename();
  if (auto written = system::write_file(path, spec.problem.text); !written)
    return infrastructure(written.error().message);

  messages::Prepare order;
  order.problem = spec.problem;
  order.problem_path = path.string();
  order.options = spec.options;
  order.tolerance = {tolerance.absolute, tolerance.relative};
  order.device = device_;
  // Once more: its death shows itself in the answer.
  static_cast<void>(send(order));
  return {};
}

Outcome<void> JudgeSession::await_prepared(std::chrono::milliseconds limit) {
  const SteadyClock clock;
  const auto start = clock.now();
  if (auto open = await_device(limit); !open) return open;
  const auto opening = std::chrono::duration_cast<std::chrono::milliseconds>(clock.now() - start);
  auto prepared = answer<messages::Prepared>(std::max(limit - opening, std::chrono::milliseconds(0)));
  if (!prepared) return tl::unexpected(std::move(prepared).error());
  const auto problem_error = [](std::string detail) {
    return tl::unexpected(Failure{protocol::Verdict::kProblemError, std::move(detail)});
  };
  if (!*prepared) {
    return problem_error(
        fmt::format("loading the problem was stopped: it exceeded {} s{}", seconds_of(limit), last_output()));
  }
  if (!(*prepared)->problem_error.empty()) return problem_error((*prepared)->problem_error);
  prepared_ = **std::move(prepared);
  return {};
}

Failure JudgeSession::died_in_preparation() {
  const auto ending = child_.wait(kExitWait);
  const std::string how = ending ? ending->text() : "it closed its channel";
  if (ending && !ending->zygote_lost && !ending->killed_by_us) {
    if (is_fault(ending->status.signal)) {
      return {protocol::Verdict::kProblemError,
              fmt::format("loading the problem ended its process: {}{}", how, last_output())};
    }
    if (ending->status.signal == SIGKILL && devices::out_of_memory_kills() > out_of_memory_kills_) {
      return {
          protocol::Verdict::kProblemError,
          fmt::format("the problem does not fit into this machine's memory: its process was {} by the kernel", how)};
    }
  }
  return {protocol::Verdict::kInfrastructure,
          fmt::format("the judge ended before it was ready: {}{}", how, last_output())};
}

std::string JudgeSession::last_output() const {
  const std::string tail = runner_process::output_tail(folder_.path() / kOutput);
  return tail.empty() ? "" : "\nits last output:\n" + tail;
}

bool JudgeSession::alive() { return !child_.wait(std::chrono::milliseconds(0)).has_value(); }

runner_process::Cancellation::Attachment JudgeSession::attach_to(runner_process::Cancellation& cancellation) {
  return cancellation.attach([zygote = &zygote_, id = child_.id()] { zygote->kill(id); });
}

Outcome<void> JudgeSession::send(const messages::ToJudge& message, const std::vector<int>& fds) {
  auto sent = child_.channel().send(protocol::pack_message(message), fds);
  if (!sent) return infrastructure(fmt::format("the judge is gone: {}", sent.error().message));
  return {};
}

Outcome<std::optional<messages::FromJudge>> JudgeSession::receive(std::chrono::milliseconds limit) {
  auto frame = child_.channel().receive(limit);
  if (!frame) {
    const auto ending = child_.wait(kExitWait);
    return infrastructure(
        fmt::format("the judge ended: {}{}", ending ? ending->text() : frame.error().message, last_output()));
  }
  if (!*frame) return std::nullopt;
  auto message = protocol::unpack_message<messages::FromJudge>((*frame)->bytes);
  if (!message) return infrastructure(fmt::format("the judge's message does not parse: {}", message.error().message));
  return *std::move(message);
}

void JudgeSession::end() {
  child_.kill();
  static_cast<void>(child_.wait(kEndWait));
}

}  // namespace autokernel::lane
