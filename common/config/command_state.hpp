#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "common/config/program.hpp"

/// What Command and Program share behind program.hpp, so that nobody else sees CLI11.
namespace autokernel::config {

/// "AUTOKERNEL_" + "no-timing" → "AUTOKERNEL_NO_TIMING".
[[nodiscard]] std::string variable_name(std::string_view prefix, std::string_view option);

struct Command::State {
  CLI::App* app = nullptr;  ///< owned by the Program's root
  std::string prefix;       ///< of its environment variables

  CLI::Option* add(std::string_view name, std::string_view value, std::string_view help,
                   const std::function<void(const std::string&)>& store);
  CLI::Option* with_environment(CLI::Option* option, std::string_view name) const;
};

}  // namespace autokernel::config
