#pragma once

#include <ATen/core/Tensor.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/result/result.hpp"
#include "worker/messages/candidate.hpp"
#include "worker/runner/device/arena.hpp"

/// Between Python objects and the messages' description of them. No code of the described objects runs: containers are
/// read through CPython's own structs, tensors through torch's.
namespace autokernel::runner {

/// A described object; its tensors in the order in which a walk through `item` meets them.
struct Description {
  messages::Item
      item;  ///< tensors have their real strides, and offset kNotInArena until place() or the caller sets one
  std::vector<at::Tensor> tensors;
  std::string
      violation;  ///< the first thing that is not a plain value or a plain, strided tensor on the device; else empty
};

/// Arguments keep a dict's order, in which forward may walk through it; in results it means nothing.
enum class DictOrder { kAsIs, kByKey };

/// `name` is the root's name in a violation: "result[0] is a subclass of Tensor: LazyTensor".
/// What violates is described as none.
[[nodiscard]] Description describe_object(pybind11::handle object, const Device& device,
                                          const std::string& name = "result", DictOrder order = DictOrder::kByKey);

/// Whether two descriptions have the same containers, keys, plain kinds, dtypes and shapes. Values and strides may
/// differ.
[[nodiscard]] bool same_structure(const messages::Item& left, const messages::Item& right);

/// Makes every tensor of the item a dense one in the arena, from `offset` on. Returns the end of the last.
/// A tensor whose end is beyond `limit` gets kNotInArena and takes no room.
std::uint64_t place(messages::Item& item, std::uint64_t offset, std::uint64_t limit);

/// Copies the described tensors to where `placed` (an item of the same structure) says, skipping kNotInArena; queued,
/// not waited for. kInvalid: a view outside the arena. kUnavailable: the device failed.
[[nodiscard]] Result<void> store(const Description& description, const messages::Item& placed, const Arena& arena);

/// The object that an item describes, its tensors being views of the arena.
[[nodiscard]] Result<pybind11::object> object_from(const messages::Item& item, const Arena& arena);
[[nodiscard]] Result<pybind11::tuple> arguments_from(const std::vector<messages::Item>& items, const Arena& arena);

/// The tensors of an item as views of the arena, in walking order. kInvalid: one lies outside, or is not there.
[[nodiscard]] Result<std::vector<at::Tensor>> tensors_from(const messages::Item& item, const Arena& arena);

/// The tensor descriptions of an item, in walking order.
[[nodiscard]] std::vector<messages::TensorView*> views_of(messages::Item& item);
[[nodiscard]] std::vector<const messages::TensorView*> views_of(const messages::Item& item);

/// A tensor as Python sees it, and back.
[[nodiscard]] pybind11::object wrap(const at::Tensor& tensor);

}  // namespace autokernel::runner
