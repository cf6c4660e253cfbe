#include "worker/runner/compare/difference.hpp"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "common/result/result.hpp"
#include "worker/runner/compare/accuracy.hpp"

namespace autokernel::compare {

namespace {

/// Elements at a time: with about six temporaries of 4 or 8 bytes per element, under a gigabyte on a GPU; on the CPU
/// small enough that they stay in its cache.
std::int64_t piece_for(const at::Tensor& tensor) {
  return tensor.device().is_cpu() ? std::int64_t{1} << 18 : std::int64_t{1} << 24;
}

/// A view in one dimension (a copy where the tensor is not contiguous), of a dtype that arithmetic is done in.
at::Tensor flat(const at::Tensor& tensor) {
  at::Tensor view = tensor.detach();
  if (at::isComplexType(view.scalar_type())) view = at::view_as_real(view.resolve_conj());
  if (view.scalar_type() == at::kBool) view = view.contiguous().view(at::kByte);  // 0xFF is neither 0 nor 1
  return view.reshape({-1});
}

bool is_floating(const at::Tensor& tensor) { return at::isFloatingType(tensor.scalar_type()); }

at::ScalarType arithmetic_type(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kDouble || !is_floating(tensor) ? at::kDouble : at::kFloat;
}

/// What a comparison says about one piece: which elements pass, and how far each is off.
struct Piece {
  at::Tensor passes;  ///< bool
  at::Tensor off;     ///< 0 where one of the two is not finite
};
using Judge = std::function<Piece(std::int64_t begin, std::int64_t count)>;

bool still_poisoned(const at::Tensor& flat_tensor, std::uint64_t index) {
  const at::Tensor element = flat_tensor.narrow(0, static_cast<std::int64_t>(index), 1).cpu().contiguous();
  const auto* bytes = reinterpret_cast<const unsigned char*>(element.const_data_ptr());
  return std::all_of(bytes, bytes + element.element_size(), [](unsigned char byte) { return byte == 0xFF; });
}

double value_at(const at::Tensor& flat_tensor, std::uint64_t index) {
  return flat_tensor.narrow(0, static_cast<std::int64_t>(index), 1).to(at::kDouble).item<double>();
}

std::int64_t first_true(const at::Tensor& mask) { return mask.to(at::kByte).argmax().item<std::int64_t>(); }

Difference walk(const at::Tensor& found, const at::Tensor& expected, const Judge& judge) {
  Difference result;
  const std::int64_t elements = found.numel();
  const std::int64_t piece = piece_for(found);
  result.elements = static_cast<std::uint64_t>(elements);
  if (elements == 0) return result;
  std::vector<at::Tensor> figures;  // read back once, at the end: a device is not made to wait per piece
  for (std::int64_t begin = 0; begin < elements; begin += piece) {
    const Piece part = judge(begin, std::min(piece, elements - begin));
    figures.push_back(part.passes.sum().to(at::kDouble));
    figures.push_back(part.off.max().to(at::kDouble));
    figures.push_back(part.off.sum(at::kDouble));
  }
  const at::Tensor numbers = at::stack(figures).cpu();
  const auto* number = numbers.const_data_ptr<double>();
  double sum = 0;
  for (std::int64_t index = 0; index * piece < elements; ++index, number += 3) {
    const std::int64_t count = std::min(piece, elements - index * piece);
    const auto wrong = static_cast<std::uint64_t>(count) - static_cast<std::uint64_t>(number[0]);
    if (wrong > 0 && !result.first_wrong) {
      const std::int64_t within = first_true(judge(index * piece, count).passes.logical_not());
      result.first_wrong = static_cast<std::uint64_t>(index * piece + within);
    }
    result.wrong += wrong;
    result.max = std::max(result.max, number[1]);
    sum += number[2];
  }
  result.mean = sum / static_cast<double>(elements);
  if (result.first_wrong) {
    result.found = value_at(found, *result.first_wrong);
    result.expected = value_at(expected, *result.first_wrong);
    result.unwritten = still_poisoned(found, *result.first_wrong);
  }
  return result;
}

/// Equal numbers throughout, in pieces; the usual answer for a candidate that computes as the reference does.
bool all_equal(const at::Tensor& left, const at::Tensor& right) {
  const std::int64_t piece = left.device().is_cpu() ? left.numel() : std::int64_t{1} << 28;
  for (std::int64_t begin = 0; begin < left.numel(); begin += piece) {
    const std::int64_t count = std::min(piece, left.numel() - begin);
    if (!at::equal(left.narrow(0, begin, count), right.narrow(0, begin, count))) return false;
  }
  return true;
}

at::Tensor part_of(const at::Tensor& tensor, std::int64_t begin, std::int64_t count, at::ScalarType type) {
  return tensor.narrow(0, begin, count).to(type);
}

}  // namespace

Difference difference_of(const at::Tensor& found, const at::Tensor& expected, const messages::Tolerance& tolerance,
                         NonFinite non_finite) {
  AUTOKERNEL_CHECK(found.sizes() == expected.sizes() && found.scalar_type() == expected.scalar_type());
  const c10::NoGradGuard no_grad;
  const at::Tensor left = flat(found);
  const at::Tensor right = flat(expected);
  if (all_equal(left, right)) {
    Difference same;
    same.elements = static_cast<std::uint64_t>(left.numel());
    return same;
  }
  const at::ScalarType type = arithmetic_type(left);
  if (!is_floating(left)) {
    return walk(left, right, [&](std::int64_t begin, std::int64_t count) {
      const at::Tensor passes = left.narrow(0, begin, count).eq(right.narrow(0, begin, count));
      return Piece{passes, part_of(left, begin, count, type).sub_(part_of(right, begin, count, type)).abs_()};
    });
  }
  return walk(left, right, [&](std::int64_t begin, std::int64_t count) {
    const at::Tensor a = part_of(left, begin, count, type);
    const at::Tensor b = part_of(right, begin, count, type);
    at::Tensor off = a.sub(b).abs_();
    at::Tensor passes = off.le(a.abs().mul_(tolerance.relative).add_(tolerance.absolute)).logical_and_(a.isfinite());
    passes.logical_or_(a.eq(b));
    if (non_finite == NonFinite::kNotCompared) passes.logical_or_(b.isfinite().logical_not_());
    off.nan_to_num_(0, 0, 0);
    return Piece{passes, off};
  });
}

PreciseDifference precise_difference_of(const at::Tensor& found, const at::Tensor& reference, const at::Tensor& exact,
                                        const messages::Tolerance& tolerance, double factor, NonFinite non_finite) {
  AUTOKERNEL_CHECK(found.sizes() == exact.sizes() && reference.sizes() == exact.sizes());
  const c10::NoGradGuard no_grad;
  const at::Tensor candidate = flat(found);
  const at::Tensor own = flat(reference);
  const at::Tensor y = flat(exact);
  PreciseDifference result;
  result.factor = factor;

  const std::int64_t piece = piece_for(y);
  std::vector<at::Tensor> figures;
  for (std::int64_t begin = 0; begin < y.numel(); begin += piece) {
    const std::int64_t count = std::min(piece, y.numel() - begin);
    const at::Tensor truth = part_of(y, begin, count, at::kDouble);
    const at::Tensor error = part_of(own, begin, count, at::kDouble).sub_(truth);
    const at::Tensor finite = error.isfinite();
    figures.push_back(finite.sum().to(at::kDouble));
    figures.push_back(error.square().masked_fill_(finite.logical_not(), 0).sum());
    figures.push_back(truth.square().masked_fill_(finite.logical_not(), 0).sum());
  }
  double finite = 0;
  double errors = 0;
  double squares = 0;
  if (!figures.empty()) {
    const at::Tensor numbers = at::stack(figures).cpu();
    const auto* number = numbers.const_data_ptr<double>();
    for (std::size_t i = 0; i + 2 < figures.size(); i += 3) {
      finite += number[i];
      errors += number[i + 1];
      squares += number[i + 2];
    }
  }
  if (finite == 0) return result;
  result.reference_error = std::sqrt(errors / finite);
  const double size = std::sqrt(squares / finite);
  result.relative_error = size > 0 ? result.reference_error / size : (result.reference_error > 0 ? INFINITY : 0);
  const std::string dtype = reference.scalar_type() == at::kHalf       ? "float16"
                            : reference.scalar_type() == at::kBFloat16 ? "bfloat16"
                                                                       : "float32";
  result.decides = result.relative_error <= largest_meaningful_error(dtype);

  result.difference = walk(candidate, y, [&](std::int64_t begin, std::int64_t count) {
    const at::Tensor c = part_of(candidate, begin, count, at::kDouble);
    const at::Tensor r = part_of(own, begin, count, at::kDouble);
    const at::Tensor truth = part_of(y, begin, count, at::kDouble);
    const at::Tensor own_error = r.sub(truth).abs_();
    at::Tensor allowed = own_error.clamp_min(result.reference_error).mul_(factor);
    allowed = at::maximum(allowed, truth.abs().mul_(tolerance.relative).add_(tolerance.absolute));
    at::Tensor off = c.sub(truth).abs_();
    const at::Tensor comparable = own_error.isfinite();
    at::Tensor passes = off.le(allowed).logical_and_(comparable).logical_and_(c.isfinite());
    passes.logical_or_(c.eq(r));
    if (non_finite == NonFinite::kNotCompared) passes.logical_or_(comparable.logical_not());
    off.nan_to_num_(0, 0, 0);
    return Piece{passes, off};
  });
  return result;
}

bool has_nan(const at::Tensor& tensor) {
  if (!is_floating(tensor)) return false;
  const c10::NoGradGuard no_grad;
  const at::Tensor values = flat(tensor);
  const std::int64_t piece = piece_for(values);
  at::Tensor any = at::zeros({}, at::TensorOptions().dtype(at::kBool).device(values.device()));
  for (std::int64_t begin = 0; begin < values.numel(); begin += piece) {
    any.logical_or_(values.narrow(0, begin, std::min(piece, values.numel() - begin)).isnan().any());
  }
  return any.item<bool>();
}

std::optional<std::uint64_t> first_not_finite(const at::Tensor& found, const at::Tensor& reference, bool& unwritten) {
  unwritten = false;
  if (!is_floating(found)) return std::nullopt;
  const c10::NoGradGuard no_grad;
  const at::Tensor values = flat(found);
  const at::Tensor other = reference.defined() ? flat(reference) : at::Tensor();
  const std::int64_t piece = piece_for(values);
  const auto bad = [&](std::int64_t begin, std::int64_t count) {
    at::Tensor mask = values.narrow(0, begin, count).isfinite().logical_not_();
    if (other.defined()) mask.logical_and_(other.narrow(0, begin, count).isfinite());
    return mask;
  };
  std::vector<at::Tensor> any;
  for (std::int64_t begin = 0; begin < values.numel(); begin += piece) {
    any.push_back(bad(begin, std::min(piece, values.numel() - begin)).any());
  }
  if (any.empty()) return std::nullopt;
  const at::Tensor flags = at::stack(any).cpu();
  for (std::int64_t i = 0; i < flags.numel(); ++i) {
    if (!flags.const_data_ptr<bool>()[i]) continue;
    const std::int64_t begin = i * piece;
    const auto index =
        static_cast<std::uint64_t>(begin + first_true(bad(begin, std::min(piece, values.numel() - begin))));
    unwritten = still_poisoned(values, index);
    return index;
  }
  return std::nullopt;
}

std::string index_text(std::uint64_t flat_index, at::IntArrayRef shape) {
  std::vector<std::uint64_t> index(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    const auto extent = static_cast<std::uint64_t>(std::max<std::int64_t>(shape[d], 1));
    index[d] = flat_index % extent;
    flat_index /= extent;
  }
  return fmt::format("[{}]", fmt::join(index, ", "));
}

std::string words_for(const Difference& difference, const std::string& name, at::IntArrayRef shape) {
  if (!difference.first_wrong) return fmt::format("{} agrees (largest difference {:.3g})", name, difference.max);
  const std::string place = index_text(*difference.first_wrong, shape);
  const double share = 100.0 * static_cast<double>(difference.wrong) / static_cast<double>(difference.elements);
  const std::string extent =
      fmt::format("{} of {} elements of {} are wrong ({:.3g}%)", difference.wrong, difference.elements, name, share);
  if (difference.unwritten) return fmt::format("{}; element {} was never written", extent, place);
  if (!std::isfinite(difference.found) || !std::isfinite(difference.expected)) {  // no difference is a number there
    return fmt::format("{}; first at {}: {:.6g}, expected {:.6g}; where both are finite they differ by at most {:.3g}",
                       extent, place, difference.found, difference.expected, difference.max);
  }
  return fmt::format("{}, by at most {:.4g} (mean {:.3g}); first at {}: {:.6g}, expected {:.6g}", extent,
                     difference.max, difference.mean, place, difference.found, difference.expected);
}

}  // namespace autokernel::compare
