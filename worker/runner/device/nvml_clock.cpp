#include "worker/runner/device/nvml_clock.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>

namespace autokernel::runner {
namespace {

constexpr int kSuccess = 0;
constexpr int kSmClock = 1;
constexpr int kGpuTemperature = 0;
constexpr std::uint64_t kIdle = 0x1;
constexpr std::uint64_t kApplicationClocks = 0x2;
constexpr std::uint64_t kDisplayClocks = 0x100;

}  // namespace

/// The few functions of nvml.h that are asked for here, by name: its header belongs to the toolkit, its library to the
/// driver.
struct NvmlClock::Library {
  explicit Library(void* loaded) : handle(loaded) {
    load(init, "nvmlInit_v2");
    load(shut_down, "nvmlShutdown");
    load(find, "nvmlDeviceGetHandleByUUID");
    load(clock, "nvmlDeviceGetClockInfo");
    load(max_clock, "nvmlDeviceGetMaxClockInfo");
    load(temperature, "nvmlDeviceGetTemperature");
    load(power, "nvmlDeviceGetPowerUsage");
    load(reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
    load(driver, "nvmlSystemGetDriverVersion");
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (shut_down != nullptr) shut_down();
    ::dlclose(handle);
  }

  template <class Function>
  void load(Function& function, const char* name) {
    function = reinterpret_cast<Function>(::dlsym(handle, name));
  }

  void* handle;
  int (*init)() = nullptr;
  int (*shut_down)() = nullptr;
  int (*find)(const char*, void**) = nullptr;
  int (*clock)(void*, int, unsigned*) = nullptr;
  int (*max_clock)(void*, int, unsigned*) = nullptr;
  int (*temperature)(void*, int, unsigned*) = nullptr;
  int (*power)(void*, unsigned*) = nullptr;
  int (*reasons)(void*, unsigned long long*) = nullptr;
  int (*driver)(char*, unsigned) = nullptr;
};

NvmlClock::NvmlClock(const std::string& uuid) {
  void* loaded = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) return;
  auto library = std::make_unique<Library>(loaded);
  if (library->init == nullptr || library->find == nullptr || library->init() != kSuccess) return;
  if (library->find(uuid.c_str(), &gpu_) != kSuccess) gpu_ = nullptr;
  library_ = std::move(library);
}

NvmlClock::~NvmlClock() = default;

std::optional<ClockState> NvmlClock::state() const {
  unsigned clock = 0;
  if (gpu_ == nullptr || library_->clock == nullptr || library_->clock(gpu_, kSmClock, &clock) != kSuccess)
    return std::nullopt;
  ClockState state;
  state.sm_clock_mhz = static_cast<int>(clock);
  unsigned temperature = 0;
  if (library_->temperature != nullptr && library_->temperature(gpu_, kGpuTemperature, &temperature) == kSuccess) {
    state.temperature_c = static_cast<int>(temperature);
  }
  unsigned long long reasons = 0;
  if (library_->reasons != nullptr && library_->reasons(gpu_, &reasons) == kSuccess) {
    state.throttle_reasons = reasons & ~(kIdle | kApplicationClocks | kDisplayClocks);
  }
  return state;
}

std::map<std::string, std::string> NvmlClock::describe() const {
  std::map<std::string, std::string> words;
  std::array<char, 96> driver{};
  if (library_ && library_->driver != nullptr && library_->driver(driver.data(), driver.size()) == kSuccess) {
    words["driver"] = driver.data();
  }
  const auto now = state();
  if (!now) return words;
  words["sm_clock_mhz"] = std::to_string(now->sm_clock_mhz);
  words["temperature_c"] = std::to_string(now->temperature_c);
  words["throttle_reasons"] = fmt::format("0x{:x}", now->throttle_reasons);
  unsigned value = 0;
  if (library_->max_clock != nullptr && library_->max_clock(gpu_, kSmClock, &value) == kSuccess) {
    words["max_sm_clock_mhz"] = std::to_string(value);
  }
  if (library_->power != nullptr && library_->power(gpu_, &value) == kSuccess) {
    words["power_w"] = fmt::format("{:.0f}", value / 1000.0);
  }
  return words;
}

}  // namespace autokernel::runner
