#include <gmock/gmock.h>

#include <csignal>

#include "common/protocol/describe.hpp"
#include "tests/contract/fencing.hpp"
#include "tests/support/a_job.hpp"
#include "tests/support/machine.hpp"
#include "tests/support/store_checker.hpp"

/// What only the real store can show: a server that is misconfigured, full, foreign, flushed, killed or hanging.
namespace autokernel::test {
namespace {

using namespace std::chrono_literals;
using protocol::AckKind;
using store::Cancel;
using store::Complete;
using store::Due;
using store::JobState;
using store::JobStore;
using store::Lease;
using store::LossCause;
using store::Lost;
using store::RedisConnection;
using store::RedisJobStore;
using store::RedisStoreOptions;
using store::Started;
using store::SubmitOutcome;
using store::text_of;
using store::Transition;
using testing::HasSubstr;
using testing::IsEmpty;

class RedisStore : public testing::Test {
 protected:
  void SetUp() override {
    AUTOKERNEL_REQUIRE_REDIS_SERVER();
    server_.emplace();
  }
  RedisJobStore open(std::chrono::milliseconds timeout = 5s) {
    RedisStoreOptions options;
    options.address = server_->address();
    options.queue = "q";
    options.timeout = timeout;
    return RedisJobStore(std::move(options));
  }
  void command(RedisConnection::Command words) {
    auto connection = server_->connect();
    const auto reply = connection.command(std::move(words));
    ASSERT_TRUE(reply) << reply.error().message;
  }
  /// A digest of the whole dataset.
  std::string dataset() {
    auto connection = server_->connect();
    return *text_of(**connection.command({"DEBUG", "DIGEST"}));
  }

  std::optional<RedisServer> server_;
};

TEST_F(RedisStore, RefusesAServerThatMayForget) {
  command({"CONFIG", "SET", "appendfsync", "everysec"});
  auto store = open();
  const auto epoch = store.takeover({});
  ASSERT_FALSE(epoch);
  EXPECT_EQ(epoch.error().code, Code::kInvalid);
  EXPECT_THAT(epoch.error().message, HasSubstr("appendfsync everysec"));

  command({"CONFIG", "SET", "appendfsync", "always"});
  command({"CONFIG", "SET", "appendonly", "no"});
  EXPECT_THAT(store.takeover({}).error().message, HasSubstr("appendonly no"));
  command({"CONFIG", "SET", "appendonly", "yes"});
  EXPECT_TRUE(store.takeover({}));
}

TEST_F(RedisStore, RefusesANewerOrForeignQueue) {
  command({"SET", "ak:{q}:schema", "2"});
  auto store = open();
  EXPECT_EQ(store.takeover({}).error().code, Code::kInvalid);
  EXPECT_THAT(store.takeover({}).error().message, HasSubstr("schema '2'"));
  command({"DEL", "ak:{q}:schema"});
  command({"SET", "ak:{q}:epoch", "5"});
  EXPECT_THAT(store.takeover({}).error().message, HasSubstr("schema 'missing'"));
  command({"DEL", "ak:{q}:epoch"});
  command({"SET", "ak:{q}:events", "a string"});
  EXPECT_THAT(store.takeover({}).error().message, HasSubstr("another program"));
}

TEST_F(RedisStore, QueuesOnOneServerDoNotMix) {
  auto store = open();
  ASSERT_TRUE(store.takeover({}));
  ASSERT_TRUE(store.apply_one(a_job("a").submit()));
  RedisPlace other(*server_, "other");
  auto elsewhere = other.open();
  EXPECT_EQ(elsewhere->takeover({})->value, 1U);
  EXPECT_THAT(elsewhere->adopt()->queued, IsEmpty());
}

/// Two jobs of each live state, and every transition that could happen to them.
struct LiveJobs {
  explicit LiveJobs(JobStore& store) {
    const Epoch epoch = *store.takeover({});
    const auto submit = [&](const char* name) { return store.apply_one(a_job(name).submit())->job; };
    const LeaseToken leased{epoch, 1};
    const LeaseToken running{epoch, 2};
    const LeaseToken lost{epoch, 3};
    const JobId queued = submit("queued");
    running_job = submit("running");
    const JobId delayed = submit("delayed");
    const std::vector<Transition> steps{
        Lease{leased, submit("leased"), {"w"}, {7}}, Lease{running, running_job, {"w"}, {7}}, Started{running},
        Lease{lost, delayed, {"w"}, {7}}, Lost{lost, LossCause::kInfrastructure, 1, "", false, 3}};
    for (const auto& outcome : store.apply(steps)) AUTOKERNEL_CHECK(outcome.has_value());
    possible = {a_job("new").submit(),
                Lease{{epoch, 9}, queued, {"w"}, {7}},
                Started{leased},
                Complete{running, {"w"}, "robust", "r", "p", "h"},
                Lost{running, LossCause::kSilent, 1, "r", false, 3},
                Lost{leased, LossCause::kReleased, 1, "r", false, 3},
                Cancel{queued},
                Cancel{running_job},
                Cancel{delayed},
                Due{delayed}};
  }
  JobId running_job;
  std::vector<Transition> possible;
};

TEST_F(RedisStore, AWrongTypeAnywhereLeavesTheDatasetAsItWas) {
  auto first = open();
  const std::string running = std::to_string(LiveJobs(first).running_job.value);
  for (const std::string& key :
       {std::string("epoch"), std::string("seq"), std::string("ready:any"), std::string("delayed"),
        std::string("quarantine"), std::string("leased"), std::string("dedup"), std::string("recorded"),
        std::string("totals"), std::string("history"), std::string("events"), "result:" + running,
        "crashed:" + running}) {
    std::size_t refused = 0;
    for (std::size_t i = 0; i < 10; ++i) {
      command({"FLUSHALL"});
      auto store = open();
      const Transition transition = LiveJobs(store).possible.at(i);
      command({"DEL", "ak:{q}:" + key});
      command({"RPUSH", "ak:{q}:" + key, "a list, which no key is"});
      const std::string before = dataset();
      const auto outcome = store.apply({&transition, 1});
      if (outcome[0]) continue;  // it does not touch the key
      ++refused;
      EXPECT_EQ(dataset(), before) << "key " << key << ", transition " << i << ": " << outcome[0].error().message;
    }
    EXPECT_GT(refused, 0U) << key;
  }
}

TEST_F(RedisStore, CompletesWhileTheServerIsFull) {
  auto store = open();
  const auto epoch = store.takeover({});
  const auto job = store.apply_one(a_job("a").submit())->job;
  const auto waiting = store.apply_one(a_job("b").submit())->job;
  const LeaseToken token{*epoch, 1};
  ASSERT_TRUE(store.apply_one(Lease{token, job, {"w"}, {7}})->leased);
  command({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_EQ(store.apply_one(a_job("c").submit()).error().code, Code::kExhausted);
  EXPECT_EQ(store.apply_one(Lease{{*epoch, 2}, waiting, {"w"}, {7}}).error().code, Code::kExhausted);
  EXPECT_TRUE(store.apply_one(Started{token})->current);
  EXPECT_EQ(store.apply_one(Complete{token, {"w"}, "robust", "r", "", ""})->ack, AckKind::kStored);
  EXPECT_TRUE(store.apply_one(Cancel{waiting})->cancelled);
  EXPECT_TRUE(open().takeover({}));
}

TEST_F(RedisStore, LoadsItsScriptsAgainAfterAFlush) {
  auto store = open();
  ASSERT_TRUE(store.takeover({}));
  command({"SCRIPT", "FLUSH"});
  const std::vector<Transition> batch{a_job("a").submit(), a_job("b").submit(), a_job("a").submit()};
  const auto outcomes = store.apply(batch);
  for (const auto& outcome : outcomes) ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_TRUE(std::get<SubmitOutcome>(*outcomes[2]).duplicate);
}

TEST_F(RedisStore, NothingAcknowledgedIsLostToAKill) {
  auto store = open();
  ASSERT_TRUE(store.takeover({}));
  CheckedRun run;
  run.queue = "q";
  run.finished = false;
  for (int kill = 0; kill < 3; ++kill) {
    for (int i = 0; i < 10; ++i) {
      const auto job = a_job(std::to_string(kill) + "-" + std::to_string(i));
      const auto outcome = store.apply_one(job.submit());
      ASSERT_TRUE(outcome) << outcome.error().message;
      run.acknowledged[job.key()] = outcome->job.value;
    }
    server_->kill();
    EXPECT_EQ(store.apply_one(a_job("while away").submit()).error().code, Code::kUnavailable);
    server_->start();
  }
  auto connection = server_->connect();
  EXPECT_THAT(*check_store(connection, run), IsEmpty());
  EXPECT_EQ(store.counts()->at(JobState::kQueued), 30U);
}

TEST_F(RedisStore, AHangingServerIsUnavailableAndItsLateReplyAnswersNothingElse) {
  auto store = open(200ms);
  ASSERT_TRUE(store.takeover({}));
  server_->send_signal(SIGSTOP);
  EXPECT_EQ(store.apply_one(a_job("a").submit()).error().code, Code::kUnavailable);
  server_->send_signal(SIGCONT);
  // The first attempt was executed or not; repeating it finds out, and no answer is taken for another's.
  Result<SubmitOutcome> again = fail(Code::kUnavailable, "not yet");
  for (int i = 0; i < 50 && !again; ++i) again = store.apply_one(a_job("a").submit());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*store.spec_of(again->job), a_job("a").submit().spec);
}

TEST_F(RedisStore, SaysWhereItFoundNobody) {
  server_->kill();
  auto store = open();
  const auto epoch = store.takeover({});
  ASSERT_FALSE(epoch);
  EXPECT_EQ(epoch.error().code, Code::kUnavailable);
  EXPECT_THAT(epoch.error().message, HasSubstr("redis.sock"));
}

}  // namespace
}  // namespace autokernel::test
