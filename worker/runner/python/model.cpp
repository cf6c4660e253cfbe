#include "worker/runner/python/model.hpp"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/python_variable.h>

#include "worker/runner/device/dtype.hpp"
#include "worker/runner/python/items.hpp"

namespace py = pybind11;

namespace autokernel::runner {
namespace {

py::object torch_device_object(const Device& device) {
  return py::module_::import("torch").attr("device")(device.torch_device().str());
}

/// torch's default device while it lives: what is drawn is drawn there.
class DefaultDevice {
 public:
  DefaultDevice(protocol::InputSource source, const Device& device) {
    if (source != protocol::InputSource::kDevice || device.is_cpu()) return;
    context_ = torch_device_object(device);
    context_.attr("__enter__")();
  }
  DefaultDevice(const DefaultDevice&) = delete;
  DefaultDevice& operator=(const DefaultDevice&) = delete;
  ~DefaultDevice() {
    if (!context_) return;
    static_cast<void>(attempt([&] { context_.attr("__exit__")(py::none(), py::none(), py::none()); }));
  }

 private:
  py::object context_;
};

/// A result whose signs or conjugates are yet to be computed (torch.conj, torch._neg_view: a bit on the tensor) has not
/// been computed: left as it is, whoever reads it first would pay for it.
py::object materialized(py::object result) {
  const auto is_lazy = [](const at::Tensor& tensor) { return tensor.is_neg() || tensor.is_conj(); };
  if (THPVariable_CheckExact(result.ptr())) {
    const at::Tensor& tensor = THPVariable_Unpack(result.ptr());
    return is_lazy(tensor) ? wrap(tensor.resolve_conj().resolve_neg()) : result;
  }
  if (PyTuple_CheckExact(result.ptr()) || PyList_CheckExact(result.ptr())) {
    const py::list items(result);
    bool changed = false;
    for (py::size_t i = 0; i < items.size(); ++i) {
      const py::object item = materialized(items[i]);
      changed = changed || !item.is(items[i]);
      items[i] = item;
    }
    if (!changed) return result;
    return PyTuple_CheckExact(result.ptr()) ? py::object(py::tuple(items)) : py::object(items);
  }
  if (PyDict_CheckExact(result.ptr())) {
    const py::dict dict = py::reinterpret_borrow<py::dict>(result).attr("copy")();
    for (const auto& [key, item] : py::reinterpret_borrow<py::dict>(result))
      dict[key] = materialized(py::reinterpret_borrow<py::object>(item));
    return dict;
  }
  return result;
}

/// The same structure with its tensors cast and moved; other objects as they are.
py::object cast_object(const py::handle& object, const Device& device, protocol::Precision precision) {
  if (THPVariable_Check(object.ptr())) return wrap(cast(THPVariable_Unpack(object.ptr()), device, precision));
  if (PyList_CheckExact(object.ptr())) {
    py::list list;
    for (const py::handle item : py::reinterpret_borrow<py::list>(object))
      list.append(cast_object(item, device, precision));
    return list;
  }
  if (PyTuple_CheckExact(object.ptr())) {
    const auto source = py::reinterpret_borrow<py::tuple>(object);
    py::tuple tuple(source.size());
    for (std::size_t i = 0; i < source.size(); ++i) tuple[i] = cast_object(source[i], device, precision);
    return tuple;
  }
  if (PyDict_CheckExact(object.ptr())) {
    py::dict dict;
    for (const auto& [key, item] : py::reinterpret_borrow<py::dict>(object))
      dict[key] = cast_object(item, device, precision);
    return dict;
  }
  return py::reinterpret_borrow<py::object>(object);
}

py::tuple arguments_of(const py::object& returned, const char* function, const Device& device,
                       protocol::Precision precision) {
  if (!PyList_Check(returned.ptr()) && !PyTuple_Check(returned.ptr())) {
    throw py::type_error(fmt::format("{}() must return a list, not {}", function, Py_TYPE(returned.ptr())->tp_name));
  }
  // A new tuple: what the function returned may be one itself, which is shared and cannot be assigned to.
  const py::list items(returned);
  py::tuple arguments(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) arguments[i] = cast_object(items[i], device, precision);
  return arguments;
}

}  // namespace

py::object import_file(const std::string& path, const std::string& name) {
  const py::object util = py::module_::import("importlib.util");
  const py::object loader = py::module_::import("importlib.machinery").attr("SourceFileLoader")(name, path);
  const py::object spec = util.attr("spec_from_file_location")(name, path, py::arg("loader") = loader);
  py::object module = util.attr("module_from_spec")(spec);
  py::module_::import("sys").attr("modules")[name.c_str()] = module;
  loader.attr("exec_module")(module);
  return module;
}

Attempt<py::object> load_module(const std::string& path, const std::string& name) {
  return attempt([&] { return import_file(path, name); });
}

Attempt<py::object> member_of(const py::object& module, const char* name, const char* what) {
  return attempt([&]() -> py::object { return py::getattr(module, name, py::none()); })
      .and_then([&](const py::object& member) -> Attempt<py::object> {
        if (!member.is_none()) return member;
        return tl::unexpected(
            failed_with(messages::FailureKind::kException, fmt::format("the file defines no {} {}", what, name)));
      });
}

at::Tensor cast(const at::Tensor& tensor, const Device& device, protocol::Precision precision) {
  const c10::NoGradGuard no_grad;
  const auto dtype = at::isFloatingType(tensor.scalar_type()) ? dtype_of(precision) : tensor.scalar_type();
  return tensor.detach().to(device.torch_device(), dtype).resolve_conj().resolve_neg();
}

Attempt<py::tuple> initial_inputs(const py::object& module, std::uint64_t seed, const Device& device,
                                  protocol::Precision precision) {
  return attempt([&] {
    if (!py::hasattr(module, "get_init_inputs")) return py::tuple();
    seed_all(seed, device);
    const c10::NoGradGuard no_grad;
    return arguments_of(module.attr("get_init_inputs")(), "get_init_inputs", device, precision);
  });
}

Attempt<py::object> construct(const py::object& model_class, const py::tuple& arguments, std::uint64_t seed,
                              protocol::InputSource source, const Device& device, protocol::Precision precision) {
  return attempt([&]() -> py::object {
    const c10::NoGradGuard no_grad;
    py::object model;
    {
      const DefaultDevice where(source, device);
      seed_all(seed, device);
      model = model_class(*arguments);
    }
    const py::object dtype = py::module_::import("torch").attr(std::string(name_of_dtype(dtype_of(precision))).c_str());
    return model.attr("to")(py::arg("device") = torch_device_object(device), py::arg("dtype") = dtype);
  });
}

Attempt<py::tuple> make_inputs(const py::object& module, std::uint64_t seed, protocol::InputSource source,
                               const Device& device, protocol::Precision precision) {
  return attempt([&] {
    if (!py::hasattr(module, "get_inputs")) throw py::attribute_error("the file defines no function get_inputs");
    const c10::NoGradGuard no_grad;
    const DefaultDevice where(source, device);
    seed_all(seed, device);
    return arguments_of(module.attr("get_inputs")(), "get_inputs", device, precision);
  });
}

Attempt<py::object> call_model(const py::object& model, const py::tuple& arguments) {
  return attempt([&]() -> py::object {
    const c10::NoGradGuard no_grad;
    PyObject* result = PyObject_Call(model.ptr(), arguments.ptr(), nullptr);
    if (result == nullptr) throw py::error_already_set();
    return materialized(py::reinterpret_steal<py::object>(result));
  });
}

}  // namespace autokernel::runner
