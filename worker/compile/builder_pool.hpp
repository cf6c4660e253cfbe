#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "worker/compile/builder.hpp"

namespace autokernel::compile {

/// One build to do. The callbacks run on a builder thread; exactly one of `done` and `dropped` is called.
struct BuildTask {
  BuildRequest request;
  std::shared_ptr<runner_process::Cancellation> cancellation;
  std::function<void()> begun;
  std::function<void(BuildResult)> done;
  std::function<void()> dropped;  ///< cancelled, or the pool stopped first
};

/// Builds in parallel on a fixed number of threads, first come, first served. submit() does not wait.
/// Before the destructor, cancel what runs: it waits for the running builds.
class BuilderPool {
 public:
  BuilderPool(const Builder& builder, std::size_t threads);
  ~BuilderPool();
  BuilderPool(const BuilderPool&) = delete;
  BuilderPool& operator=(const BuilderPool&) = delete;

  void submit(BuildTask task);

 private:
  void run();

  const Builder& builder_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::deque<BuildTask> tasks_;
  std::vector<std::thread> threads_;
};

}  // namespace autokernel::compile
