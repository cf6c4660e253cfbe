#include "worker/runner/python/items.hpp"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pybind11/embed.h>

#include "worker/runner/device/cpu_device.hpp"
#include "worker/runner/python/interpreter.hpp"
#include "worker/runner/python/model.hpp"

namespace autokernel::runner {
namespace {

namespace py = pybind11;
using messages::ItemKind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Items : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (Py_IsInitialized() != 0) return;
    const auto started = start_interpreter();
    ASSERT_TRUE(started) << started.error().message;
  }

  static py::object value_of(const std::string& code) {
    py::dict names;
    names["__builtins__"] = py::module_::import("builtins");
    py::exec("import torch\n" + code, names);
    return names["value"];
  }
  Description describe(const std::string& code) { return describe_object(value_of(code), device_); }

  CpuDevice device_;
};

TEST_F(Items, DescribesAStructureOfTensorsAndPlainValues) {
  const auto found = describe("value = (torch.ones(2, 3), [1, 2.5, True, None, 'x'], {'k': torch.arange(4)})");
  EXPECT_THAT(found.violation, IsEmpty());
  ASSERT_EQ(found.item.kind, ItemKind::kTuple);
  ASSERT_THAT(found.item.items, SizeIs(3));
  EXPECT_EQ(found.item.items[0].tensor->dtype, "float32");
  EXPECT_THAT(found.item.items[0].tensor->shape, ElementsAre(2, 3));
  EXPECT_EQ(found.item.items[1].items[2].kind, ItemKind::kBoolean);
  EXPECT_THAT(found.item.items[2].keys, ElementsAre("k"));
  EXPECT_EQ(found.item.items[2].items[0].tensor->dtype, "int64");
  EXPECT_THAT(found.tensors, SizeIs(2));
}

TEST_F(Items, NamesASubclassOfTensor) {
  const auto found = describe("class LazyTensor(torch.Tensor): pass\nvalue = [torch.ones(2).as_subclass(LazyTensor)]");
  EXPECT_THAT(found.violation, HasSubstr("result[0] is a subclass of Tensor"));
  EXPECT_THAT(found.violation, HasSubstr("LazyTensor"));
  EXPECT_THAT(found.tensors, IsEmpty());
}

TEST_F(Items, TakesAParameterForTheTensorThatItIs) {
  EXPECT_THAT(describe("value = torch.nn.Parameter(torch.ones(2))").violation, IsEmpty());
}

TEST_F(Items, RefusesTensorsWithoutOrdinaryMemory) {
  EXPECT_THAT(describe("value = torch.ones(2, 2).to_sparse()").violation, HasSubstr("layout"));
  EXPECT_THAT(describe("value = torch.empty(2, device='meta')").violation, HasSubstr("on meta"));
  EXPECT_THAT(describe("value = object()").violation, HasSubstr("result is a object"));
  EXPECT_THAT(describe("value = {1: 2}").violation, HasSubstr("key that is not text"));
}

TEST_F(Items, SurvivesAStructureThatContainsItself) {
  EXPECT_THAT(describe("value = []\nvalue.append(value)").violation, HasSubstr("nested too deep"));
}

TEST_F(Items, ComparesStructureAndNotValues) {
  const auto one = describe("value = [torch.zeros(2, 3), 1]").item;
  EXPECT_TRUE(same_structure(one, describe("value = [torch.ones(3, 2).t(), 2]").item));
  EXPECT_FALSE(same_structure(one, describe("value = [torch.zeros(3, 2), 1]").item));
  EXPECT_FALSE(same_structure(one, describe("value = [torch.zeros(2, 3).double(), 1]").item));
  EXPECT_FALSE(same_structure(one, describe("value = (torch.zeros(2, 3), 1)").item));
}

TEST_F(Items, PlacesTensorsDenselyAndLeavesOutWhatDoesNotFit) {
  auto item = describe("value = [torch.zeros(3, 2).t(), torch.zeros(1000), torch.zeros(1)]").item;
  EXPECT_EQ(place(item, 10, 600), 512U + 4U);
  const auto views = views_of(item);
  EXPECT_EQ(views[0]->offset, 256U);
  EXPECT_THAT(views[0]->strides, ElementsAre(3, 1));
  EXPECT_EQ(views[1]->offset, kNotInArena);
  EXPECT_EQ(views[2]->offset, 512U);
}

TEST_F(Items, CarriesValuesThroughTheArena) {
  const Arena arena = *Arena::create(device_, 4096);
  auto found = describe("value = {'a': torch.arange(6.).reshape(3, 2).t(), 'b': (3, None)}");
  place(found.item, 0, arena.bytes());
  ASSERT_TRUE(store(found, found.item, arena));
  const auto object = object_from(found.item, arena);
  ASSERT_TRUE(object) << object.error().message;
  EXPECT_EQ(std::string(py::str(*object)), "{'a': tensor([[0., 2., 4.],\n        [1., 3., 5.]]), 'b': (3, None)}");
}

TEST_F(Items, CopiesPastAModeThatPythonLeftActive) {
  const Arena arena = *Arena::create(device_, 4096);
  auto found = describe(
      "from torch.utils._python_dispatch import TorchDispatchMode\n"
      "class Swallow(TorchDispatchMode):\n"
      "    def __torch_dispatch__(self, function, types, args=(), kwargs=None):\n"
      "        return args[0]\n"
      "value = torch.full((4,), 5.0)\n"
      "mode = Swallow()\n"
      "torch.swallow = mode\n"
      "mode.__enter__()\n");
  place(found.item, 0, arena.bytes());
  const auto stored = store(found, found.item, arena);
  py::module_::import("torch").attr("swallow").attr("__exit__")(py::none(), py::none(), py::none());
  ASSERT_TRUE(stored);
  EXPECT_EQ(arena.tensor(*found.item.tensor)->sum().item<float>(), 20.0F);
}

TEST_F(Items, CastsFloatingTensorsOnly) {
  EXPECT_EQ(cast(at::ones({2}), device_, protocol::Precision::kBf16).scalar_type(), at::kBFloat16);
  EXPECT_EQ(cast(at::ones({2}, at::kLong), device_, protocol::Precision::kBf16).scalar_type(), at::kLong);
  EXPECT_EQ(cast(at::ones({2}, at::kBool), device_, protocol::Precision::kFp16).scalar_type(), at::kBool);
}

TEST_F(Items, ExplainsFailuresByKind) {
  const auto ran = [](const std::string& code) { return attempt([&] { static_cast<void>(value_of(code)); }).error(); };
  EXPECT_EQ(ran("raise ValueError('no')").message, "ValueError: no");
  EXPECT_THAT(ran("raise ValueError('no')").traceback, HasSubstr("Traceback"));
  EXPECT_EQ(ran("raise torch.OutOfMemoryError('x')").kind, messages::FailureKind::kOutOfMemory);
  EXPECT_EQ(ran("torch.empty(1 << 50)").kind, messages::FailureKind::kOutOfMemory);
  EXPECT_EQ(ran("raise RuntimeError('CUDA error: an illegal memory access')").kind,
            messages::FailureKind::kDeviceError);
  EXPECT_EQ(ran("import sys; sys.exit(3)").message, "SystemExit: 3");
}

}  // namespace
}  // namespace autokernel::runner
