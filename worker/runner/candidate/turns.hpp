#pragma once

#include "common/result/result.hpp"
#include "common/system/channel.hpp"

namespace autokernel::runner {

/// The candidate's side of a block in turn (messages::TimeBlock): what is said to the judge in the middle of it. The
/// interpreter's lock is not given away meanwhile, so that no Python of the candidate's runs. kUnavailable: the judge
/// is gone. kInvalid: it said something else.
class Turns {
 public:
  explicit Turns(system::Channel& channel) : channel_(channel) {}

  /// Returns when the inputs of call `index` lie in place.
  [[nodiscard]] Result<void> wait_for_inputs(int index);
  /// Says that forward has returned; whether its result is to be kept.
  [[nodiscard]] Result<bool> is_kept(int index);

 private:
  system::Channel& channel_;
};

}  // namespace autokernel::runner
