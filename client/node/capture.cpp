#include "client/node/capture.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "common/clock/clock.hpp"
#include "common/system/fd.hpp"

namespace autokernel::client {
namespace {

constexpr std::size_t kMaxOutput = std::size_t{1} << 20U;

struct Pipe {
  system::UniqueFd read;
  system::UniqueFd write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail(Code::kExhausted, "pipe: {}", std::strerror(errno));
  return Pipe{system::UniqueFd(ends[0]), system::UniqueFd(ends[1])};
}

/// False at the end of the stream.
bool read_some(const system::UniqueFd& fd, std::string& target) {
  std::array<char, 4096> chunk{};
  const ssize_t got = ::read(fd.get(), chunk.data(), chunk.size());
  if (got <= 0) return got < 0 && errno == EINTR;
  if (target.size() < kMaxOutput) target.append(chunk.data(), static_cast<std::size_t>(got));
  return true;
}

}  // namespace

Result<Captured> capture(const std::vector<std::string>& arguments, std::chrono::milliseconds timeout) {
  AUTOKERNEL_TRY_ASSIGN(Pipe output, make_pipe());
  AUTOKERNEL_TRY_ASSIGN(Pipe errors, make_pipe());
  system::ProcessOptions options;
  options.arguments = arguments;
  options.descriptors = {{output.write.get(), STDOUT_FILENO}, {errors.write.get(), STDERR_FILENO}};
  AUTOKERNEL_TRY_ASSIGN(system::ChildProcess child, system::ChildProcess::start(options));
  output.write.reset();
  errors.write.reset();

  Captured captured;
  const SteadyClock clock;
  const auto deadline = clock.now() + timeout;
  bool output_open = true;
  bool errors_open = true;
  while (output_open || errors_open) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock.now()).count();
    if (left <= 0) break;
    std::array<pollfd, 2> wait{pollfd{output_open ? output.read.get() : -1, POLLIN, 0},
                               pollfd{errors_open ? errors.read.get() : -1, POLLIN, 0}};
    if (::poll(wait.data(), wait.size(), static_cast<int>(left)) < 0 && errno != EINTR) break;
    if (wait[0].revents != 0) output_open = read_some(output.read, captured.output);
    if (wait[1].revents != 0) errors_open = read_some(errors.read, captured.errors);
  }
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock.now());
  const auto status = child.wait(std::max(left, std::chrono::milliseconds(0)));
  if (!status) return fail(Code::kUnavailable, "'{}' did not end within {} ms", arguments.front(), timeout.count());
  captured.status = *status;
  return captured;
}

}  // namespace autokernel::client
