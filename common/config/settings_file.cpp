#include "common/config/settings_file.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "common/config/nearest.hpp"
#include "common/config/toml.hpp"

namespace autokernel::config {
namespace {

using protocol::Value;

/// Tables of the programs that `autokernel` starts; each checks its own.
constexpr std::array<std::string_view, 2> kProgramTables = {"coordinator", "worker"};

bool is_program_table(const std::string& name) {
  return std::find(kProgramTables.begin(), kProgramTables.end(), name) != kProgramTables.end();
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_configurable()) continue;
    for (const std::string& name : option->get_lnames()) {
      if (name != "help" && name != "version" && name != "config") names.push_back(name);
    }
  }
  return names;
}

bool has_option(const CLI::App& app, const std::string& name) {
  for (const std::string& known : option_names(app)) {
    if (known == name) return true;
  }
  return false;
}

std::vector<std::string> texts_of(const Value& value) {
  if (const auto* array = value.as<Value::Array>()) {
    std::vector<std::string> texts;
    for (const Value& item : *array) {
      for (std::string& text : texts_of(item)) texts.push_back(std::move(text));
    }
    return texts;
  }
  if (const auto* text = value.as<std::string>()) return {*text};
  if (const auto* truth = value.as<bool>()) return {*truth ? "true" : "false"};
  if (const auto* whole = value.as<std::int64_t>()) return {fmt::format("{}", *whole)};
  if (const auto* real = value.as<double>()) return {fmt::format("{}", *real)};
  return {""};
}

bool set_in_environment(const CLI::App& app, const std::string& name) {
  const auto* option = app.get_option_no_throw("--" + name);
  if (option == nullptr || option->get_envname().empty()) return false;
  const char* value = std::getenv(option->get_envname().c_str());
  return value != nullptr && *value != '\0';
}

}  // namespace

std::vector<CLI::ConfigItem> SettingsFile::from_config(std::istream& input) const {
  if (help_wanted_) return {};
  const std::string text{std::istreambuf_iterator<char>(input), std::istreambuf_iterator<char>()};
  const auto name = root_->get_config_ptr()->as<std::string>();
  const auto document = parse_toml(text, name);
  if (!document) throw CLI::ConfigError(document.error().message);

  std::vector<CLI::ConfigItem> settings;
  const auto hand_over = [&](const CLI::App& app, const std::string& key, const Value& value, std::int64_t line) {
    if (set_in_environment(app, key) || lines_.count(key) != 0) return;
    CLI::ConfigItem item;
    if (&app != root_) item.parents = {app.get_name()};
    item.name = key;
    item.inputs = texts_of(value);
    settings.push_back(std::move(item));
    lines_[key] = line;
  };
  const auto refuse = [&](const std::string& where, const std::string& what, const std::string& key,
                          const std::vector<std::string>& known) {
    throw CLI::ConfigError(
        fmt::format("{}, line {}: {} '{}'{}", name, document->lines.at(where), what, key, suggestion(key, known)));
  };

  const CLI::App* chosen = root_;
  if (const auto parsed = root_->get_subcommands(); !parsed.empty()) chosen = parsed.front();
  std::map<std::string, const CLI::App*> commands;
  for (const CLI::App* command : root_->get_subcommands({})) commands[command->get_name()] = command;
  if (!own_table_.empty()) commands[own_table_] = root_;

  std::vector<std::string> all_keys = option_names(*root_);
  std::vector<std::string> all_tables(kProgramTables.begin(), kProgramTables.end());
  for (const auto& [table, command] : commands) {
    all_tables.push_back(table);
    for (std::string& key : option_names(*command)) all_keys.push_back(std::move(key));
  }

  // Tables before the top level: what is said for one command is closer than what is said for all.
  for (const auto& [table, content] : *document->root.as<Value::Map>()) {
    const auto* map = content.as<Value::Map>();
    if (map == nullptr) continue;
    const auto command = commands.find(table);
    if (command == commands.end()) {
      if (own_table_.empty() && !is_program_table(table)) refuse(table, "unknown table", table, all_tables);
      continue;
    }
    for (const auto& [key, value] : *map) {
      if (!has_option(*command->second, key)) {
        refuse(table + "." + key, "unknown key", key, option_names(*command->second));
      }
      if (command->second == chosen) hand_over(*chosen, key, value, document->lines.at(table + "." + key));
    }
  }
  if (!own_table_.empty()) return settings;
  for (const auto& [key, value] : *document->root.as<Value::Map>()) {
    if (value.as<Value::Map>() != nullptr) continue;
    if (std::find(all_keys.begin(), all_keys.end(), key) == all_keys.end()) {
      refuse(key, "unknown key", key, all_keys);
    }
    if (has_option(*chosen, key)) hand_over(*chosen, key, value, document->lines.at(key));
  }
  return settings;
}

std::string SettingsFile::to_config(const CLI::App* /*app*/, bool /*defaults*/, bool /*descriptions*/,
                                    std::string /*prefix*/) const {
  return {};  // nothing writes settings back
}

std::int64_t SettingsFile::line_of(const std::string& option) const {
  const auto found = lines_.find(option);
  return found == lines_.end() ? 0 : found->second;
}

}  // namespace autokernel::config
