#include "worker/runner/judge/workbench.hpp"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cstring>

#include "worker/runner/device/dtype.hpp"
#include "worker/runner/judge/problem_words.hpp"

namespace autokernel::judge {

using messages::Item;
using messages::TensorView;

namespace {

Shape shape_of(const at::Tensor& tensor) {
  return {tensor.sizes().vec(), static_cast<std::uint64_t>(tensor.element_size())};
}

std::vector<Shape> shapes_of(const Item& structure) {
  std::vector<Shape> shapes;
  for (const TensorView* view : runner::views_of(structure)) {
    const auto dtype = runner::dtype_from_name(view->dtype);
    shapes.push_back({view->shape, dtype ? c10::elementSize(*dtype) : 1});
  }
  return shapes;
}

TensorView view_of(const at::Tensor& tensor, const Slot& slot, const PlacedStrides& placed) {
  TensorView view;
  view.dtype = std::string(runner::name_of_dtype(tensor.scalar_type()));
  view.shape = tensor.sizes().vec();
  view.strides = placed.strides;
  view.offset =
      slot.offset + static_cast<std::uint64_t>(placed.first) * static_cast<std::uint64_t>(tensor.element_size());
  return view;
}

template <class Items>
auto views_of(Items& items) {
  decltype(runner::views_of(items.front())) views;
  for (auto& item : items) {
    const auto more = runner::views_of(item);
    views.insert(views.end(), more.begin(), more.end());
  }
  return views;
}

/// Host memory that can be copied without torch, whose threads stay awake for a while after they have helped: beside a
/// timed call they would take its place on a core.
bool are_plain_bytes(const at::Tensor& tensor) {
  return tensor.is_cpu() && tensor.is_contiguous() && !tensor.is_neg() && !tensor.is_conj() && tensor.numel() > 0;
}

Result<void> copy_into(const runner::Arena& arena, const TensorView& view, const at::Tensor& tensor) {
  AUTOKERNEL_TRY_ASSIGN(const at::Tensor target, arena.tensor(view));
  const auto copied = runner::attempt([&] {
    const c10::NoGradGuard no_grad;
    if (are_plain_bytes(tensor) && tensor.scalar_type() == target.scalar_type() && target.is_contiguous()) {
      std::memcpy(target.mutable_data_ptr(), tensor.const_data_ptr(), tensor.nbytes());
    } else {
      target.copy_(tensor);
    }
  });
  if (!copied) return fail(Code::kUnavailable, "copying into the arena: {}", copied.error().message);
  return {};
}

}  // namespace

Result<Workbench> Workbench::create(runner::Device& device, const Item& inputs, const Item& outputs,
                                    const std::optional<NamedTensors>& weights) {
  AUTOKERNEL_TRY_ASSIGN(const std::uint64_t free, device.memory_free_bytes());
  LayoutRequest request;
  request.inputs = shapes_of(inputs);
  request.outputs = shapes_of(outputs);
  for (const auto& [name, tensor] : weights.value_or(NamedTensors{})) request.weights.push_back(shape_of(tensor));
  request.limit_bytes = free / 4;      // the rest is for the reference's and the candidate's own work
  request.set_limit_bytes = free / 8;  // fewer sets only make more and shorter blocks
  Layout layout = plan_layout(request);
  if (layout.bytes > free) {
    return fail(Code::kExhausted, "inputs and outputs need {}, the device has {} free", bytes_text(layout.bytes),
                bytes_text(free));
  }
  AUTOKERNEL_TRY_ASSIGN(runner::Arena arena, runner::Arena::create(device, layout.bytes));
  return Workbench(std::move(arena), std::move(layout), weights.has_value());
}

Result<PlacedInputs> Workbench::describe(const runner::Description& inputs, InputPlace where) const {
  if (inputs.tensors.size() != layout_.inputs.size()) {
    return fail(Code::kInvalid, "get_inputs() returned {} tensors, and {} at first", inputs.tensors.size(),
                layout_.inputs.size());
  }
  const std::vector<Slot>& slots = layout_.inputs_of(where.set);
  PlacedInputs result;
  result.set = where.set;
  result.items = inputs.item.items;
  const auto views = views_of(result.items);
  for (std::size_t i = 0; i < views.size(); ++i) {
    const at::Tensor& tensor = inputs.tensors[i];
    const Slot& slot = slots[i];
    const Shape shape = shape_of(tensor);
    const Placement used = fits(slot, shape, where.placement) ? where.placement : Placement::kDense;
    if (!fits(slot, shape, used)) return fail(Code::kInvalid, "get_inputs() returned a larger tensor than at first");
    *views[i] = view_of(tensor, slot, *place(shape, used));
  }
  AUTOKERNEL_TRY_ASSIGN(result.arguments, runner::arguments_from(result.items, arena_));
  return result;
}

Result<void> Workbench::fill(const PlacedInputs& placed, const runner::Description& inputs) const {
  const auto views = views_of(placed.items);
  for (std::size_t i = 0; i < views.size(); ++i) AUTOKERNEL_TRY(copy_into(arena_, *views[i], inputs.tensors.at(i)));
  return {};
}

Result<PlacedInputs> Workbench::write(const runner::Description& inputs, InputPlace where) const {
  AUTOKERNEL_TRY_ASSIGN(PlacedInputs placed, describe(inputs, where));
  AUTOKERNEL_TRY(fill(placed, inputs));
  return placed;
}

Result<std::vector<messages::NamedTensor>> Workbench::write_weights(const NamedTensors& weights) const {
  if (weights.size() != layout_.weights.size()) {
    return fail(Code::kInvalid, "the model's state has {} tensors, and {} at first", weights.size(),
                layout_.weights.size());
  }
  std::vector<messages::NamedTensor> placed;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto& [name, tensor] = weights[i];
    const auto strides = place(shape_of(tensor), Placement::kDense);
    placed.push_back({name, view_of(tensor, layout_.weights[i], *strides)});
    AUTOKERNEL_TRY(copy_into(arena_, placed.back().tensor, tensor));
  }
  return placed;
}

std::size_t Workbench::moved_by(const runner::Description& inputs, Placement placement) const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < inputs.tensors.size() && i < layout_.inputs.size(); ++i) {
    if (fits(layout_.inputs[i], shape_of(inputs.tensors[i]), placement)) ++count;
  }
  return count;
}

Result<Item> Workbench::place_result(Item structure) const {
  const std::uint64_t limit = layout_.output_offset + layout_.output_bytes;
  runner::place(structure, layout_.output_offset, limit);
  for (const TensorView* view : runner::views_of(std::as_const(structure))) {
    if (view->offset == runner::kNotInArena) return fail(Code::kExhausted, "the result is larger than at first");
  }
  return structure;
}

Result<void> Workbench::poison() const { return arena_.poison(layout_.output_offset, layout_.output_bytes); }

std::vector<std::uint64_t> Workbench::input_checksums(const compare::Checksummer& sums, std::size_t set) const {
  std::vector<std::uint64_t> checksums;
  for (const Slot& slot : layout_.inputs_of(set)) {
    const auto bytes = arena_.tensor({"uint8", {static_cast<std::int64_t>(slot.capacity)}, {1}, slot.offset});
    AUTOKERNEL_CHECK(bytes.has_value());
    checksums.push_back(sums.of(*bytes));
  }
  return checksums;
}

bool Workbench::is_in_arena(const at::Tensor& tensor) const {
  if (tensor.numel() == 0) return false;
  const auto* address = static_cast<const std::byte*>(tensor.storage().data());
  return address >= arena_.base() && address < arena_.base() + arena_.bytes();
}

}  // namespace autokernel::judge
