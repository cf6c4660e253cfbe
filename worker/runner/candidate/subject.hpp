#pragma once

#include <string>
#include <vector>

#include "worker/messages/candidate.hpp"
#include "worker/runner/device/arena.hpp"
#include "worker/runner/python/attempt.hpp"
#include "worker/runner/python/items.hpp"

namespace autokernel::runner {

/// What is being judged, in whatever language it is written. One call is fixed by prepare(); invoke() may follow any
/// number of times, each leaving one result that result() describes until drop(). Nothing here waits for the device.
class Subject {
 public:
  Subject() = default;
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;
  virtual ~Subject() = default;

  /// Replaces the instance; returns the names in its state_dict.
  [[nodiscard]] virtual Attempt<std::vector<std::string>> instantiate(const messages::Instantiate& request) = 0;
  [[nodiscard]] virtual Attempt<void> prepare(const messages::Call& call) = 0;
  /// Puts a NaN pattern where the next result is likely to land, so that what is not written shows.
  [[nodiscard]] virtual Attempt<void> poison() = 0;
  [[nodiscard]] virtual Attempt<void> invoke() = 0;
  [[nodiscard]] virtual Description result() = 0;
  virtual void drop() = 0;
};

}  // namespace autokernel::runner
