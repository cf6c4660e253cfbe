#pragma once

#include <condition_variable>
#include <mutex>

namespace autokernel::compile {

/// Keeps builds and timing apart on a node whose device is the CPU: both want the same cores, and a compiler beside a
/// timed kernel would be read as a slow kernel. Builds share the gate, a lane has it alone. On a GPU node nobody uses
/// it: there builds take CPU cores and lanes take GPUs.
///
/// A waiting lane goes before builds that have not begun: verdicts are what people wait for, and a lane that finds no
/// job ready does not wait here, so builds get their turn.
class CpuGate {
 public:
  class Shared {
   public:
    explicit Shared(CpuGate* gate) : gate_(gate) {
      if (gate_ != nullptr) gate_->enter_shared();
    }
    ~Shared() {
      if (gate_ != nullptr) gate_->leave_shared();
    }
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;

   private:
    CpuGate* gate_;
  };

  class Exclusive {
   public:
    explicit Exclusive(CpuGate* gate) : gate_(gate) {
      if (gate_ != nullptr) gate_->enter_exclusive();
    }
    ~Exclusive() {
      if (gate_ != nullptr) gate_->leave_exclusive();
    }
    Exclusive(const Exclusive&) = delete;
    Exclusive& operator=(const Exclusive&) = delete;

   private:
    CpuGate* gate_;
  };

 private:
  void enter_shared();
  void leave_shared();
  void enter_exclusive();
  void leave_exclusive();

  std::mutex mutex_;
  std::condition_variable changed_;
  int sharing_ = 0;
  int waiting_ = 0;
  bool taken_ = false;
};

}  // namespace autokernel::compile
