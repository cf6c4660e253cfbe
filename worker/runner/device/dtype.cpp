#include "worker/runner/device/dtype.hpp"

#include <array>
#include <utility>

namespace autokernel::runner {
namespace {

constexpr std::array kNames{
    std::pair{at::kFloat, std::string_view("float32")},
    std::pair{at::kHalf, std::string_view("float16")},
    std::pair{at::kBFloat16, std::string_view("bfloat16")},
    std::pair{at::kDouble, std::string_view("float64")},
    std::pair{at::kLong, std::string_view("int64")},
    std::pair{at::kInt, std::string_view("int32")},
    std::pair{at::kShort, std::string_view("int16")},
    std::pair{at::kChar, std::string_view("int8")},
    std::pair{at::kByte, std::string_view("uint8")},
    std::pair{at::ScalarType::UInt16, std::string_view("uint16")},
    std::pair{at::ScalarType::UInt32, std::string_view("uint32")},
    std::pair{at::ScalarType::UInt64, std::string_view("uint64")},
    std::pair{at::kBool, std::string_view("bool")},
    std::pair{at::kComplexFloat, std::string_view("complex64")},
    std::pair{at::kComplexDouble, std::string_view("complex128")},
    std::pair{at::ScalarType::Float8_e4m3fn, std::string_view("float8_e4m3fn")},
    std::pair{at::ScalarType::Float8_e5m2, std::string_view("float8_e5m2")},
};

}  // namespace

std::optional<at::ScalarType> dtype_from_name(std::string_view name) {
  for (const auto& [type, known] : kNames) {
    if (known == name) return type;
  }
  return std::nullopt;
}

std::string_view name_of_dtype(at::ScalarType type) {
  for (const auto& [known, name] : kNames) {
    if (known == type) return name;
  }
  return {};
}

at::ScalarType dtype_of(protocol::Precision precision) {
  switch (precision) {
    case protocol::Precision::kFp16: return at::kHalf;
    case protocol::Precision::kBf16: return at::kBFloat16;
    case protocol::Precision::kFp32: break;
  }
  return at::kFloat;
}

}  // namespace autokernel::runner
