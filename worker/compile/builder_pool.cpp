#include "worker/compile/builder_pool.hpp"

#include <utility>

namespace autokernel::compile {

BuilderPool::BuilderPool(const Builder& builder, std::size_t threads) : builder_(builder) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

BuilderPool::~BuilderPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  for (const BuildTask& task : tasks_) task.dropped();
}

void BuilderPool::submit(BuildTask task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
}

void BuilderPool::run() {
  for (;;) {
    BuildTask task;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
      if (stopping_) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    if (!task.cancellation->cancelled()) {
      task.begun();
      BuildResult result = builder_.build(task.request, *task.cancellation);
      if (!task.cancellation->cancelled()) {
        task.done(std::move(result));
        continue;
      }
    }
    task.dropped();
  }
}

}  // namespace autokernel::compile
