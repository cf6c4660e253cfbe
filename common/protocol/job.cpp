#include "common/protocol/job.hpp"

#include "common/id/digest.hpp"
#include "common/protocol/describe.hpp"

namespace autokernel::protocol {

SubmitKey submit_key_of(const JobSpec& spec) { return SubmitKey{digest_of(pack(spec))}; }

}  // namespace autokernel::protocol
