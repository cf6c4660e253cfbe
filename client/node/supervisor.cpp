#include "client/node/supervisor.hpp"

#include <thread>
#include <utility>

#include "common/system/file.hpp"

namespace autokernel::client {

Supervisor::Supervisor(const Clock& clock, std::vector<Service> services, Settings settings)
    : clock_(clock), settings_(settings) {
  for (Service& service : services)
    services_.push_back(Running{std::move(service), std::nullopt, false, {}, {}, std::nullopt});
}

Result<void> Supervisor::launch(Running& running) {
  auto child = system::ChildProcess::start(running.service.process);
  if (!child) return tl::unexpected(child.error().within(running.service.name));
  running.child = *std::move(child);
  running.ready = !running.service.ready;
  running.launched = clock_.now();
  return {};
}

Result<void> Supervisor::start(const std::function<bool()>& cancelled) {
  for (Running& running : services_) {
    AUTOKERNEL_TRY(launch(running));
    const auto deadline = clock_.now() + settings_.ready_timeout;
    while (!running.ready) {
      if (const auto ended = running.child->poll()) {
        return fail(Code::kUnavailable, "{} does not start ({}){}", running.service.name, ended->text(),
                    last_words(running.service));
      }
      if (running.service.ready()) {
        running.ready = true;
      } else if (cancelled()) {
        return fail(Code::kUnavailable, "interrupted");
      } else if (clock_.now() >= deadline) {
        return fail(Code::kUnavailable, "{} is not ready after {} s{}", running.service.name,
                    std::chrono::duration_cast<std::chrono::seconds>(settings_.ready_timeout).count(),
                    last_words(running.service));
      } else {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    }
  }
  return {};
}

Result<std::vector<std::string>> Supervisor::check() {
  std::vector<std::string> notes;
  const auto now = clock_.now();
  bool predecessors_ready = true;
  for (Running& running : services_) {
    if (running.child) {
      if (const auto ended = running.child->poll()) {
        running.child.reset();
        running.ready = false;
        running.deaths.push_back(now);
        while (now - running.deaths.front() > settings_.window) running.deaths.pop_front();
        if (running.deaths.size() > settings_.restarts) {
          return fail(Code::kUnavailable, "{} died {} times in {} min, last by {}{}", running.service.name,
                      running.deaths.size(), settings_.window.count(), ended->text(), last_words(running.service));
        }
        std::string note =
            fmt::format("{} died ({}); starting it again ({} of {}){}", running.service.name, ended->text(),
                        running.deaths.size(), settings_.restarts, last_words(running.service));
        if (ended->signal == 0 && now - running.launched < settings_.settling) {
          running.untold = std::move(note);
        } else {
          notes.push_back(std::move(note));
        }
      } else if (running.untold && now - running.launched >= settings_.settling) {
        notes.push_back(*std::exchange(running.untold, std::nullopt));
      }
    }
    // A coordinator that starts before its Redis has loaded would only die again, and use up its restarts.
    if (!running.child && predecessors_ready) AUTOKERNEL_TRY(launch(running));
    if (running.child && !running.ready) running.ready = running.service.ready();
    predecessors_ready = predecessors_ready && running.ready;
  }
  return notes;
}

void Supervisor::stop() {
  for (std::size_t index = services_.size(); index-- > 0;) {
    Running& running = services_[index];
    if (running.child) running.child->stop(settings_.stop_grace);
    running.child.reset();
    running.ready = false;
  }
}

std::optional<pid_t> Supervisor::pid_of(const std::string& name) const {
  for (const Running& running : services_) {
    if (running.service.name == name && running.child) return running.child->pid();
  }
  return std::nullopt;
}

std::string Supervisor::last_words(const Service& service) {
  constexpr std::size_t kMaxLog = std::size_t{256} << 20U;
  if (service.process.output_path.empty()) return {};
  const auto text = system::read_file(service.process.output_path, kMaxLog);
  if (!text) return {};
  const auto end = text->find_last_not_of(" \n\r\t");
  if (end == std::string::npos) return fmt::format("; its log {} is empty", service.process.output_path);
  const auto begin = text->find_last_of('\n', end);
  const std::string line =
      text->substr(begin == std::string::npos ? 0 : begin + 1, end - (begin == std::string::npos ? 0 : begin + 1) + 1);
  return fmt::format(": {} (log: {})", line, service.process.output_path);
}

}  // namespace autokernel::client
