#include "worker/devices/nvml.hpp"

#include <dlfcn.h>

#include <array>
#include <utility>

#include "common/telemetry/log.hpp"

namespace autokernel::devices {
namespace {

// NVML's binary interface, as far as it is used here: declared by us, because nvml.h comes with the CUDA toolkit and
// this program is built on machines without one.
using Status = int;  // 0 is success
using Handle = void*;
struct Utilization {
  unsigned gpu;
  unsigned memory;
};
struct Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};
constexpr unsigned kSmClock = 1;
constexpr unsigned kGpuTemperature = 0;

struct Interface {
  Status (*init)() = nullptr;
  Status (*shutdown)() = nullptr;
  const char* (*error_text)(Status) = nullptr;
  Status (*driver_version)(char*, unsigned) = nullptr;
  Status (*count)(unsigned*) = nullptr;
  Status (*by_index)(unsigned, Handle*) = nullptr;
  Status (*by_uuid)(const char*, Handle*) = nullptr;
  Status (*uuid)(Handle, char*, unsigned) = nullptr;
  Status (*name)(Handle, char*, unsigned) = nullptr;
  Status (*memory)(Handle, Memory*) = nullptr;
  Status (*capability)(Handle, int*, int*) = nullptr;
  Status (*utilization)(Handle, Utilization*) = nullptr;
  Status (*clock)(Handle, unsigned, unsigned*) = nullptr;
  Status (*temperature)(Handle, unsigned, unsigned*) = nullptr;
  Status (*throttle)(Handle, unsigned long long*) = nullptr;
};

struct LibraryCloser {
  void operator()(void* library) const { ::dlclose(library); }
};
using Library = std::unique_ptr<void, LibraryCloser>;

template <class Function>
bool resolve(void* library, const char* name, Function& target) {
  target = reinterpret_cast<Function>(::dlsym(library, name));  // NOLINT: dlsym's own contract
  return target != nullptr;
}

bool resolve_all(void* library, Interface& nvml) {
  return resolve(library, "nvmlInit_v2", nvml.init) && resolve(library, "nvmlShutdown", nvml.shutdown) &&
         resolve(library, "nvmlErrorString", nvml.error_text) &&
         resolve(library, "nvmlSystemGetDriverVersion", nvml.driver_version) &&
         resolve(library, "nvmlDeviceGetCount_v2", nvml.count) &&
         resolve(library, "nvmlDeviceGetHandleByIndex_v2", nvml.by_index) &&
         resolve(library, "nvmlDeviceGetHandleByUUID", nvml.by_uuid) &&
         resolve(library, "nvmlDeviceGetUUID", nvml.uuid) && resolve(library, "nvmlDeviceGetName", nvml.name) &&
         resolve(library, "nvmlDeviceGetMemoryInfo", nvml.memory) &&
         resolve(library, "nvmlDeviceGetCudaComputeCapability", nvml.capability) &&
         resolve(library, "nvmlDeviceGetUtilizationRates", nvml.utilization) &&
         resolve(library, "nvmlDeviceGetClockInfo", nvml.clock) &&
         resolve(library, "nvmlDeviceGetTemperature", nvml.temperature) &&
         resolve(library, "nvmlDeviceGetCurrentClocksThrottleReasons", nvml.throttle);
}

std::vector<std::string> throttle_names(unsigned long long mask) {
  struct Reason {
    unsigned long long bit;
    const char* name;
  };
  // Bit 0 (idle) and bit 1 (clocks set by an application) are states, not complaints.
  static constexpr std::array<Reason, 7> kReasons{{{0x4, "power_cap"},
                                                   {0x8, "hardware_slowdown"},
                                                   {0x10, "sync_boost"},
                                                   {0x20, "software_thermal"},
                                                   {0x40, "hardware_thermal"},
                                                   {0x80, "power_brake"},
                                                   {0x100, "display_clocks"}}};
  std::vector<std::string> names;
  for (const Reason& reason : kReasons) {
    if ((mask & reason.bit) != 0) names.emplace_back(reason.name);
  }
  return names;
}

class Nvml final : public GpuMonitor {
 public:
  Nvml(Library library, const Interface& nvml) : library_(std::move(library)), nvml_(nvml) {}
  ~Nvml() override { nvml_.shutdown(); }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  std::vector<Device> list() override {
    std::vector<Device> gpus;
    unsigned count = 0;
    if (nvml_.count(&count) != 0) return gpus;
    std::array<char, 96> driver{};
    nvml_.driver_version(driver.data(), driver.size());
    for (unsigned i = 0; i < count; ++i) {
      Handle handle = nullptr;
      std::array<char, 96> uuid{};
      // A GPU that fell off the bus is listed but gives no handle: it is not there.
      if (nvml_.by_index(i, &handle) != 0 || nvml_.uuid(handle, uuid.data(), uuid.size()) != 0) continue;
      Device gpu;
      gpu.kind = protocol::DeviceKind::kCuda;
      gpu.id = uuid.data();
      gpu.index = static_cast<int>(gpus.size());
      gpu.driver = driver.data();
      std::array<char, 96> name{};
      if (nvml_.name(handle, name.data(), name.size()) == 0) gpu.name = name.data();
      Memory memory{};
      if (nvml_.memory(handle, &memory) == 0) gpu.memory_bytes = memory.total;
      int major = 0;
      int minor = 0;
      if (nvml_.capability(handle, &major, &minor) == 0) gpu.architecture = fmt::format("{}.{}", major, minor);
      gpus.push_back(std::move(gpu));
    }
    return gpus;
  }

  Result<GpuReading> read(const std::string& id) override {
    Handle handle = nullptr;
    if (const Status status = nvml_.by_uuid(id.c_str(), &handle); status != 0) {
      return fail(Code::kNotFound, "GPU {} is not there: {}", id, nvml_.error_text(status));
    }
    GpuReading reading;
    Utilization utilization{};
    if (const Status status = nvml_.utilization(handle, &utilization); status != 0) {
      return fail(Code::kUnavailable, "GPU {} does not answer: {}", id, nvml_.error_text(status));
    }
    reading.busy = utilization.gpu / 100.0;
    Memory memory{};
    if (nvml_.memory(handle, &memory) == 0) reading.memory_used_bytes = memory.used;
    nvml_.clock(handle, kSmClock, &reading.sm_clock_mhz);
    nvml_.temperature(handle, kGpuTemperature, &reading.temperature_celsius);
    unsigned long long mask = 0;
    if (nvml_.throttle(handle, &mask) == 0) reading.throttle_reasons = throttle_names(mask);
    return reading;
  }

 private:
  Library library_;
  Interface nvml_;
};

}  // namespace

std::unique_ptr<GpuMonitor> load_nvml() {
  Library library(::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL));
  if (library == nullptr) {
    telemetry::debug("no NVIDIA driver library on this machine");
    return nullptr;
  }
  Interface nvml;
  if (!resolve_all(library.get(), nvml)) {
    telemetry::warning("the NVIDIA driver library is too old: its GPUs are not used");
    return nullptr;
  }
  if (const Status status = nvml.init(); status != 0) {
    telemetry::debug("the NVIDIA driver does not start", {{"reason", nvml.error_text(status)}});
    return nullptr;
  }
  return std::make_unique<Nvml>(std::move(library), nvml);
}

}  // namespace autokernel::devices
