#include "kernelbench/export/timing_json.hpp"

#include "common/protocol/describe.hpp"

namespace autokernel::kernelbench {

using protocol::Value;

Value timing_value(const TimingStats& stats) {
  return Value(Value::Map{{"mean", stats.mean},
                          {"std", stats.std},
                          {"min", stats.min},
                          {"max", stats.max},
                          {"num_trials", stats.trials},
                          {"hardware", stats.hardware},
                          {"device", stats.device}});
}

Result<std::optional<TimingStats>> parse_timing(const Value& value) {
  if (value.is_nil()) return std::nullopt;
  const auto* map = value.as<Value::Map>();
  if (map == nullptr) return fail(Code::kInvalid, "expected an object of timing statistics, found {}", value.kind());
  if (map->empty()) return std::nullopt;
  TimingStats stats;
  const Value* mean = value.find("mean");
  if (mean == nullptr) return fail(Code::kInvalid, "timing statistics have no 'mean'");
  if (mean->is_nil()) return std::nullopt;
  auto number = protocol::from_value<double>(*mean);
  if (!number) return tl::unexpected(number.error().within("field 'mean'"));
  stats.mean = *number;
  // Only the mean is scored; the rest is kept where it makes sense.
  const auto read = [&](std::string_view key, auto& target) {
    const Value* entry = value.find(key);
    if (entry == nullptr) return;
    if (auto parsed = protocol::from_value<std::decay_t<decltype(target)>>(*entry)) target = *std::move(parsed);
  };
  read("std", stats.std);
  read("min", stats.min);
  read("max", stats.max);
  read("num_trials", stats.trials);
  read("hardware", stats.hardware);
  read("device", stats.device);
  return stats;
}

}  // namespace autokernel::kernelbench
