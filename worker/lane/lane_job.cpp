#include "worker/lane/lane_job.hpp"

#include "common/id/digest.hpp"

namespace autokernel::lane {

std::string judge_key_of(const protocol::JobSpec& spec) {
  return digest_of({spec.problem.name, spec.problem.text, protocol::pack(spec.options)});
}

bool runs_on(protocol::DeviceKind needs, protocol::DeviceKind device) {
  return needs == protocol::DeviceKind::kAny || needs == device;
}

}  // namespace autokernel::lane
