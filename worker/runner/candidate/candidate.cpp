#include <unistd.h>

#include <cstdio>

#include "worker/runner/candidate/session.hpp"
#include "worker/runner/roles.hpp"

namespace autokernel::runner {
namespace {

/// A lane may keep a process waiting for as long as it likes; the judge's death closes the channel.
constexpr std::chrono::hours kPatience{24};

}  // namespace

int run_candidate(system::Channel channel) {
  const messages::FromCandidate started = messages::Started{::getpgrp()};
  if (!channel.send(protocol::pack_message(started))) return 0;
  CandidateSession session(channel);
  for (;;) {
    auto frame = channel.receive(kPatience);
    if (!frame) return 0;  // the judge is done with this process
    if (!*frame) continue;
    auto question = protocol::unpack_message<messages::ToCandidate>((*frame)->bytes);
    if (!question) {
      fmt::print(stderr, "the judge's message cannot be read: {}\n", question.error().message);
      return 1;
    }
    system::UniqueFd fd;
    if (!(*frame)->fds.empty()) fd = std::move((*frame)->fds.front());
    const auto answer = session.answer(*question, std::move(fd));
    if (answer && !channel.send(protocol::pack_message(*answer))) return 0;
  }
}

}  // namespace autokernel::runner
