#include "common/protocol/verdict.hpp"

namespace autokernel::protocol {

bool counts_as_correct(Verdict verdict) {
  switch (verdict) {
    case Verdict::kCorrect:
    case Verdict::kRobust:
    case Verdict::kUnstable:
    case Verdict::kNondeterministic:
    case Verdict::kEdgeFailure: return true;
    default: return false;
  }
}

}  // namespace autokernel::protocol
