#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

namespace autokernel::runner_process {

/// Lets the agent's thread end a job that a lane or a builder thread is busy with. Those threads block on their child's
/// channel; killing the child is what wakes them. Thread-safe.
class Cancellation {
 public:
  Cancellation() = default;
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;
  ~Cancellation() = default;

  /// Runs what is attached now, and whatever is attached later at once. Again is harmless.
  void cancel();
  [[nodiscard]] bool cancelled() const;

  /// Detaches when it goes out of scope.
  class Attachment {
   public:
    Attachment() = default;
    Attachment(Cancellation* owner, std::uint64_t key) : owner_(owner), key_(key) {}
    Attachment(Attachment&& other) noexcept : owner_(std::exchange(other.owner_, nullptr)), key_(other.key_) {}
    Attachment& operator=(Attachment&& other) noexcept {
      if (this != &other) {
        detach();
        owner_ = std::exchange(other.owner_, nullptr);
        key_ = other.key_;
      }
      return *this;
    }
    Attachment(const Attachment&) = delete;
    Attachment& operator=(const Attachment&) = delete;
    ~Attachment() { detach(); }

   private:
    void detach();
    Cancellation* owner_ = nullptr;
    std::uint64_t key_ = 0;
  };

  /// `kill` may run on any thread, must not block for long, and must not call back into this object.
  [[nodiscard]] Attachment attach(std::function<void()> kill);

 private:
  mutable std::mutex mutex_;
  bool cancelled_ = false;
  std::uint64_t next_key_ = 1;
  std::map<std::uint64_t, std::function<void()>> attached_;
};

}  // namespace autokernel::runner_process
