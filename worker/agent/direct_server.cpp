#include "worker/agent/direct_server.hpp"

#include <algorithm>
#include <utility>

#include "common/protocol/tagged.hpp"
#include "common/telemetry/log.hpp"

namespace autokernel::agent {
namespace {

using pipeline::Event;

/// What the client hears of an event; nullopt: nothing.
std::optional<protocol::WorkerMessage> message_for(const Event& event) {
  if (const auto* stage = std::get_if<pipeline::StageEnded>(&event))
    return protocol::Progress{stage->token, stage->stage};
  if (const auto* finished = std::get_if<pipeline::JobFinished>(&event)) {
    return protocol::JobResult{finished->token, finished->record};
  }
  return std::nullopt;
}

Result<void> handle(const system::Frame& frame, pipeline::Pipeline& pipeline) {
  AUTOKERNEL_TRY_ASSIGN(const auto message, protocol::unpack_message<protocol::ToWorkerMessage>(frame.bytes));
  if (const auto* dispatch = std::get_if<protocol::Dispatch>(&message)) {
    pipeline.accept(*dispatch);
  } else if (const auto* cancel = std::get_if<protocol::Cancel>(&message)) {
    pipeline.cancel(cancel->token);
  } else {
    return fail(Code::kInvalid, "a client sends DISPATCH or CANCEL here, not {}", protocol::type_of(message));
  }
  return {};
}

}  // namespace

Result<void> serve_directly(system::Channel channel, pipeline::Pipeline& pipeline, pipeline::EventQueue& events,
                            transport::Waker& waker, const std::atomic<bool>& stop) {
  while (!stop.load()) {
    while (const auto event = events.pop()) {
      const auto message = message_for(*event);
      if (message) AUTOKERNEL_TRY(channel.send(protocol::pack_message(*message)));
    }
    transport::Poll poll;
    poll.add_fd(waker.fd());
    poll.add_fd(channel.fd());
    AUTOKERNEL_TRY_ASSIGN(const auto ready, poll.wait(std::chrono::minutes(1)));
    waker.drain();
    if (std::find(ready.begin(), ready.end(), 1U) == ready.end()) continue;
    auto frame = channel.receive(std::chrono::milliseconds(0));
    if (!frame) {
      if (frame.error().code == Code::kUnavailable) return {};  // the client is done, or gone: the same to us
      return tl::unexpected(std::move(frame).error());
    }
    if (*frame) AUTOKERNEL_TRY(handle(**frame, pipeline));
  }
  return {};
}

}  // namespace autokernel::agent
