#include "worker/messages/builder.hpp"

#include <chrono>
#include <cstdio>

#include "worker/runner/builder/native_build.hpp"
#include "worker/runner/builder/python_build.hpp"
#include "worker/runner/roles.hpp"

namespace autokernel::runner {
namespace {

constexpr std::chrono::minutes kPatience{10};

}  // namespace

int run_builder(system::Channel channel) {
  auto frame = channel.receive(kPatience);
  if (!frame || !*frame) return 0;
  const auto request = protocol::unpack_message<messages::ToBuilder>((*frame)->bytes);
  if (!request) {
    fmt::print(stderr, "the agent's message cannot be read: {}\n", request.error().message);
    return 1;
  }
  const auto& build = std::get<messages::Build>(*request);
  const auto begin = std::chrono::steady_clock::now();
  messages::Built built = build.language == protocol::Language::kPython ? build_python(build) : build_native(build);
  built.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return channel.send(protocol::pack_message(messages::FromBuilder(built))) ? 0 : 1;
}

}  // namespace autokernel::runner
