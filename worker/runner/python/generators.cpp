#include "worker/runner/python/generators.hpp"

#include <ATen/Context.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <mutex>

#include "worker/runner/python/attempt.hpp"

namespace py = pybind11;

namespace autokernel::runner {
namespace {

/// Never destroyed: the interpreter is gone before static objects are.
struct Found {
  py::object python;       ///< the instance behind random.random()
  py::dict python_state;   ///< its __dict__
  py::object python_seed;  ///< the C method of its base class
  py::object numpy_seed;   ///< bound to the instance behind numpy.random.rand(); null without numpy
};
Found* found = nullptr;

void seed_generator(const at::Generator& generator, std::uint64_t seed) {
  at::Generator writable = generator;
  const std::lock_guard<std::mutex> lock(writable.mutex());
  writable.set_current_seed(seed);
}

void seed_python(std::uint64_t seed) {
  found->python_seed(found->python, seed);
  found->python_state["gauss_next"] = py::none();  // half of a pair that random.gauss() has left over
  if (found->numpy_seed) found->numpy_seed(seed & 0xFFFFFFFFU);
}

}  // namespace

void find_generators() {
  if (found != nullptr) return;
  auto generators = std::make_unique<Found>();
  generators->python = py::module_::import("random").attr("_inst");
  generators->python_state = generators->python.attr("__dict__");
  generators->python_seed = py::module_::import("_random").attr("Random").attr("seed");
  const auto numpy =
      attempt([&] { generators->numpy_seed = py::module_::import("numpy.random.mtrand").attr("_rand").attr("seed"); });
  static_cast<void>(numpy);  // not installed
  found = generators.release();
}

void seed_torch(std::uint64_t seed, const Device& device) {
  seed_generator(at::globalContext().defaultGenerator(at::Device(at::kCPU)), seed);
  if (!device.is_cpu()) seed_generator(at::globalContext().defaultGenerator(device.torch_device()), seed);
}

void seed_all(std::uint64_t seed, const Device& device) {
  seed_torch(seed, device);
  if (found == nullptr) return;
  const auto seeded = attempt([&] { seed_python(seed); });
  static_cast<void>(seeded);  // C code on plain numbers: it has nothing to throw but for want of memory
}

}  // namespace autokernel::runner
