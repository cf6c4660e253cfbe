#include "worker/runner/python/attempt.hpp"

#include <c10/util/Exception.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <new>
#include <string_view>

namespace py = pybind11;

namespace autokernel::runner {
namespace {

using messages::Failed;
using messages::FailureKind;

constexpr std::size_t kMaxMessage = 1000;
constexpr std::size_t kMaxTraceback = 4096;

bool contains_any(std::string_view text, std::initializer_list<std::string_view> needles) {
  return std::any_of(needles.begin(), needles.end(),
                     [&](std::string_view needle) { return text.find(needle) != std::string_view::npos; });
}

FailureKind kind_of(std::string_view type, std::string_view text) {
  if (contains_any(type, {"OutOfMemoryError", "MemoryError"}) ||
      contains_any(text,
                   {"can't allocate memory", "CUDA out of memory", "HIP out of memory", "CUDA error: out of memory",
                    "HIP error: out of memory", "CUBLAS_STATUS_ALLOC_FAILED", "Triton Error [CUDA]: out of memory"})) {
    return FailureKind::kOutOfMemory;
  }
  if (contains_any(type, {"AcceleratorError"}) ||
      contains_any(
          text, {"CUDA error:", "HIP error:", "CUDA driver error:", "Triton Error [CUDA]:", "Triton Error [HIP]:"})) {
    return FailureKind::kDeviceError;
  }
  return FailureKind::kException;
}

std::string tail_of(const std::string& text, std::size_t limit) {
  if (text.size() <= limit) return text;
  const auto line = text.find('\n', text.size() - limit);
  return text.substr(line == std::string::npos ? text.size() - limit : line + 1);
}

/// "Type: text", its first line where that says something.
std::string headline(std::string_view type, std::string_view text) {
  std::string line(text.substr(0, text.find('\n')));
  std::string message = line.empty() ? std::string(type) : fmt::format("{}: {}", type, line);
  if (message.size() > kMaxMessage) message.resize(kMaxMessage);
  return message;
}

/// What the exception's own code says may throw in turn: then its type must do.
std::string text_of(py::handle value) {
  PyObject* text = PyObject_Str(value.ptr());
  if (text == nullptr) {
    PyErr_Clear();
    return "";
  }
  const py::object owner = py::reinterpret_steal<py::object>(text);
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text, &size);
  if (bytes == nullptr) {
    PyErr_Clear();
    return "";
  }
  return {bytes, static_cast<std::size_t>(size)};
}

std::string traceback_of(const py::error_already_set& error) {
  try {
    // An exception that was raised in C has no traceback: Python wants None then, not nothing.
    const py::object trace = error.trace() ? py::object(error.trace()) : py::object(py::none());
    const py::object lines =
        py::module_::import("traceback").attr("format_exception")(error.type(), error.value(), trace);
    return tail_of(text_of(py::str("").attr("join")(lines)), kMaxTraceback);
  } catch (const std::exception&) {  // what explains a failure must not be one
    return "";
  }
}

Failed failed_from_python(const py::error_already_set& error) {
  const char* type = reinterpret_cast<PyTypeObject*>(error.type().ptr())->tp_name;
  std::string_view name(type);
  if (const auto dot = name.rfind('.'); dot != std::string_view::npos) name.remove_prefix(dot + 1);
  const std::string text = text_of(error.value());
  return Failed{kind_of(name, text), headline(name, text), traceback_of(error)};
}

}  // namespace

Failed failed_from_exception() {
  try {
    throw;
  } catch (const py::error_already_set& error) {
    return failed_from_python(error);
  } catch (const c10::OutOfMemoryError& error) {
    return failed_with(FailureKind::kOutOfMemory, headline("OutOfMemoryError", error.what_without_backtrace()));
  } catch (const c10::Error& error) {
    const std::string_view text = error.what_without_backtrace();
    return failed_with(kind_of("Error", text), headline("RuntimeError", text));
  } catch (const std::bad_alloc&) {
    return failed_with(FailureKind::kOutOfMemory, "the process has no memory left");
  } catch (const std::exception& error) {
    return failed_with(kind_of("Error", error.what()), headline("RuntimeError", error.what()));
  } catch (...) {
    return failed_with(FailureKind::kException, "an exception of unknown type was thrown");
  }
}

Failed failed_from(const Error& error) {
  switch (error.code) {
    case Code::kExhausted: return failed_with(FailureKind::kOutOfMemory, error.message);
    case Code::kUnavailable: return failed_with(FailureKind::kDeviceError, error.message);
    default: return failed_with(FailureKind::kException, error.message);
  }
}

Failed failed_with(FailureKind kind, std::string message) { return Failed{kind, std::move(message), ""}; }

}  // namespace autokernel::runner
