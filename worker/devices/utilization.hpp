#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "worker/devices/gpu_monitor.hpp"

namespace autokernel::devices {

/// The mean of a device's readings since the start. Readings come at even steps, so the plain mean is the time share.
class BusyShare {
 public:
  void add(double reading) {
    sum_ += reading;
    ++count_;
  }
  [[nodiscard]] double value() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }

 private:
  double sum_ = 0;
  std::size_t count_ = 0;
};

/// Reads every GPU each 100 ms on a thread of its own, and answers for how much of the time each was in use.
/// One thread for all GPUs: a reading takes well under a millisecond.
class UtilizationSampler {
 public:
  UtilizationSampler(GpuMonitor& monitor, std::vector<std::string> ids,
                     std::chrono::milliseconds period = std::chrono::milliseconds(100));
  ~UtilizationSampler();
  UtilizationSampler(const UtilizationSampler&) = delete;
  UtilizationSampler& operator=(const UtilizationSampler&) = delete;

  /// Device id → share since start. Any thread.
  [[nodiscard]] std::map<std::string, double> shares() const;

 private:
  void run();

  GpuMonitor& monitor_;
  const std::vector<std::string> ids_;
  const std::chrono::milliseconds period_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::map<std::string, BusyShare> shares_;
  std::thread thread_;
};

}  // namespace autokernel::devices
