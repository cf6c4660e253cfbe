#include "coordinator/store/redis_job_store.hpp"

#include <hiredis/hiredis.h>

#include <charconv>
#include <utility>

#include "common/protocol/describe.hpp"
#include "coordinator/store/redis_server.hpp"
#include "coordinator/store/script_call.hpp"

namespace autokernel::store {

RedisJobStore::RedisJobStore(RedisStoreOptions options)
    : options_(std::move(options)),
      prefix_(fmt::format("ak:{{{}}}:", options_.queue)),
      connection_(options_.address, options_.timeout) {}

std::string RedisJobStore::key(std::string_view name) const { return prefix_ + std::string(name); }

Result<void> RedisJobStore::load_scripts() {
  for (const std::string_view name : kScriptNames) {
    AUTOKERNEL_TRY_ASSIGN(const Reply reply, connection_.command({"SCRIPT", "LOAD", options_.scripts.text(name)}));
    AUTOKERNEL_TRY_ASSIGN(digests_[std::string(name)], text_of(*reply));
  }
  return {};
}

/// A server may come back changed: what was true of it is checked for each connection.
Result<void> RedisJobStore::ready() {
  if (connection_.connected()) return {};
  AUTOKERNEL_TRY(connection_.connect());
  auto checked = check_server(connection_);
  if (checked) checked = load_scripts();
  if (!checked) connection_.drop();
  return checked;
}

RedisConnection::Command RedisJobStore::call(std::string_view script, std::vector<std::string> arguments) const {
  Command command{"EVALSHA", digests_.find(script)->second, "1", prefix_};
  command.insert(command.end(), std::make_move_iterator(arguments.begin()), std::make_move_iterator(arguments.end()));
  return command;
}

std::vector<Result<Reply>> RedisJobStore::run_scripts(const std::vector<Command>& commands) {
  auto replies = connection_.pipeline(commands);
  // NOSCRIPT: somebody flushed the scripts. A script that was not there wrote nothing, so it runs now.
  std::vector<std::size_t> missing;
  std::vector<Command> again;
  for (std::size_t i = 0; i < replies.size(); ++i) {
    if (replies[i] || replies[i].error().code != Code::kNotFound) continue;
    missing.push_back(i);
    again.push_back(commands[i]);
  }
  if (missing.empty()) return replies;
  if (const auto loaded = load_scripts(); !loaded) {
    for (const std::size_t i : missing) replies[i] = tl::unexpected(loaded.error());
    return replies;
  }
  auto late = connection_.pipeline(again);
  for (std::size_t i = 0; i < missing.size(); ++i) replies[missing[i]] = std::move(late[i]);
  return replies;
}

Result<Epoch> RedisJobStore::takeover(Epoch at_least) {
  AUTOKERNEL_TRY(ready());
  auto replies = run_scripts({call("takeover", {std::to_string(at_least.value), std::string(kSchema)})});
  if (!replies.front()) return tl::unexpected(std::move(replies.front()).error());
  AUTOKERNEL_TRY_ASSIGN(const auto words, answer_of("takeover", **replies.front()));
  if (words.front() == "SCHEMA" && words.size() == 2) {
    return fail(
        Code::kInvalid,
        "queue '{}' has the schema '{}', this program knows '{}': it is a newer program's or another's; upgrade, "
        "or choose another --queue",
        options_.queue, words[1], kSchema);
  }
  std::uint64_t epoch = 0;
  if (words.front() != "LEADS" || words.size() != 2 ||
      std::from_chars(words[1].data(), words[1].data() + words[1].size(), epoch).ec != std::errc{}) {
    return fail(Code::kInternal, "script takeover answered '{}'", words.front());
  }
  epoch_ = Epoch{epoch};
  return epoch_;
}

std::vector<Result<Outcome>> RedisJobStore::apply(std::span<const Transition> transitions) {
  std::vector<Result<Outcome>> outcomes;
  outcomes.reserve(transitions.size());
  if (const auto connected = ready(); !connected) {
    outcomes.assign(transitions.size(), tl::unexpected(connected.error()));
    return outcomes;
  }
  std::vector<Command> commands;
  commands.reserve(transitions.size());
  for (const Transition& transition : transitions) {
    auto arguments = arguments_of(transition);
    arguments.insert(arguments.begin(), std::to_string(epoch_.value));
    commands.push_back(call(script_of(transition), std::move(arguments)));
  }
  auto replies = run_scripts(commands);
  for (std::size_t i = 0; i < replies.size(); ++i) {
    if (replies[i]) {
      outcomes.push_back(outcome_of(transitions[i], **replies[i]));
    } else {
      outcomes.emplace_back(tl::unexpected(std::move(replies[i]).error()));
    }
  }
  return outcomes;
}

Result<Counts> RedisJobStore::counts() {
  AUTOKERNEL_TRY(ready());
  Command command{"HMGET", key("totals")};
  for (const auto& [state, name] : names_of(JobState{})) command.emplace_back(name);
  AUTOKERNEL_TRY_ASSIGN(const Reply reply, connection_.command(std::move(command)));
  AUTOKERNEL_TRY_ASSIGN(const auto values, texts_of(*reply));
  Counts counts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint64_t number = 0;
    const std::string& text = values[i];
    if (!text.empty() && std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc{}) {
      return fail(Code::kInternal, "key {} counts '{}'", key("totals"), text);
    }
    counts[names_of(JobState{})[i].first] = number;
  }
  return counts;
}

Result<std::string> RedisJobStore::spec_of(JobId job) {
  AUTOKERNEL_TRY(ready());
  AUTOKERNEL_TRY_ASSIGN(const Reply reply,
                        connection_.command({"HGET", key(fmt::format("job:{}", job.value)), "spec"}));
  if (is_nil(*reply)) return fail(Code::kNotFound, "no job {}", job.value);
  return text_of(*reply);
}

}  // namespace autokernel::store
