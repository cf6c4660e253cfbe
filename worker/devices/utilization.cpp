#include "worker/devices/utilization.hpp"

#include <utility>

namespace autokernel::devices {

UtilizationSampler::UtilizationSampler(GpuMonitor& monitor, std::vector<std::string> ids,
                                       std::chrono::milliseconds period)
    : monitor_(monitor), ids_(std::move(ids)), period_(period), thread_([this] { run(); }) {}

UtilizationSampler::~UtilizationSampler() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

std::map<std::string, double> UtilizationSampler::shares() const {
  const std::lock_guard lock(mutex_);
  std::map<std::string, double> result;
  for (const auto& [id, share] : shares_) result.emplace(id, share.value());
  return result;
}

void UtilizationSampler::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    std::map<std::string, double> readings;  // a GPU that does not answer has no reading this time
    for (const std::string& id : ids_) {
      if (const auto reading = monitor_.read(id)) readings.emplace(id, reading->busy);
    }
    lock.lock();
    for (const auto& [id, busy] : readings) shares_[id].add(busy);
    wake_.wait_for(lock, period_, [this] { return stopping_; });
  }
}

}  // namespace autokernel::devices
