#pragma once

#include <string>
#include <string_view>

#include "client/progress/format.hpp"
#include "common/clock/clock.hpp"
#include "common/protocol/record.hpp"

namespace autokernel::client {

/// Where people see what goes on.
struct ProgressStyle {
  bool terminal = false;  ///< a bar that redraws itself; else one line per verdict
  bool colours = false;
  std::size_t width = 80;

  /// As stderr and NO_COLOR ask for.
  [[nodiscard]] static ProgressStyle of_stderr();
};

/// Progress of a run on stderr.
class Progress {
 public:
  /// `total`: verdicts of the whole run; those there already are told by already_done().
  Progress(const Clock& clock, ProgressStyle style, std::size_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void already_done(const protocol::Record& record);
  void verdict(const protocol::Record& record);
  /// A line that stays; without control characters, wherever its words are from.
  void note(std::string_view text);
  /// Redraws the bar when it is time.
  void tick();
  /// Takes the bar away, so that other text may follow.
  void finish();

 private:
  void line(std::string_view text);
  void erase();
  void draw();

  const Clock& clock_;
  ProgressStyle style_;
  Paint paint_;
  ProgressState state_;
  Clock::TimePoint start_;
  Clock::TimePoint last_draw_;
  bool drawn_ = false;
};

}  // namespace autokernel::client
