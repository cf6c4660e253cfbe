#include "client/progress/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "common/text/printable.hpp"

namespace autokernel::client {
namespace {

constexpr auto kRedraw = std::chrono::milliseconds(200);

void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

ProgressStyle ProgressStyle::of_stderr() {
  ProgressStyle style;
  const char* kind = std::getenv("TERM");
  style.terminal = ::isatty(STDERR_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
  const char* no_color = std::getenv("NO_COLOR");
  style.colours = style.terminal && (no_color == nullptr || *no_color == '\0');
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1) style.width = size.ws_col - 1U;
  return style;
}

Progress::Progress(const Clock& clock, ProgressStyle style, std::size_t total)
    : clock_(clock), style_(style), paint_(style.colours), start_(clock.now()), last_draw_(start_) {
  state_.total = total;
}

Progress::~Progress() { finish(); }

void Progress::already_done(const protocol::Record& record) {
  ++state_.done;
  ++state_.verdicts[verdict_text(record)];
}

void Progress::verdict(const protocol::Record& record) {
  ++state_.done;
  ++state_.fresh;
  ++state_.verdicts[verdict_text(record)];
  line(fmt::format("[{}/{}] {}", state_.done, state_.total, verdict_line(record, paint_)));
}

void Progress::note(std::string_view text) { line(text::printable(text)); }

void Progress::line(std::string_view text) {
  erase();
  print(fmt::format("{}\n", text));
  if (style_.terminal) draw();
}

void Progress::tick() {
  if (style_.terminal && clock_.now() - last_draw_ >= kRedraw) draw();
}

void Progress::finish() { erase(); }

void Progress::erase() {
  if (drawn_) print("\r\x1b[K");
  drawn_ = false;
}

void Progress::draw() {
  last_draw_ = clock_.now();
  state_.elapsed = std::chrono::duration_cast<std::chrono::seconds>(last_draw_ - start_);
  print(fmt::format("\r\x1b[K{}", bar_text(state_, style_.width)));
  drawn_ = true;
}

}  // namespace autokernel::client
