#pragma once

#include <string>
#include <vector>

#include "tests/contract/stores.hpp"

namespace autokernel::test {

/// What must hold whatever is lost, doubled or late; one sentence for each violation. The same checks judge the real
/// scripts, which must pass, and the broken ones, which must not.
[[nodiscard]] std::vector<std::string> check_fencing(StorePlace& place);

}  // namespace autokernel::test
