#include "worker/runner/builder/native_build.hpp"

#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "common/system/file.hpp"
#include "common/system/process.hpp"
#include "worker/runner/builder/compiler_log.hpp"

namespace autokernel::runner {
namespace {

using messages::BuildOutcome;
using messages::Built;

constexpr std::size_t kMaxLog = std::size_t{4} << 20U;
constexpr std::chrono::hours kPatience{1};  // the agent's own limit is shorter and kills this process

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The program's path: in PATH, then in the folders given. Empty when it is in none.
std::string find_program(const std::string& name, const std::vector<std::string>& folders) {
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0 ? name : "";
  const std::string all = variable("PATH");
  std::string_view path = all;
  std::vector<std::string> candidates;
  while (!path.empty()) {
    const auto end = path.find(':');
    candidates.emplace_back(path.substr(0, end));
    path = end == std::string_view::npos ? std::string_view() : path.substr(end + 1);
  }
  candidates.insert(candidates.end(), folders.begin(), folders.end());
  for (const std::string& folder : candidates) {
    std::string full = folder + "/" + name;
    if (!folder.empty() && ::access(full.c_str(), X_OK) == 0) return full;
  }
  return "";
}

/// "9.0" is compiled as 9.0a: a build is for exactly the device at hand, and wgmma and TMA exist only under that name.
std::string gencode_of(std::string architecture) {
  std::erase(architecture, '.');
  const bool plain = !architecture.empty() && std::isdigit(static_cast<unsigned char>(architecture.back())) != 0;
  if (plain && architecture.size() >= 2 && architecture >= (architecture.size() == 2 ? "90" : "100"))
    architecture += 'a';
  return fmt::format("-gencode=arch=compute_{0},code=sm_{0}", architecture);
}

std::vector<std::string> compiler_of(protocol::Language language) {
  switch (language) {
    case protocol::Language::kCuda:
      return {find_program("nvcc",
                           {variable("CUDA_HOME") + "/bin", variable("CUDA_PATH") + "/bin", "/usr/local/cuda/bin"})};
    case protocol::Language::kHip: return {find_program("hipcc", {variable("ROCM_PATH") + "/bin", "/opt/rocm/bin"})};
    default: {
      const std::string chosen = variable("CXX");
      return {find_program(chosen.empty() ? "g++" : chosen, {})};
    }
  }
}

Built built(BuildOutcome outcome, std::string detail) { return Built{outcome, std::move(detail), 0}; }

}  // namespace

std::vector<std::string> compile_command(const messages::Build& request, const std::string& output) {
  std::vector<std::string> command = compiler_of(request.language);
  const bool with_nvcc = request.language == protocol::Language::kCuda;
  // A shared library may lack symbols until it is loaded; here it may not: the error belongs to the build.
  const std::vector<std::string> checks{"-Wl,-z,defs", "-Wl,--require-defined=autokernel_forward"};
  for (const char* option : {"-O3", "-std=c++17", "-shared"}) command.emplace_back(option);
  if (with_nvcc) {
    command.insert(command.end(), {"-lineinfo", "-Xcompiler", "-fPIC"});
    for (const std::string& check : checks)
      command.insert(command.end(), {"-Xlinker", check.substr(std::string("-Wl,").size())});
    for (const std::string& architecture : request.architectures) command.push_back(gencode_of(architecture));
  } else {
    command.insert(command.end(), {"-fPIC", checks[0], checks[1]});
    if (request.language == protocol::Language::kCpp) command.insert(command.end(), {"-fopenmp", "-pthread"});
    if (request.language == protocol::Language::kHip) {
      for (const std::string& architecture : request.architectures) command.push_back("--offload-arch=" + architecture);
    }
  }
  command.insert(command.end(), {"-I", request.include_folder, "-o", output, request.source_path});
  return command;
}

Built build_native(const messages::Build& request) {
  namespace fs = std::filesystem;
  const std::string whole = request.artefact_folder + "/kernel.so";
  const std::string partial = request.artefact_folder + "/kernel.so.partial";
  const std::string log_path = request.artefact_folder + "/compiler.log";
  std::error_code ignored;
  fs::remove(log_path, ignored);

  system::ProcessOptions options;
  options.arguments = compile_command(request, partial);
  options.output_path = log_path;
  options.environment.emplace("LC_ALL", "C");  // "error:" in the language that first_errors reads
  options.new_group = false;                   // killed together with this process
  if (options.arguments.front().empty()) {
    return built(BuildOutcome::kMissingTool, fmt::format("no compiler for {} sources on this machine: put it into PATH",
                                                         protocol::name_of(request.language)));
  }
  auto compiler = system::ChildProcess::start(options);
  if (!compiler) return built(BuildOutcome::kMissingTool, compiler.error().message);
  const auto status = compiler->wait(kPatience);
  const std::string log = system::read_file(log_path, kMaxLog).value_or("");
  if (status && status->success()) {
    fs::rename(partial, whole, ignored);
    if (!ignored) return built(BuildOutcome::kBuilt, "");
    return built(BuildOutcome::kMissingTool, fmt::format("cannot write '{}': {}", whole, ignored.message()));
  }
  fs::remove(partial, ignored);
  if (log.find("required symbol `autokernel_forward'") != std::string::npos) {
    return built(
        BuildOutcome::kCompileError,
        "the file defines no function autokernel_forward: write AUTOKERNEL_KERNEL(const AutokernelCall* call) { … }");
  }
  if (says_tool_is_missing(log)) return built(BuildOutcome::kMissingTool, first_errors(log));
  const std::string words = first_errors(log);
  return built(BuildOutcome::kCompileError,
               words.empty() ? "the compiler failed without a word: " + (status ? status->text() : "no end") : words);
}

}  // namespace autokernel::runner
