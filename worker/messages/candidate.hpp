#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/protocol/job.hpp"
#include "common/protocol/tagged.hpp"
#include "worker/messages/open_device.hpp"

/// Between a judge (J) and a candidate process (C). The judge treats every byte from the candidate as hostile: it is
/// decoded under limits into these structs, and offsets are checked against the arena before use.
namespace autokernel::messages {

/// A tensor in the arena. `dtype` is torch's name without "torch." ("float32", "int64", "bool").
struct TensorView {
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  ///< in elements
  std::uint64_t offset = 0;           ///< bytes from the arena's start to element 0
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("dtype", dtype);
    archive.field("shape", shape);
    archive.field("strides", strides);
    archive.field("offset", offset);
  }
};

enum class ItemKind { kTensor, kNone, kBoolean, kInteger, kReal, kText, kList, kTuple, kDict };
constexpr auto names_of(ItemKind) {
  using enum ItemKind;
  using Name = std::pair<ItemKind, std::string_view>;
  return std::array{Name{kTensor, "tensor"},   Name{kNone, "none"},   Name{kBoolean, "boolean"},
                    Name{kInteger, "integer"}, Name{kReal, "real"},   Name{kText, "text"},
                    Name{kList, "list"},       Name{kTuple, "tuple"}, Name{kDict, "dict"}};
}

/// One argument or result of forward: a tensor, a plain value, or a structure of them. Dict keys are text.
struct Item {
  ItemKind kind = ItemKind::kNone;
  std::optional<TensorView> tensor;
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<Item> items;
  std::vector<std::string> keys;  ///< of a dict, one per item
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("kind", kind);
    archive.optional_field("tensor", tensor);
    archive.optional_field("boolean", boolean);
    archive.optional_field("integer", integer);
    archive.optional_field("real", real);
    archive.optional_field("text", text);
    archive.optional_field("items", items);
    archive.optional_field("keys", keys);
  }
};

/// Memory that judge and candidate share: CUDA/HIP IPC handle on a GPU; on the CPU the memfd that comes with the
/// message.
struct ArenaHandle {
  std::uint64_t bytes = 0;
  protocol::Value::Bytes ipc;  ///< cudaIpcMemHandle_t; empty on the CPU
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("bytes", bytes);
    archive.field("ipc", ipc);
  }
};

/// J→C, first, with the arena's descriptor on the CPU. Imports the candidate; answered by Loaded or Failed.
struct Load {
  static constexpr std::string_view kType = "load";
  protocol::Language language = protocol::Language::kPython;
  std::string candidate_path;
  std::string artefact_folder;
  std::string problem_path;  ///< for get_init_inputs() only; ModelNew's constructor gets what it returns
  protocol::DeviceKind device = protocol::DeviceKind::kCpu;
  protocol::Precision precision = protocol::Precision::kFp32;
  ArenaHandle arena;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("language", language);
    archive.field("candidate_path", candidate_path);
    archive.field("artefact_folder", artefact_folder);
    archive.field("problem_path", problem_path);
    archive.field("device", device);
    archive.field("precision", precision);
    archive.field("arena", arena);
  }
};

struct NamedTensor {
  std::string name;
  TensorView tensor;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("name", name);
    archive.field("tensor", tensor);
  }
};

/// J→C. Seeds, calls get_init_inputs, seeds again, constructs ModelNew, moves it to device and precision; then copies
/// `weights` (the reference's state_dict, in its order) from the arena where given. Replaces an earlier instance.
/// Native candidates have no constructor: they keep their own copy of `weights`. Answered by Instantiated or Failed.
struct Instantiate {
  static constexpr std::string_view kType = "instantiate";
  std::uint64_t seed = 42;
  protocol::InputSource source = protocol::InputSource::kDevice;
  std::vector<NamedTensor> weights;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("seed", seed);
    archive.field("source", source);
    archive.field("weights", weights);
  }
};

/// What one call of forward is given.
struct CallInputs {
  std::uint64_t seed = 42;      ///< set right before the call
  std::vector<Item> arguments;  ///< tensors are views of the arena
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("seed", seed);
    archive.field("arguments", arguments);
  }
};

/// Where a call's result goes.
struct ResultPlace {
  Item expected;  ///< the reference result's structure, dtypes and shapes; tensors' offsets are where native
                  ///< candidates write and where ModelNew's results are copied when they have that structure
  std::uint64_t output_offset = 0;  ///< results of another structure are copied from here on, dense, 256-byte aligned
  std::uint64_t output_bytes = 0;   ///< room there; a result that does not fit is described without being copied
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("expected", expected);
    archive.field("output_offset", output_offset);
    archive.field("output_bytes", output_bytes);
  }
};

/// J→C. One forward, synchronised, results copied into the arena (which the judge has poisoned). Answered by Forwarded
/// or Failed.
struct Forward {
  static constexpr std::string_view kType = "forward";
  CallInputs inputs;
  ResultPlace place;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("inputs", inputs);
    archive.field("place", place);
  }
};

/// J→C. A timing block: the stream is held, then for each of `calls`: caches flushed, start, forward, stop. The result
/// of call number `keep` is copied into the arena. Answered by BlockTimed or Failed.
///
/// In turn, nobody knows a call's inputs before its time has begun: for each call the candidate says AwaitsInputs when
/// everything but the call is done, gets Go when the inputs lie in place, calls, says Called, and is told by Keep
/// whether that result is to be copied.
struct TimeBlock {
  static constexpr std::string_view kType = "time_block";
  std::vector<CallInputs> calls;  ///< each with values and addresses of its own: nothing to remember from call to call
  ResultPlace place;
  std::int64_t keep = 0;
  double hold_us = 0;       ///< how long the stream is held before the first call; 0 on the CPU
  double hold_each_us = 0;  ///< and before each later one
  int host_cpu = -1;        ///< the core to launch from; -1: any
  bool in_turn = false;     ///< and `keep` says nothing
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("calls", calls);
    archive.field("place", place);
    archive.field("keep", keep);
    archive.field("in_turn", in_turn);
    archive.field("hold_us", hold_us);
    archive.field("hold_each_us", hold_each_us);
    archive.field("host_cpu", host_cpu);
  }
};

/// J→C, to AwaitsInputs: the call's inputs lie in place. Answered by Called or Failed.
struct Go {
  static constexpr std::string_view kType = "go";
  std::int64_t call = 0;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("call", call);
  }
};

/// J→C, to Called. Answered by the next call's AwaitsInputs or, after the last one, by BlockTimed; or by Failed.
struct Keep {
  static constexpr std::string_view kType = "keep";
  bool keep = false;  ///< the result is to be copied into the arena
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("keep", keep);
  }
};

/// J→C. Records which device kernels one forward launches. Answered by Launches or Failed.
struct TraceLaunches {
  static constexpr std::string_view kType = "trace_launches";
  CallInputs inputs;
  ResultPlace place;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("inputs", inputs);
    archive.field("place", place);
  }
};

using ToCandidate = std::variant<OpenDevice, Load, Instantiate, Forward, TimeBlock, Go, Keep, TraceLaunches>;

/// C→J, unasked and before anything else: said by our code alone, since nothing of the candidate is loaded yet.
struct Started {
  static constexpr std::string_view kType = "started";
  std::int64_t process_group =
      0;  ///< led by the candidate's process, which cannot leave it where the kernel has seccomp
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("process_group", process_group);
  }
};

/// C→J.
struct Loaded {
  static constexpr std::string_view kType = "loaded";
  double seconds = 0;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("seconds", seconds);
  }
};

/// C→J.
struct Instantiated {
  static constexpr std::string_view kType = "instantiated";
  double seconds = 0;
  std::vector<std::string> state_names;  ///< of ModelNew's state_dict
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("seconds", seconds);
    archive.field("state_names", state_names);
  }
};

/// C→J. `result` has the real structure; a tensor that is not a plain, strided torch.Tensor on the device is described
/// by `violation` ("result[0] is a subclass of Tensor: LazyTensor").
struct Forwarded {
  static constexpr std::string_view kType = "forwarded";
  Item result;
  std::string violation;
  double seconds = 0;
  double peak_memory_mb = 0;  ///< of the caching allocator in this call; 0 on the CPU
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("result", result);
    archive.field("violation", violation);
    archive.field("seconds", seconds);
    archive.field("peak_memory_mb", peak_memory_mb);
  }
};

/// C→J, in a block in turn: seeded, poisoned and flushed, and waiting for this call's inputs.
struct AwaitsInputs {
  static constexpr std::string_view kType = "awaits_inputs";
  std::int64_t call = 0;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("call", call);
  }
};

/// C→J, in a block in turn: forward has returned.
struct Called {
  static constexpr std::string_view kType = "called";
  std::int64_t call = 0;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("call", call);
  }
};

/// C→J.
struct BlockTimed {
  static constexpr std::string_view kType = "block_timed";
  std::vector<double> samples_us;
  double enqueue_us = 0;        ///< host time to queue the whole block
  double launch_us = 0;         ///< median host time of forward alone
  std::int64_t host_bound = 0;  ///< calls begun by the device before they were queued whole
  double wall_us = 0;           ///< host time from before the hold until the device was idle
  Item result;                  ///< of call `keep`
  std::string violation;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("samples_us", samples_us);
    archive.field("enqueue_us", enqueue_us);
    archive.field("launch_us", launch_us);
    archive.field("host_bound", host_bound);
    archive.field("wall_us", wall_us);
    archive.field("result", result);
    archive.field("violation", violation);
  }
};

/// C→J. Kernel names as the driver knows them.
struct Launches {
  static constexpr std::string_view kType = "launches";
  std::vector<std::string> custom;   ///< from modules that are not the framework's
  std::vector<std::string> library;  ///< the framework's own
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("custom", custom);
    archive.field("library", library);
  }
};

enum class FailureKind { kException, kOutOfMemory, kDeviceError, kNativeError };
constexpr auto names_of(FailureKind) {
  using enum FailureKind;
  return std::array{std::pair{kException, std::string_view("exception")},
                    std::pair{kOutOfMemory, std::string_view("out_of_memory")},
                    std::pair{kDeviceError, std::string_view("device_error")},
                    std::pair{kNativeError, std::string_view("native_error")}};
}

/// C→J, instead of any answer.
struct Failed {
  static constexpr std::string_view kType = "failed";
  FailureKind kind = FailureKind::kException;
  std::string message;    ///< "ValueError: …", one line where possible
  std::string traceback;  ///< the last lines of it, at most 4 KiB
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("kind", kind);
    archive.field("message", message);
    archive.field("traceback", traceback);
  }
};

using FromCandidate =
    std::variant<Started, Loaded, Instantiated, Forwarded, AwaitsInputs, Called, BlockTimed, Launches, Failed>;

}  // namespace autokernel::messages
