#pragma once

#include <memory>
#include <string>

#include "common/config/program.hpp"
#include "common/protocol/record.hpp"
#include "common/result/result.hpp"

namespace autokernel::client {

/// One command of `autokernel`: its options are bound when it is made, run() does the work after they are parsed.
class ClientCommand {
 public:
  virtual ~ClientCommand() = default;
  /// The exit code. Prints its own results; an Error is printed by main().
  [[nodiscard]] virtual Result<int> run() = 0;
};

[[nodiscard]] std::unique_ptr<ClientCommand> make_sweep(config::Program& program);
[[nodiscard]] std::unique_ptr<ClientCommand> make_eval(config::Program& program);
[[nodiscard]] std::unique_ptr<ClientCommand> make_baseline(config::Program& program);
[[nodiscard]] std::unique_ptr<ClientCommand> make_score(config::Program& program);
[[nodiscard]] std::unique_ptr<ClientCommand> make_status(config::Program& program);
[[nodiscard]] std::unique_ptr<ClientCommand> make_doctor(config::Program& program);

/// Exit codes beside 0 (done).
inline constexpr int kNotCorrect = 1;  ///< eval: the candidate is not correct
inline constexpr int kBadInput = 2;
inline constexpr int kMachineFailed = 3;

/// eval's exit code: 0 for a correct candidate; a problem that fails by itself is the call's error, not the
/// candidate's.
[[nodiscard]] int exit_code_of(const protocol::Record& record);

}  // namespace autokernel::client
