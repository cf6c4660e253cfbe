#include "worker/runner/builder/python_build.hpp"

#include <pybind11/pybind11.h>

#include <filesystem>

#include "common/system/file.hpp"
#include "worker/runner/builder/compiler_log.hpp"
#include "worker/runner/python/attempt.hpp"
#include "worker/runner/python/extensions.hpp"
#include "worker/runner/python/model.hpp"

namespace py = pybind11;

namespace autokernel::runner {
namespace {

using messages::BuildOutcome;
using messages::Built;

constexpr std::size_t kMaxLog = std::size_t{16} << 20U;

Built built(BuildOutcome outcome, std::string detail) { return Built{outcome, std::move(detail), 0}; }

std::string text_of(const py::handle& value) {
  const auto text = attempt([&] { return std::string(py::str(value)); });
  return text ? *text : "";
}

/// With verbose=True torch's exception has no log: ninja wrote it to this process's stdout.
std::string own_output() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/fd/1", error);
  if (error) return "";
  return system::read_file(path, kMaxLog).value_or("");
}

/// What a subprocess.CalledProcessError carries.
std::string output_of(const py::handle& error) {
  std::string text;
  for (const char* name : {"stdout", "stderr"}) {
    const auto part = attempt([&] {
      const py::object bytes = py::getattr(error, name, py::none());
      if (bytes.is_none()) return std::string();
      return py::isinstance<py::bytes>(bytes) ? std::string(py::bytes(bytes)) : std::string(py::str(bytes));
    });
    if (part) text += *part;
  }
  return text;
}

Built failed_build(const std::string& text, const std::string& log) {
  const std::string words = first_errors(log.empty() ? text : log);
  if (says_tool_is_missing(text) || says_tool_is_missing(log)) return built(BuildOutcome::kMissingTool, words);
  return built(BuildOutcome::kCompileError, words);
}

bool is_tool(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  return name == "nvcc" || name == "hipcc" || name == "ninja" || name == "g++" || name == "c++" || name == "gcc";
}

/// The builder's word on an exception at import.
Built judge_exception(const py::error_already_set& error) {
  const py::object value = error.value();
  const std::string text = text_of(value);
  if (error.matches(PyExc_SyntaxError)) {
    const auto lines = attempt([&] {
      const py::object format = py::module_::import("traceback").attr("format_exception_only");
      return std::string(py::str(py::str("").attr("join")(format(error.type(), value))));
    });
    return built(BuildOutcome::kCompileError, first_errors(lines ? *lines : text));
  }
  if (error.matches(PyExc_FileNotFoundError)) {
    const auto file = attempt([&] { return std::string(py::str(py::getattr(value, "filename", py::none()))); });
    if (file && is_tool(*file)) return built(BuildOutcome::kMissingTool, text);
    return built(BuildOutcome::kBuilt, "");
  }
  const auto called = attempt([] { return py::object(py::module_::import("subprocess").attr("CalledProcessError")); });
  if (called && error.matches(*called)) return failed_build(text, output_of(value));
  if (text.find("Error building extension") != std::string::npos ||
      text.find("Error compiling objects") != std::string::npos) {
    const bool has_log = text.find('\n') != std::string::npos;
    return failed_build(text, has_log ? text : own_output());
  }
  if (says_tool_is_missing(text)) return built(BuildOutcome::kMissingTool, text);
  return built(BuildOutcome::kBuilt, "");
}

}  // namespace

Built build_python(const messages::Build& request) {
  try {
    const py::object environment = py::module_::import("os").attr("environ");
    for (const char* hidden : {"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"}) environment[hidden] = "";
    environment["LC_ALL"] = "C";  // "error:" in the language that first_errors reads
    build_extensions_in(request.artefact_folder, request.architectures);
  } catch (const std::exception& error) {
    return built(BuildOutcome::kMissingTool, error.what());
  }
  try {
    static_cast<void>(import_file(request.source_path, "autokernel_candidate"));
    return built(BuildOutcome::kBuilt, "");
  } catch (const py::error_already_set& error) {
    return judge_exception(error);
  } catch (const std::exception&) {
    return built(BuildOutcome::kBuilt, "");
  }
}

}  // namespace autokernel::runner
