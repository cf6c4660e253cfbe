#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace autokernel::kernelbench {

/// KernelBench's statistics of one timing, in milliseconds, each to three significant digits.
struct TimingStats {
  double mean = 0;
  double std = 0;
  double min = 0;
  double max = 0;
  std::int64_t trials = 0;
  std::string hardware;
  std::string device;
  bool operator==(const TimingStats&) const = default;
};

/// Reference times of a machine, by level and file name. nullopt: the reference failed there.
struct Baseline {
  using Level = std::map<std::string, std::optional<TimingStats>>;
  std::map<int, Level> levels;

  /// nullptr: absent, or there as null; scoring treats the two alike. `problem` may be "level1/19_ReLU.py",
  /// "19_ReLU.py" or "19_ReLU": KernelBench's own files differ in that.
  [[nodiscard]] const TimingStats* find(int level, std::string_view problem) const;
};

/// A number as KernelBench stores it: three significant digits. Scores computed from its files need the same rounding.
[[nodiscard]] double three_digits(double value);

}  // namespace autokernel::kernelbench
