#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/result/result.hpp"
#include "coordinator/store/redis_connection.hpp"

namespace autokernel::test {

struct CheckedRun {
  std::string queue = "default";
  std::map<std::string, std::uint64_t> acknowledged;  ///< submit key → job, as clients were told; may be empty
  bool finished = true;                               ///< the run is over: every job must have ended
  std::int64_t crash_limit = 3;
};

/// Judges a run by what lies in Redis alone: one sentence for each violation, none when all holds. Reads, never writes.
///
/// I1 each acknowledged submit key maps to one existing job: the acknowledged one, or that which took over from it when
/// it was quarantined. I2 at most one result for a job, under the token of its
/// last lease. I3 a live job is in exactly one of ready, delayed and leased; a finished one in none. I4 a job's tokens
/// rise and never have two holders. I5 a quarantined job crashed often enough, on two workers or on the only one. I6
/// epochs never fall. I7 (finished runs) every job has ended. I8 no verdict is retried, no infrastructure failure is a
/// result. kUnavailable and the like only for Redis itself.
[[nodiscard]] Result<std::vector<std::string>> check_store(store::RedisConnection& redis, const CheckedRun& run);

}  // namespace autokernel::test
