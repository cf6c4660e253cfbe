#include "worker/runner/candidate/launches.hpp"

#include <pybind11/pybind11.h>

#include <algorithm>
#include <array>

namespace py = pybind11;

namespace autokernel::runner {
namespace {

/// What torch's and the vendors' kernels have in their names (CUDA 12 and 13, ROCm).
constexpr std::array<std::string_view, 34> kLibraryMarks{"at::native",
                                                         "at_cuda_detail",
                                                         "at::cuda",
                                                         "c10::",
                                                         "cublas",
                                                         "cudnn",
                                                         "cusparse",
                                                         "cusolver",
                                                         "cufft",
                                                         "curand",
                                                         "ncclDevKernel",
                                                         "ncclKernel",
                                                         "nvjet_",
                                                         "gemmSN_",
                                                         "gemmk1_",
                                                         "gemv2T",
                                                         "gemvNSP",
                                                         "gemv2N",
                                                         "splitKreduce_kernel",
                                                         "sgemm_",
                                                         "_gemm_f32f32",
                                                         "xmma_",
                                                         "_cutlass_",
                                                         "cutlass_80_",
                                                         "cutlass_75_",
                                                         "cutlass3x_",
                                                         "pytorch_flash",
                                                         "fmha_cutlassF",
                                                         "implicit_convolve",
                                                         "explicit_convolve",
                                                         "winograd",
                                                         "miopen",
                                                         "rocblas",
                                                         "Cijk_"};

void append_unique(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

}  // namespace

Attempt<std::vector<std::string>> traced_kernels(const std::function<Attempt<void>()>& forward) {
  Attempt<void> called;
  auto names = attempt([&] {
    const py::module_ torch = py::module_::import("torch");
    const py::module_ profiling = py::module_::import("torch.profiler");
    py::list activities;
    activities.append(profiling.attr("ProfilerActivity").attr("CUDA"));
    const py::object profile = profiling.attr("profile")(py::arg("activities") = activities);
    profile.attr("__enter__")();
    called = forward();
    torch.attr("cuda").attr("synchronize")();
    profile.attr("__exit__")(py::none(), py::none(), py::none());

    std::vector<std::string> kernels;
    const py::object on_device = py::module_::import("torch.autograd").attr("DeviceType").attr("CUDA");
    for (const py::handle event : py::list(profile.attr("events")())) {
      const std::string name = py::str(event.attr("name"));
      if (py::object(event.attr("device_type")).not_equal(on_device)) continue;
      if (name.starts_with("Memcpy") || name.starts_with("Memset") || name.starts_with("Context Sync")) continue;
      kernels.push_back(name);
    }
    return kernels;
  });
  if (!called) return tl::unexpected(std::move(called).error());
  return names;
}

bool is_library_kernel(std::string_view name) {
  return std::any_of(kLibraryMarks.begin(), kLibraryMarks.end(),
                     [&](std::string_view mark) { return name.find(mark) != std::string_view::npos; });
}

messages::Launches sort_launches(const std::vector<std::string>& names) {
  messages::Launches launches;
  for (const std::string& name : names)
    append_unique(is_library_kernel(name) ? launches.library : launches.custom, name);
  return launches;
}

}  // namespace autokernel::runner
