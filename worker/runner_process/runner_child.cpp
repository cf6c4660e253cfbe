#include "worker/runner_process/runner_child.hpp"

#include <utility>

#include "worker/runner_process/zygote.hpp"

namespace autokernel::runner_process {

std::string Ending::text() const {
  if (zygote_lost) return "lost together with the runner process that started it";
  return status.text();
}

RunnerChild::RunnerChild(Zygote& zygote, std::uint64_t id, std::shared_ptr<ChildState> state, system::Channel channel)
    : zygote_(&zygote), id_(id), state_(std::move(state)), channel_(std::move(channel)) {}

RunnerChild::RunnerChild(RunnerChild&& other) noexcept
    : zygote_(other.zygote_), id_(other.id_), state_(std::move(other.state_)), channel_(std::move(other.channel_)) {}

RunnerChild& RunnerChild::operator=(RunnerChild&& other) noexcept {
  if (this != &other) {
    if (state_) kill();
    zygote_ = other.zygote_;
    id_ = other.id_;
    state_ = std::move(other.state_);
    channel_ = std::move(other.channel_);
  }
  return *this;
}

RunnerChild::~RunnerChild() {
  if (state_) kill();
}

void RunnerChild::kill() { zygote_->kill(id_); }

std::optional<Ending> RunnerChild::wait(std::chrono::milliseconds timeout) {
  std::unique_lock lock(state_->mutex);
  state_->ended.wait_for(lock, timeout, [this] { return state_->ending.has_value(); });
  return state_->ending;
}

}  // namespace autokernel::runner_process
