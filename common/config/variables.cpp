#include "common/config/variables.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "common/config/nearest.hpp"

namespace autokernel::config {

std::vector<std::string> variables_with(std::string_view prefix) {
  std::vector<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (text.starts_with(prefix)) names.emplace_back(text.substr(0, text.find('=')));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> warn_of_unknown(const std::vector<std::string>& names, std::string_view prefix,
                                         const std::vector<std::string>& known,
                                         const std::vector<std::string>& others) {
  std::vector<std::string> endings;
  for (const std::string& name : known) {
    if (name.starts_with(prefix)) endings.push_back(name.substr(prefix.size()));
  }
  std::vector<std::string> warnings;
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const bool foreign =
        std::any_of(others.begin(), others.end(), [&](const std::string& other) { return name.starts_with(other); });
    if (foreign) continue;
    const auto meant = nearest(std::string_view(name).substr(prefix.size()), endings);
    warnings.push_back(fmt::format("the environment variable {} is unknown and has no effect{}", name,
                                   meant ? fmt::format("; did you mean {}{}?", prefix, *meant) : ""));
  }
  return warnings;
}

}  // namespace autokernel::config
