#include <gmock/gmock.h>

#include <atomic>

#include "tests/contract/fencing.hpp"
#include "tests/support/a_job.hpp"
#include "tests/support/machine.hpp"
#include "tests/support/store_checker.hpp"

/// What every JobStore promises; the fake and the real one run the same suite, so the fake cannot drift.
namespace autokernel::test {
namespace {

using protocol::AckKind;
using protocol::DeviceKind;
using protocol::JobEnd;
using store::Cancel;
using store::CancelOutcome;
using store::Complete;
using store::CompleteOutcome;
using store::Due;
using store::Ending;
using store::JobState;
using store::JobStore;
using store::kRecordBytes;
using store::Lease;
using store::LossCause;
using store::Lost;
using store::LostOutcome;
using store::Started;
using store::Submit;
using store::Transition;
using testing::IsEmpty;
using testing::SizeIs;

enum class Kind { kMemory, kRedis };

/// One server for all tests of this program; each test has its own queue on it.
RedisServer& shared_server() {
  static RedisServer server;
  return server;
}

class JobStoreContract : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (GetParam() == Kind::kMemory) {
      place_ = std::make_unique<MemoryPlace>();
    } else {
      AUTOKERNEL_REQUIRE_REDIS_SERVER();
      static std::atomic<int> queues{0};
      auto place = std::make_unique<RedisPlace>(shared_server(), "contract" + std::to_string(++queues));
      redis_ = place.get();
      place_ = std::move(place);
    }
    store_ = place_->open();
    const auto epoch = store_->takeover({});
    ASSERT_TRUE(epoch) << epoch.error().message;
    epoch_ = *epoch;
  }
  /// Whatever a test did, the invariants hold.
  void TearDown() override {
    if (redis_ == nullptr) return;
    auto connection = shared_server().connect();
    CheckedRun run;
    run.queue = redis_->queue();
    run.finished = false;
    const auto violations = check_store(connection, run);
    ASSERT_TRUE(violations) << violations.error().message;
    EXPECT_THAT(*violations, IsEmpty());
  }

  JobId submit(const JobBuilder& job) {
    const auto outcome = store_->apply_one(job.submit());
    EXPECT_TRUE(outcome) << outcome.error().message;
    return outcome ? outcome->job : JobId{};
  }
  LeaseToken lease(JobId job, const std::string& worker = "w") {
    const LeaseToken token{epoch_, ++number_};
    const auto outcome = store_->apply_one(Lease{token, job, {worker}, {7}});
    EXPECT_TRUE(outcome && outcome->leased);
    return token;
  }
  LeaseToken run(JobId job, const std::string& worker = "w") {
    const LeaseToken token = lease(job, worker);
    EXPECT_TRUE(store_->apply_one(Started{token})->current);
    return token;
  }
  CompleteOutcome complete(LeaseToken token, const std::string& record = "record", const std::string& worker = "w") {
    const auto outcome = store_->apply_one(Complete{token, {worker}, "robust", record, "level1/a.py", ""});
    EXPECT_TRUE(outcome) << outcome.error().message;
    return *outcome;
  }
  LostOutcome lose(LeaseToken token, LossCause cause = LossCause::kSilent, const std::string& record = "",
                   bool only_worker = false) {
    const auto outcome = store_->apply_one(Lost{token, cause, 5000, record, only_worker, 3});
    EXPECT_TRUE(outcome) << outcome.error().message;
    return *outcome;
  }
  std::uint64_t count(JobState state) { return store_->counts()->at(state); }

  std::unique_ptr<StorePlace> place_;
  RedisPlace* redis_ = nullptr;
  std::unique_ptr<JobStore> store_;
  Epoch epoch_;
  std::uint64_t number_ = 0;
};

TEST_P(JobStoreContract, FencesWhateverIsLate) { EXPECT_THAT(check_fencing(*place_), IsEmpty()); }

TEST_P(JobStoreContract, EpochsRiseWithEachTakeover) {
  EXPECT_EQ(place_->open()->takeover({})->value, epoch_.value + 1);
  EXPECT_EQ(place_->open()->takeover({100})->value, 101U);
  EXPECT_EQ(place_->open()->takeover({5})->value, 102U);
}

TEST_P(JobStoreContract, OrdersJobsByArrivalLessTheirHeadStart) {
  const auto first = store_->apply_one(a_job("a").submit());
  const auto second = store_->apply_one(a_job("b").with_priority(0.5).submit());
  ASSERT_TRUE(first && second);
  EXPECT_LT(first->job, second->job);
  EXPECT_EQ(second->score, first->score + 1 - 500);
}

TEST_P(JobStoreContract, LeasesOnlyAQueuedJob) {
  const JobId job = submit(a_job("a"));
  lease(job);
  const auto second = store_->apply_one(Lease{{epoch_, 999}, job, {"w2"}, {8}});
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->leased);
  EXPECT_FALSE(store_->apply_one(Lease{{epoch_, 1000}, {12345}, {"w"}, {7}})->leased);
}

TEST_P(JobStoreContract, ALeaseCarriesTheSpecAndCountsAttempts) {
  const JobId job = submit(a_job("a"));
  const auto first = store_->apply_one(Lease{{epoch_, 1}, job, {"w"}, {7}});
  EXPECT_EQ(first->spec, a_job("a").submit().spec);
  EXPECT_EQ(first->attempt, 1);
  number_ = 1;
  lose({epoch_, 1});
  EXPECT_EQ(store_->apply_one(Lease{{epoch_, 2}, job, {"w"}, {7}})->attempt, 2);
}

TEST_P(JobStoreContract, ATokenNeverHoldsTwoJobs) {
  const JobId a = submit(a_job("a"));
  const JobId b = submit(a_job("b"));
  const LeaseToken token = lease(a);
  EXPECT_EQ(store_->apply_one(Lease{token, b, {"w"}, {7}}).error().code, Code::kInternal);
}

TEST_P(JobStoreContract, ALossBeforeTheStartKeepsThePlaceAndCountsNothing) {
  const auto submitted = store_->apply_one(a_job("a").submit());
  const auto lost = lose(lease(submitted->job));
  EXPECT_EQ(lost.state, JobState::kQueued);
  EXPECT_EQ(lost.score, submitted->score);
  EXPECT_EQ(lost.crashes, 0);
  EXPECT_EQ(count(JobState::kQueued), 1U);
}

TEST_P(JobStoreContract, AReleaseNeverCountsAsACrash) {
  const auto lost = lose(run(submit(a_job("a"))), LossCause::kReleased);
  EXPECT_EQ(lost.state, JobState::kQueued);
  EXPECT_EQ(lost.crashes, 0);
}

TEST_P(JobStoreContract, ACrashRestsUntilItIsDueAndRejoinsAtTheTail) {
  const JobId job = submit(a_job("a"));
  const JobId other = submit(a_job("b"));
  const auto lost = lose(run(job));
  EXPECT_EQ(lost.state, JobState::kDelayed);
  EXPECT_EQ(lost.crashes, 1);
  EXPECT_EQ(count(JobState::kDelayed), 1U);

  const auto due = store_->apply_one(Due{job});
  ASSERT_TRUE(due && due->queued);
  EXPECT_GT(due->score, static_cast<double>(other.value));
  const auto again = store_->apply_one(Due{job});
  EXPECT_TRUE(again->queued);
  EXPECT_EQ(again->score, due->score);
  lease(job);
  EXPECT_FALSE(store_->apply_one(Due{job})->queued);
}

TEST_P(JobStoreContract, AnInfrastructureFailureIsACrashEvenBeforeTheStart) {
  EXPECT_EQ(lose(lease(submit(a_job("a"))), LossCause::kInfrastructure, "failure").state, JobState::kDelayed);
}

TEST_P(JobStoreContract, ThreeCrashesOnTwoWorkersQuarantine) {
  const JobId job = submit(a_job("a"));
  for (const char* worker : {"w1", "w1", "w2"}) {
    const auto lost = lose(run(job, worker), LossCause::kInfrastructure, std::string("failed on ") + worker);
    if (lost.crashes < 3) {
      EXPECT_EQ(lost.state, JobState::kDelayed);
      ASSERT_TRUE(store_->apply_one(Due{job})->queued);
    } else {
      EXPECT_EQ(lost.state, JobState::kQuarantined);
    }
  }
  EXPECT_EQ(count(JobState::kQuarantined), 1U);
  const auto page = store_->finished_since("", 10);
  ASSERT_THAT(page->endings, SizeIs(1));
  EXPECT_EQ(page->endings[0].end, JobEnd::kQuarantined);
  EXPECT_EQ(page->endings[0].record, "failed on w2");
}

TEST_P(JobStoreContract, AQuarantinedJobIsMadeAnewWhenItIsSubmittedAgain) {
  const JobId given_up = submit(a_job("a"));
  const auto quarantine = [&](JobId job) {
    for (int crash = 1; crash <= 3; ++crash) {
      lose(run(job), LossCause::kInfrastructure, "failed", true);
      if (crash == 3) break;
      ASSERT_TRUE(store_->apply_one(Due{job})->queued);
    }
  };
  quarantine(given_up);
  const auto again = store_->apply_one(a_job("a").submit());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_FALSE(again->duplicate);
  EXPECT_GT(again->job, given_up);
  EXPECT_EQ(again->score, static_cast<double>(again->job.value));
  const auto repeated = store_->apply_one(a_job("a").submit());
  EXPECT_TRUE(repeated->duplicate);
  EXPECT_EQ(repeated->job, again->job);

  quarantine(again->job);  // its crashes are counted afresh: three more, or this would fail
  const JobId third = submit(a_job("a"));
  complete(run(third), "verdict");
  const auto page = store_->finished_since("", 10);
  ASSERT_THAT(page->endings, SizeIs(3));
  EXPECT_EQ(page->endings[0].job, given_up);
  EXPECT_EQ(page->endings[0].record, "failed");
  EXPECT_EQ(page->endings[2].job, third);
  EXPECT_EQ(page->endings[2].record, "verdict");
  EXPECT_EQ(page->endings[2].key, page->endings[0].key);
  EXPECT_EQ(count(JobState::kQuarantined), 2U);
  EXPECT_TRUE(store_->apply_one(a_job("a").submit())->duplicate) << "a verdict is final";
}

TEST_P(JobStoreContract, OneBadWorkerAmongSeveralQuarantinesNothing) {
  const JobId job = submit(a_job("a"));
  for (int crash = 1; crash <= 4; ++crash) {
    EXPECT_EQ(lose(run(job, "bad")).state, JobState::kDelayed);
    ASSERT_TRUE(store_->apply_one(Due{job})->queued);
  }
}

TEST_P(JobStoreContract, TheOnlyWorkerQuarantinesAlone) {
  const JobId job = submit(a_job("a"));
  for (int crash = 1; crash <= 3; ++crash) {
    const auto lost = lose(run(job), LossCause::kSilent, "", true);
    EXPECT_EQ(lost.state, crash < 3 ? JobState::kDelayed : JobState::kQuarantined);
    if (crash == 3) break;
    ASSERT_TRUE(store_->apply_one(Due{job})->queued);
  }
}

TEST_P(JobStoreContract, AResultNeedsTheWorkerThatHoldsTheLease) {
  const LeaseToken token = run(submit(a_job("a")), "w");
  EXPECT_EQ(complete(token, "forged", "thief").ack, AckKind::kStale);
  EXPECT_EQ(complete(token, "honest", "w").ack, AckKind::kStored);
  EXPECT_EQ(store_->finished_since("", 10)->endings.at(0).record, "honest");
}

TEST_P(JobStoreContract, AResultMayOvertakeItsStarted) {
  const LeaseToken token = lease(submit(a_job("a")));
  EXPECT_EQ(complete(token).ack, AckKind::kStored);
  EXPECT_FALSE(store_->apply_one(Started{token})->current);
  EXPECT_EQ(count(JobState::kDone), 1U);
}

TEST_P(JobStoreContract, AResultAfterACrashForgetsTheCrashes) {
  const JobId job = submit(a_job("a"));
  lose(run(job, "w1"), LossCause::kInfrastructure, "failure");
  ASSERT_TRUE(store_->apply_one(Due{job})->queued);
  EXPECT_EQ(complete(run(job, "w2"), "good", "w2").ack, AckKind::kStored);
  EXPECT_EQ(store_->finished_since("", 10)->endings.at(0).record, "good");
}

TEST_P(JobStoreContract, CancelsFromEveryLiveState) {
  const JobId queued = submit(a_job("queued"));
  const JobId leased = submit(a_job("leased"));
  const LeaseToken token = lease(leased);
  const JobId running = submit(a_job("running"));
  const LeaseToken running_token = run(running);
  const JobId delayed = submit(a_job("delayed"));
  lose(run(delayed));
  for (const JobId job : {queued, leased, running, delayed}) {
    const auto cancelled = store_->apply_one(Cancel{job});
    ASSERT_TRUE(cancelled && cancelled->cancelled);
    const auto expected = job == leased    ? std::optional(token)
                          : job == running ? std::optional(running_token)
                                           : std::nullopt;
    EXPECT_EQ(cancelled->token, expected);
    EXPECT_TRUE(store_->apply_one(Cancel{job})->cancelled);
  }
  EXPECT_EQ(count(JobState::kCancelled), 4U);
  EXPECT_THAT(store_->adopt()->queued, IsEmpty());
}

TEST_P(JobStoreContract, CancelsNothingThatHasEnded) {
  const JobId done = submit(a_job("done"));
  complete(run(done));
  EXPECT_FALSE(store_->apply_one(Cancel{done})->cancelled);
  EXPECT_FALSE(store_->apply_one(Cancel{{12345}})->cancelled);
  EXPECT_EQ(count(JobState::kDone), 1U);
}

TEST_P(JobStoreContract, ASuccessorLoadsAllThatWaitsAndAllThatIsLeased) {
  const JobId queued = submit(a_job("queued").needs(DeviceKind::kCuda).with_priority(1));
  const JobId delayed = submit(a_job("delayed"));
  lose(run(delayed, "bad"));
  const JobId leased = submit(a_job("leased"));
  const LeaseToken token = run(leased);
  complete(run(submit(a_job("done"))));

  const auto successor = place_->open();
  ASSERT_TRUE(successor->takeover({}));
  const auto snapshot = successor->adopt();
  ASSERT_TRUE(snapshot) << snapshot.error().message;
  ASSERT_THAT(snapshot->queued, SizeIs(1));
  EXPECT_EQ(snapshot->queued[0].job, queued);
  EXPECT_EQ(snapshot->queued[0].needs, DeviceKind::kCuda);
  EXPECT_EQ(snapshot->queued[0].problem, "level1/queued.py");
  EXPECT_EQ(snapshot->queued[0].score, static_cast<double>(queued.value) - 1000);
  ASSERT_THAT(snapshot->delayed, SizeIs(1));
  EXPECT_EQ(snapshot->delayed[0].job, delayed);
  EXPECT_EQ(snapshot->delayed[0].due_ms, 5000);
  EXPECT_EQ(snapshot->delayed[0].crashed_on, std::vector<std::string>{"bad"});
  ASSERT_THAT(snapshot->leased, SizeIs(1));
  EXPECT_EQ(snapshot->leased[0].token, token);
  EXPECT_EQ(snapshot->leased[0].job, leased);
  EXPECT_EQ(snapshot->leased[0].worker.value, "w");
  EXPECT_EQ(snapshot->leased[0].incarnation.value, 7U);
  EXPECT_TRUE(snapshot->leased[0].running);
  EXPECT_EQ(snapshot->leased[0].attempt, 1);
  EXPECT_EQ(snapshot->leased[0].spec, a_job("leased").submit().spec);
}

TEST_P(JobStoreContract, KeepsAProblemsHistoryWithItsResult) {
  const LeaseToken token = run(submit(a_job("a")));
  ASSERT_TRUE(store_->apply_one(Complete{token, {"w"}, "robust", "r", "level1/a.py", "learnt"}));
  ASSERT_TRUE(store_->apply_one(Complete{token, {"w"}, "robust", "r", "level1/a.py", "learnt twice"}));
  EXPECT_EQ(store_->adopt()->history, (std::map<std::string, std::string>{{"level1/a.py", "learnt"}}));
}

TEST_P(JobStoreContract, PagesEndingsInTheirOrderOnceEach) {
  std::vector<std::uint64_t> ended;
  for (int i = 0; i < 25; ++i) {
    const JobId job = submit(a_job(std::to_string(i)));
    if (i % 5 == 4) {
      ASSERT_TRUE(store_->apply_one(Cancel{job})->cancelled);
    } else {
      complete(run(job), "record " + std::to_string(i));
    }
    ended.push_back(job.value);
  }
  std::vector<std::uint64_t> seen;
  std::string cursor;
  for (;;) {
    const auto page = store_->finished_since(cursor, 7);
    ASSERT_TRUE(page) << page.error().message;
    EXPECT_LE(page->endings.size(), 7U);
    cursor = page->cursor;
    if (page->endings.empty()) break;
    for (const Ending& ending : page->endings) {
      seen.push_back(ending.job.value);
      EXPECT_EQ(ending.record.empty(), ending.end == JobEnd::kCancelled);
      EXPECT_FALSE(ending.key.value.empty());
    }
  }
  EXPECT_EQ(seen, ended);
}

TEST_P(JobStoreContract, ACursorOutlivesTheCoordinator) {
  complete(run(submit(a_job("a"))));
  const auto page = store_->finished_since("", 10);
  const auto successor = place_->open();
  ASSERT_TRUE(successor->takeover({}));
  EXPECT_THAT(successor->finished_since(page->cursor, 10)->endings, IsEmpty());
}

TEST_P(JobStoreContract, RefusesAForeignCursor) {
  EXPECT_EQ(store_->finished_since("nonsense", 10).error().code, Code::kInvalid);
}

TEST_P(JobStoreContract, AppliesManyInOrder) {
  const JobId job = submit(a_job("a"));
  const LeaseToken token{epoch_, 1};
  const std::vector<Transition> batch{a_job("b").submit(), Lease{token, job, {"w"}, {7}}, Started{token},
                                      Complete{token, {"w"}, "robust", "r", "", ""}, Cancel{job}};
  const auto outcomes = store_->apply(batch);
  ASSERT_THAT(outcomes, SizeIs(5));
  for (const auto& outcome : outcomes) EXPECT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(std::get<CompleteOutcome>(*outcomes[3]).ack, AckKind::kStored);
  EXPECT_FALSE(std::get<CancelOutcome>(*outcomes[4]).cancelled);
}

TEST_P(JobStoreContract, KeepsSpecsAndRecordsByteForByte) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
  std::string large;
  while (large.size() < kRecordBytes) large += bytes;
  Submit submit = a_job("a").submit();
  submit.spec = bytes;
  const JobId job = store_->apply_one(submit)->job;
  EXPECT_EQ(*store_->spec_of(job), bytes);
  complete(run(job), large);
  EXPECT_EQ(store_->finished_since("", 1)->endings.at(0).record, large);
  EXPECT_EQ(store_->spec_of({12345}).error().code, Code::kNotFound);
}

INSTANTIATE_TEST_SUITE_P(Stores, JobStoreContract, testing::Values(Kind::kMemory, Kind::kRedis),
                         [](const auto& kind) { return kind.param == Kind::kMemory ? "Memory" : "Redis"; });

}  // namespace
}  // namespace autokernel::test
