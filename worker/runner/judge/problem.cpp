#include "worker/runner/judge/problem.hpp"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/python_variable.h>

#include "worker/runner/python/model.hpp"

namespace py = pybind11;

namespace autokernel::judge {

using messages::FailureKind;
using runner::Attempt;
using runner::Description;

namespace {

Attempt<Description> described(const py::handle& object, const runner::Device& device, const char* name,
                               runner::DictOrder order = runner::DictOrder::kByKey) {
  Description description = runner::describe_object(object, device, name, order);
  if (!description.violation.empty())
    return tl::unexpected(runner::failed_with(FailureKind::kException, description.violation));
  return description;
}

/// torch's default dtype while it lives.
class DefaultDtype {
 public:
  explicit DefaultDtype(const char* name)
      : torch_(py::module_::import("torch")), before_(torch_.attr("get_default_dtype")()) {
    torch_.attr("set_default_dtype")(torch_.attr(name));
  }
  DefaultDtype(const DefaultDtype&) = delete;
  DefaultDtype& operator=(const DefaultDtype&) = delete;
  ~DefaultDtype() {
    static_cast<void>(runner::attempt([&] { torch_.attr("set_default_dtype")(before_); }));
  }

 private:
  py::object torch_;
  py::object before_;
};

/// The same arguments with floating tensors in float64.
py::object in_float64(const py::handle& object) {
  if (THPVariable_Check(object.ptr())) {
    const at::Tensor& tensor = THPVariable_Unpack(object.ptr());
    return runner::wrap(at::isFloatingType(tensor.scalar_type()) ? tensor.to(at::kDouble) : tensor);
  }
  if (PyList_CheckExact(object.ptr())) {
    py::list list;
    for (const py::handle item : py::reinterpret_borrow<py::list>(object)) list.append(in_float64(item));
    return list;
  }
  if (PyTuple_CheckExact(object.ptr())) {
    const auto source = py::reinterpret_borrow<py::tuple>(object);
    py::tuple tuple(source.size());
    for (std::size_t i = 0; i < source.size(); ++i) tuple[i] = in_float64(source[i]);
    return tuple;
  }
  if (PyDict_CheckExact(object.ptr())) {
    py::dict dict;
    for (const auto& [key, item] : py::reinterpret_borrow<py::dict>(object)) dict[key] = in_float64(item);
    return dict;
  }
  return py::reinterpret_borrow<py::object>(object);
}

Attempt<void> waited(runner::Device& device) {
  if (auto idle = device.synchronize(); !idle) return tl::unexpected(runner::failed_from(idle.error()));
  return {};
}

}  // namespace

Attempt<Problem> Problem::load(runner::Device& device, const messages::Prepare& request) {
  Problem problem(device, request);
  auto module = runner::load_module(request.problem_path, "autokernel_problem");
  if (!module) return tl::unexpected(std::move(module).error());
  problem.module_ = *module;
  auto model_class = runner::member_of(problem.module_, "Model", "class");
  if (!model_class) return tl::unexpected(std::move(model_class).error());
  problem.model_class_ = *model_class;
  if (auto built = problem.construct(request.options.inputs); !built) return tl::unexpected(std::move(built).error());
  return problem;
}

Attempt<void> Problem::construct(protocol::InputSource source) {
  model_ = py::object();
  const auto& options = request_->options;
  auto arguments = runner::initial_inputs(module_, options.seed, *device_, options.precision);
  if (!arguments) return tl::unexpected(std::move(arguments).error());
  auto model = runner::construct(model_class_, *arguments, options.seed, source, *device_, options.precision);
  if (!model) return tl::unexpected(std::move(model).error());
  model_ = *std::move(model);
  drawn_from_ = source;
  return waited(*device_);
}

Attempt<ProblemInputs> Problem::make_inputs(std::uint64_t seed, protocol::InputSource source) const {
  auto arguments = runner::make_inputs(module_, seed, source, *device_, request_->options.precision);
  if (!arguments) return tl::unexpected(std::move(arguments).error());
  if (auto idle = waited(*device_); !idle) return tl::unexpected(std::move(idle).error());
  auto description = described(*arguments, *device_, "get_inputs()", runner::DictOrder::kAsIs);
  if (!description) return tl::unexpected(std::move(description).error());
  return ProblemInputs{*std::move(arguments), *std::move(description)};
}

Attempt<Description> Problem::forward(const py::tuple& arguments, std::uint64_t seed) const {
  runner::seed_all(seed, *device_);
  auto result = call(arguments);
  if (!result) return tl::unexpected(std::move(result).error());
  if (auto idle = waited(*device_); !idle) return tl::unexpected(std::move(idle).error());
  return described(*result, *device_, "the reference's output");
}

Attempt<py::object> Problem::call(const py::tuple& arguments) const { return runner::call_model(model_, arguments); }

Attempt<NamedTensors> Problem::state() const {
  return runner::attempt([&] {
    NamedTensors tensors;
    const py::dict state(model_.attr("state_dict")());
    for (const auto& [name, value] : state) {
      if (!THPVariable_Check(value.ptr())) continue;
      tensors.emplace_back(py::cast<std::string>(name), THPVariable_Unpack(value.ptr()).detach());
    }
    return tensors;
  });
}

Attempt<std::vector<std::uint64_t>> Problem::state_checksums(const compare::Checksummer& sums) const {
  auto tensors = state();
  if (!tensors) return tl::unexpected(std::move(tensors).error());
  return runner::attempt([&] {
    for (const py::handle module : model_.attr("modules")()) {
      if (!py::hasattr(module, "__dict__")) continue;
      for (const auto& [name, value] : py::dict(module.attr("__dict__"))) {
        if (THPVariable_Check(value.ptr()))
          tensors->emplace_back(py::str(name), THPVariable_Unpack(value.ptr()).detach());
      }
    }
    std::vector<std::uint64_t> checksums;
    for (const auto& [name, tensor] : *tensors) {
      const at::Tensor here = tensor.device() == device_->torch_device() ? tensor : tensor.to(device_->torch_device());
      checksums.push_back(sums.of(here.contiguous()));
    }
    return checksums;
  });
}

Attempt<Description> Problem::forward_in_float64(const py::tuple& arguments, std::uint64_t seed) const {
  auto result = runner::attempt([&]() -> py::object {
    const c10::NoGradGuard no_grad;
    const DefaultDtype dtype("float64");
    const py::object model = py::module_::import("copy").attr("deepcopy")(model_).attr("double")();
    const py::tuple doubled(in_float64(arguments));
    runner::seed_all(seed, *device_);
    return model(*doubled);
  });
  if (!result) return tl::unexpected(std::move(result).error());
  if (auto idle = waited(*device_); !idle) return tl::unexpected(std::move(idle).error());
  return described(*result, *device_, "the float64 reference's output");
}

std::optional<std::int64_t> Problem::batch_size() const {
  const auto value = runner::attempt([&]() -> std::optional<std::int64_t> {
    const py::object member = py::getattr(module_, "batch_size", py::none());
    if (!PyLong_CheckExact(member.ptr())) return std::nullopt;
    return py::cast<std::int64_t>(member);
  });
  return value ? *value : std::nullopt;
}

Attempt<ProblemInputs> Problem::make_inputs_for_batch(std::int64_t batch, std::uint64_t seed,
                                                      protocol::InputSource source) {
  const auto set_batch = [&](std::int64_t value) {
    return runner::attempt([&] { py::setattr(module_, "batch_size", py::int_(value)); });
  };
  const std::int64_t before = batch_size().value_or(batch);
  if (auto changed = set_batch(batch); !changed) return tl::unexpected(std::move(changed).error());
  auto inputs = make_inputs(seed, source);
  if (auto restored = set_batch(before); !restored) return tl::unexpected(std::move(restored).error());
  return inputs;
}

void release_cached_memory(const runner::Device& device) {
  if (device.is_cpu()) return;
  static_cast<void>(runner::attempt([] { py::module_::import("torch").attr("cuda").attr("empty_cache")(); }));
}

}  // namespace autokernel::judge
