#include "worker/agent/agent.hpp"

#include <algorithm>
#include <random>
#include <utility>

#include "common/id/digest.hpp"
#include "common/protocol/tagged.hpp"
#include "common/telemetry/log.hpp"

namespace autokernel::agent {
namespace {

std::function<double()> random_jitter() {
  return [source = std::mt19937_64(random_bits())]() mutable {
    return std::uniform_real_distribution<double>(0, 1)(source);
  };
}

}  // namespace

Agent::Agent(std::string endpoint, LinkIdentity identity, LinkTimes times, pipeline::Pipeline& pipeline,
             pipeline::EventQueue& events, transport::Waker& waker, const std::atomic<bool>& stop)
    : endpoint_(std::move(endpoint)),
      pipeline_(pipeline),
      events_(events),
      waker_(waker),
      stop_(stop),
      link_(
          std::move(identity), times, clock_,
          [&pipeline] {
            return LinkStatus{pipeline.warm_problem(), pipeline.busy()};
          },
          random_jitter()) {}

Result<int> Agent::run() {
  link_.start();
  for (;;) {
    AUTOKERNEL_TRY_ASSIGN(const auto exit_code, perform_actions());
    if (exit_code) return *exit_code;
    AUTOKERNEL_TRY(wait());
    receive_all();
    note_all();
    if (stop_.load()) link_.stop();
    link_.tick();
  }
}

Result<void> Agent::wait() {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(link_.next_deadline() - clock_.now());
  transport::Poll poll;
  poll.add_fd(waker_.fd());
  if (socket_) poll.add(*socket_);
  AUTOKERNEL_TRY_ASSIGN(const auto ready, poll.wait(std::max(left, std::chrono::milliseconds(0))));
  if (std::find(ready.begin(), ready.end(), 0U) != ready.end()) waker_.drain();
  return {};
}

void Agent::receive_all() {
  while (socket_) {
    auto received = socket_->receive();
    if (!received || !*received) return;
    if (!(*received)->version_matches) {
      telemetry::warning("a message of another protocol version was ignored");
      continue;
    }
    auto message = protocol::unpack_message<protocol::ToWorkerMessage>((*received)->body);
    if (!message) {
      telemetry::error("a message from the coordinator does not parse", {{"reason", message.error().message}});
      continue;
    }
    link_.receive(*message);
  }
}

void Agent::note_all() {
  while (auto event = events_.pop()) link_.note(*event);
}

Result<std::optional<int>> Agent::perform_actions() {
  for (const LinkAction& action : link_.take_actions()) {
    if (std::holds_alternative<OpenSocket>(action)) {
      socket_.reset();
      AUTOKERNEL_TRY_ASSIGN(socket_, transport::Dealer::connect(context_, endpoint_));
    } else if (const auto* send = std::get_if<SendMessage>(&action)) {
      // A full or dead socket loses it, as a network would: the link sends again what must arrive.
      if (socket_) static_cast<void>(socket_->send(protocol::pack_message(send->message)));
    } else if (const auto* accept = std::get_if<AcceptJob>(&action)) {
      pipeline_.accept(accept->dispatch);
    } else if (const auto* kill = std::get_if<KillJob>(&action)) {
      pipeline_.cancel(kill->token);
    } else if (const auto* leave = std::get_if<Leave>(&action)) {
      telemetry::log(leave->exit_code == 0 ? telemetry::Level::kInfo : telemetry::Level::kError, leave->reason);
      return std::optional<int>(leave->exit_code);
    }
  }
  return std::optional<int>();
}

}  // namespace autokernel::agent
