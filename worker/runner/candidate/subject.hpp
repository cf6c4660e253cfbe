#pragma once

#include <span>
#include <string>
#include <vector>

#include "worker/messages/candidate.hpp"
#include "worker/runner/device/arena.hpp"
#include "worker/runner/python/attempt.hpp"
#include "worker/runner/python/items.hpp"

namespace autokernel::runner {

/// What is being judged, in whatever language it is written. prepare() lays out calls; invoke() makes one of them and
/// leaves a result that result() describes until drop(). Nothing here waits for the device.
class Subject {
 public:
  Subject() = default;
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;
  virtual ~Subject() = default;

  /// Replaces the instance; returns the names in its state_dict.
  [[nodiscard]] virtual Attempt<std::vector<std::string>> instantiate(const messages::Instantiate& request) = 0;
  /// Everything that a call needs but the call itself, for each of `calls`.
  [[nodiscard]] virtual Attempt<void> prepare(std::span<const messages::CallInputs> calls,
                                              const messages::ResultPlace& place) = 0;
  /// Puts a NaN pattern where the next result is likely to land, so that what is not written shows.
  [[nodiscard]] virtual Attempt<void> poison() = 0;
  [[nodiscard]] virtual Attempt<void> invoke(std::size_t call) = 0;
  [[nodiscard]] virtual Description result() = 0;
  virtual void drop() = 0;
};

}  // namespace autokernel::runner
