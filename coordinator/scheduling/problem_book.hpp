#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "common/protocol/record.hpp"
#include "common/result/result.hpp"

namespace autokernel::scheduling {

/// What the records of one problem have taught so far; small enough to be stored again with each of them.
struct ProblemHistory {
  double reference_us = 0;  ///< mean of the measured medians; 0: never measured
  std::int64_t measured = 0;
  double floor_us = 0;      ///< no kernel can be faster, by the roofline; 0: not known
  double best_speedup = 1;  ///< confirmed: its interval lies above the best before
  std::int64_t tries = 0;
  std::int64_t improvements = 0;
  double seconds = 0;  ///< lane time of all tries

  template <class Archive>
  void describe(Archive& archive) {
    archive.field("reference_us", reference_us);
    archive.field("measured", measured);
    archive.field("floor_us", floor_us);
    archive.field("best_speedup", best_speedup);
    archive.field("tries", tries);
    archive.field("improvements", improvements);
    archive.field("seconds", seconds);
  }
};

/// Ranks problems by Amdahl's law over what is left to gain. Dispatch thread only; does no I/O.
///
/// A group is a level or a model: the folder of the problem's name. A problem not measured yet counts as the mean of
/// its group, so that it is neither first nor last for being unknown; where nothing is known, all rank alike.
class ProblemBook {
 public:
  /// Makes the problem known. Free to repeat.
  void add(const std::string& problem);

  /// Learns from a verdict. An infrastructure failure teaches nothing.
  void observe(const protocol::Record& record);

  /// The problem's place among all known ones: 1 for the most to gain per second, 0 for the least; ties share a place.
  [[nodiscard]] double rank(const std::string& problem);

  /// Expected gain per second of lane time, for people and tests.
  [[nodiscard]] double priority(const std::string& problem);

  /// For the store: what a successor restores. Empty while nothing is known.
  [[nodiscard]] std::string save(const std::string& problem) const;
  /// kInvalid: not what save() gave.
  [[nodiscard]] Result<void> restore(const std::string& problem, std::string_view saved);

 private:
  struct Entry {
    ProblemHistory history;
    double priority = 0;
    double rank = 0;
  };
  void recompute();

  std::map<std::string, Entry> problems_;
  bool outdated_ = false;
};

/// "level1/19_ReLU.py" → "level1"; a bare name → "".
[[nodiscard]] std::string group_of(std::string_view problem);

}  // namespace autokernel::scheduling
