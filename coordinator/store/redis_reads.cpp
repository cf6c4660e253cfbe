#include <hiredis/hiredis.h>

#include <charconv>
#include <utility>

#include "common/protocol/describe.hpp"
#include "coordinator/store/redis_job_store.hpp"

/// RedisJobStore's readers: what a new leader loads, and what watchers ask for.
namespace autokernel::store {
namespace {

/// Commands in one round trip while loading: enough to hide the round trip, few enough to bound the buffers.
constexpr std::size_t kChunk = 1000;
/// Stream entries looked at in one step; endings are about a quarter of all entries.
constexpr std::size_t kScan = 512;

template <class T>
Result<T> number_of(const std::string& text, std::string_view what) {
  T number{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size()) return number;
  return fail(Code::kInternal, "{} is '{}' in Redis, not a number", what, text);
}

bool is_stream_id(const std::string& text) {
  const std::size_t dash = text.find('-');
  return dash != std::string::npos && dash > 0 && dash + 1 < text.size() && text.size() < 42 &&
         text.find_first_not_of("0123456789-") == std::string::npos && text.find('-', dash + 1) == std::string::npos;
}

struct Event {
  std::string id;
  std::optional<Ending> ending;  ///< without its record; nullopt for a transition that ends no job
};

Result<Event> read_event(const redisReply& entry) {
  AUTOKERNEL_TRY_ASSIGN(const auto id_and_fields, items_of(entry));
  if (id_and_fields.size() != 2) return fail(Code::kInternal, "a stream entry of {} parts", id_and_fields.size());
  Event event;
  AUTOKERNEL_TRY_ASSIGN(event.id, text_of(*id_and_fields[0]));
  AUTOKERNEL_TRY_ASSIGN(const auto fields, texts_of(*id_and_fields[1]));
  Ending ending;
  bool ended = false;
  for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
    const std::string& value = fields[i + 1];
    if (fields[i] == "job") {
      AUTOKERNEL_TRY_ASSIGN(ending.job.value, number_of<std::uint64_t>(value, "a job id"));
    } else if (fields[i] == "key") {
      ending.key.value = value;
    } else if (fields[i] == "end") {
      const auto end = protocol::parse_name<protocol::JobEnd>(value);
      if (!end) return fail(Code::kInternal, "event {} ends a job by '{}'", event.id, value);
      ending.end = *end;
      ended = true;
    }
  }
  if (ended) event.ending = std::move(ending);
  return event;
}

}  // namespace

Result<std::vector<WaitingJob>> RedisJobStore::waiting_jobs(const std::string& zset, bool delayed) {
  AUTOKERNEL_TRY_ASSIGN(const Reply reply, connection_.command({"ZRANGE", zset, "0", "-1", "WITHSCORES"}));
  AUTOKERNEL_TRY_ASSIGN(const auto members, texts_of(*reply));
  std::vector<WaitingJob> jobs;
  jobs.reserve(members.size() / 2);
  for (std::size_t first = 0; first < members.size(); first += 2 * kChunk) {
    const std::size_t last = std::min(members.size(), first + 2 * kChunk);
    std::vector<Command> commands;
    for (std::size_t i = first; i < last; i += 2) {
      commands.push_back({"HMGET", key("job:" + members[i]), "class", "problem"});
      commands.push_back({"SMEMBERS", key("crashed:" + members[i])});
    }
    auto replies = connection_.pipeline(commands);
    for (std::size_t i = first; i < last; i += 2) {
      WaitingJob job;
      AUTOKERNEL_TRY_ASSIGN(job.job.value, number_of<std::uint64_t>(members[i], "a job id"));
      AUTOKERNEL_TRY_ASSIGN(const double score, number_of<double>(members[i + 1], "a score"));
      if (delayed) {
        job.due_ms = static_cast<std::int64_t>(score);
      } else {
        job.score = score;
      }
      AUTOKERNEL_TRY_ASSIGN(const Reply row, std::move(replies[i - first]));
      AUTOKERNEL_TRY_ASSIGN(const auto fields, texts_of(*row));
      const auto needs = protocol::parse_name<protocol::DeviceKind>(fields.at(0));
      if (!needs) return fail(Code::kInternal, "job {} has the unknown class '{}'", members[i], fields[0]);
      job.needs = *needs;
      job.problem = fields.at(1);
      AUTOKERNEL_TRY_ASSIGN(const Reply crashed, std::move(replies[i - first + 1]));
      AUTOKERNEL_TRY_ASSIGN(job.crashed_on, texts_of(*crashed));
      jobs.push_back(std::move(job));
    }
  }
  return jobs;
}

Result<std::vector<LeasedJob>> RedisJobStore::leased_jobs() {
  AUTOKERNEL_TRY_ASSIGN(const Reply reply, connection_.command({"HGETALL", key("leased")}));
  AUTOKERNEL_TRY_ASSIGN(const auto entries, texts_of(*reply));
  std::vector<LeasedJob> jobs;
  for (std::size_t i = 0; i + 1 < entries.size(); i += 2) {
    LeasedJob job;
    const auto token = parse_token(entries[i]);
    if (!token) return fail(Code::kInternal, "key {} holds '{}', no token", key("leased"), entries[i]);
    job.token = *token;
    AUTOKERNEL_TRY_ASSIGN(job.job.value, number_of<std::uint64_t>(entries[i + 1], "a job id"));
    AUTOKERNEL_TRY_ASSIGN(const Reply row, connection_.command({"HMGET", key("job:" + entries[i + 1]), "worker",
                                                                "incarnation", "state", "attempt", "crashes", "spec"}));
    AUTOKERNEL_TRY_ASSIGN(auto fields, texts_of(*row));
    job.worker.value = std::move(fields.at(0));
    AUTOKERNEL_TRY_ASSIGN(job.incarnation.value, number_of<std::uint64_t>(fields.at(1), "an incarnation"));
    job.running = fields.at(2) == protocol::name_of(JobState::kRunning);
    AUTOKERNEL_TRY_ASSIGN(job.attempt, number_of<std::int64_t>(fields.at(3), "an attempt"));
    AUTOKERNEL_TRY_ASSIGN(job.crashes, number_of<std::int64_t>(fields.at(4), "a crash count"));
    job.spec = std::move(fields.at(5));
    jobs.push_back(std::move(job));
  }
  return jobs;
}

Result<Snapshot> RedisJobStore::adopt() {
  AUTOKERNEL_TRY(ready());
  Snapshot snapshot;
  for (const auto& [kind, name] : names_of(protocol::DeviceKind{})) {
    AUTOKERNEL_TRY_ASSIGN(auto queued, waiting_jobs(key(fmt::format("ready:{}", name)), false));
    snapshot.queued.insert(snapshot.queued.end(), std::make_move_iterator(queued.begin()),
                           std::make_move_iterator(queued.end()));
  }
  AUTOKERNEL_TRY_ASSIGN(snapshot.delayed, waiting_jobs(key("delayed"), true));
  AUTOKERNEL_TRY_ASSIGN(snapshot.leased, leased_jobs());
  AUTOKERNEL_TRY_ASSIGN(const Reply reply, connection_.command({"HGETALL", key("history")}));
  AUTOKERNEL_TRY_ASSIGN(auto history, texts_of(*reply));
  for (std::size_t i = 0; i + 1 < history.size(); i += 2) {
    snapshot.history.emplace(std::move(history[i]), std::move(history[i + 1]));
  }
  return snapshot;
}

Result<void> RedisJobStore::fetch_records(std::vector<Ending>& endings) {
  std::vector<Command> commands;
  for (const Ending& ending : endings) {
    const bool done = ending.end == protocol::JobEnd::kDone;
    commands.push_back(
        {"HGET", key(fmt::format("{}:{}", done ? "result" : "job", ending.job.value)), done ? "record" : "failure"});
  }
  auto replies = connection_.pipeline(commands);
  for (std::size_t i = 0; i < endings.size(); ++i) {
    AUTOKERNEL_TRY_ASSIGN(const Reply reply, std::move(replies[i]));
    if (is_nil(*reply)) continue;
    AUTOKERNEL_TRY_ASSIGN(endings[i].record, text_of(*reply));
  }
  return {};
}

Result<EndingsPage> RedisJobStore::finished_since(const std::string& cursor, std::size_t limit) {
  AUTOKERNEL_TRY(ready());
  if (!cursor.empty() && !is_stream_id(cursor)) {
    return fail(Code::kInvalid, "'{}' is no cursor: start with an empty one", cursor);
  }
  // Records are fetched a few at a time, so that a page ends near its limit in bytes.
  constexpr std::size_t kRecordsAtOnce = 8;
  EndingsPage page{cursor, {}};
  std::size_t bytes = 0;
  for (bool more = true; more && page.endings.size() < limit && bytes < kPageBytes;) {
    const std::string from = page.cursor.empty() ? "-" : "(" + page.cursor;
    AUTOKERNEL_TRY_ASSIGN(const Reply reply,
                          connection_.command({"XRANGE", key("events"), from, "+", "COUNT", std::to_string(kScan)}));
    AUTOKERNEL_TRY_ASSIGN(const auto entries, items_of(*reply));
    more = entries.size() == kScan;
    std::vector<Ending> batch;
    const auto flush = [&]() -> Result<void> {
      AUTOKERNEL_TRY(fetch_records(batch));
      for (Ending& ending : batch) {
        bytes += ending.record.size();
        page.endings.push_back(std::move(ending));
      }
      batch.clear();
      return {};
    };
    for (const redisReply* entry : entries) {
      AUTOKERNEL_TRY_ASSIGN(auto event, read_event(*entry));
      page.cursor = std::move(event.id);
      if (!event.ending) continue;
      batch.push_back(*std::move(event.ending));
      if (batch.size() == kRecordsAtOnce) AUTOKERNEL_TRY(flush());
      if (page.endings.size() + batch.size() >= limit || bytes >= kPageBytes) {
        more = false;
        break;
      }
    }
    AUTOKERNEL_TRY(flush());
  }
  return page;
}

}  // namespace autokernel::store
