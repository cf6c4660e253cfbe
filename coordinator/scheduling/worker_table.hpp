#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/clock/clock.hpp"
#include "common/id/id.hpp"
#include "common/protocol/messages.hpp"

namespace autokernel::scheduling {

/// Which classes of jobs a worker can run; indexed by DeviceKind. kAny whenever it has a device at all.
class DeviceKinds {
 public:
  DeviceKinds() = default;
  explicit DeviceKinds(const std::vector<protocol::DeviceInfo>& devices);
  [[nodiscard]] bool serves(protocol::DeviceKind needs) const { return has_.at(static_cast<std::size_t>(needs)); }

 private:
  std::array<bool, 4> has_{};
};

/// One worker process in contact with this coordinator.
struct Session {
  std::string peer;  ///< routing id
  WorkerId worker;
  Incarnation incarnation;
  std::vector<protocol::DeviceInfo> devices;
  DeviceKinds kinds;
  std::string warm_problem;
  std::map<std::string, double> busy;
  std::uint64_t running = 0;  ///< as the last heartbeat had it
  std::uint64_t credit = 0;
  std::uint64_t reserved = 0;                  ///< leases being committed for it
  std::map<std::uint64_t, LeaseToken> unseen;  ///< dispatches that its credit does not account for yet
  Clock::TimePoint last_heard{};
  Clock::TimePoint rests_until{};
};

/// Who is there, and how much more each may be given. Dispatch thread only; does no I/O.
///
/// Credit is what a heartbeat says, less every dispatch that the beat had not seen: a place stays taken until the
/// worker denies the token in a beat sent after the dispatch. Freeing it on the result would book a device twice when
/// the result overtakes the beat.
class WorkerTable {
 public:
  /// `epoch`: dispatches are numbered above those of every coordinator before, so that a worker's seen_dispatch of an
  /// earlier session never speaks of one that is on its way now.
  WorkerTable(const Clock& clock, Epoch epoch) : clock_(clock), last_seq_(epoch.value << 32U) {}

  /// A HELLO. Replaces an older session of the same peer or of the same worker; the replaced one is returned.
  std::optional<Session> open(const std::string& peer, const protocol::Hello& hello);
  void close(const std::string& peer);

  [[nodiscard]] Session* find(std::string_view peer);
  [[nodiscard]] Session* find_worker(const WorkerId& worker);

  /// A heartbeat's credit, as of the dispatches it had seen.
  void beat(Session& session, const protocol::Heartbeat& beat);

  /// No dispatch until then: it just handed a job back, and would hand back the next.
  void rest(Session& session, Clock::Duration duration) { session.rests_until = clock_.now() + duration; }

  /// Numbers the DISPATCH of a reserved place.
  std::uint64_t dispatched(Session& session, LeaseToken token);

  [[nodiscard]] std::uint64_t free_places(const Session& session) const;

  /// Workers in contact that can run such jobs.
  [[nodiscard]] std::vector<WorkerId> capable(protocol::DeviceKind needs) const;

  [[nodiscard]] std::map<std::string, Session>& sessions() { return sessions_; }
  [[nodiscard]] const std::map<std::string, Session>& sessions() const { return sessions_; }

 private:
  const Clock& clock_;
  std::uint64_t last_seq_;                      ///< of the DISPATCH sent last
  std::map<std::string, Session> sessions_;     ///< by peer
  std::map<std::string, std::string> peer_of_;  ///< worker → peer
};

}  // namespace autokernel::scheduling
