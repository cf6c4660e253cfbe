#include "coordinator/dispatch/record_limit.hpp"

#include <vector>

namespace autokernel::dispatch {
namespace {

void keep_every_second(std::vector<double>& samples) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < samples.size(); i += 2) samples[kept++] = samples[i];
  samples.resize(samples.size() > 1 ? kept : 0);
}

}  // namespace

Result<std::string> pack_within(protocol::Record record, std::size_t limit) {
  std::string packed = protocol::pack(record);
  if (packed.size() <= limit) return packed;
  const std::size_t original = packed.size();
  const std::string detail = record.detail;
  while (packed.size() > limit) {
    if (!record.timing ||
        (record.timing->candidate_samples_us.empty() && record.timing->reference_samples_us.empty())) {
      return fail(Code::kInvalid, "the record has {} bytes without any samples, at most {} are stored", packed.size(),
                  limit);
    }
    keep_every_second(record.timing->candidate_samples_us);
    keep_every_second(record.timing->reference_samples_us);
    record.detail = fmt::format("{}{}timing samples thinned: the record had {} bytes, {} are stored at most", detail,
                                detail.empty() ? "" : "; ", original, limit);
    packed = protocol::pack(record);
  }
  return packed;
}

}  // namespace autokernel::dispatch
