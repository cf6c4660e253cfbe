#include "worker/runner/candidate/turns.hpp"

#include <chrono>

#include "worker/messages/candidate.hpp"

namespace autokernel::runner {
namespace {

/// The judge answers at once; beyond this it is at fault, and closes the channel sooner or later.
constexpr std::chrono::hours kPatience{24};

template <class Reply>
Result<Reply> talk(system::Channel& channel, const messages::FromCandidate& words) {
  AUTOKERNEL_TRY(channel.send(protocol::pack_message(words)));
  AUTOKERNEL_TRY_ASSIGN(const auto frame, channel.receive(kPatience));
  if (!frame) return fail(Code::kUnavailable, "the judge says nothing");
  AUTOKERNEL_TRY_ASSIGN(const auto message, protocol::unpack_message<messages::ToCandidate>(frame->bytes));
  if (const auto* reply = std::get_if<Reply>(&message)) return *reply;
  return fail(Code::kInvalid, "the judge sent a '{}' in the middle of a block", protocol::type_of(message));
}

}  // namespace

Result<void> Turns::wait_for_inputs(int index) {
  AUTOKERNEL_TRY(talk<messages::Go>(channel_, messages::AwaitsInputs{index}));
  return {};
}

Result<bool> Turns::is_kept(int index) {
  AUTOKERNEL_TRY_ASSIGN(const messages::Keep reply, talk<messages::Keep>(channel_, messages::Called{index}));
  return reply.keep;
}

}  // namespace autokernel::runner
