#include "worker/runner_process/zygote.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "common/telemetry/log.hpp"

namespace autokernel::runner_process {
namespace {

constexpr int kChannelDescriptor = 3;
constexpr auto kRestartWait = std::chrono::seconds(60);
constexpr auto kFirstPause = std::chrono::milliseconds(500);
constexpr auto kLongestPause = std::chrono::milliseconds(10'000);

}  // namespace

Result<std::unique_ptr<Zygote>> Zygote::start(ZygoteOptions options) {
  const auto limit = options.start_limit;
  std::unique_ptr<Zygote> zygote(new Zygote(std::move(options)));
  std::unique_lock lock(zygote->mutex_);
  const bool decided =
      zygote->changed_.wait_for(lock, limit, [&] { return zygote->ready_ || zygote->failure_.has_value(); });
  if (!decided) {
    return fail(Code::kUnavailable, "the runner did not get ready within {} s; its output is in '{}'", limit.count(),
                zygote->options_.output_path);
  }
  if (zygote->failure_) {
    Error failure = *zygote->failure_;
    lock.unlock();
    return tl::unexpected(std::move(failure));
  }
  lock.unlock();
  return zygote;
}

Zygote::Zygote(ZygoteOptions options) : options_(std::move(options)), thread_([this] { supervise(); }) {}

Zygote::~Zygote() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    if (writer_) ::shutdown(writer_->fd(), SHUT_RDWR);  // the reader sees the end at once, and so does the zygote
  }
  changed_.notify_all();
  thread_.join();
}

std::map<std::string, std::string> Zygote::environment() const {
  const std::lock_guard lock(mutex_);
  return environment_;
}

Result<RunnerChild> Zygote::spawn(const ChildRequest& request) {
  AUTOKERNEL_TRY_ASSIGN(auto ends, system::Channel::make_pair());
  return spawn_child(request, ends.second, std::move(ends.first));
}

Result<RunnerChild> Zygote::spawn_with(const ChildRequest& request, system::Channel child_end) {
  return spawn_child(request, child_end, system::Channel(system::UniqueFd()));
}

Result<RunnerChild> Zygote::spawn_child(const ChildRequest& request, const system::Channel& child_end,
                                        system::Channel own_end) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kRestartWait, [this] { return ready_ || stopping_; });
  if (stopping_) return fail(Code::kUnavailable, "the worker is stopping");
  if (!ready_) {
    return fail(Code::kUnavailable, "the runner is not there: {}",
                failure_ ? failure_->message : "it did not start again within a minute");
  }
  messages::Spawn spawn;
  spawn.child = next_child_++;
  spawn.role = request.role;
  spawn.environment = request.environment;
  spawn.output_path = request.output_path;
  spawn.folder = request.folder;
  spawn.memory_bytes = request.memory_bytes;
  auto state = std::make_shared<ChildState>();
  // Known before it is asked for: its end may be reported before send() returns.
  children_.emplace(spawn.child, state);
  if (auto sent = writer_->send(protocol::pack_message(messages::ToZygote(spawn)), {child_end.fd()}); !sent) {
    children_.erase(spawn.child);
    return tl::unexpected(sent.error().within("starting a process"));
  }
  return RunnerChild(*this, spawn.child, std::move(state), std::move(own_end));
}

void Zygote::kill(std::uint64_t child) {
  const std::lock_guard lock(mutex_);
  const auto found = children_.find(child);
  if (found == children_.end() || !writer_) return;
  {
    const std::lock_guard state_lock(found->second->mutex);
    if (std::exchange(found->second->kill_sent, true)) return;
  }
  // When it cannot be sent the zygote is dying, and its children with it.
  static_cast<void>(writer_->send(protocol::pack_message(messages::ToZygote(messages::Kill{child}))));
}

void Zygote::supervise() {
  auto pause = kFirstPause;
  for (;;) {
    auto served = serve_one_process();
    lose_children();
    std::unique_lock lock(mutex_);
    if (stopping_) return;
    if (std::exchange(was_ready_, false)) pause = kFirstPause;
    if (!failure_) failure_ = served ? Error{Code::kUnavailable, "it ended"} : served.error();
    telemetry::error("no runner; starting it again", {{"reason", failure_->message}, {"pause_ms", pause.count()}});
    changed_.notify_all();
    if (changed_.wait_for(lock, pause, [this] { return stopping_; })) return;
    failure_.reset();
    pause = std::min(pause * 2, kLongestPause);
  }
}

Result<void> Zygote::serve_one_process() {
  AUTOKERNEL_TRY_ASSIGN(auto ends, system::Channel::make_pair());
  system::Channel reader = std::move(ends.first);
  system::ProcessOptions process_options;
  process_options.arguments = {options_.program, "--zygote"};
  process_options.output_path = options_.output_path;
  process_options.descriptors.emplace_back(ends.second.fd(), kChannelDescriptor);
  int next = kChannelDescriptor + 1;
  for (const int fd : options_.inherited) process_options.descriptors.emplace_back(fd, next++);
  AUTOKERNEL_TRY_ASSIGN(auto process, system::ChildProcess::start(process_options));
  ends.second.close();
  {
    system::UniqueFd copy(::fcntl(reader.fd(), F_DUPFD_CLOEXEC, 0));
    if (!copy.valid()) return fail(Code::kExhausted, "no descriptor left for the runner");
    const std::lock_guard lock(mutex_);
    if (stopping_) return {};
    writer_.emplace(std::move(copy));
  }
  for (;;) {
    auto frame = reader.receive(std::chrono::hours(1));
    if (!frame) {
      const auto status = process.wait(std::chrono::milliseconds(500));
      return fail(Code::kUnavailable, "the runner process ended: {}; its output is in '{}'",
                  status ? status->text() : frame.error().message, options_.output_path);
    }
    if (!*frame) continue;
    auto message = protocol::unpack_message<messages::FromZygote>((*frame)->bytes);
    if (!message) return tl::unexpected(message.error().within("message from the runner"));
    std::visit([this](const auto& content) { handle(content); }, *message);
  }
}

void Zygote::handle(const messages::Ready& ready) {
  {
    const std::lock_guard lock(mutex_);
    environment_ = ready.environment;
    ready_ = true;
    was_ready_ = true;
    failure_.reset();
  }
  changed_.notify_all();
}

void Zygote::handle(const messages::Unfit& unfit) {
  {
    const std::lock_guard lock(mutex_);
    failure_ = Error{Code::kUnavailable, unfit.reason};
  }
  changed_.notify_all();
}

void Zygote::handle(const messages::Exited& exited) {
  std::shared_ptr<ChildState> state;
  {
    const std::lock_guard lock(mutex_);
    const auto found = children_.find(exited.child);
    if (found == children_.end()) return;
    state = found->second;
    children_.erase(found);
  }
  {
    const std::lock_guard lock(state->mutex);
    const bool ours = state->kill_sent && exited.signal == SIGKILL;
    state->ending = Ending{system::ExitStatus{exited.code, exited.signal}, false, ours};
  }
  state->ended.notify_all();
}

void Zygote::lose_children() {
  std::map<std::uint64_t, std::shared_ptr<ChildState>> lost;
  {
    const std::lock_guard lock(mutex_);
    ready_ = false;  // in the same step, so that no child is added to a zygote that is gone
    writer_.reset();
    lost.swap(children_);
  }
  for (const auto& [id, state] : lost) {
    {
      const std::lock_guard lock(state->mutex);
      state->ending = Ending{{}, true, state->kill_sent};
    }
    state->ended.notify_all();
  }
}

}  // namespace autokernel::runner_process
