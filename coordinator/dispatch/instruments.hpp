#pragma once

#include "common/telemetry/metrics.hpp"

namespace autokernel::dispatch {

/// What the coordinator counts about itself.
struct Instruments {
  explicit Instruments(telemetry::Metrics& metrics);

  telemetry::Counter submitted;
  telemetry::Counter busy;
  telemetry::Counter dispatched;
  telemetry::Family<telemetry::Counter> finished;      ///< by verdict
  telemetry::Family<telemetry::Counter> acknowledged;  ///< by STORED, DUP, STALE
  telemetry::Family<telemetry::Counter> lost;          ///< by cause
  telemetry::Counter quarantined;
  telemetry::Counter refused;  ///< messages that were none, or not allowed
  telemetry::Gauge waiting;
  telemetry::Gauge leased;
  telemetry::Gauge workers;
  telemetry::Gauge epoch;
  telemetry::Histogram job_seconds;
};

}  // namespace autokernel::dispatch
