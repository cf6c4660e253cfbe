#include "tests/sweep/client_process.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "client/run_folder/results_log.hpp"
#include "common/system/file.hpp"
#include "kernelbench/export/record_json.hpp"

namespace autokernel::test {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{64} << 20U;

}  // namespace

Workplace::Workplace() {
  environment_ = {{"AUTOKERNEL_CACHE_DIR", (folder_.path() / "cache").string()},
                  {"AUTOKERNEL_COORDINATOR_RETRY_BASE_MS", "200"},
                  {"NO_COLOR", "1"}};
}

void Workplace::use_fake_runner() { environment_["AUTOKERNEL_WORKER_RUNNER"] = AUTOKERNEL_FAKE_RUNNER; }

system::ChildProcess Workplace::start(const std::vector<std::string>& arguments) const {
  system::ProcessOptions options;
  // exec: the process that the test kills is the client itself, not a shell.
  options.arguments = {"/bin/sh",
                       "-c",
                       "cd \"$1\" && shift && exec \"$@\" >stdout.txt 2>stderr.txt",
                       "sh",
                       folder_.path().string(),
                       AUTOKERNEL_PROGRAM};
  options.arguments.insert(options.arguments.end(), arguments.begin(), arguments.end());
  options.environment = environment_;
  auto started = system::ChildProcess::start(options);
  AUTOKERNEL_CHECK(started.has_value());
  return *std::move(started);
}

CallResult Workplace::call(const std::vector<std::string>& arguments, std::chrono::seconds limit) const {
  system::ChildProcess process = start(arguments);
  const auto status = process.wait(limit);
  EXPECT_TRUE(status) << "still running after " << limit.count() << " s; stderr:\n" << errors();
  return CallResult{status.value_or(system::ExitStatus{-1, 0}), output(), errors()};
}

void Workplace::put(const std::string& name, const std::string& text) const {
  const auto path = folder_.path() / name;
  std::filesystem::create_directories(path.parent_path());
  const auto written = system::write_file(path, text);
  AUTOKERNEL_CHECK(written.has_value());
}

std::string Workplace::text_of(const std::string& name) const {
  const auto text = system::read_file(folder_.path() / name, kMaxBytes);
  return text ? *text : std::string();
}

std::map<std::string, protocol::Record> verdicts_in(const std::filesystem::path& results) {
  std::map<std::string, protocol::Record> verdicts;
  const auto text = system::read_file(results, kMaxBytes);
  if (!text) return verdicts;
  for (std::size_t begin = 0; begin < text->size();) {
    const auto end = std::min(text->find('\n', begin), text->size());
    const auto record = kernelbench::parse_record(std::string_view(*text).substr(begin, end - begin));
    if (!record) {
      ADD_FAILURE() << "a line is no verdict: " << record.error().message;
    } else if (!verdicts.emplace(client::identity_of(*record), *record).second) {
      ADD_FAILURE() << "two verdicts on " << client::identity_of(*record);
    }
    begin = end + 1;
  }
  return verdicts;
}

bool wait_for_verdicts(const std::filesystem::path& results, std::size_t count, system::ChildProcess& process) {
  for (;;) {
    const auto text = system::read_file(results, kMaxBytes);
    if (text && static_cast<std::size_t>(std::count(text->begin(), text->end(), '\n')) >= count) return true;
    if (process.poll()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace autokernel::test
