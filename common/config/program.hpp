#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/protocol/describe.hpp"

/// What every program's main() reads its settings with; the only place that includes CLI11. A setting comes from the
/// command line, else from the environment (AUTOKERNEL_TRIALS for --trials of `autokernel`, AUTOKERNEL_WORKER_ID for
/// --id of `autokernel-worker`), else from autokernel.toml: its top level and [command] for `autokernel`, [worker] for
/// `autokernel-worker`. The first that has it wins.
namespace autokernel::config {

struct ProgramInfo {
  std::string name;                   ///< "autokernel-worker"
  std::string summary;                ///< one or two sentences, first in --help
  std::vector<std::string> examples;  ///< whole command lines, last in --help
  /// Environment variables of its prefix that are read, but not as options: no typos.
  std::vector<std::string> other_variables;
  std::vector<std::string> other_programs;  ///< "worker": what begins with AUTOKERNEL_WORKER_ is for that one
};

struct IntegerRange {
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
};

/// The options of one command, or of a program without commands. Targets keep their value when nothing sets them and
/// must outlive the Program. Names are long ones without dashes: "level".
class Command {
 public:
  struct State;
  explicit Command(std::unique_ptr<State> state);
  ~Command();
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  void flag(std::string_view name, bool& target, std::string_view help);
  /// --no-NAME: clears the target.
  void negated_flag(std::string_view name, bool& target, std::string_view help);
  void text(std::string_view name, std::string& target, std::string_view value, std::string_view help);
  void optional_text(std::string_view name, std::optional<std::string>& target, std::string_view value,
                     std::string_view help);
  /// Values separated by commas, by spaces, or by repeating the option.
  void list(std::string_view name, std::vector<std::string>& target, std::string_view value, std::string_view help);
  void integer(std::string_view name, std::int64_t& target, IntegerRange range, std::string_view help);
  void optional_integer(std::string_view name, std::optional<std::int64_t>& target, IntegerRange range,
                        std::string_view help);
  void natural(std::string_view name, std::uint64_t& target, std::string_view help);
  /// A number that is at least `low`.
  void number(std::string_view name, double& target, double low, std::string_view help);

  /// One name of the enum; any other is refused with the nearest one.
  template <protocol::NamedEnum E>
  void choice(std::string_view name, E& target, std::string_view help) {
    std::vector<std::string> known;
    for (const auto& [value, text] : names_of(E{})) known.emplace_back(text);
    name_choice(name, known, std::string(protocol::name_of(target)), help,
                [&target](const std::string& text) { target = *protocol::parse_name<E>(text); });
  }
  /// The same for names that are no enum; `standard` is shown as the default.
  void name_choice(std::string_view name, const std::vector<std::string>& known, const std::string& standard,
                   std::string_view help, const std::function<void(const std::string&)>& store);

  /// Arguments without a name, in the order of these calls.
  void argument(std::string_view name, std::string& target, std::string_view help);
  void optional_argument(std::string_view name, std::optional<std::string>& target, std::string_view help);

  [[nodiscard]] State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

/// What main() does after parsing: go on, or print and leave.
struct ParseOutcome {
  bool proceed = false;
  int exit_code = 0;
  std::string output;  ///< for stdout: help, version
  std::string error;   ///< for stderr: one message, which names what is wrong and the nearest right thing
  std::vector<std::string> warnings;  ///< for stderr, when it proceeds: variables that nothing reads
};

class Program {
 public:
  explicit Program(const ProgramInfo& info);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// The program's own options; for a program without commands these are all.
  [[nodiscard]] Command& options();
  [[nodiscard]] Command& command(const std::string& name, const std::string& summary,
                                 const std::vector<std::string>& examples);

  /// Once. Reads the environment and autokernel.toml too. Exit code 2 when the call, a variable or the file is wrong.
  [[nodiscard]] ParseOutcome parse(const std::vector<std::string>& arguments);

  /// parse() for a main(): prints, and returns the exit code when the program is to end now.
  [[nodiscard]] std::optional<int> parse_or_print(int argc, char** argv);

  /// The command that was asked for; empty when none was. Valid after parse().
  [[nodiscard]] std::string chosen() const;
  [[nodiscard]] std::string help() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace autokernel::config
