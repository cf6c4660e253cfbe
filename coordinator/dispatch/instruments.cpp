#include "coordinator/dispatch/instruments.hpp"

#include "common/protocol/messages.hpp"
#include "coordinator/store/transition.hpp"

namespace autokernel::dispatch {
namespace {

template <class E>
telemetry::Label label_of(std::string name) {
  telemetry::Label label{std::move(name), {}};
  for (const auto& [value, text] : names_of(E{})) label.values.emplace_back(text);
  return label;
}

}  // namespace

Instruments::Instruments(telemetry::Metrics& metrics)
    : submitted(metrics.counter("autokernel_jobs_submitted_total", "Jobs committed for the first time.")),
      busy(metrics.counter("autokernel_submits_refused_total", "Submissions answered with BUSY.")),
      dispatched(metrics.counter("autokernel_jobs_dispatched_total", "DISPATCH messages sent.")),
      finished(metrics.counters("autokernel_jobs_finished_total", "Verdicts recorded.",
                                label_of<protocol::Verdict>("verdict"))),
      acknowledged(metrics.counters("autokernel_results_acknowledged_total", "RESULT_ACK messages by their outcome.",
                                    label_of<protocol::AckKind>("outcome"))),
      lost(metrics.counters("autokernel_leases_lost_total", "Attempts that ended without a verdict.",
                            label_of<store::LossCause>("cause"))),
      quarantined(metrics.counter("autokernel_jobs_quarantined_total", "Jobs given up after too many crashes.")),
      refused(metrics.counter("autokernel_messages_refused_total", "Messages that were malformed or not allowed.")),
      waiting(metrics.gauge("autokernel_jobs_waiting", "Jobs ready to run.")),
      leased(metrics.gauge("autokernel_jobs_leased", "Jobs in workers' hands.")),
      workers(metrics.gauge("autokernel_workers", "Workers in contact.")),
      epoch(metrics.gauge("autokernel_epoch", "The epoch that this coordinator leads under.")),
      job_seconds(metrics.histogram("autokernel_job_seconds", "Lane time of recorded jobs.",
                                    {0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000})) {}

}  // namespace autokernel::dispatch
