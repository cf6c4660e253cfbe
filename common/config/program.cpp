#include "common/config/program.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>

#include "common/config/command_state.hpp"
#include "common/config/nearest.hpp"
#include "common/config/settings_file.hpp"
#include "common/config/variables.hpp"
#include "common/config/version.hpp"

namespace autokernel::config {
namespace {

constexpr std::string_view kSettingsFile = "autokernel.toml";

std::string footer_text(const std::string& prefix, const std::vector<std::string>& examples) {
  std::string text = fmt::format("--some-option is also read from {}SOME_OPTION, then from {}.", prefix, kSettingsFile);
  if (!examples.empty()) text += fmt::format("\n\nExamples:\n  {}", fmt::join(examples, "\n  "));
  return text;
}

/// One line per option: its value and default, without the variable's name, which the footer explains once for all.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text;
    if (!option->get_type_name().empty()) text += " " + option->get_type_name();
    if (option->get_required() && option->get_type_name().empty()) text += " (required)";
    return text;
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    const std::string standard = option->get_default_str();
    return standard.empty() ? option->get_description() : fmt::format("{} [{}]", option->get_description(), standard);
  }
};

std::vector<std::string> dashed_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// "autokernel-worker" → "worker"; "" for the program that has commands.
std::string own_table_of(const std::string& program) {
  const auto dash = program.find('-');
  return dash == std::string::npos ? std::string() : program.substr(dash + 1);
}

}  // namespace

std::string variable_name(std::string_view prefix, std::string_view option) {
  std::string name(prefix);
  for (const char letter : option) {
    name += letter == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return name;
}

struct Program::State {
  CLI::App app;
  std::string name;
  std::string prefix;
  std::vector<std::string> known_variables;  ///< beside the options'
  std::vector<std::string> other_prefixes;   ///< of programs that look after their own
  std::shared_ptr<SettingsFile> file;
  std::unique_ptr<Command> root;
  std::map<std::string, std::unique_ptr<Command>> commands;
  std::vector<std::string> arguments;

  [[nodiscard]] const CLI::App& active() const {
    const auto parsed = app.get_subcommands();
    return parsed.empty() ? app : *parsed.front();
  }

  [[nodiscard]] std::vector<std::string> warnings() const {
    std::vector<std::string> known = known_variables;
    const auto add = [&](const CLI::App& from) {
      for (const CLI::Option* option : from.get_options()) {
        if (!option->get_envname().empty()) known.push_back(option->get_envname());
      }
    };
    add(app);
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) add(*command);
    return warn_of_unknown(variables_with(prefix), prefix, known, other_prefixes);
  }

  /// What the user typed that nothing knows, as a message; empty when there is none.
  [[nodiscard]] std::string unknown_text() const {
    const std::vector<std::string> extras = app.remaining(true);
    if (extras.empty()) return {};
    const bool no_command = !commands.empty() && app.get_subcommands().empty();
    if (no_command && extras.front().front() != '-') {
      std::vector<std::string> known;
      for (const auto& [command, ignored] : commands) known.push_back(command);
      return fmt::format("unknown command '{}'{}", extras.front(), suggestion(extras.front(), known));
    }
    const auto option = std::find_if(extras.begin(), extras.end(),
                                     [](const std::string& extra) { return extra.size() > 1 && extra.front() == '-'; });
    if (option == extras.end()) return fmt::format("unexpected argument '{}'", extras.front());
    const std::string typed = option->substr(0, option->find('='));
    std::vector<std::string> known = dashed_names(active());
    for (std::string& shared : dashed_names(app)) known.push_back(std::move(shared));
    return fmt::format("unknown option {}{}", typed, suggestion(typed, known));
  }

  /// CLI11's message for a bad value begins with the option; a value that was not typed gets its source instead.
  [[nodiscard]] std::string with_source(const std::string& message) const {
    if (message.rfind("--", 0) != 0) return message;
    const std::string option = message.substr(2, message.find(':') - 2);
    const auto typed = [&](const std::string& argument) {
      return argument == "--" + option || argument.rfind("--" + option + "=", 0) == 0;
    };
    if (std::any_of(arguments.begin(), arguments.end(), typed)) return message;
    const std::string variable = variable_name(prefix, option);
    const char* value = std::getenv(variable.c_str());
    if (value != nullptr && *value != '\0') return fmt::format("{} (from {} in the environment)", message, variable);
    const auto line = file->line_of(option);
    if (line == 0) return message;
    return fmt::format("{}, line {}: {}", app.get_config_ptr()->as<std::string>(), line, message);
  }
};

Program::Program(const ProgramInfo& info) : state_(std::make_unique<State>()) {
  CLI::App& app = state_->app;
  app.name(info.name);
  app.description(info.summary);
  app.fallthrough();  // --config and --version may stand after the command
  auto formatter = std::make_shared<HelpFormatter>();
  formatter->column_width(32);
  app.formatter(formatter);
  app.set_help_flag("-h,--help", "shows this and ends");
  app.set_version_flag("--version", fmt::format("{} {}", info.name, version()), "shows the version and ends");
  app.require_subcommand(0, 1);
  state_->name = info.name;
  state_->prefix = variable_name("", info.name) + "_";
  state_->known_variables = info.other_variables;
  for (const std::string& other : info.other_programs) {
    state_->other_prefixes.push_back(variable_name(state_->prefix, other) + "_");
  }
  app.footer(footer_text(state_->prefix, info.examples));
  state_->file = std::make_shared<SettingsFile>(app, own_table_of(info.name));
  app.config_formatter(state_->file);
  app.set_config("--config", std::string(kSettingsFile), "settings file; ./autokernel.toml is read when it is there")
      ->type_name("FILE");
  auto root = std::make_unique<Command::State>();
  root->app = &app;
  root->prefix = state_->prefix;
  state_->root = std::make_unique<Command>(std::move(root));
}

Program::~Program() = default;

Command& Program::options() { return *state_->root; }

Command& Program::command(const std::string& name, const std::string& summary,
                          const std::vector<std::string>& examples) {
  auto state = std::make_unique<Command::State>();
  state->app = state_->app.add_subcommand(name, summary);
  state->app->footer(footer_text(state_->prefix, examples));
  state->app->configurable(false);  // a table in the file sets a command's options, it does not run the command
  state->prefix = state_->prefix;
  auto& slot = state_->commands[name];
  slot = std::make_unique<Command>(std::move(state));
  return *slot;
}

ParseOutcome Program::parse(const std::vector<std::string>& arguments) {
  CLI::App& app = state_->app;
  state_->arguments = arguments;
  for (const std::string& argument : arguments) {
    if (argument == "-h" || argument == "--help" || argument == "--version") state_->file->call_asks_for_help();
  }
  const auto refused = [&](const std::string& message) {
    const CLI::App& active = state_->active();
    const std::string who = &active == &app ? state_->name : state_->name + " " + active.get_name();
    return ParseOutcome{false, 2, "", fmt::format("{}: {}\nSee: {} --help\n", who, message, who), {}};
  };
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(reversed);
    return ParseOutcome{true, 0, "", "", state_->warnings()};
  } catch (const CLI::CallForHelp&) {
    return ParseOutcome{false, 0, app.help(), "", {}};
  } catch (const CLI::CallForVersion& version_text) {
    return ParseOutcome{false, 0, std::string(version_text.what()) + "\n", "", {}};
  } catch (const CLI::ParseError& error) {
    // A typo first: `--precison fp16 A B` would otherwise be told that there is an argument too many.
    if (const std::string unknown = state_->unknown_text(); !unknown.empty()) return refused(unknown);
    if (dynamic_cast<const CLI::FileError*>(&error) != nullptr) {
      return refused(fmt::format("--config: cannot read '{}'", app.get_config_ptr()->as<std::string>()));
    }
    if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) return refused(error.what());
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
      const std::string text = error.what();
      return refused(fmt::format("{} needs a value", text.substr(0, text.find(':'))));
    }
    return refused(state_->with_source(error.what()));
  }
}

std::optional<int> Program::parse_or_print(int argc, char** argv) {
  const ParseOutcome outcome = parse(std::vector<std::string>(argv + 1, argv + argc));
  std::fputs(outcome.output.c_str(), stdout);
  std::fputs(outcome.error.c_str(), stderr);
  for (const std::string& warning : outcome.warnings) {
    std::fprintf(stderr, "%s: warning: %s\n", state_->name.c_str(), warning.c_str());
  }
  if (outcome.proceed) return std::nullopt;
  return outcome.exit_code;
}

std::string Program::chosen() const {
  const CLI::App& active = state_->active();
  return &active == &state_->app ? std::string() : active.get_name();
}

std::string Program::help() const { return state_->app.help(); }

}  // namespace autokernel::config
