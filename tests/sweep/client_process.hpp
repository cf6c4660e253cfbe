#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "common/protocol/record.hpp"
#include "common/system/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace autokernel::test {

/// How a call of `autokernel` ended.
struct CallResult {
  system::ExitStatus status;
  std::string output;  ///< stdout
  std::string errors;  ///< stderr
};

/// A folder to call `autokernel` in, with settings that no person's environment disturbs. Retries come fast: a fault
/// test waits for them.
class Workplace {
 public:
  Workplace();

  /// The runner only pretends: candidates are robust unless their text says otherwise
  /// (tests/unit/worker/fake_runner.cpp).
  void use_fake_runner();
  void set(const std::string& variable, const std::string& value) { environment_[variable] = value; }

  [[nodiscard]] system::ChildProcess start(const std::vector<std::string>& arguments) const;
  /// Runs it to its end; aborts the test program after `limit`.
  [[nodiscard]] CallResult call(const std::vector<std::string>& arguments,
                                std::chrono::seconds limit = std::chrono::seconds(240)) const;

  void put(const std::string& name, const std::string& text) const;
  [[nodiscard]] std::string text_of(const std::string& name) const;
  /// What the last call printed so far.
  [[nodiscard]] std::string output() const { return text_of("stdout.txt"); }
  [[nodiscard]] std::string errors() const { return text_of("stderr.txt"); }
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return folder_.path() / name; }

 private:
  TemporaryFolder folder_;
  std::map<std::string, std::string> environment_;
};

/// "problem candidate" → verdict, of a results.jsonl. Records a test failure for a line that is no verdict, and for a
/// second verdict on the same.
[[nodiscard]] std::map<std::string, protocol::Record> verdicts_in(const std::filesystem::path& results);

/// Waits until results.jsonl has that many whole lines; false when the process ends first.
[[nodiscard]] bool wait_for_verdicts(const std::filesystem::path& results, std::size_t count,
                                     system::ChildProcess& process);

}  // namespace autokernel::test
