#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "worker/runner/judge/evaluation.hpp"

namespace autokernel::judge {

/// The inputs of timed calls, which both sides of a pair of blocks get alike: each call has values and a place of its
/// own. On the CPU nobody can read them before the call's time has begun: they stay in the judge's own memory until
/// place(). On a GPU they lie in the arena from the draw on.
class TimedInputs {
 public:
  TimedInputs(PreparedProblem& problem, const Workbench& bench, PhaseClock& phases, protocol::InputSource source);

  /// New inputs for so many calls: call i under a seed of its own, in set i of the arena. The first `kept` calls find
  /// what they had before. The seeds are secret, so that nothing computed beforehand fits, and small, since some
  /// generators take 32 bits only.
  [[nodiscard]] Asked<void> draw(std::int64_t calls, std::int64_t kept = 0);

  /// Whether each call's inputs are put in place at its turn, by place().
  [[nodiscard]] bool in_turn() const { return problem_.problem.device().is_cpu(); }
  /// Where calls take turns: overwrites what lies in the arena, such as the reference's inputs of the same calls.
  [[nodiscard]] Asked<void> hide() const;
  /// Copies the inputs of call `index` to where the call expects them; nothing to do where they lie there already.
  [[nodiscard]] Asked<void> place(std::size_t index) const;

  /// The inputs of all calls as they were drawn, for whoever comes after a side that writes to them.
  [[nodiscard]] Asked<void> redraw();
  /// Of what lies in the arena until the next draw; none where calls take turns. Throws what torch throws.
  [[nodiscard]] std::vector<std::uint64_t> checksums(const compare::Checksummer& sums) const;

  /// The first `calls` of those drawn, as a candidate is told of them.
  [[nodiscard]] std::vector<messages::CallInputs> calls(std::int64_t calls) const;
  /// How many calls a block can have.
  [[nodiscard]] std::int64_t most_calls() const { return static_cast<std::int64_t>(bench_.layout().sets()); }
  /// Where call `index` finds its inputs.
  [[nodiscard]] const PlacedInputs& placed(std::size_t index) const { return calls_.at(index).placed; }
  [[nodiscard]] std::uint64_t seed(std::size_t index) const { return calls_.at(index).seed; }
  /// Of one call, at the last draw.
  [[nodiscard]] double draw_seconds() const { return draw_seconds_; }

 private:
  struct Call {
    std::uint64_t seed = 0;
    PlacedInputs placed;
    runner::Description drawn;  ///< where calls take turns
  };
  [[nodiscard]] Asked<void> draw_from(std::size_t first);

  PreparedProblem& problem_;
  const Workbench& bench_;
  PhaseClock& phases_;
  protocol::InputSource source_;
  std::mt19937_64 random_;
  std::vector<Call> calls_;
  double draw_seconds_ = 0;
};

}  // namespace autokernel::judge
