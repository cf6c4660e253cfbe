#pragma once

#include <cstddef>
#include <functional>
#include <utility>

#include "common/system/fd.hpp"
#include "worker/messages/candidate.hpp"

namespace autokernel::runner {

/// Owns a piece of memory that two processes can map. Made by a Device.
class SharedMemory {
 public:
  SharedMemory() = default;
  SharedMemory(std::byte* base, messages::ArenaHandle handle, system::UniqueFd fd, std::function<void()> release)
      : base_(base), handle_(std::move(handle)), fd_(std::move(fd)), release_(std::move(release)) {}
  SharedMemory(SharedMemory&& other) noexcept { swap(other); }
  SharedMemory& operator=(SharedMemory&& other) noexcept {
    swap(other);
    return *this;
  }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory() {
    if (release_) release_();
  }

  [[nodiscard]] std::byte* base() const { return base_; }
  [[nodiscard]] const messages::ArenaHandle& handle() const { return handle_; }
  [[nodiscard]] int fd() const { return fd_.get(); }  ///< -1 on a GPU

 private:
  void swap(SharedMemory& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(handle_, other.handle_);
    std::swap(fd_, other.fd_);
    std::swap(release_, other.release_);
  }

  std::byte* base_ = nullptr;
  messages::ArenaHandle handle_;
  system::UniqueFd fd_;
  std::function<void()> release_;
};

}  // namespace autokernel::runner
