#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "common/protocol/record.hpp"

namespace autokernel::client {

/// Escape codes for a terminal, or nothing.
class Paint {
 public:
  explicit Paint(bool colours) : colours_(colours) {}
  [[nodiscard]] std::string good(std::string_view text) const { return wrap(text, "32"); }
  [[nodiscard]] std::string bad(std::string_view text) const { return wrap(text, "31"); }
  [[nodiscard]] std::string odd(std::string_view text) const { return wrap(text, "33"); }
  [[nodiscard]] std::string dim(std::string_view text) const { return wrap(text, "2"); }
  [[nodiscard]] std::string bold(std::string_view text) const { return wrap(text, "1"); }
  /// A verdict's name in its colour: accepted, failed, or nobody's fault.
  [[nodiscard]] std::string verdict(const protocol::Record& record) const;

 private:
  [[nodiscard]] std::string wrap(std::string_view text, std::string_view code) const;
  bool colours_;
};

/// "cheating(timer)" where there is a kind, else the verdict's name.
[[nodiscard]] std::string verdict_text(const protocol::Record& record);

/// "1.93x [1.91, 1.95]"; empty when not timed.
[[nodiscard]] std::string speedup_text(const protocol::Record& record);

/// "level1/19_ReLU.py sample 0 robust 1.93x [1.91, 1.95]": one verdict. A failure has the first line of its detail
/// instead of a speedup, a baseline the reference's time.
[[nodiscard]] std::string verdict_line(const protocol::Record& record, const Paint& paint);

/// A time of a call in the unit that suits it: "8.53 us", "10.2 ms", "1.5 s".
[[nodiscard]] std::string call_time_text(double microseconds);

/// "3 h 02 min", "4 min 10 s", "12 s".
[[nodiscard]] std::string duration_text(std::chrono::seconds duration);

/// What a progress bar shows.
struct ProgressState {
  std::size_t done = 0;
  std::size_t total = 0;
  std::size_t fresh = 0;            ///< of `done`, those of this call: what the rate is made of
  std::chrono::seconds elapsed{0};  ///< of this call
  std::map<std::string, std::size_t> verdicts;
};

/// "[#####-----] 12/60  0.8/s  1 min 00 s left  robust 8, wrong_output 3", cut to `width` columns.
[[nodiscard]] std::string bar_text(const ProgressState& state, std::size_t width);

/// "robust 8, wrong_output 3": the most frequent first.
[[nodiscard]] std::string counts_text(const std::map<std::string, std::size_t>& verdicts);

}  // namespace autokernel::client
