#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include "common/result/result.hpp"
#include "common/transport/transport.hpp"
#include "coordinator/dispatch/options.hpp"
#include "coordinator/store/redis_job_store.hpp"
#include "coordinator/store/store_thread.hpp"

namespace autokernel::coordinator {

/// Another coordinator leads (EX_TEMPFAIL): whoever started this one may start it again, as the newer leader.
inline constexpr int kExitFenced = 75;

struct ServiceOptions {
  store::RedisStoreOptions store;
  store::StoreThreadOptions store_thread;
  dispatch::DispatchOptions dispatch;
  std::string workers;  ///< endpoints to bind
  std::string clients;
  std::string metrics_path;                       ///< written every few seconds; empty: not at all
  std::chrono::milliseconds connect_limit{5000};  ///< how long the first connection to Redis is tried
};

/// Asks run() to return; safe to use from a signal handler.
struct StopRequest {
  std::atomic<bool> requested{false};
  transport::Waker waker;
  void request() noexcept {
    requested = true;
    waker.wake();
  }
};

/// Connects, takes over, adopts what is leased, and serves until it is asked to stop. 0: asked to stop. kExitFenced:
/// another coordinator leads. An error: the endpoints or the store are not usable, or the store broke its contract.
[[nodiscard]] Result<int> run(const ServiceOptions& options, StopRequest& stop);

}  // namespace autokernel::coordinator
