#include "client/plan/samples.hpp"

#include <cstdlib>

namespace autokernel::client {
namespace {

std::filesystem::path samples_folder() {
  const char* named = std::getenv("AUTOKERNEL_SAMPLES_DIR");
  return named != nullptr && *named != '\0' ? named : AUTOKERNEL_BUILD_SAMPLES_DIR;
}

}  // namespace

std::filesystem::path sample_problems() { return samples_folder() / "problems"; }

std::filesystem::path sample_candidates() { return samples_folder() / "candidates"; }

}  // namespace autokernel::client
