#include "common/telemetry/metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace autokernel::telemetry {

struct Metrics::State {
  prometheus::Registry registry;
};

namespace {

/// Calls `add` for each value that the label may take, "other" included.
template <class Metric, class Add>
std::map<std::string, Metric, std::less<>> members_of(const Label& label, const Add& add) {
  std::map<std::string, Metric, std::less<>> members;
  for (const std::string& value : label.values) {
    members.emplace(value, Metric(&add(prometheus::Labels{{label.name, value}})));
  }
  if (!members.contains("other")) members.emplace("other", Metric(&add(prometheus::Labels{{label.name, "other"}})));
  return members;
}

}  // namespace

void Counter::add(double by) { static_cast<prometheus::Counter*>(counter_)->Increment(by); }
double Counter::value() const { return static_cast<prometheus::Counter*>(counter_)->Value(); }
void Gauge::set(double value) { static_cast<prometheus::Gauge*>(gauge_)->Set(value); }
double Gauge::value() const { return static_cast<prometheus::Gauge*>(gauge_)->Value(); }
void Histogram::observe(double value) { static_cast<prometheus::Histogram*>(histogram_)->Observe(value); }

Metrics::Metrics() : state_(std::make_unique<State>()) {}
Metrics::~Metrics() = default;

Counter Metrics::counter(const std::string& name, const std::string& help) {
  return Counter(&prometheus::BuildCounter().Name(name).Help(help).Register(state_->registry).Add({}));
}

Family<Counter> Metrics::counters(const std::string& name, const std::string& help, const Label& label) {
  auto& family = prometheus::BuildCounter().Name(name).Help(help).Register(state_->registry);
  Family<Counter> counters;
  counters.members_ = members_of<Counter>(
      label, [&](const auto& labels) -> auto& { return family.Add(labels); });
  return counters;
}

Gauge Metrics::gauge(const std::string& name, const std::string& help) {
  return Gauge(&prometheus::BuildGauge().Name(name).Help(help).Register(state_->registry).Add({}));
}

Family<Gauge> Metrics::gauges(const std::string& name, const std::string& help, const Label& label) {
  auto& family = prometheus::BuildGauge().Name(name).Help(help).Register(state_->registry);
  Family<Gauge> gauges;
  gauges.members_ = members_of<Gauge>(
      label, [&](const auto& labels) -> auto& { return family.Add(labels); });
  return gauges;
}

Histogram Metrics::histogram(const std::string& name, const std::string& help, const std::vector<double>& bounds) {
  return Histogram(&prometheus::BuildHistogram().Name(name).Help(help).Register(state_->registry).Add({}, bounds));
}

Family<Histogram> Metrics::histograms(const std::string& name, const std::string& help, const Label& label,
                                      const std::vector<double>& bounds) {
  auto& family = prometheus::BuildHistogram().Name(name).Help(help).Register(state_->registry);
  Family<Histogram> histograms;
  histograms.members_ = members_of<Histogram>(
      label, [&](const auto& labels) -> auto& { return family.Add(labels, bounds); });
  return histograms;
}

std::string Metrics::text() const { return prometheus::TextSerializer().Serialize(state_->registry.Collect()); }

}  // namespace autokernel::telemetry
