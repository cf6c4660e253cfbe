#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// What a process counts about itself, in Prometheus' terms; the only place that includes prometheus-cpp. Metrics are
/// for rates and totals: ids (job, token, worker) belong into the log, never into a label.
namespace autokernel::telemetry {

class Counter {
 public:
  explicit Counter(void* counter) : counter_(counter) {}
  void add(double by = 1);  ///< `by` is not negative
  [[nodiscard]] double value() const;

 private:
  void* counter_;  // prometheus::Counter, owned by its registry
};

class Gauge {
 public:
  explicit Gauge(void* gauge) : gauge_(gauge) {}
  void set(double value);
  [[nodiscard]] double value() const;

 private:
  void* gauge_;
};

class Histogram {
 public:
  explicit Histogram(void* histogram) : histogram_(histogram) {}
  void observe(double value);

 private:
  void* histogram_;
};

/// A label and every value it may take. Any other value is counted as "other", so that no input grows the set.
struct Label {
  std::string name;
  std::vector<std::string> values;
};

/// One metric for each value of a label.
template <class Metric>
class Family {
 public:
  /// The metric of that value, or the one of "other".
  [[nodiscard]] Metric& at(std::string_view value) {
    const auto found = members_.find(value);
    return found == members_.end() ? members_.find("other")->second : found->second;
  }

 private:
  friend class Metrics;
  std::map<std::string, Metric, std::less<>> members_;
};

/// A process' registry. Make the metrics once, at the start; updating them is cheap and safe from any thread.
/// Names follow Prometheus: autokernel_…, unit last, counters end in _total.
class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  [[nodiscard]] Counter counter(const std::string& name, const std::string& help);
  [[nodiscard]] Family<Counter> counters(const std::string& name, const std::string& help, const Label& label);
  [[nodiscard]] Gauge gauge(const std::string& name, const std::string& help);
  [[nodiscard]] Family<Gauge> gauges(const std::string& name, const std::string& help, const Label& label);
  /// `bounds`: upper ends of the buckets, rising.
  [[nodiscard]] Histogram histogram(const std::string& name, const std::string& help,
                                    const std::vector<double>& bounds);
  [[nodiscard]] Family<Histogram> histograms(const std::string& name, const std::string& help, const Label& label,
                                             const std::vector<double>& bounds);

  /// Everything, in Prometheus' text format.
  [[nodiscard]] std::string text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace autokernel::telemetry
