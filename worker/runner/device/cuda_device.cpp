#include "worker/runner/device/cuda_device.hpp"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <pybind11/pybind11.h>

#include <cstring>

#include "worker/runner/device/hold_stream.hpp"
#include "worker/runner/python/attempt.hpp"

namespace py = pybind11;

namespace autokernel::runner {
namespace {

/// The legacy default stream, which torch calls its default too.
constexpr cudaStream_t kDefaultStream = nullptr;
constexpr int kFlushFactor = 2;
constexpr std::uint64_t kAllocationGranule = std::uint64_t{2} << 20U;

Result<void> check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return {};
  // Reading the last error clears it where it can be cleared; a poisoned context keeps failing.
  static_cast<void>(cudaGetLastError());
  return fail(status == cudaErrorMemoryAllocation ? Code::kExhausted : Code::kUnavailable, "CUDA error: {}: {} ({})",
              what, cudaGetErrorString(status), cudaGetErrorName(status));
}

int attribute(cudaDeviceAttr which) {
  int value = 0;
  static_cast<void>(check(cudaDeviceGetAttribute(&value, which, 0), "cudaDeviceGetAttribute"));
  return value;
}

cudaDeviceProp properties() {
  cudaDeviceProp found{};
  static_cast<void>(check(cudaGetDeviceProperties(&found, 0), "cudaGetDeviceProperties"));
  return found;
}

std::string text_of(const cudaUUID_t& uuid) {
  std::string text = "GPU";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

py::object torch_cuda() { return py::module_::import("torch.cuda"); }

}  // namespace

Result<std::unique_ptr<Device>> open_cuda_device() {
  // torch first: it must own the primary context's settings, and its Python side keeps state of its own.
  const auto opened = attempt([] {
    if (!torch_cuda().attr("is_available")().cast<bool>()) return false;
    torch_cuda().attr("init")();
    torch_cuda().attr("set_device")(0);
    return true;
  });
  if (!opened) return fail(Code::kUnavailable, "the GPU does not answer: {}", opened.error().message);
  if (!*opened) {
    return fail(Code::kUnavailable,
                "torch sees no GPU: no driver, a torch without CUDA, or CUDA_VISIBLE_DEVICES hides it");
  }
  AUTOKERNEL_TRY(check(cudaSetDevice(0), "cudaSetDevice"));
  AUTOKERNEL_TRY(check(cudaFree(nullptr), "making the context"));
  return std::make_unique<CudaDevice>();
}

CudaDevice::~CudaDevice() {
  for (const auto& [start, stop] : marks_) {
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
  }
  cudaFree(flush_buffer_);
}

Result<void> CudaDevice::synchronize() { return check(cudaDeviceSynchronize(), "waiting for the device"); }

NvmlClock& CudaDevice::clock() {
  if (!clock_) clock_ = std::make_unique<NvmlClock>(text_of(properties().uuid));
  return *clock_;
}

std::map<std::string, std::string> CudaDevice::environment() {
  std::map<std::string, std::string> words = clock().describe();
  const cudaDeviceProp device = properties();
  int driver = 0;
  if (check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion")) words["cuda"] = version_text(driver);
  words["device"] = device.name;
  words["device_uuid"] = text_of(device.uuid);
  words["compute_capability"] =
      fmt::format("{}.{}", attribute(cudaDevAttrComputeCapabilityMajor), attribute(cudaDevAttrComputeCapabilityMinor));
  words["multiprocessors"] = std::to_string(attribute(cudaDevAttrMultiProcessorCount));
  words["l2_bytes"] = std::to_string(attribute(cudaDevAttrL2CacheSize));
  std::size_t available = 0;
  std::size_t total = 0;
  if (check(cudaMemGetInfo(&available, &total), "cudaMemGetInfo")) words["memory_bytes"] = std::to_string(total);
  return words;
}

Result<std::uint64_t> CudaDevice::memory_free_bytes() {
  std::size_t available = 0;
  std::size_t total = 0;
  AUTOKERNEL_TRY(check(cudaMemGetInfo(&available, &total), "cudaMemGetInfo"));
  return available;
}

void CudaDevice::release_cached_memory() {
  static_cast<void>(attempt([] { torch_cuda().attr("empty_cache")(); }));
}

void CudaDevice::reset_peak_memory() {
  static_cast<void>(attempt([] { torch_cuda().attr("reset_peak_memory_stats")(); }));
}

std::uint64_t CudaDevice::peak_memory_bytes() {
  return attempt([] { return torch_cuda().attr("max_memory_allocated")().cast<std::uint64_t>(); }).value_or(0);
}

Result<void> CudaDevice::fill(void* memory, std::uint8_t pattern, std::uint64_t bytes) {
  if (bytes == 0) return {};
  return check(cudaMemsetAsync(memory, pattern, bytes, kDefaultStream), "filling memory");
}

Result<SharedMemory> CudaDevice::create_shared(std::uint64_t bytes) {
  // Whole granules: the driver exports whole allocations, and a smaller one may share its granule with others.
  const std::uint64_t granules = bytes / kAllocationGranule + 1;
  void* base = nullptr;
  AUTOKERNEL_TRY(check(cudaMalloc(&base, granules * kAllocationGranule), "reserving shared memory"));
  cudaIpcMemHandle_t exported{};
  if (auto got = check(cudaIpcGetMemHandle(&exported, base), "exporting shared memory"); !got) {
    cudaFree(base);
    return tl::unexpected(got.error());
  }
  messages::ArenaHandle handle;
  handle.bytes = bytes;
  handle.ipc.data.assign(exported.reserved, sizeof exported.reserved);
  return SharedMemory(static_cast<std::byte*>(base), std::move(handle), system::UniqueFd(), [base] { cudaFree(base); });
}

Result<SharedMemory> CudaDevice::open_shared(const messages::ArenaHandle& handle, system::UniqueFd /*fd*/) {
  cudaIpcMemHandle_t exported{};
  if (handle.ipc.data.size() != sizeof exported.reserved) {
    return fail(Code::kInvalid, "an IPC handle has {} bytes, not {}", sizeof exported.reserved, handle.ipc.data.size());
  }
  std::memcpy(exported.reserved, handle.ipc.data.data(), sizeof exported.reserved);
  void* base = nullptr;
  AUTOKERNEL_TRY(check(cudaIpcOpenMemHandle(&base, exported, cudaIpcMemLazyEnablePeerAccess), "opening shared memory"));
  return SharedMemory(static_cast<std::byte*>(base), handle, system::UniqueFd(),
                      [base] { cudaIpcCloseMemHandle(base); });
}

void* CudaDevice::use_default_stream() {
  // By torch's device guard, which needs no symbol of libtorch_cuda and serves ROCm's torch under the same name.
  const c10::impl::VirtualGuardImpl torch(at::kCUDA);
  const c10::Stream wanted = torch.getDefaultStream(torch_device());
  if (torch.getStream(torch_device()) != wanted) torch.exchangeStream(wanted);
  return kDefaultStream;
}

Result<void> CudaDevice::prepare_timing(int calls) {
  if (flush_buffer_ == nullptr) {
    const auto bytes =
        static_cast<std::size_t>(kFlushFactor) * static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize));
    AUTOKERNEL_TRY(check(cudaMalloc(&flush_buffer_, bytes), "reserving the flush buffer"));
    flush_bytes_ = bytes;
  }
  while (marks_.size() < static_cast<std::size_t>(calls)) {
    cudaEvent_t start = nullptr;
    cudaEvent_t stop = nullptr;
    AUTOKERNEL_TRY(check(cudaEventCreate(&start), "making an event"));
    AUTOKERNEL_TRY(check(cudaEventCreate(&stop), "making an event"));
    marks_.emplace_back(start, stop);
  }
  // The kernel is loaded at its first launch, which waits for the device: not within a block.
  return hold(1.0);
}

Result<void> CudaDevice::hold(double microseconds) {
  if (microseconds <= 0) return {};
  return check(static_cast<cudaError_t>(hold_stream(kDefaultStream, microseconds)), "holding the stream");
}

Result<void> CudaDevice::flush_caches() {
  flush_pattern_ = (flush_pattern_ + 1) & 0xFF;
  return check(cudaMemsetAsync(flush_buffer_, flush_pattern_, flush_bytes_, kDefaultStream), "flushing the caches");
}

Result<void> CudaDevice::mark_start(int call) {
  return check(cudaEventRecord(marks_.at(static_cast<std::size_t>(call)).first, kDefaultStream), "recording an event");
}

Result<void> CudaDevice::mark_stop(int call) {
  return check(cudaEventRecord(marks_.at(static_cast<std::size_t>(call)).second, kDefaultStream), "recording an event");
}

bool CudaDevice::has_begun(int call) {
  const cudaError_t state = cudaEventQuery(marks_.at(static_cast<std::size_t>(call)).first);
  if (state == cudaErrorNotReady) static_cast<void>(cudaGetLastError());
  return state == cudaSuccess;
}

Result<std::vector<double>> CudaDevice::elapsed_us(int calls) {
  constexpr double kMicrosecondsPerMillisecond = 1000.0;
  std::vector<double> samples;
  for (std::size_t i = 0; i < static_cast<std::size_t>(calls); ++i) {
    float milliseconds = 0;
    AUTOKERNEL_TRY(
        check(cudaEventElapsedTime(&milliseconds, marks_.at(i).first, marks_.at(i).second), "reading events"));
    samples.push_back(static_cast<double>(milliseconds) * kMicrosecondsPerMillisecond);
  }
  return samples;
}

}  // namespace autokernel::runner
