#include "worker/compile/cpu_gate.hpp"

namespace autokernel::compile {

void CpuGate::enter_shared() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !taken_ && waiting_ == 0; });
  ++sharing_;
}

void CpuGate::leave_shared() {
  {
    const std::lock_guard lock(mutex_);
    --sharing_;
  }
  changed_.notify_all();
}

void CpuGate::enter_exclusive() {
  std::unique_lock lock(mutex_);
  ++waiting_;
  changed_.wait(lock, [this] { return !taken_ && sharing_ == 0; });
  --waiting_;
  taken_ = true;
}

void CpuGate::leave_exclusive() {
  {
    const std::lock_guard lock(mutex_);
    taken_ = false;
  }
  changed_.notify_all();
}

}  // namespace autokernel::compile
