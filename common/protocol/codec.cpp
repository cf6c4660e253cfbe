#include "common/protocol/codec.hpp"

#include <limits>
#include <msgpack.hpp>

namespace autokernel::protocol {
namespace {

using Packer = msgpack::packer<msgpack::sbuffer>;

void pack(Packer& packer, const Value& value) {
  if (const auto* flag = value.as<bool>()) {
    *flag ? packer.pack_true() : packer.pack_false();
  } else if (const auto* whole = value.as<std::int64_t>()) {
    packer.pack_int64(*whole);
  } else if (const auto* natural = value.as<std::uint64_t>()) {
    packer.pack_uint64(*natural);
  } else if (const auto* real = value.as<double>()) {
    packer.pack_double(*real);
  } else if (const auto* text = value.as<std::string>()) {
    packer.pack_str(static_cast<std::uint32_t>(text->size()));
    packer.pack_str_body(text->data(), static_cast<std::uint32_t>(text->size()));
  } else if (const auto* bytes = value.as<Value::Bytes>()) {
    packer.pack_bin(static_cast<std::uint32_t>(bytes->data.size()));
    packer.pack_bin_body(bytes->data.data(), static_cast<std::uint32_t>(bytes->data.size()));
  } else if (const auto* array = value.as<Value::Array>()) {
    packer.pack_array(static_cast<std::uint32_t>(array->size()));
    for (const Value& item : *array) pack(packer, item);
  } else if (const auto* map = value.as<Value::Map>()) {
    packer.pack_map(static_cast<std::uint32_t>(map->size()));
    for (const auto& [key, item] : *map) {
      packer.pack_str(static_cast<std::uint32_t>(key.size()));
      packer.pack_str_body(key.data(), static_cast<std::uint32_t>(key.size()));
      pack(packer, item);
    }
  } else {
    packer.pack_nil();
  }
}

/// Builds a Value while msgpack parses, so that hostile counts never allocate more than what really arrived.
class Builder : public msgpack::null_visitor {
 public:
  explicit Builder(const Limits& limits) : limits_(limits) {}

  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] bool finished() const { return finished_; }
  [[nodiscard]] Value take() { return std::move(root_); }

  bool visit_nil() { return put(Value()); }
  bool visit_boolean(bool value) { return put(Value(value)); }
  bool visit_positive_integer(std::uint64_t value) {
    if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return put(Value(static_cast<std::int64_t>(value)));
    }
    return put(Value(value));
  }
  bool visit_negative_integer(std::int64_t value) { return put(Value(value)); }
  bool visit_float32(float value) { return put(Value(static_cast<double>(value))); }
  bool visit_float64(double value) { return put(Value(value)); }
  bool visit_str(const char* data, std::uint32_t size) {
    if (in_key_) {
      key_.assign(data, size);
      return true;
    }
    return put(Value(std::string(data, size)));
  }
  bool visit_bin(const char* data, std::uint32_t size) { return put(Value(Value::Bytes{std::string(data, size)})); }
  bool visit_ext(const char* /*data*/, std::uint32_t /*size*/) { return refuse("an extension type"); }
  bool start_array(std::uint32_t /*count*/) { return open(Value(Value::Array{})); }
  bool end_array() { return close(); }
  bool start_map(std::uint32_t /*count*/) { return open(Value(Value::Map{})); }
  bool end_map() { return close(); }
  bool start_map_key() {
    in_key_ = true;
    return true;
  }
  bool end_map_key() {
    in_key_ = false;
    open_.back().keys.push_back(std::move(key_));
    key_.clear();
    return true;
  }
  void parse_error(std::size_t /*parsed*/, std::size_t /*offset*/) { refuse("not MessagePack"); }
  void insufficient_bytes(std::size_t /*parsed*/, std::size_t /*offset*/) { refuse("cut short"); }

 private:
  struct Open {
    Value container;
    std::vector<std::string> keys;  // the pending key of a map
  };

  bool refuse(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
    return false;
  }

  bool put(Value value) {
    if (in_key_) return refuse("a map key that is not text");
    if (++elements_ > limits_.elements) return refuse("too many elements");
    if (open_.empty()) {
      root_ = std::move(value);
      finished_ = true;
      return true;
    }
    Open& parent = open_.back();
    if (auto* array = parent.container.as<Value::Array>()) {
      array->push_back(std::move(value));
    } else {
      auto* map = parent.container.as<Value::Map>();
      map->emplace_back(std::move(parent.keys.back()), std::move(value));
      parent.keys.pop_back();
    }
    return true;
  }

  bool open(Value container) {
    if (in_key_) return refuse("a map key that is not text");
    if (open_.size() >= limits_.depth) return refuse("nested too deeply");
    open_.push_back(Open{std::move(container), {}});
    return true;
  }

  bool close() {
    Value value = std::move(open_.back().container);
    open_.pop_back();
    return put(std::move(value));
  }

  Limits limits_;
  Value root_;
  std::vector<Open> open_;
  std::string key_;
  std::string problem_;
  std::size_t elements_ = 0;
  bool in_key_ = false;
  bool finished_ = false;
};

}  // namespace

std::string encode(const Value& value) {
  msgpack::sbuffer buffer;
  Packer packer(buffer);
  pack(packer, value);
  return {buffer.data(), buffer.size()};
}

Result<Value> decode(std::string_view bytes, const Limits& limits) {
  if (bytes.size() > limits.bytes) {
    return fail(Code::kInvalid, "message refused: {} bytes, the limit is {}", bytes.size(), limits.bytes);
  }
  Builder builder(limits);
  std::size_t offset = 0;
  try {
    msgpack::parse(bytes.data(), bytes.size(), offset, builder);
  } catch (const std::exception& error) {
    return fail(Code::kInvalid, "message refused: {}", error.what());
  }
  if (!builder.problem().empty() || !builder.finished()) {
    return fail(Code::kInvalid, "message refused: {}", builder.problem().empty() ? "cut short" : builder.problem());
  }
  if (offset != bytes.size()) {
    return fail(Code::kInvalid, "message refused: {} trailing bytes", bytes.size() - offset);
  }
  return builder.take();
}

}  // namespace autokernel::protocol
