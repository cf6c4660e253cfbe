#include <charconv>
#include <cmath>
#include <utility>

#include "common/config/command_state.hpp"
#include "common/config/nearest.hpp"
#include "common/config/program.hpp"

namespace autokernel::config {
namespace {

std::string dashed(std::string_view name) { return "--" + std::string(name); }

[[noreturn]] void refuse(std::string_view name, const std::string& why) {
  throw CLI::ValidationError(dashed(name), why);
}

template <class Number>
Number parse_number(std::string_view name, const std::string& text, std::string_view wanted) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    refuse(name, fmt::format("'{}' is not {}", text, wanted));
  }
  return value;
}

std::int64_t parse_integer(std::string_view name, const std::string& text, IntegerRange range) {
  const auto value = parse_number<std::int64_t>(name, text, "a whole number");
  if (value < range.low) refuse(name, fmt::format("{} is too small: at least {}", value, range.low));
  if (value > range.high) refuse(name, fmt::format("{} is too big: at most {}", value, range.high));
  return value;
}

}  // namespace

Command::Command(std::unique_ptr<State> state) : state_(std::move(state)) {}
Command::~Command() = default;

CLI::Option* Command::State::add(std::string_view name, std::string_view value, std::string_view help,
                                 const std::function<void(const std::string&)>& store) {
  auto* option = app->add_option_function<std::string>(dashed(name), store, std::string(help));
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)->type_name(std::string(value));
  return with_environment(option, name);
}

CLI::Option* Command::State::with_environment(CLI::Option* option, std::string_view name) const {
  return option->envname(variable_name(prefix, name));
}

void Command::flag(std::string_view name, bool& target, std::string_view help) {
  auto* option = state_->app->add_flag_function(
      dashed(name), [&target](std::int64_t count) { target = count > 0; }, std::string(help));
  state_->with_environment(option, name);
}

void Command::negated_flag(std::string_view name, bool& target, std::string_view help) {
  const std::string negated = "no-" + std::string(name);
  auto* option = state_->app->add_flag_function(
      dashed(negated), [&target](std::int64_t count) { target = count <= 0; }, std::string(help));
  state_->with_environment(option, negated);
}

void Command::text(std::string_view name, std::string& target, std::string_view value, std::string_view help) {
  auto* option = state_->add(name, value, help, [&target](const std::string& text) { target = text; });
  if (!target.empty()) option->default_str(target);
}

void Command::optional_text(std::string_view name, std::optional<std::string>& target, std::string_view value,
                            std::string_view help) {
  state_->add(name, value, help, [&target](const std::string& text) { target = text; });
}

void Command::list(std::string_view name, std::vector<std::string>& target, std::string_view value,
                   std::string_view help) {
  auto* option = state_->app->add_option_function<std::vector<std::string>>(
      dashed(name),
      [&target](const std::vector<std::string>& items) {
        target.clear();
        for (const std::string& item : items) {
          if (!item.empty()) target.push_back(item);
        }
      },
      std::string(help));
  option->delimiter(',')->type_name(std::string(value));
  state_->with_environment(option, name);
}

void Command::integer(std::string_view name, std::int64_t& target, IntegerRange range, std::string_view help) {
  state_
      ->add(name, "N", help,
            [&target, range, name = std::string(name)](const std::string& text) {
              target = parse_integer(name, text, range);
            })
      ->default_str(fmt::format("{}", target));
}

void Command::optional_integer(std::string_view name, std::optional<std::int64_t>& target, IntegerRange range,
                               std::string_view help) {
  state_->add(name, "N", help, [&target, range, name = std::string(name)](const std::string& text) {
    target = parse_integer(name, text, range);
  });
}

void Command::natural(std::string_view name, std::uint64_t& target, std::string_view help) {
  state_
      ->add(name, "N", help,
            [&target, name = std::string(name)](const std::string& text) {
              target = parse_number<std::uint64_t>(name, text, "a whole number from 0 on");
            })
      ->default_str(fmt::format("{}", target));
}

void Command::number(std::string_view name, double& target, double low, std::string_view help) {
  state_
      ->add(name, "X", help,
            [&target, low, name = std::string(name)](const std::string& text) {
              const auto value = parse_number<double>(name, text, "a number");
              if (!std::isfinite(value)) refuse(name, fmt::format("'{}' is not a finite number", text));
              if (value < low) refuse(name, fmt::format("{} is too small: at least {}", value, low));
              target = value;
            })
      ->default_str(fmt::format("{}", target));
}

void Command::name_choice(std::string_view name, const std::vector<std::string>& known, const std::string& standard,
                          std::string_view help, const std::function<void(const std::string&)>& store) {
  const auto accept = [known, store, name = std::string(name)](const std::string& text) {
    for (const std::string& candidate : known) {
      if (candidate == text) return store(text);
    }
    refuse(name,
           fmt::format("unknown value '{}'{} (known: {})", text, suggestion(text, known), fmt::join(known, ", ")));
  };
  state_->add(name, fmt::format("{}", fmt::join(known, "|")), help, accept)->default_str(standard);
}

void Command::argument(std::string_view name, std::string& target, std::string_view help) {
  state_->app
      ->add_option_function<std::string>(
          std::string(name), [&target](const std::string& text) { target = text; }, std::string(help))
      ->required()
      ->configurable(false)
      ->type_name("");
}

void Command::optional_argument(std::string_view name, std::optional<std::string>& target, std::string_view help) {
  state_->app
      ->add_option_function<std::string>(
          std::string(name), [&target](const std::string& text) { target = text; }, std::string(help))
      ->configurable(false)
      ->type_name("");
}

}  // namespace autokernel::config
