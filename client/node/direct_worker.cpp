#include "client/node/direct_worker.hpp"

#include <poll.h>

#include <array>
#include <cerrno>
#include <utility>

#include "client/node/programs.hpp"
#include "common/system/file.hpp"

namespace autokernel::client {
namespace {

constexpr int kWorkerFd = 3;
constexpr const char* kLog = "worker.log";

}  // namespace

Result<DirectWorker> DirectWorker::start(const std::string& devices) {
  AUTOKERNEL_TRY_ASSIGN(system::OwnedFolder folder, make_private_folder());
  AUTOKERNEL_TRY_ASSIGN(auto ends, system::Channel::make_pair());
  system::ProcessOptions options;
  options.arguments = {program_path("autokernel-worker"),
                       "--direct-fd",
                       fmt::format("{}", kWorkerFd),
                       "--devices",
                       devices,
                       "--id",
                       "eval",
                       "--cache",
                       cache_folder(),
                       "--folder",
                       folder.path().string()};
  options.descriptors = {{ends.second.fd(), kWorkerFd}};
  options.output_path = (folder.path() / kLog).string();
  AUTOKERNEL_TRY_ASSIGN(system::ChildProcess child, system::ChildProcess::start(options));
  ends.second.close();
  return DirectWorker(std::move(folder), std::move(child), std::move(ends.first));
}

DirectWorker::DirectWorker(system::OwnedFolder folder, system::ChildProcess child, system::Channel channel)
    : folder_(std::move(folder)),
      child_(std::make_unique<system::ChildProcess>(std::move(child))),
      channel_(std::move(channel)) {}

DirectWorker::~DirectWorker() {
  channel_.close();  // the worker ends by itself; stop() is for one that does not
  if (child_ && !child_->wait(std::chrono::seconds(2))) child_->stop(std::chrono::seconds(2));
}

Error DirectWorker::gone() {
  const auto ended = child_->wait(std::chrono::seconds(1));
  const auto log = system::read_file(folder_.path() / kLog, std::size_t{64} << 20U);
  std::string words;
  if (log) {
    const auto end = log->find_last_not_of(" \r\n\t");
    const auto begin = end == std::string::npos ? 0 : log->find_last_of('\n', end);
    words = end == std::string::npos ? "" : log->substr(begin == std::string::npos ? 0 : begin + 1);
    words = words.substr(0, words.find('\n'));
  }
  if (ended && ended->code == 2 && !words.empty()) {  // it refused what it was asked for, such as a device
    constexpr std::string_view kPrefix = "autokernel-worker: ";
    return Error{Code::kInvalid, words.starts_with(kPrefix) ? words.substr(kPrefix.size()) : words};
  }
  return Error{Code::kUnavailable,
               fmt::format("autokernel-worker ended before the verdict ({}){}{}",
                           ended ? ended->text() : "it still runs", words.empty() ? "" : ": ", words)};
}

Result<std::optional<protocol::Record>> DirectWorker::evaluate(
    const protocol::JobSpec& spec, const std::function<void(const protocol::StageReport&)>& on_stage,
    int interrupt_fd) {
  protocol::Dispatch dispatch;
  dispatch.seq = 1;
  dispatch.token = LeaseToken{Epoch{1}, 1};
  dispatch.job = 1;
  // As a coordinator bounds it: the candidate's own time, as much again for the reference, and a minute to begin and
  // end.
  dispatch.max_runtime_ms = static_cast<std::int64_t>((2 * spec.options.timeout_seconds + 60) * 1000);
  dispatch.spec = spec;
  if (!channel_.send(protocol::pack_message(protocol::ToWorkerMessage(dispatch)))) return tl::unexpected(gone());
  for (;;) {
    // What the channel has buffered first: poll() does not see that.
    auto frame = channel_.receive(std::chrono::milliseconds(0));
    if (!frame) return tl::unexpected(gone());
    if (!*frame) {
      std::array<pollfd, 2> wait{pollfd{channel_.fd(), POLLIN, 0}, pollfd{interrupt_fd, POLLIN, 0}};
      if (::poll(wait.data(), wait.size(), -1) < 0 && errno != EINTR) {
        return fail(Code::kInternal, "poll failed while waiting for the worker");
      }
      if (wait[1].revents != 0) return std::nullopt;
      continue;
    }
    auto message = protocol::unpack_message<protocol::WorkerMessage>((*frame)->bytes);
    if (!message) return tl::unexpected(message.error().within("message of the worker"));
    if (const auto* progress = std::get_if<protocol::Progress>(&*message)) {
      on_stage(progress->stage);
    } else if (const auto* result = std::get_if<protocol::JobResult>(&*message)) {
      return result->record;
    }
  }
}

}  // namespace autokernel::client
