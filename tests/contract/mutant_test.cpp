#include <gmock/gmock.h>

#include <random>

#include "tests/contract/fencing.hpp"
#include "tests/support/a_job.hpp"
#include "tests/support/machine.hpp"
#include "tests/support/store_checker.hpp"

/// Scripts that are broken on purpose: a suite that stays green on them would prove nothing.
namespace autokernel::test {
namespace {

using store::Cancel;
using store::Complete;
using store::Due;
using store::JobStore;
using store::Lease;
using store::LossCause;
using store::Lost;
using store::ScriptSet;
using store::Started;
using store::Transition;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view kEpochCheck = "if stored ~= ARGV[1] then";
constexpr std::string_view kTokenCheck = "redis.call('HDEL', key('leased'), token)";
constexpr std::string_view kDupBranch = "return {'DUP', stored}";
constexpr std::string_view kWorkerCheck = "if fields[2] ~= worker then";

class Mutants : public testing::Test {
 protected:
  void SetUp() override {
    AUTOKERNEL_REQUIRE_REDIS_SERVER();
    server_.emplace();
  }
  std::vector<std::string> fencing_with(std::string_view part, std::string_view by) {
    ScriptSet scripts;
    if (!part.empty()) scripts.replace(part, by);
    RedisPlace place(*server_, "q", scripts);
    return check_fencing(place);
  }

  std::optional<RedisServer> server_;
};

TEST_F(Mutants, TheRealScriptsPass) { EXPECT_THAT(fencing_with("", ""), IsEmpty()); }

TEST_F(Mutants, WithoutTheEpochCheckADeposedCoordinatorIsCaughtWriting) {
  EXPECT_THAT(fencing_with(kEpochCheck, "if false then"),
              testing::Contains(HasSubstr("a deposed coordinator is refused")));
}

TEST_F(Mutants, WithoutTheTokenCheckALateResultIsCaught) {
  const auto violations = fencing_with(kTokenCheck, "");
  EXPECT_THAT(violations, testing::Contains(HasSubstr("a result after the loss is STALE")));
  EXPECT_THAT(violations, testing::Contains(HasSubstr("a result after the cancel is STALE")));
}

TEST_F(Mutants, WithoutTheDupBranchALieIsCaught) {
  EXPECT_THAT(fencing_with(kDupBranch, "return {'STALE'}"), testing::Contains(HasSubstr("is DUP")));
}

TEST_F(Mutants, WithoutTheWorkerCheckAForgedResultIsStored) {
  ScriptSet scripts;
  scripts.replace(kWorkerCheck, "if false then");
  RedisPlace place(*server_, "q", scripts);
  const auto store = place.open();
  const LeaseToken token{*store->takeover({}), 1};
  const auto job = store->apply_one(a_job("a").submit())->job;
  ASSERT_TRUE(store->apply_one(Lease{token, job, {"w"}, {7}})->leased);
  EXPECT_EQ(store->apply_one(Complete{token, {"thief"}, "robust", "r", "", ""})->ack, protocol::AckKind::kStored);
}

/// Random transitions by a leader and the one it deposed, with tokens old and new, and calls that are repeated: what a
/// faulty network and two coordinators can do to the store. Then the checker judges.
class Model {
 public:
  Model(RedisPlace& place, unsigned seed) : place_(place), random_(seed) {}

  std::vector<std::string> run() {
    leader_ = place_.open();
    epoch_ = *leader_->takeover({});
    for (int job = 0; job < 12; ++job) {
      if (const auto outcome = leader_->apply_one(a_job(std::to_string(job)).submit())) jobs_.push_back(outcome->job);
    }
    for (int step = 0; step < 400; ++step) {
      if (one_in(60)) depose();
      const Transition transition = any_transition();
      JobStore& writer = zombie_ && one_in(4) ? *zombie_ : *leader_;
      static_cast<void>(writer.apply({&transition, 1}));
      if (one_in(4)) static_cast<void>(writer.apply({&transition, 1}));
    }
    auto connection = place_.server().connect();
    CheckedRun checked;
    checked.queue = place_.queue();
    checked.finished = false;
    return *check_store(connection, checked);
  }

 private:
  bool one_in(unsigned n) { return random_() % n == 0; }
  void depose() {
    zombie_ = std::move(leader_);
    leader_ = place_.open();
    epoch_ = *leader_->takeover({});
    number_ = 0;
  }
  LeaseToken any_token() {
    if (tokens_.empty()) return {epoch_, 1};
    return tokens_[random_() % tokens_.size()];
  }
  LeaseToken recent_token() {
    if (tokens_.empty()) return {epoch_, 1};
    return tokens_[tokens_.size() - 1 - random_() % std::min<std::size_t>(tokens_.size(), 6)];
  }
  Transition any_transition() {
    const JobId job = jobs_[random_() % jobs_.size()];
    const std::string worker = one_in(2) ? "w1" : "w2";
    switch (random_() % 10) {
      case 0:
      case 1:
      case 2: tokens_.push_back({epoch_, ++number_}); return Lease{tokens_.back(), job, {worker}, {7}};
      case 3:
      case 4: return Started{recent_token()};
      case 5: return Complete{one_in(2) ? any_token() : recent_token(), {worker}, "robust", "record", "p", "h"};
      case 6: return Lost{any_token(), LossCause::kSilent, 1, "", false, 3};
      case 7:
        return Lost{recent_token(), one_in(2) ? LossCause::kReleased : LossCause::kInfrastructure, 1, "f", false, 3};
      case 8: return Due{job};
      default: return one_in(8) ? Transition(Cancel{job}) : Transition(a_job(std::to_string(random_() % 12)).submit());
    }
  }

  RedisPlace& place_;
  std::mt19937 random_;
  std::unique_ptr<JobStore> leader_;
  std::unique_ptr<JobStore> zombie_;
  Epoch epoch_;
  std::uint64_t number_ = 0;
  std::vector<JobId> jobs_;
  std::vector<LeaseToken> tokens_;
};

TEST_F(Mutants, TheModelFindsNothingWithTheRealScripts) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    RedisPlace place(*server_, "real" + std::to_string(seed));
    EXPECT_THAT(Model(place, seed).run(), IsEmpty()) << "seed " << seed;
  }
}

TEST_F(Mutants, TheModelFindsAMissingEpochCheck) {
  ScriptSet scripts;
  scripts.replace(kEpochCheck, "if false then");
  RedisPlace place(*server_, "epoch", scripts);
  EXPECT_THAT(Model(place, 1).run(), testing::Contains(HasSubstr("I6")));
}

TEST_F(Mutants, TheModelFindsAMissingTokenCheck) {
  ScriptSet scripts;
  scripts.replace(kTokenCheck, "");
  RedisPlace place(*server_, "token", scripts);
  EXPECT_THAT(Model(place, 1).run(), Not(IsEmpty()));
}

}  // namespace
}  // namespace autokernel::test
