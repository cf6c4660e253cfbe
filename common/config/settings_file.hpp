#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <istream>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace autokernel::config {

/// Reads autokernel.toml for CLI11, and refuses a key that no command has, by line and with the nearest right one.
///
/// CLI11 lets the file win over the environment; here it is the other way round, so a key whose variable is set is
/// left out of what is handed over.
class SettingsFile final : public CLI::Config {
 public:
  /// `own_table`: "" for the program with commands, which owns the top level and a table per command; "worker" for a
  /// program that owns that table alone and leaves the rest of the file to others.
  SettingsFile(const CLI::App& root, std::string own_table) : root_(&root), own_table_(std::move(own_table)) {}

  void call_asks_for_help() { help_wanted_ = true; }  ///< a broken file must not stand before --help

  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;
  std::string to_config(const CLI::App* app, bool defaults, bool descriptions, std::string prefix) const override;

  /// The line that set an option ("trials") in the file just read; 0 when it did not.
  [[nodiscard]] std::int64_t line_of(const std::string& option) const;

 private:
  const CLI::App* root_;
  std::string own_table_;
  bool help_wanted_ = false;
  mutable std::map<std::string, std::int64_t> lines_;  ///< from_config is const in CLI11
};

}  // namespace autokernel::config
