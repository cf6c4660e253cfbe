#include "coordinator/store/store_thread.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "coordinator/store/in_memory_job_store.hpp"
#include "tests/support/a_job.hpp"

namespace autokernel::store {
namespace {

using namespace std::chrono_literals;
using test::a_job;

/// A store whose answers get lost now and then, before or after it did its work.
class FlakyStore final : public JobStore {
 public:
  struct Controls {
    std::atomic<int> lose_before{0};
    std::atomic<int> lose_after{0};
    std::atomic<int> round_trips{0};
    std::atomic<std::size_t> largest_batch{0};
  };
  FlakyStore(std::shared_ptr<InMemoryDatabase> database, Controls& controls)
      : store_(std::move(database)), controls_(controls) {}

  Result<Epoch> takeover(Epoch at_least) override { return store_.takeover(at_least); }
  std::vector<Result<Outcome>> apply(std::span<const Transition> transitions) override {
    ++controls_.round_trips;
    controls_.largest_batch = std::max(controls_.largest_batch.load(), transitions.size());
    std::vector<Result<Outcome>> lost(transitions.size(), fail(Code::kUnavailable, "gone"));
    if (controls_.lose_before.fetch_sub(1) > 0) return lost;
    auto outcomes = store_.apply(transitions);
    return controls_.lose_after.fetch_sub(1) > 0 ? lost : outcomes;
  }
  Result<Snapshot> adopt() override { return store_.adopt(); }
  Result<Counts> counts() override { return store_.counts(); }
  Result<EndingsPage> finished_since(const std::string& cursor, std::size_t limit) override {
    return store_.finished_since(cursor, limit);
  }
  Result<std::string> spec_of(JobId job) override { return store_.spec_of(job); }

 private:
  InMemoryJobStore store_;
  Controls& controls_;
};

class StoreThreadTest : public testing::Test {
 protected:
  std::unique_ptr<StoreThread> start() {
    auto store = std::make_unique<FlakyStore>(database_, controls_);
    AUTOKERNEL_CHECK(store->takeover({}).has_value());
    return std::make_unique<StoreThread>(std::move(store), waker_, StoreThreadOptions{1ms, 2ms, 64, 1U << 20U});
  }
  /// Waits for the store thread by its waker, as the dispatch thread does.
  void deliver_all(StoreThread& line) {
    transport::Poll poll;
    poll.add_fd(waker_.fd());
    while (line.backlog() > 0) {
      ASSERT_TRUE(poll.wait(1000ms));
      waker_.drain();
      line.deliver();
    }
  }

  std::shared_ptr<InMemoryDatabase> database_ = std::make_shared<InMemoryDatabase>();
  FlakyStore::Controls controls_;
  transport::Waker waker_;
};

TEST_F(StoreThreadTest, AnswersInTheOrderAsked) {
  const auto line = start();
  std::vector<std::uint64_t> jobs;
  for (const char* name : {"a", "b", "c"}) {
    line->apply(a_job(name).submit(), [&](Result<SubmitOutcome> outcome) { jobs.push_back(outcome->job.value); });
  }
  std::uint64_t queued = 0;
  line->counts([&](Result<Counts> counts) { queued = counts->at(JobState::kQueued); });
  deliver_all(*line);
  EXPECT_EQ(jobs, (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(queued, 3U);
}

TEST_F(StoreThreadTest, RepeatsUntilTheStoreIsBack) {
  controls_.lose_before = 3;
  const auto line = start();
  bool done = false;
  line->apply(a_job("a").submit(), [&](Result<SubmitOutcome> outcome) { done = outcome && !outcome->duplicate; });
  deliver_all(*line);
  EXPECT_TRUE(done);
  EXPECT_TRUE(line->reachable());
}

TEST_F(StoreThreadTest, ALostAnswerChangesNothing) {
  controls_.lose_after = 1;
  const auto line = start();
  std::uint64_t job = 0;
  line->apply(a_job("a").submit(), [&](Result<SubmitOutcome> outcome) { job = outcome->job.value; });
  deliver_all(*line);
  EXPECT_EQ(job, 1U);
  EXPECT_EQ(database_->jobs.size(), 1U);
}

TEST_F(StoreThreadTest, SendsWhatWaitsTogether) {
  controls_.lose_before = 1;  // while the first is repeated, the others gather
  const auto line = start();
  for (int i = 0; i < 40; ++i) {
    line->apply(a_job(std::to_string(i)).submit(), [](const Result<SubmitOutcome>&) {});
  }
  deliver_all(*line);
  EXPECT_EQ(database_->jobs.size(), 40U);
  EXPECT_LT(controls_.round_trips.load(), 40);
  EXPECT_GT(controls_.largest_batch.load(), 1U);
}

TEST_F(StoreThreadTest, TellsThatAnotherLeads) {
  const auto line = start();
  InMemoryJobStore successor(database_);
  ASSERT_TRUE(successor.takeover({}));
  Code code = Code::kInternal;
  line->apply(a_job("a").submit(), [&](Result<SubmitOutcome> outcome) { code = outcome.error().code; });
  deliver_all(*line);
  EXPECT_EQ(code, Code::kStale);
}

TEST_F(StoreThreadTest, EndsWhileTheStoreIsAway) {
  controls_.lose_before = 1'000'000;
  const auto line = start();
  line->apply(a_job("a").submit(), [](const Result<SubmitOutcome>&) {});
}

}  // namespace
}  // namespace autokernel::store
