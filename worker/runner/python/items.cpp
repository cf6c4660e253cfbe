#include "worker/runner/python/items.hpp"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/python_variable.h>

#include <algorithm>
#include <utility>

#include "worker/runner/device/dtype.hpp"

namespace py = pybind11;

namespace autokernel::runner {
namespace {

using messages::Item;
using messages::ItemKind;
using messages::TensorView;

constexpr int kMaxDepth = 16;
constexpr std::size_t kMaxTensors = 4096;

/// Any of these keys means that reading the tensor would run Python or a transform's code, or that its bytes are not
/// its values (call_model() has resolved what is merely late).
bool is_wrapped(const at::Tensor& tensor) {
  using c10::DispatchKey;
  constexpr c10::DispatchKeySet kForeign({DispatchKey::Python, DispatchKey::PythonTLSSnapshot, DispatchKey::Fake,
                                          DispatchKey::Functionalize, DispatchKey::FuncTorchBatched,
                                          DispatchKey::Batched, DispatchKey::FuncTorchGradWrapper,
                                          DispatchKey::ZeroTensor, DispatchKey::Negative, DispatchKey::Conjugate});
  return tensor.unsafeGetTensorImpl()->is_python_dispatch() || tensor.key_set().has_any(kForeign);
}

/// Why this tensor cannot be taken as it is; empty when it can.
std::string fault_of(const at::Tensor& tensor, const Device& device) {
  if (!tensor.defined()) return "an undefined tensor";
  if (is_wrapped(tensor)) return "a tensor in a wrapper (functorch, fake or lazy), not a plain one";
  if (tensor.layout() != at::kStrided)
    return fmt::format("a tensor of layout {}, not strided", c10::str(tensor.layout()));
  if (tensor.device() != device.torch_device()) {
    return fmt::format("on {}, not on {}", tensor.device().str(), device.torch_device().str());
  }
  if (name_of_dtype(tensor.scalar_type()).empty())
    return fmt::format("of dtype {}", c10::toString(tensor.scalar_type()));
  if (tensor.numel() > 0 && (!tensor.has_storage() || tensor.const_data_ptr() == nullptr))
    return "a tensor without storage";
  return "";
}

class Describer {
 public:
  Describer(const Device& device, DictOrder order) : device_(device), order_(order) {}

  Item describe(py::handle object, const std::string& name, int depth) {
    Item item;
    PyObject* raw = object.ptr();
    if (raw == Py_None) return item;
    if (depth > kMaxDepth || description_.tensors.size() >= kMaxTensors) {
      violate(name, "nested too deep or too long");
    } else if (THPVariable_Check(raw)) {
      describe_tensor(raw, name, item);
    } else if (PyBool_Check(raw)) {
      item.kind = ItemKind::kBoolean;
      item.boolean = raw == Py_True;
    } else if (PyLong_Check(raw)) {
      int overflow = 0;
      item.kind = ItemKind::kInteger;
      item.integer = PyLong_AsLongLongAndOverflow(raw, &overflow);
      if (overflow != 0) violate(name, "an integer beyond 64 bits");
    } else if (PyFloat_Check(raw)) {
      item.kind = ItemKind::kReal;
      item.real = PyFloat_AS_DOUBLE(raw);
    } else if (PyUnicode_Check(raw)) {
      item.kind = ItemKind::kText;
      item.text = text_of(raw);
    } else if (PyList_Check(raw)) {
      item.kind = ItemKind::kList;
      for (Py_ssize_t i = 0; i < PyList_GET_SIZE(raw); ++i) {
        item.items.push_back(describe(PyList_GET_ITEM(raw, i), fmt::format("{}[{}]", name, i), depth + 1));
      }
    } else if (PyTuple_Check(raw)) {
      item.kind = ItemKind::kTuple;
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(raw); ++i) {
        item.items.push_back(describe(PyTuple_GET_ITEM(raw, i), fmt::format("{}[{}]", name, i), depth + 1));
      }
    } else if (PyDict_Check(raw)) {
      describe_dict(raw, name, item, depth);
    } else {
      violate(name, fmt::format("a {}, not a tensor, a plain value or a container of them", Py_TYPE(raw)->tp_name));
    }
    return item;
  }

  Description take(Item item) {
    description_.item = std::move(item);
    return std::move(description_);
  }

 private:
  void violate(const std::string& name, const std::string& what) {
    if (description_.violation.empty()) description_.violation = fmt::format("{} is {}", name, what);
  }

  void describe_tensor(PyObject* raw, const std::string& name, Item& item) {
    // By type, not by isinstance: a subclass may answer anything, at any later time.
    if (!THPVariable_CheckExact(raw)) {
      violate(name, fmt::format("a subclass of Tensor: {}", Py_TYPE(raw)->tp_name));
      return;
    }
    const at::Tensor& tensor = THPVariable_Unpack(raw);
    if (const std::string fault = fault_of(tensor, device_); !fault.empty()) {
      violate(name, fault);
      return;
    }
    item.kind = ItemKind::kTensor;
    item.tensor = TensorView{std::string(name_of_dtype(tensor.scalar_type())), tensor.sizes().vec(),
                             tensor.strides().vec(), kNotInArena};
    description_.tensors.push_back(tensor);
  }

  void describe_dict(PyObject* raw, const std::string& name, Item& item, int depth) {
    item.kind = ItemKind::kDict;
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    Py_ssize_t position = 0;
    std::vector<std::pair<std::string, PyObject*>> entries;
    while (PyDict_Next(raw, &position, &key, &value) != 0) {
      if (!PyUnicode_Check(key)) {
        violate(name, "a dict with a key that is not text");
        return;
      }
      entries.emplace_back(text_of(key), value);
    }
    if (order_ == DictOrder::kByKey) {
      std::stable_sort(entries.begin(), entries.end(),
                       [](const auto& left, const auto& right) { return left.first < right.first; });
    }
    for (const auto& [text, entry] : entries) {
      item.keys.push_back(text);
      item.items.push_back(describe(entry, fmt::format("{}['{}']", name, text), depth + 1));
    }
  }

  static std::string text_of(PyObject* raw) {
    Py_ssize_t size = 0;
    const char* bytes = PyUnicode_AsUTF8AndSize(raw, &size);
    if (bytes == nullptr) {
      PyErr_Clear();
      return "";
    }
    return {bytes, static_cast<std::size_t>(size)};
  }

  const Device& device_;
  const DictOrder order_;
  Description description_;
};

template <class ItemType, class View>
void collect_views(ItemType& item, std::vector<View*>& views) {
  if (item.kind == ItemKind::kTensor && item.tensor) views.push_back(&*item.tensor);
  for (auto& child : item.items) collect_views(child, views);
}

std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * std::max<std::int64_t>(shape[i], 1);
  return strides;
}

std::uint64_t dense_bytes(const TensorView& view) {
  const auto dtype = dtype_from_name(view.dtype);
  std::uint64_t bytes = dtype ? c10::elementSize(*dtype) : 1;
  for (const std::int64_t extent : view.shape) bytes *= static_cast<std::uint64_t>(extent);
  return bytes;
}

Result<py::object> number_or_container(const Item& item, const Arena& arena);

Result<py::object> to_object(const Item& item, const Arena& arena) {
  if (item.kind != ItemKind::kTensor) return number_or_container(item, arena);
  if (!item.tensor) return fail(Code::kInvalid, "a tensor without a description");
  AUTOKERNEL_TRY_ASSIGN(const at::Tensor tensor, arena.tensor(*item.tensor));
  return wrap(tensor);
}

Result<py::object> number_or_container(const Item& item, const Arena& arena) {
  std::vector<py::object> children;
  for (const Item& child : item.items) {
    AUTOKERNEL_TRY_ASSIGN(children.emplace_back(), to_object(child, arena));
  }
  switch (item.kind) {
    case ItemKind::kBoolean: return py::bool_(item.boolean);
    case ItemKind::kInteger: return py::int_(item.integer);
    case ItemKind::kReal: return py::float_(item.real);
    case ItemKind::kText: return py::str(item.text);
    case ItemKind::kList: {
      py::list list;
      for (const py::object& child : children) list.append(child);
      return list;
    }
    case ItemKind::kTuple: {
      py::tuple tuple(children.size());
      for (std::size_t i = 0; i < children.size(); ++i) tuple[i] = children[i];
      return tuple;
    }
    case ItemKind::kDict: {
      if (item.keys.size() != children.size()) return fail(Code::kInvalid, "a dict with {} keys", item.keys.size());
      py::dict dict;
      for (std::size_t i = 0; i < children.size(); ++i) dict[py::str(item.keys[i])] = children[i];
      return dict;
    }
    default: return py::none();
  }
}

}  // namespace

Description describe_object(py::handle object, const Device& device, const std::string& name, DictOrder order) {
  Describer describer(device, order);
  Item item = describer.describe(object, name, 0);
  return describer.take(std::move(item));
}

bool same_structure(const Item& left, const Item& right) {
  if (left.kind != right.kind || left.items.size() != right.items.size() || left.keys != right.keys) return false;
  if (left.tensor.has_value() != right.tensor.has_value()) return false;
  if (left.tensor && (left.tensor->dtype != right.tensor->dtype || left.tensor->shape != right.tensor->shape))
    return false;
  for (std::size_t i = 0; i < left.items.size(); ++i) {
    if (!same_structure(left.items[i], right.items[i])) return false;
  }
  return true;
}

std::uint64_t place(Item& item, std::uint64_t offset, std::uint64_t limit) {
  for (TensorView* view : views_of(item)) {
    const std::uint64_t begin = (offset + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
    const std::uint64_t bytes = dense_bytes(*view);
    view->strides = dense_strides(view->shape);
    const bool fits = begin <= limit && bytes <= limit - begin;
    view->offset = fits ? begin : kNotInArena;
    if (fits) offset = begin + bytes;
  }
  return offset;
}

Result<void> store(const Description& description, const Item& placed, const Arena& arena) {
  const auto views = views_of(placed);
  if (views.size() != description.tensors.size()) {
    return fail(Code::kInvalid, "{} tensors cannot be stored in {} places", description.tensors.size(), views.size());
  }
  // Without Python's keys: a mode that somebody left behind must not see, or replace, this copy.
  const c10::impl::ExcludeDispatchKeyGuard below_python(c10::DispatchKeySet(
      {c10::DispatchKey::Python, c10::DispatchKey::PythonTLSSnapshot, c10::DispatchKey::PythonDispatcher,
       c10::DispatchKey::FuncTorchDynamicLayerFrontMode, c10::DispatchKey::FuncTorchDynamicLayerBackMode}));
  const c10::NoGradGuard no_grad;
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (views[i]->offset == kNotInArena) continue;
    AUTOKERNEL_TRY_ASSIGN(const at::Tensor target, arena.tensor(*views[i]));
    try {
      target.copy_(description.tensors[i]);
    } catch (const std::exception& error) {
      return fail(Code::kUnavailable, "a result cannot be copied: {}", error.what());
    }
  }
  return {};
}

Result<py::object> object_from(const Item& item, const Arena& arena) { return to_object(item, arena); }

Result<py::tuple> arguments_from(const std::vector<Item>& items, const Arena& arena) {
  py::tuple arguments(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    AUTOKERNEL_TRY_ASSIGN(arguments[i], to_object(items[i], arena));
  }
  return arguments;
}

Result<std::vector<at::Tensor>> tensors_from(const Item& item, const Arena& arena) {
  std::vector<at::Tensor> tensors;
  for (const TensorView* view : views_of(item)) {
    AUTOKERNEL_TRY_ASSIGN(tensors.emplace_back(), arena.tensor(*view));
  }
  return tensors;
}

std::vector<TensorView*> views_of(Item& item) {
  std::vector<TensorView*> views;
  collect_views(item, views);
  return views;
}

std::vector<const TensorView*> views_of(const Item& item) {
  std::vector<const TensorView*> views;
  collect_views(item, views);
  return views;
}

py::object wrap(const at::Tensor& tensor) { return py::reinterpret_steal<py::object>(THPVariable_Wrap(tensor)); }

}  // namespace autokernel::runner
