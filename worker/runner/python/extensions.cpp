#include "worker/runner/python/extensions.hpp"

#include <pybind11/pybind11.h>

#include "common/system/file.hpp"

namespace py = pybind11;

namespace autokernel::runner {
namespace {

constexpr std::size_t kMaxNote = 4096;

std::string note_in(const std::string& folder) { return folder + "/torch_cuda_arch_list"; }

void set_variables(const std::string& folder, const std::string& architectures) {
  const py::object environment = py::module_::import("os").attr("environ");
  environment["TORCH_EXTENSIONS_DIR"] = folder;
  if (!architectures.empty()) environment["TORCH_CUDA_ARCH_LIST"] = architectures;
}

}  // namespace

void build_extensions_in(const std::string& folder, const std::vector<std::string>& architectures) {
  std::string list;
  for (const std::string& architecture : architectures) list += list.empty() ? architecture : ";" + architecture;
  set_variables(folder, list);
  if (list.empty()) return;
  if (auto written = system::write_file(note_in(folder), list); !written)
    throw std::runtime_error(written.error().message);
}

void use_extensions_of(const std::string& folder) {
  const auto note = system::read_file(note_in(folder), kMaxNote);
  set_variables(folder, note ? *note : "");
}

}  // namespace autokernel::runner
