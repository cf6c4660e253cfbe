#include "worker/runner_process/cancellation.hpp"

namespace autokernel::runner_process {

void Cancellation::cancel() {
  const std::lock_guard lock(mutex_);
  if (cancelled_) return;
  cancelled_ = true;
  for (const auto& [key, kill] : attached_) kill();
}

bool Cancellation::cancelled() const {
  const std::lock_guard lock(mutex_);
  return cancelled_;
}

Cancellation::Attachment Cancellation::attach(std::function<void()> kill) {
  const std::lock_guard lock(mutex_);
  if (cancelled_) kill();
  const std::uint64_t key = next_key_++;
  attached_.emplace(key, std::move(kill));
  return Attachment(this, key);
}

void Cancellation::Attachment::detach() {
  if (owner_ == nullptr) return;
  const std::lock_guard lock(owner_->mutex_);
  owner_->attached_.erase(key_);
  owner_ = nullptr;
}

}  // namespace autokernel::runner_process
