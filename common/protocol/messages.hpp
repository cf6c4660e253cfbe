#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/id/id.hpp"
#include "common/protocol/job.hpp"
#include "common/protocol/record.hpp"
#include "common/protocol/tagged.hpp"

/// Protocol AK/1 between coordinator (C), worker nodes (W) and clients. Any message may be lost, doubled or late:
/// safety rests on the token and epoch that the store checks, never on delivery.
namespace autokernel::protocol {

/// First frame of every message; a peer of another version is refused with RejectCode::kUpgrade.
inline constexpr std::string_view kVersionFrame = "AK/1";

/// A token on the wire: two numbers.
struct Token {
  std::uint64_t epoch = 0;
  std::uint64_t number = 0;
  Token() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): both are the same token
  Token(const LeaseToken& token) : epoch(token.epoch.value), number(token.number) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator LeaseToken() const { return {Epoch{epoch}, number}; }
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("epoch", epoch);
    archive.field("number", number);
  }
};

/// Where a dispatched job is on its worker.
enum class Phase { kBuilding, kWaiting, kRunning };
constexpr auto names_of(Phase) {
  using enum Phase;
  return std::array{std::pair{kBuilding, std::string_view("building")},
                    std::pair{kWaiting, std::string_view("waiting")}, std::pair{kRunning, std::string_view("running")}};
}

struct DeviceInfo {
  DeviceKind kind = DeviceKind::kCpu;
  std::string id;    ///< "cpu" or the GPU's UUID
  std::string name;  ///< "NVIDIA H200"
  std::uint64_t memory_bytes = 0;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("kind", kind);
    archive.field("id", id);
    archive.field("name", name);
    archive.field("memory_bytes", memory_bytes);
  }
};

struct RunningToken {
  Token token;
  Phase phase = Phase::kBuilding;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("token", token);
    archive.field("phase", phase);
  }
};

// ---- worker → coordinator ----

/// W→C. Opens a session; running tokens are adopted or revoked.
struct Hello {
  static constexpr std::string_view kType = "HELLO";
  std::string worker;
  std::uint64_t incarnation = 0;
  std::string build;  ///< evaluator digest
  std::vector<DeviceInfo> devices;
  std::vector<RunningToken> running;
  std::uint64_t max_epoch = 0;  ///< highest epoch this worker has seen
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("worker", worker);
    archive.field("incarnation", incarnation);
    archive.field("build", build);
    archive.field("devices", devices);
    archive.field("running", running);
    archive.field("max_epoch", max_epoch);
  }
};

/// W→C. Renews every lease in `running`; offers credit (free places: lanes and build-ahead).
struct Heartbeat {
  static constexpr std::string_view kType = "HEARTBEAT";
  std::uint64_t seq = 0;
  std::uint64_t seen_dispatch = 0;  ///< highest Dispatch::seq received: a missing token is only denied from there on
  std::vector<RunningToken> running;
  std::uint64_t credit = 0;
  std::string warm_problem;            ///< name of the problem whose judge is warm, for affinity
  std::map<std::string, double> busy;  ///< device id → share of its time in use since start
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("seq", seq);
    archive.field("seen_dispatch", seen_dispatch);
    archive.field("running", running);
    archive.field("credit", credit);
    archive.optional_field("warm_problem", warm_problem);
    archive.optional_field("busy", busy);
  }
};

/// W→C. The job is really being worked on: from now on losing it counts as a crash.
struct Started {
  static constexpr std::string_view kType = "STARTED";
  Token token;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("token", token);
  }
};

/// W→C. Refused before start: no crash is counted, the job keeps its place.
struct Release {
  static constexpr std::string_view kType = "RELEASE";
  Token token;
  std::string reason;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("token", token);
    archive.field("reason", reason);
  }
};

/// W→C. One stage ended; for watchers only, may be lost.
struct Progress {
  static constexpr std::string_view kType = "PROGRESS";
  Token token;
  StageReport stage;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("token", token);
    archive.field("stage", stage);
  }
};

/// W→C. Resent until acknowledged. A record whose verdict is `infrastructure` asks for a retry and is not stored as the
/// job's result.
struct JobResult {
  static constexpr std::string_view kType = "RESULT";
  Token token;
  Record record;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("token", token);
    archive.field("record", record);
  }
};

using WorkerMessage = std::variant<Hello, Heartbeat, Started, Release, Progress, JobResult>;

// ---- coordinator → worker ----

/// C→W. Answers Hello. Tokens of Hello::running that are not adopted stand in `revoked`.
struct Welcome {
  static constexpr std::string_view kType = "WELCOME";
  std::uint64_t epoch = 0;
  std::int64_t term_ms = 0;
  std::int64_t heartbeat_ms = 0;
  std::vector<Token> revoked;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("epoch", epoch);
    archive.field("term_ms", term_ms);
    archive.field("heartbeat_ms", heartbeat_ms);
    archive.field("revoked", revoked);
  }
};

/// C→W. A frame came from a session the coordinator does not know (it restarted): say Hello.
struct WhoAreYou {
  static constexpr std::string_view kType = "WHO_ARE_YOU";
  template <class Archive>
  void describe(Archive& /*archive*/) {}
};

struct BeatAck {
  static constexpr std::string_view kType = "BEAT_ACK";
  std::uint64_t seq = 0;
  std::uint64_t epoch = 0;
  std::vector<Token> revoked;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("seq", seq);
    archive.field("epoch", epoch);
    archive.field("revoked", revoked);
  }
};

/// C→W. One per credit. A token seen before is ignored, or answered with its result.
struct Dispatch {
  static constexpr std::string_view kType = "DISPATCH";
  std::uint64_t seq = 0;
  Token token;
  std::uint64_t job = 0;
  std::int64_t attempt = 1;
  std::int64_t max_runtime_ms = 0;
  JobSpec spec;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("seq", seq);
    archive.field("token", token);
    archive.field("job", job);
    archive.field("attempt", attempt);
    archive.field("max_runtime_ms", max_runtime_ms);
    archive.field("spec", spec);
  }
};

enum class AckKind { kStored, kDup, kStale };
constexpr auto names_of(AckKind) {
  using enum AckKind;
  return std::array{std::pair{kStored, std::string_view("STORED")}, std::pair{kDup, std::string_view("DUP")},
                    std::pair{kStale, std::string_view("STALE")}};
}

/// C→W. Follows the commit.
struct ResultAck {
  static constexpr std::string_view kType = "RESULT_ACK";
  Token token;
  AckKind outcome = AckKind::kStored;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("token", token);
    archive.field("outcome", outcome);
  }
};

struct Cancel {
  static constexpr std::string_view kType = "CANCEL";
  Token token;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("token", token);
  }
};

/// C→W. Finish what runs, offer no more credit, then exit.
struct Drain {
  static constexpr std::string_view kType = "DRAIN";
  template <class Archive>
  void describe(Archive& /*archive*/) {}
};

enum class RejectCode { kUpgrade, kSuperseded, kForbidden, kMalformed };
constexpr auto names_of(RejectCode) {
  using enum RejectCode;
  return std::array{
      std::pair{kUpgrade, std::string_view("upgrade")}, std::pair{kSuperseded, std::string_view("superseded")},
      std::pair{kForbidden, std::string_view("forbidden")}, std::pair{kMalformed, std::string_view("malformed")}};
}

/// C→W and C→client.
struct Reject {
  static constexpr std::string_view kType = "REJECT";
  RejectCode code = RejectCode::kMalformed;
  std::string message;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("code", code);
    archive.field("message", message);
  }
};

using ToWorkerMessage = std::variant<Welcome, WhoAreYou, BeatAck, Dispatch, ResultAck, Cancel, Drain, Reject>;

// ---- client → coordinator ----

/// Acknowledged only after its commit; the same key gives the same job.
struct Submit {
  static constexpr std::string_view kType = "SUBMIT";
  std::string submit_key;
  double priority = 0;
  JobSpec spec;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("submit_key", submit_key);
    archive.field("priority", priority);
    archive.field("spec", spec);
  }
};

/// Asks for what was recorded after `cursor` ("" from the beginning), at most `limit` entries; answered at once.
struct Watch {
  static constexpr std::string_view kType = "WATCH";
  std::string cursor;
  std::uint64_t limit = 64;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("cursor", cursor);
    archive.field("limit", limit);
  }
};

struct StatusRequest {
  static constexpr std::string_view kType = "STATUS";
  template <class Archive>
  void describe(Archive& /*archive*/) {}
};

struct CancelJob {
  static constexpr std::string_view kType = "CANCEL_JOB";
  std::uint64_t job = 0;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("job", job);
  }
};

using ClientMessage = std::variant<Submit, Watch, StatusRequest, CancelJob>;

// ---- coordinator → client ----

struct Submitted {
  static constexpr std::string_view kType = "SUBMITTED";
  std::string submit_key;
  std::uint64_t job = 0;
  bool duplicate = false;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("submit_key", submit_key);
    archive.field("job", job);
    archive.field("duplicate", duplicate);
  }
};

struct Busy {
  static constexpr std::string_view kType = "BUSY";
  std::string submit_key;
  std::int64_t retry_after_ms = 0;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("submit_key", submit_key);
    archive.field("retry_after_ms", retry_after_ms);
  }
};

/// How a job ended. A cancelled one has no record; a quarantined one has its last infrastructure record, if any.
enum class JobEnd { kDone, kCancelled, kQuarantined };
constexpr auto names_of(JobEnd) {
  using enum JobEnd;
  return std::array{std::pair{kDone, std::string_view("done")}, std::pair{kCancelled, std::string_view("cancelled")},
                    std::pair{kQuarantined, std::string_view("quarantined")}};
}

struct FinishedJob {
  std::string submit_key;
  std::uint64_t job = 0;
  JobEnd end = JobEnd::kDone;
  std::optional<Record> record;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("submit_key", submit_key);
    archive.field("job", job);
    archive.field("end", end);
    archive.field("record", record);
  }
};

/// Answers Watch: what ended after the cursor, oldest first.
struct Finished {
  static constexpr std::string_view kType = "FINISHED";
  std::string cursor;  ///< pass it to the next Watch
  std::vector<FinishedJob> jobs;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("cursor", cursor);
    archive.field("jobs", jobs);
  }
};

struct WorkerStatus {
  std::string worker;
  std::vector<DeviceInfo> devices;
  std::uint64_t running = 0;
  std::uint64_t credit = 0;
  double silent_seconds = 0;  ///< since its last frame
  std::map<std::string, double> busy;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("worker", worker);
    archive.field("devices", devices);
    archive.field("running", running);
    archive.field("credit", credit);
    archive.field("silent_seconds", silent_seconds);
    archive.optional_field("busy", busy);
  }
};

/// Answers StatusRequest.
struct StatusReply {
  static constexpr std::string_view kType = "STATUS_REPLY";
  std::uint64_t epoch = 0;
  /// State → count: queued, delayed, leased, running, done, cancelled, quarantined.
  std::map<std::string, std::uint64_t> jobs;
  std::vector<WorkerStatus> workers;
  std::map<std::string, Progress> running;  ///< problem/candidate → last stage heard of
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("epoch", epoch);
    archive.field("jobs", jobs);
    archive.field("workers", workers);
    archive.optional_field("running", running);
  }
};

/// Answers CancelJob: false when the job had already ended.
struct Cancelled {
  static constexpr std::string_view kType = "CANCELLED";
  std::uint64_t job = 0;
  bool cancelled = false;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("job", job);
    archive.field("cancelled", cancelled);
  }
};

using ToClientMessage = std::variant<Submitted, Busy, Finished, StatusReply, Cancelled, Reject>;

}  // namespace autokernel::protocol
