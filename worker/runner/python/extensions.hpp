#pragma once

#include <string>
#include <vector>

/// Where torch.utils.cpp_extension (load_inline, load) keeps what it builds. A builder and the candidate process must
/// agree on folder and architectures, or ninja finds other flags and builds again while the GPU waits. Both may throw.
namespace autokernel::runner {

/// Builds go to this folder, for these CUDA architectures ("9.0"), of which a note is left there.
void build_extensions_in(const std::string& folder, const std::vector<std::string>& architectures);

/// What was built in this folder is used, with the architectures noted there.
void use_extensions_of(const std::string& folder);

}  // namespace autokernel::runner
