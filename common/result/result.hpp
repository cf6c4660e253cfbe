#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace autokernel {

/// What the caller does next; never what went wrong in detail (that is the message).
enum class Code {
  kInvalid,      ///< The input is wrong: tell the user, do not retry.
  kNotFound,     ///< The thing named does not exist: tell the user.
  kUnavailable,  ///< A peer, device or file is away: retry with backoff.
  kExhausted,    ///< A quota, queue, disk or memory is full: slow down.
  kStale,        ///< Fenced by a newer epoch or token: drop it.
  kInternal,     ///< A bug: report it.
};

[[nodiscard]] std::string_view name_of(Code code);

/// One message for a person: what is wrong, with which thing, and what to do about it.
struct Error {
  Code code;
  std::string message;

  /// Puts the caller's view in front: "reading run.toml: no such file".
  [[nodiscard]] Error within(std::string_view context) const;
};

template <class T>
using Result = tl::expected<T, Error>;

template <class... Args>
[[nodiscard]] tl::unexpected<Error> fail(Code code, fmt::format_string<Args...> text, Args&&... args) {
  return tl::unexpected<Error>(Error{code, fmt::format(text, std::forward<Args>(args)...)});
}

/// Exit codes of every program: 2 for the call's own error, 3 for the machine's.
[[nodiscard]] int exit_code_of(Code code);

/// Prints the expression and its place to stderr and aborts: a confused process must not go on.
[[noreturn]] void check_failed(const char* expression, const char* file, int line);

}  // namespace autokernel

#define AUTOKERNEL_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::autokernel::check_failed(#condition, __FILE__, __LINE__))

#define AUTOKERNEL_CONCAT_(a, b) a##b
#define AUTOKERNEL_CONCAT(a, b) AUTOKERNEL_CONCAT_(a, b)

/// Returns the error of a Result<void> expression to the caller.
#define AUTOKERNEL_TRY(expression)                                  \
  do {                                                              \
    auto autokernel_result_ = (expression);                         \
    if (!autokernel_result_) {                                      \
      return tl::unexpected(std::move(autokernel_result_).error()); \
    }                                                               \
  } while (false)

#define AUTOKERNEL_TRY_ASSIGN_(temporary, target, expression) \
  auto temporary = (expression);                              \
  if (!temporary) {                                           \
    return tl::unexpected(std::move(temporary).error());      \
  }                                                           \
  target = *std::move(temporary)

/// Assigns the value of a Result expression, or returns its error to the caller.
#define AUTOKERNEL_TRY_ASSIGN(target, expression) \
  AUTOKERNEL_TRY_ASSIGN_(AUTOKERNEL_CONCAT(autokernel_result_, __LINE__), target, expression)
