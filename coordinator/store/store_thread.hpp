#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "common/transport/transport.hpp"
#include "coordinator/store/store_line.hpp"

namespace autokernel::store {

struct StoreThreadOptions {
  std::chrono::milliseconds first_backoff{50};
  std::chrono::milliseconds longest_backoff{2000};
  std::size_t batch = 64;  ///< transitions in one round trip: they share a disk sync
  std::size_t batch_bytes = std::size_t{4} << 20U;
};

/// Owns the store and the thread that talks to it. Transitions that wait are sent together. All public functions are
/// for the dispatch thread; `waker` is woken when answers lie ready for deliver().
class StoreThread final : public StoreLine {
 public:
  StoreThread(std::unique_ptr<JobStore> store, const transport::Waker& waker, StoreThreadOptions options = {});
  /// Waits for the round trip in flight; requests behind it are dropped unanswered, their senders will repeat them.
  ~StoreThread() override;
  StoreThread(const StoreThread&) = delete;
  StoreThread& operator=(const StoreThread&) = delete;

  void post(Transition transition, Done<Outcome> done) override;
  void counts(Done<Counts> done) override;
  void finished_since(std::string cursor, std::size_t limit, Done<EndingsPage> done) override;
  [[nodiscard]] bool reachable() const override { return reachable_; }
  [[nodiscard]] std::size_t backlog() const override { return asked_ - answered_; }

  /// Calls back for everything answered since.
  void deliver();

 private:
  struct Write {
    Transition transition;
    Done<Outcome> done;
  };
  /// Does its read; false when the store was unavailable and it must be repeated.
  using Read = std::function<bool(JobStore&)>;
  using Request = std::variant<Write, Read>;

  void run(const std::stop_token& stop);
  bool take_batch(std::vector<Request>& batch, const std::stop_token& stop);
  /// Takes what was done off the front of the batch; false when something must be repeated.
  bool serve(std::vector<Request>& batch);
  bool serve_writes(std::vector<Request>& batch);
  void answer(std::function<void()> callback);
  void ask(Request request);
  template <class T>
  Read read(std::function<Result<T>(JobStore&)> query, Done<T> done);
  void note(bool reachable, const std::string& why);

  std::unique_ptr<JobStore> store_;
  const transport::Waker& waker_;
  StoreThreadOptions options_;
  std::mutex mutex_;
  std::condition_variable_any asked_more_;
  std::deque<Request> requests_;                // guarded by mutex_
  std::vector<std::function<void()>> answers_;  // guarded by mutex_
  std::atomic<bool> reachable_{true};
  std::size_t asked_ = 0;     // dispatch thread only
  std::size_t answered_ = 0;  // dispatch thread only
  std::jthread thread_;       // last: it uses all of the above
};

}  // namespace autokernel::store
