#include "tests/support/store_checker.hpp"

#include <charconv>
#include <optional>
#include <set>
#include <utility>

#include "coordinator/store/transition.hpp"

namespace autokernel::test {
namespace {

using Fields = std::map<std::string, std::string>;

/// What replaying the events says of one job.
struct Replayed {
  std::string state;                 // "" before its submit
  std::optional<LeaseToken> holder;  // the token that may end it
  std::optional<LeaseToken> last;    // of its last lease
  int results = 0;
  std::int64_t crashes = 0;
  std::set<std::string> crashed_on;
  bool only_worker = false;
};

Result<Fields> hash(store::RedisConnection& redis, const std::string& key) {
  AUTOKERNEL_TRY_ASSIGN(const store::Reply reply, redis.command({"HGETALL", key}));
  AUTOKERNEL_TRY_ASSIGN(const auto words, store::texts_of(*reply));
  Fields fields;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) fields[words[i]] = words[i + 1];
  return fields;
}

Result<std::set<std::string>> members(store::RedisConnection& redis, const std::string& key) {
  AUTOKERNEL_TRY_ASSIGN(const store::Reply reply, redis.command({"ZRANGE", key, "0", "-1"}));
  AUTOKERNEL_TRY_ASSIGN(const auto words, store::texts_of(*reply));
  return std::set<std::string>(words.begin(), words.end());
}

class Checker {
 public:
  Checker(store::RedisConnection& redis, const CheckedRun& run)
      : redis_(redis), run_(run), prefix_("ak:{" + run.queue + "}:") {}

  Result<std::vector<std::string>> check() {
    AUTOKERNEL_TRY(replay_events());
    AUTOKERNEL_TRY(check_keys());
    AUTOKERNEL_TRY(check_jobs());
    return violations_;
  }

 private:
  template <class... Args>
  void violation(fmt::format_string<Args...> text, Args&&... args) {
    violations_.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  Result<void> replay_events() {
    std::string from = "-";
    for (;;) {
      AUTOKERNEL_TRY_ASSIGN(const store::Reply reply,
                            redis_.command({"XRANGE", prefix_ + "events", from, "+", "COUNT", "1000"}));
      AUTOKERNEL_TRY_ASSIGN(const auto entries, store::items_of(*reply));
      for (const redisReply* entry : entries) {
        AUTOKERNEL_TRY_ASSIGN(const auto parts, store::items_of(*entry));
        AUTOKERNEL_TRY_ASSIGN(const auto id, store::text_of(*parts[0]));
        AUTOKERNEL_TRY_ASSIGN(const auto words, store::texts_of(*parts[1]));
        Fields fields;
        for (std::size_t i = 0; i + 1 < words.size(); i += 2) fields[words[i]] = words[i + 1];
        replay(id, fields);
        from = "(" + id;
      }
      if (entries.size() < 1000) return {};
    }
  }

  void replay(const std::string& id, Fields& event) {
    std::uint64_t epoch = 0;
    std::from_chars(event["epoch"].data(), event["epoch"].data() + event["epoch"].size(), epoch);
    if (epoch < epoch_) violation("I6: event {} has epoch {} after {}", id, epoch, epoch_);
    epoch_ = std::max(epoch_, epoch);
    const std::string& name = event["event"];
    if (name == "takeover") return;

    Replayed& job = jobs_[event["job"]];
    const auto token = store::parse_token(event["token"]);
    const auto need_holder = [&](std::string_view rule) {
      if (!token || job.holder != token) {
        violation("{}: event {} ({}) on job {} by token {}, held by {}", rule, id, name, event["job"], event["token"],
                  job.holder ? to_string(*job.holder) : "nobody");
      }
    };
    const auto need_state = [&](std::string_view rule, const std::set<std::string>& allowed) {
      if (!allowed.contains(job.state)) {
        violation("{}: event {} ({}) on job {} in state '{}'", rule, id, name, event["job"], job.state);
      }
    };
    if (name == "submit") {
      need_state("I1", {""});
      job.state = "queued";
    } else if (name == "lease") {
      need_state(job.results > 0 ? "I8" : "I4", {"queued"});
      if (job.last && token && *token <= *job.last) {
        violation("I4: job {} was leased under {} after {}", event["job"], to_string(*token), to_string(*job.last));
      }
      if (token && !tokens_.insert(*token).second) violation("I4: token {} was given twice", to_string(*token));
      job.state = "leased";
      job.holder = job.last = token;
    } else if (name == "started") {
      need_holder("I4");
      job.state = "running";
    } else if (name == "complete") {
      need_holder("I2");
      if (++job.results > 1) violation("I2: job {} has a second result, event {}", event["job"], id);
      if (event["verdict"] == "infrastructure")
        violation("I8: job {} was scored by an infrastructure failure", event["job"]);
      job.state = "done";
      job.holder.reset();
    } else if (name == "lost") {
      need_holder("I4");
      job.holder.reset();
      const bool crash = event["crash"] == "1";
      if (crash) {
        ++job.crashes;
        job.crashed_on.insert(event["worker"]);
      }
      job.only_worker = event["only_worker"] == "1";
      job.state = event["end"] == "quarantined" ? "quarantined" : crash ? "delayed" : "queued";
    } else if (name == "due") {
      need_state("I3", {"delayed"});
      job.state = "queued";
    } else if (name == "cancel") {
      need_state("I8", {"queued", "delayed", "leased", "running"});
      job.state = "cancelled";
      job.holder.reset();
    } else {
      violation("event {} has the unknown name '{}'", id, name);
    }
  }

  Result<void> check_keys() {
    AUTOKERNEL_TRY_ASSIGN(dedup_, hash(redis_, prefix_ + "dedup"));
    AUTOKERNEL_TRY_ASSIGN(leased_, hash(redis_, prefix_ + "leased"));
    AUTOKERNEL_TRY_ASSIGN(recorded_, hash(redis_, prefix_ + "recorded"));
    AUTOKERNEL_TRY_ASSIGN(delayed_, members(redis_, prefix_ + "delayed"));
    AUTOKERNEL_TRY_ASSIGN(quarantine_, members(redis_, prefix_ + "quarantine"));
    for (const std::string& job : quarantine_) {
      AUTOKERNEL_TRY_ASSIGN(auto row, hash(redis_, prefix_ + "job:" + job));
      if (row.contains("again")) again_[job] = row["again"];
    }
    for (const auto& [kind, name] : names_of(protocol::DeviceKind{})) {
      AUTOKERNEL_TRY_ASSIGN(ready_[std::string(name)], members(redis_, prefix_ + "ready:" + std::string(name)));
    }
    std::set<std::string> mapped;
    for (const auto& [key, job] : dedup_) {
      if (!mapped.insert(job).second) violation("I1: job {} has two submit keys", job);
      if (!jobs_.contains(job)) violation("I1: key {} maps to job {}, which was never submitted", key, job);
    }
    for (const auto& [key, job] : run_.acknowledged) {
      const auto found = dedup_.find(key);
      if (found == dedup_.end()) {
        violation("I1: the acknowledged key {} is unknown", key);
      } else if (!leads_to(std::to_string(job), found->second)) {
        violation("I1: key {} was acknowledged as job {} and is job {}", key, job, found->second);
      }
    }
    std::set<std::string> holders;
    for (const auto& [token, job] : leased_) {
      if (!holders.insert(job).second) violation("I4: job {} is leased under two tokens", job);
    }
    for (const auto& [token, job] : recorded_) {
      const auto found = jobs_.find(job);
      if (found == jobs_.end() || !found->second.last || to_string(*found->second.last) != token) {
        violation("I2: a result of job {} is recorded under {}, not its last lease", job, token);
      }
    }
    return {};
  }

  Result<void> check_jobs() {
    std::map<std::string, std::int64_t> totals;
    for (const auto& [id, replayed] : jobs_) {
      AUTOKERNEL_TRY_ASSIGN(auto row, hash(redis_, prefix_ + "job:" + id));
      AUTOKERNEL_TRY_ASSIGN(auto result, hash(redis_, prefix_ + "result:" + id));
      const std::string& state = row["state"];
      ++totals[state];
      if (state != replayed.state) violation("job {} is '{}', its events say '{}'", id, state, replayed.state);
      if (!leads_to(id, dedup_[row["key"]])) violation("I1: job {} is not the one of its key", id);
      check_places(id, row);
      check_result(id, state, replayed, result);
      if (state == "quarantined" &&
          (replayed.crashes < run_.crash_limit || (replayed.crashed_on.size() < 2 && !replayed.only_worker))) {
        violation("I5: job {} is quarantined after {} crashes on {} workers", id, replayed.crashes,
                  replayed.crashed_on.size());
      }
      const bool ended = state == "done" || state == "cancelled" || state == "quarantined";
      if (run_.finished && !ended) violation("I7: job {} has not ended, it is {}", id, state);
    }
    AUTOKERNEL_TRY_ASSIGN(const auto counted, hash(redis_, prefix_ + "totals"));
    for (const auto& [state, count] : counted) {
      if (count != std::to_string(totals[state]))
        violation("totals count {} {}, there are {}", count, state, totals[state]);
    }
    return {};
  }

  /// True for the same job, and for a quarantined one whose key passed on to the other.
  bool leads_to(std::string job, const std::string& other) const {
    for (auto next = again_.find(job); job != other && next != again_.end(); next = again_.find(job)) {
      job = next->second;
    }
    return job == other;
  }

  void check_places(const std::string& id, Fields& row) {
    const std::string& state = row["state"];
    int leases = 0;
    for (const auto& [token, job] : leased_) {
      if (job != id) continue;
      ++leases;
      if (token != row["token"]) violation("I4: job {} is leased under {} and says {}", id, token, row["token"]);
    }
    int ready = 0;
    for (const auto& [name, jobs] : ready_) ready += static_cast<int>(jobs.count(id));
    const int delayed = static_cast<int>(delayed_.count(id));
    const bool in_hands = state == "leased" || state == "running";
    if (ready != (state == "queued" ? 1 : 0) || delayed != (state == "delayed" ? 1 : 0) ||
        leases != (in_hands ? 1 : 0)) {
      violation("I3: job {} is {}, and {} times ready, {} delayed, {} leased", id, state, ready, delayed, leases);
    }
    if (quarantine_.contains(id) != (state == "quarantined")) violation("I3: job {} is {} and misplaced", id, state);
  }

  void check_result(const std::string& id, const std::string& state, const Replayed& replayed, Fields& result) {
    if (result.empty() == (state == "done"))
      violation("I2: job {} is {}, with {} fields of result", id, state, result.size());
    if (result.empty()) return;
    if (!replayed.last || to_string(*replayed.last) != result["token"]) {
      violation("I2: the result of job {} is {}'s, its last lease another", id, result["token"]);
    }
    if (recorded_[result["token"]] != id) violation("I2: the result of job {} is not recorded", id);
    if (result["verdict"] == "infrastructure") violation("I8: job {} has an infrastructure failure as its result", id);
  }

  store::RedisConnection& redis_;
  const CheckedRun& run_;
  std::string prefix_;
  std::vector<std::string> violations_;
  std::uint64_t epoch_ = 0;
  std::map<std::string, Replayed> jobs_;
  std::set<LeaseToken> tokens_;
  Fields dedup_;
  Fields leased_;
  Fields recorded_;
  std::set<std::string> delayed_;
  std::set<std::string> quarantine_;
  std::map<std::string, std::string> again_;  // quarantined job → the one that took over its key
  std::map<std::string, std::set<std::string>> ready_;
};

}  // namespace

Result<std::vector<std::string>> check_store(store::RedisConnection& redis, const CheckedRun& run) {
  return Checker(redis, run).check();
}

}  // namespace autokernel::test
