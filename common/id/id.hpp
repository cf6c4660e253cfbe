#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace autokernel {

/// Position in the queue's history; assigned by the store at submit.
struct JobId {
  std::uint64_t value = 0;
  auto operator<=>(const JobId&) const = default;
};

/// Which coordinator wrote: rises with every takeover, fences the ones before.
struct Epoch {
  std::uint64_t value = 0;
  auto operator<=>(const Epoch&) const = default;
};

/// Which attempt at a job: (epoch, n), chosen by the coordinator, rising. A number, not a secret.
struct LeaseToken {
  Epoch epoch;
  std::uint64_t number = 0;
  auto operator<=>(const LeaseToken&) const = default;
};

/// One start of a worker process: random, so that two starts are never taken for one.
struct Incarnation {
  std::uint64_t value = 0;
  auto operator<=>(const Incarnation&) const = default;
};

/// Names a worker node; the same over its restarts.
struct WorkerId {
  std::string value;
  auto operator<=>(const WorkerId&) const = default;
};

/// Digest of what a job asks for: submitting the same key again is free.
struct SubmitKey {
  std::string value;
  auto operator<=>(const SubmitKey&) const = default;
};

[[nodiscard]] std::string to_string(const LeaseToken& token);  ///< "epoch-number", as in Redis and logs

}  // namespace autokernel

template <>
struct std::hash<autokernel::JobId> {
  std::size_t operator()(const autokernel::JobId& id) const noexcept { return std::hash<std::uint64_t>{}(id.value); }
};
template <>
struct std::hash<autokernel::LeaseToken> {
  std::size_t operator()(const autokernel::LeaseToken& token) const noexcept {
    return std::hash<std::uint64_t>{}(token.epoch.value * 0x9E3779B97F4A7C15ULL ^ token.number);
  }
};
