#include "coordinator/scheduling/worker_table.hpp"

#include <utility>

namespace autokernel::scheduling {

DeviceKinds::DeviceKinds(const std::vector<protocol::DeviceInfo>& devices) {
  for (const protocol::DeviceInfo& device : devices) {
    has_.at(static_cast<std::size_t>(device.kind)) = true;
    has_.at(static_cast<std::size_t>(protocol::DeviceKind::kAny)) = true;
  }
}

std::optional<Session> WorkerTable::open(const std::string& peer, const protocol::Hello& hello) {
  std::optional<Session> replaced;
  close(peer);
  if (const auto older = peer_of_.find(hello.worker); older != peer_of_.end()) {
    replaced = std::move(sessions_.at(older->second));
    sessions_.erase(older->second);
  }
  Session session;
  session.peer = peer;
  session.worker.value = hello.worker;
  session.incarnation.value = hello.incarnation;
  session.devices = hello.devices;
  session.kinds = DeviceKinds(hello.devices);
  session.last_heard = clock_.now();
  peer_of_[hello.worker] = peer;
  sessions_[peer] = std::move(session);
  return replaced;
}

void WorkerTable::close(const std::string& peer) {
  const auto found = sessions_.find(peer);
  if (found == sessions_.end()) return;
  peer_of_.erase(found->second.worker.value);
  sessions_.erase(found);
}

Session* WorkerTable::find(std::string_view peer) {
  const auto found = sessions_.find(std::string(peer));
  return found == sessions_.end() ? nullptr : &found->second;
}

Session* WorkerTable::find_worker(const WorkerId& worker) {
  const auto found = peer_of_.find(worker.value);
  return found == peer_of_.end() ? nullptr : &sessions_.at(found->second);
}

void WorkerTable::beat(Session& session, const protocol::Heartbeat& beat) {
  session.credit = beat.credit;
  session.running = beat.running.size();
  session.warm_problem = beat.warm_problem;
  session.busy = beat.busy;
  session.unseen.erase(session.unseen.begin(), session.unseen.upper_bound(beat.seen_dispatch));
}

std::uint64_t WorkerTable::dispatched(Session& session, LeaseToken token) {
  const std::uint64_t seq = ++last_seq_;
  session.unseen.emplace(seq, token);
  return seq;
}

std::uint64_t WorkerTable::free_places(const Session& session) const {
  const std::uint64_t taken = session.reserved + session.unseen.size();
  if (clock_.now() < session.rests_until || session.credit <= taken) return 0;
  return session.credit - taken;
}

std::vector<WorkerId> WorkerTable::capable(protocol::DeviceKind needs) const {
  std::vector<WorkerId> workers;
  for (const auto& [peer, session] : sessions_) {
    if (session.kinds.serves(needs)) workers.push_back(session.worker);
  }
  return workers;
}

}  // namespace autokernel::scheduling
