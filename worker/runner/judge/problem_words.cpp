#include "worker/runner/judge/problem_words.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "worker/runner/judge/foreign_text.hpp"

namespace autokernel::judge {

namespace {

/// Packages that are installed under another name than they are imported by.
constexpr std::array kInstallNames = {
    std::pair{std::string_view("cv2"), std::string_view("opencv-python")},
    std::pair{std::string_view("PIL"), std::string_view("pillow")},
    std::pair{std::string_view("sklearn"), std::string_view("scikit-learn")},
    std::pair{std::string_view("yaml"), std::string_view("pyyaml")},
};

/// The top-level package of "No module named 'a.b'"; empty when the text says something else.
std::string missing_package(std::string_view text) {
  constexpr std::string_view kMarker = "No module named '";
  const auto at = text.find(kMarker);
  if (at == std::string_view::npos) return "";
  std::string_view name = text.substr(at + kMarker.size());
  name = name.substr(0, name.find('\''));
  return std::string(name.substr(0, name.find('.')));
}

std::string install_name(const std::string& package) {
  for (const auto& [imported, installed] : kInstallNames) {
    if (imported == package) return std::string(installed);
  }
  return package;
}

}  // namespace

std::string bytes_text(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (value >= 1e9) return fmt::format("{:.1f} GB", value / 1e9);
  if (value >= 1e6) return fmt::format("{:.0f} MB", value / 1e6);
  return fmt::format("{:.0f} kB", value / 1e3);
}

std::string problem_words(const messages::Failed& failed, const std::string& doing, const MemoryState& memory) {
  const std::string text = foreign_text(failed.message, 1000);
  if (const std::string package = missing_package(failed.message); !package.empty()) {
    return fmt::format("the problem needs the Python package '{}', which is missing here: pip install {}", package,
                       install_name(package));
  }
  if (failed.kind == messages::FailureKind::kOutOfMemory) {
    const std::string needed = memory.needed_bytes > 0
                                   ? fmt::format("{} for inputs and outputs alone, ", bytes_text(memory.needed_bytes))
                                   : "";
    return fmt::format(
        "the problem does not fit into this device's memory during {}: {}{} free. A smaller batch (--batch N) or a "
        "larger device helps. ({})",
        doing, needed, bytes_text(memory.free_bytes), text);
  }
  return fmt::format("the problem itself fails here during {}: {}", doing, text);
}

}  // namespace autokernel::judge
