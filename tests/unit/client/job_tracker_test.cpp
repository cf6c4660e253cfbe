#include "client/queue/job_tracker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace autokernel::client {
namespace {

using namespace std::chrono_literals;
using protocol::Finished;
using protocol::FinishedJob;
using protocol::Submit;
using protocol::Submitted;
using protocol::Watch;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<QueuedJob> jobs_named(const std::vector<std::string>& keys) {
  std::vector<QueuedJob> jobs;
  jobs.reserve(keys.size());
  for (const std::string& key : keys) jobs.push_back(QueuedJob{key, 0, {}});
  return jobs;
}

std::vector<std::string> submitted_keys(const std::vector<protocol::ClientMessage>& messages) {
  std::vector<std::string> keys;
  for (const auto& message : messages) {
    if (const auto* submit = std::get_if<Submit>(&message)) keys.push_back(submit->submit_key);
  }
  return keys;
}

std::optional<std::string> watch_cursor(const std::vector<protocol::ClientMessage>& messages) {
  for (const auto& message : messages) {
    if (const auto* watch = std::get_if<Watch>(&message)) return watch->cursor;
  }
  return std::nullopt;
}

FinishedJob ended(const std::string& key) {
  FinishedJob job;
  job.submit_key = key;
  job.record = protocol::Record{};
  return job;
}

class JobTrackerTest : public ::testing::Test {
 protected:
  /// The keys of what a message makes known as ended.
  std::vector<std::string> accepted(JobTracker& tracker, const protocol::ToClientMessage& message) {
    const auto finished = tracker.accept(message);
    EXPECT_TRUE(finished);
    std::vector<std::string> keys;
    for (const FinishedJob& job : *finished) keys.push_back(job.submit_key);
    return keys;
  }
  ManualClock clock_;
};

TEST_F(JobTrackerTest, SubmitsInOrderAndOnlyOnce) {
  JobTracker tracker(clock_, jobs_named({"a", "b"}));
  EXPECT_THAT(submitted_keys(tracker.due()), ElementsAre("a", "b"));
  EXPECT_THAT(submitted_keys(tracker.due()), IsEmpty());
}

TEST_F(JobTrackerTest, KeepsNoMoreThanItsWindowUnanswered) {
  JobTracker::Settings settings;
  settings.window = 2;
  JobTracker tracker(clock_, jobs_named({"a", "b", "c"}), settings);
  EXPECT_THAT(submitted_keys(tracker.due()), ElementsAre("a", "b"));
  accepted(tracker, Submitted{"a", 1, false});
  EXPECT_THAT(submitted_keys(tracker.due()), ElementsAre("c"));
}

TEST_F(JobTrackerTest, SubmitsAgainWhatIsNotAnswered) {
  JobTracker tracker(clock_, jobs_named({"a", "b"}));
  ASSERT_THAT(submitted_keys(tracker.due()), SizeIs(2));
  accepted(tracker, Submitted{"a", 1, false});
  clock_.advance(6s);
  EXPECT_THAT(submitted_keys(tracker.due()), ElementsAre("b"));
}

TEST_F(JobTrackerTest, WaitsAsLongAsBusySays) {
  JobTracker tracker(clock_, jobs_named({"a"}));
  ASSERT_THAT(submitted_keys(tracker.due()), SizeIs(1));
  accepted(tracker, protocol::Busy{"a", 700});
  EXPECT_THAT(submitted_keys(tracker.due()), IsEmpty());
  clock_.advance(701ms);
  EXPECT_THAT(submitted_keys(tracker.due()), ElementsAre("a"));
}

TEST_F(JobTrackerTest, WatchesFromTheBeginningAndThenFromTheCursor) {
  JobTracker tracker(clock_, jobs_named({"a", "b"}));
  EXPECT_EQ(watch_cursor(tracker.due()), "");
  EXPECT_EQ(watch_cursor(tracker.due()), std::nullopt) << "one question at a time";
  accepted(tracker, Finished{"7-0", {ended("a")}});
  clock_.advance(201ms);
  EXPECT_EQ(watch_cursor(tracker.due()), "7-0");
}

TEST_F(JobTrackerTest, AsksAtOnceForTheRestOfAFullAnswer) {
  JobTracker::Settings settings;
  settings.watch_limit = 1;
  JobTracker tracker(clock_, jobs_named({"a", "b"}), settings);
  ASSERT_EQ(watch_cursor(tracker.due()), "");
  accepted(tracker, Finished{"7-0", {ended("a")}});
  EXPECT_EQ(watch_cursor(tracker.due()), "7-0");
}

TEST_F(JobTrackerTest, ReportsAnEndOnceHoweverOftenItIsTold) {
  JobTracker tracker(clock_, jobs_named({"a", "b"}));
  ASSERT_THAT(tracker.due(), ::testing::Not(IsEmpty()));
  EXPECT_THAT(accepted(tracker, Finished{"1-0", {ended("a")}}), ElementsAre("a"));
  EXPECT_THAT(accepted(tracker, Finished{"1-0", {ended("a")}}), IsEmpty());
  EXPECT_FALSE(tracker.done());
  EXPECT_THAT(accepted(tracker, Finished{"2-0", {ended("b")}}), ElementsAre("b"));
  EXPECT_TRUE(tracker.done());
  EXPECT_THAT(tracker.due(), IsEmpty());
}

TEST_F(JobTrackerTest, PassesOverJobsOfOthers) {
  JobTracker tracker(clock_, jobs_named({"a"}));
  EXPECT_THAT(accepted(tracker, Finished{"1-0", {ended("stranger")}}), IsEmpty());
  EXPECT_EQ(tracker.unfinished(), 1U);
}

TEST_F(JobTrackerTest, DoesNotSubmitWhatAnEarlierRunFinished) {
  JobTracker::Settings settings;
  settings.window = 1;
  JobTracker tracker(clock_, jobs_named({"a", "b"}), settings);
  ASSERT_THAT(submitted_keys(tracker.due()), ElementsAre("a"));
  EXPECT_THAT(accepted(tracker, Finished{"9-0", {ended("b"), ended("a")}}), ElementsAre("b", "a"));
  EXPECT_TRUE(tracker.done());
}

FinishedJob quarantined(const std::string& key, std::uint64_t number) {
  FinishedJob job = ended(key);
  job.job = number;
  job.end = protocol::JobEnd::kQuarantined;
  return job;
}

TEST_F(JobTrackerTest, AQuarantineOfAnEarlierLifeEndsNothing) {
  JobTracker tracker(clock_, jobs_named({"a"}));
  ASSERT_THAT(submitted_keys(tracker.due()), ElementsAre("a"));
  EXPECT_THAT(accepted(tracker, Finished{"1-0", {quarantined("a", 3)}}), IsEmpty());
  EXPECT_THAT(accepted(tracker, Submitted{"a", 8, false}), IsEmpty());
  EXPECT_THAT(accepted(tracker, Finished{"1-0", {quarantined("a", 3)}}), IsEmpty());
  EXPECT_THAT(accepted(tracker, Finished{"2-0", {quarantined("a", 8)}}), ElementsAre("a"));
  EXPECT_TRUE(tracker.done());
}

TEST_F(JobTrackerTest, AQuarantineToldBeforeTheAcknowledgementIsKeptForIt) {
  JobTracker tracker(clock_, jobs_named({"a"}));
  ASSERT_THAT(submitted_keys(tracker.due()), ElementsAre("a"));
  EXPECT_THAT(accepted(tracker, Finished{"1-0", {quarantined("a", 3)}}), IsEmpty());
  EXPECT_THAT(accepted(tracker, Submitted{"a", 3, true}), ElementsAre("a"));
  EXPECT_TRUE(tracker.done());
}

TEST_F(JobTrackerTest, AVerdictCountsWhicheverLifeItIsOf) {
  JobTracker tracker(clock_, jobs_named({"a"}));
  ASSERT_THAT(submitted_keys(tracker.due()), ElementsAre("a"));
  EXPECT_THAT(accepted(tracker, Finished{"2-0", {quarantined("a", 3), ended("a")}}), ElementsAre("a"));
}

TEST_F(JobTrackerTest, SendsAllThatIsUnansweredOverANewConnection) {
  JobTracker tracker(clock_, jobs_named({"a", "b"}));
  ASSERT_THAT(submitted_keys(tracker.due()), SizeIs(2));
  accepted(tracker, Submitted{"a", 1, false});
  tracker.reconnected();
  const auto messages = tracker.due();
  EXPECT_THAT(submitted_keys(messages), ElementsAre("b"));
  EXPECT_EQ(watch_cursor(messages), "");
}

TEST_F(JobTrackerTest, CountsSilenceOnlyFromTheLastAnswer) {
  JobTracker tracker(clock_, jobs_named({"a"}));
  ASSERT_THAT(tracker.due(), ::testing::Not(IsEmpty()));
  clock_.advance(3s);
  EXPECT_EQ(tracker.silence(), 3s);
  accepted(tracker, Finished{"", {}});
  EXPECT_EQ(tracker.silence(), 0s);
}

TEST_F(JobTrackerTest, RemembersTheLastStatus) {
  JobTracker tracker(clock_, jobs_named({"a"}));
  protocol::StatusReply reply;
  reply.epoch = 3;
  accepted(tracker, reply);
  ASSERT_TRUE(tracker.status());
  EXPECT_EQ(tracker.status()->epoch, 3U);
}

TEST_F(JobTrackerTest, ARefusalEndsTheRun) {
  JobTracker tracker(clock_, jobs_named({"a"}));
  const auto refused = tracker.accept(protocol::Reject{protocol::RejectCode::kUpgrade, "AK/2 is spoken here"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kInvalid);
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("AK/2 is spoken here"));
}

/// Any order of losses ends with every job reported once.
TEST_F(JobTrackerTest, ReportsEveryJobOnceWhateverIsLost) {
  std::vector<std::string> keys;
  keys.reserve(40);
  for (int number = 0; number < 40; ++number) keys.push_back(fmt::format("job{}", number));
  JobTracker tracker(clock_, jobs_named(keys));
  std::vector<std::string> store;  // what a coordinator would have committed, in order
  std::multiset<std::string> reported;
  unsigned dice = 7;
  const auto lost = [&] {
    dice = dice * 1103515245U + 12345U;
    return (dice >> 16U) % 3 == 0;
  };
  for (int round = 0; round < 2000 && !tracker.done(); ++round) {
    for (const auto& message : tracker.due()) {
      if (lost()) continue;
      if (const auto* submit = std::get_if<Submit>(&message)) {
        if (std::find(store.begin(), store.end(), submit->submit_key) == store.end())
          store.push_back(submit->submit_key);
        if (!lost()) accepted(tracker, Submitted{submit->submit_key, 1, false});
      } else if (const auto* watch = std::get_if<Watch>(&message)) {
        std::size_t from = watch->cursor.empty() ? 0 : std::stoul(watch->cursor);
        Finished reply;
        for (; from < store.size() && reply.jobs.size() < watch->limit; ++from)
          reply.jobs.push_back(ended(store[from]));
        reply.cursor = std::to_string(from);
        if (lost()) continue;
        for (const std::string& key : accepted(tracker, reply)) reported.insert(key);
      }
    }
    if (lost() && lost()) tracker.reconnected();
    clock_.advance(100ms);
  }
  EXPECT_TRUE(tracker.done());
  EXPECT_EQ(reported, std::multiset<std::string>(keys.begin(), keys.end()));
}

}  // namespace
}  // namespace autokernel::client
