#include "client/run/run_status.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/run_folder/run_folder.hpp"
#include "common/system/file.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/client/some_record.hpp"

namespace autokernel::client {
namespace {

using ::testing::HasSubstr;

TEST(RunStatus, AFolderWithoutARunIsNamed) {
  const test::TemporaryFolder folder;
  const auto status = status_of_run(folder.path());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kNotFound);
  EXPECT_THAT(status.error().message, HasSubstr("is no run folder"));
}

TEST(RunStatus, CountsTheVerdictsOfAnInterruptedRun) {
  const test::TemporaryFolder folder;
  RunDescription description;
  description.verdicts = 2;
  ASSERT_TRUE(RunFolder::open(folder / "run", description)->results().append(some_record("level1/1_a.py", "a.py")));
  const auto status = status_of_run(folder / "run");
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(status->state, "interrupted");
  EXPECT_THAT(status_text(*status), HasSubstr("interrupted, 1 of 2 verdicts: robust 1"));
}

TEST(RunStatus, ScoresMarkARunAsFinished) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(RunFolder::open(folder / "run", RunDescription{}));
  ASSERT_TRUE(system::write_file(folder / "run" / "scores.json", "{}"));
  EXPECT_EQ(status_of_run(folder / "run")->state, "finished");
}

TEST(RunStatus, SaysThatARunIsABaseline) {
  const test::TemporaryFolder folder;
  RunDescription description;
  description.command = "baseline";
  description.verdicts = 2;
  ASSERT_TRUE(RunFolder::open(folder / "run", description));
  const auto status = status_of_run(folder / "run");
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_THAT(status_text(*status), HasSubstr("run: baseline, interrupted, 0 of 2 references"));
  EXPECT_EQ(*status_value(*status).find("command"), protocol::Value(std::string("baseline")));
}

TEST(RunStatus, ShowsWorkersAndQueueOfARunningOne) {
  RunStatus status;
  status.run = "runs/a";
  status.state = "running";
  status.total = 9;
  status.queue.emplace();
  status.queue->jobs = {{"queued", 3}, {"running", 1}, {"done", 0}};
  protocol::WorkerStatus worker;
  worker.worker = "local";
  worker.devices = {{protocol::DeviceKind::kCuda, "GPU-1", "NVIDIA H200", 0}};
  worker.busy = {{"GPU-1", 0.93}};
  status.queue->workers = {worker};
  const std::string text = status_text(status);
  EXPECT_THAT(text, HasSubstr("queue: queued 3, running 1\n"));
  EXPECT_THAT(text, HasSubstr("worker local: 0 running, 0 places free, NVIDIA H200 busy 93%"));
}

TEST(NewestRun, IsTheLastByName) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(RunFolder::open(folder / "2026-01-01", RunDescription{}));
  ASSERT_TRUE(RunFolder::open(folder / "2026-01-02", RunDescription{}));
  std::filesystem::create_directories(folder / "2026-01-03");
  EXPECT_EQ(*newest_run(folder.path()), folder / "2026-01-02");
  EXPECT_EQ(newest_run(folder / "none").error().code, Code::kNotFound);
}

}  // namespace
}  // namespace autokernel::client
