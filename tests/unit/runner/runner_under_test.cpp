#include "tests/unit/runner/runner_under_test.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "common/system/file.hpp"

namespace autokernel::runner {
namespace {

constexpr std::chrono::minutes kPatience{3};

}  // namespace

RunnerUnderTest::RunnerUnderTest() {
  std::string pattern = std::filesystem::temp_directory_path() / "autokernel-runner-test-XXXXXX";
  AUTOKERNEL_CHECK(::mkdtemp(pattern.data()) != nullptr);
  folder_ = pattern;
  auto ends = *system::Channel::make_pair();
  channel_ = std::move(ends.first);
  system::ProcessOptions options;
  options.arguments = {AUTOKERNEL_RUNNER, "--zygote"};
  options.descriptors = {{ends.second.fd(), 3}};
  options.output_path = path("zygote.log");
  process_ = *system::ChildProcess::start(options);
  const auto frame = channel_->receive(kPatience);
  if (!frame || !*frame) return;
  const auto message = protocol::unpack_message<messages::FromZygote>((*frame)->bytes);
  if (!message) return;
  if (const auto* ready = std::get_if<messages::Ready>(&*message)) environment_ = ready->environment;
}

RunnerUnderTest::~RunnerUnderTest() {
  channel_.reset();
  process_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

system::Channel RunnerUnderTest::spawn(std::uint64_t child, messages::Role role, std::uint64_t memory_bytes) {
  auto ends = *system::Channel::make_pair();
  messages::Spawn spawn;
  spawn.child = child;
  spawn.role = role;
  spawn.output_path = path("child-" + std::to_string(child) + ".log");
  spawn.folder = folder_;
  spawn.memory_bytes = memory_bytes;
  spawn.environment = {{"AUTOKERNEL_TEST_WORD", "heard"}};
  AUTOKERNEL_CHECK(channel_->send(protocol::pack_message(messages::ToZygote(spawn)), {ends.second.fd()}).has_value());
  return std::move(ends.first);
}

void RunnerUnderTest::kill(std::uint64_t child) {
  AUTOKERNEL_CHECK(channel_->send(protocol::pack_message(messages::ToZygote(messages::Kill{child}))).has_value());
}

messages::Exited RunnerUnderTest::next_exit() {
  const auto frame = channel_->receive(kPatience);
  AUTOKERNEL_CHECK(frame.has_value() && frame->has_value());
  const auto message = protocol::unpack_message<messages::FromZygote>((*frame)->bytes);
  AUTOKERNEL_CHECK(message.has_value() && std::holds_alternative<messages::Exited>(*message));
  return std::get<messages::Exited>(*message);
}

system::ExitStatus RunnerUnderTest::stop() {
  channel_->close();
  return process_->wait(kPatience).value_or(system::ExitStatus{-1, -1});
}

std::string RunnerUnderTest::write(const std::string& name, const std::string& text) const {
  std::ofstream(path(name)) << text;
  return path(name);
}

std::string RunnerUnderTest::output(std::uint64_t child) const {
  return system::read_file(path("child-" + std::to_string(child) + ".log"), 1 << 20).value_or("");
}

}  // namespace autokernel::runner
