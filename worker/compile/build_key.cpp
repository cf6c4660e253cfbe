#include "worker/compile/build_key.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "common/id/digest.hpp"
#include "common/protocol/describe.hpp"
#include "worker/devices/device.hpp"

namespace autokernel::compile {
namespace {

/// Rises when the runner builds differently from the same inputs (flags, file layout): old entries are then left alone.
constexpr std::string_view kBuildSchema = "1";

std::string variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here changes the environment
  return value == nullptr ? "" : value;
}

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const std::string path = variable("PATH");
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find(':', start), path.size());
    std::string candidate = path.substr(start, end - start) + "/" + name;
    std::error_code error;
    if (std::filesystem::is_regular_file(candidate, error)) return candidate;
    start = end + 1;
  }
  return "";
}

std::string identity_of(const std::string& program) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(program, error);
  struct stat status {};
  if (program.empty() || error || ::stat(real.c_str(), &status) != 0) return "none";
  return fmt::format("{} {} {}.{}", real.string(), status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

}  // namespace

std::string Toolchain::identity() const {
  std::string text = fmt::format("schema={}\ncompilers={}\ninclude={}\n", kBuildSchema, compilers, include_digest);
  for (const auto& [name, value] : runner) text += fmt::format("{}={}\n", name, value);
  return text;
}

std::string compiler_identity() {
  const std::string host = variable("CXX").empty() ? "c++" : variable("CXX");
  std::string cuda = find_program("nvcc");
  if (const std::string home = variable("CUDA_HOME"); !home.empty()) cuda = home + "/bin/nvcc";
  if (cuda.empty()) cuda = "/usr/local/cuda/bin/nvcc";
  return fmt::format("{}; {}; {}", identity_of(find_program(host)), identity_of(cuda),
                     identity_of(find_program("hipcc")));
}

std::string build_key(const BuildRequest& request, const Toolchain& toolchain) {
  return digest_of({protocol::name_of(request.language), request.text,
                    devices::architecture_list(request.architectures), toolchain.identity()});
}

bool needs_builder(protocol::Language language, std::string_view text) {
  if (language != protocol::Language::kPython) return true;
  constexpr std::array<std::string_view, 4> kMarks{"load_inline", "cpp_extension", "load(", "setuptools"};
  for (const std::string_view mark : kMarks) {
    if (text.find(mark) != std::string_view::npos) return true;
  }
  return false;
}

std::string_view suffix_of(protocol::Language language) {
  switch (language) {
    case protocol::Language::kPython: return ".py";
    case protocol::Language::kCuda: return ".cu";
    case protocol::Language::kHip: return ".hip";
    case protocol::Language::kCpp: return ".cpp";
  }
  return ".py";
}

}  // namespace autokernel::compile
