#include "worker/runner/python/interpreter.hpp"

#include <pybind11/embed.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "worker/runner/python/attempt.hpp"
#include "worker/runner/python/generators.hpp"

namespace py = pybind11;

namespace autokernel::runner {
namespace {

/// Everything that children would otherwise each import, and nothing that starts a thread or asks for a GPU:
/// OpenBLAS makes its pool at import unless told not to; torch.utils.cpp_extension asks is_available(), which
/// initialises the driver, and a CUDA context does not survive a fork. Triton is left out: it must see TRITON_INTERPRET
/// first. torch's FileBaton is a file that exists: a builder that was killed leaves it, and the next load waits for
/// ever. A flock ends with its process. Whoever had to wait builds again, which costs ninja a look.
constexpr const char* kPreload = R"python(
import fcntl, gc, os, sys
kept = os.environ.get("OPENBLAS_NUM_THREADS")
os.environ["OPENBLAS_NUM_THREADS"] = "1"
import torch
available = torch.cuda.is_available
torch.cuda.is_available = lambda: True
class FlockBaton:
    def __init__(self, lock_file_path, *unused, **ignored):
        self.path = lock_file_path + "-autokernel"
        self.fd = None
    def try_acquire(self):
        self.fd = os.open(self.path, os.O_CREAT | os.O_RDWR, 0o644)
        fcntl.flock(self.fd, fcntl.LOCK_EX)
        return True
    def wait(self):
        pass
    def release(self):
        os.close(self.fd)
try:
    import torch.utils.cpp_extension
    torch.utils.cpp_extension.FileBaton = FlockBaton
except ImportError:
    pass
finally:
    torch.cuda.is_available = available
if kept is None:
    del os.environ["OPENBLAS_NUM_THREADS"]
else:
    os.environ["OPENBLAS_NUM_THREADS"] = kept
import importlib.util, traceback
sys.dont_write_bytecode = True
environment = {
    "python": ".".join(map(str, sys.version_info[:3])),
    "torch": torch.__version__,
    "torch_cuda": torch.version.cuda or "",
    "torch_hip": torch.version.hip or "",
}
gc.collect()
gc.freeze()
)python";

/// torch's version from its own file: importing another build's torch over our libtorch would crash before it could be
/// told.
constexpr const char* kFindVersion = R"python(
import importlib.util, os, runpy
spec = importlib.util.find_spec("torch")
version = ""
if spec is not None and spec.origin:
    version = str(runpy.run_path(os.path.join(os.path.dirname(spec.origin), "version.py"))["__version__"])
)python";

Result<void> initialise(const std::string& program) {
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.install_signal_handlers = 0;
  config.parse_argv = 0;
  config.safe_path = 1;
  // From the program's own path Python finds pyvenv.cfg, and from it its library and site-packages.
  PyStatus status = PyConfig_SetBytesString(&config, &config.program_name, program.c_str());
  if (PyStatus_Exception(status) == 0) status = PyConfig_SetBytesString(&config, &config.executable, program.c_str());
  if (PyStatus_Exception(status) == 0) status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (PyStatus_Exception(status) != 0) {
    return fail(Code::kUnavailable, "'{}' cannot be embedded ({}): name a Python {}.{} in AUTOKERNEL_PYTHON", program,
                status.err_msg == nullptr ? "no reason given" : status.err_msg, PY_MAJOR_VERSION, PY_MINOR_VERSION);
  }
  return {};
}

py::dict run(const char* code) {
  py::dict names;
  names["__builtins__"] = py::module_::import("builtins");
  py::exec(code, names);
  return names;
}

Result<void> check_torch(const std::string& program) {
  auto found = attempt([] { return run(kFindVersion)["version"].cast<std::string>(); });
  if (!found) return fail(Code::kUnavailable, "'{}' does not work: {}", program, found.error().message);
  if (found->empty()) {
    return fail(Code::kUnavailable, "'{}' has no torch. Run scripts/setup, or: {} -m pip install torch=={}", program,
                program, AUTOKERNEL_TORCH_VERSION);
  }
  if (*found != AUTOKERNEL_TORCH_VERSION) {
    return fail(Code::kUnavailable,
                "torch {} of '{}' is not the {} that autokernel-runner was built with: build again with "
                "-DPython3_EXECUTABLE={}, or name the other Python in AUTOKERNEL_PYTHON",
                *found, program, AUTOKERNEL_TORCH_VERSION, program);
  }
  return {};
}

}  // namespace

std::string python_program() {
  const char* named = std::getenv("AUTOKERNEL_PYTHON");
  return named != nullptr && *named != '\0' ? named : AUTOKERNEL_DEFAULT_PYTHON;
}

Result<std::map<std::string, std::string>> start_interpreter() {
  const std::string program = python_program();
  if (::access(program.c_str(), X_OK) != 0) {
    return fail(Code::kUnavailable, "there is no Python at '{}': run scripts/setup, or name one in AUTOKERNEL_PYTHON",
                program);
  }
  AUTOKERNEL_TRY(initialise(program));
  AUTOKERNEL_TRY(check_torch(program));
  auto environment = attempt([] {
    const py::dict found = run(kPreload)["environment"];
    find_generators();
    std::map<std::string, std::string> texts;
    for (const auto& [name, value] : found) texts.emplace(py::str(name), py::str(value));
    return texts;
  });
  if (!environment) {
    return fail(Code::kUnavailable, "torch of '{}' cannot be imported: {}", program, environment.error().message);
  }
  return *std::move(environment);
}

void leave(int code) {
  if (Py_IsInitialized() != 0) {
    // What a candidate printed is part of what a person wants to read; its own replacement of sys.stdout may throw.
    static_cast<void>(attempt([] {
      const py::module_ sys = py::module_::import("sys");
      sys.attr("stdout").attr("flush")();
      sys.attr("stderr").attr("flush")();
    }));
  }
  std::fflush(nullptr);
  ::_exit(code);
}

}  // namespace autokernel::runner
