#pragma once

#include "worker/messages/builder.hpp"

namespace autokernel::runner {

/// Imports a `.py` candidate so that the extensions it makes at import (load_inline) are built. Only a syntax error or
/// a failed build is a compile error; any other exception is left for the candidate process to meet and explain, since
/// here it may come from there being no GPU. Needs the interpreter.
[[nodiscard]] messages::Built build_python(const messages::Build& request);

}  // namespace autokernel::runner
