#include "coordinator/store/script_call.hpp"

#include <charconv>

#include "common/protocol/describe.hpp"
#include "common/protocol/tagged.hpp"

namespace autokernel::store {
namespace {

using Words = std::vector<std::string>;

std::string number_text(double value) { return fmt::format("{:.17g}", value); }

template <class T>
bool read_number(const std::string& text, T& number) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size();
}

/// True when the answer is `word` with that many values behind it.
bool is(const Words& words, std::string_view word, std::size_t values) {
  return words.front() == word && words.size() == values + 1;
}

std::optional<SubmitOutcome> read(const Submit&, const Words& words) {
  SubmitOutcome outcome;
  if (is(words, "DUP", 1) && read_number(words[1], outcome.job.value)) {
    outcome.duplicate = true;
    return outcome;
  }
  if (is(words, "QUEUED", 2) && read_number(words[1], outcome.job.value) && read_number(words[2], outcome.score)) {
    return outcome;
  }
  return std::nullopt;
}

std::optional<LeaseOutcome> read(const Lease&, const Words& words) {
  LeaseOutcome outcome;
  if (is(words, "GONE", 1)) return outcome;
  if (is(words, "LEASED", 3) && read_number(words[1], outcome.attempt) && read_number(words[2], outcome.crashes)) {
    outcome.leased = true;
    outcome.spec = words[3];
    return outcome;
  }
  return std::nullopt;
}

std::optional<StartedOutcome> read(const Started&, const Words& words) {
  if (is(words, "STALE", 0)) return StartedOutcome{false};
  if (is(words, "RUNNING", 1)) return StartedOutcome{true};
  return std::nullopt;
}

std::optional<CompleteOutcome> read(const Complete&, const Words& words) {
  CompleteOutcome outcome;
  if (is(words, "STALE", 0)) return outcome;
  if ((is(words, "STORED", 1) || is(words, "DUP", 1)) && read_number(words[1], outcome.job.value)) {
    outcome.ack = words.front() == "DUP" ? protocol::AckKind::kDup : protocol::AckKind::kStored;
    return outcome;
  }
  return std::nullopt;
}

std::optional<LostOutcome> read(const Lost&, const Words& words) {
  LostOutcome outcome;
  if (is(words, "STALE", 0)) return outcome;
  if (words.size() != 3 || !read_number(words[1], outcome.job.value)) return std::nullopt;
  outcome.current = true;
  if (words.front() == "QUEUED" && read_number(words[2], outcome.score)) return outcome;
  if (!read_number(words[2], outcome.crashes)) return std::nullopt;
  outcome.state = words.front() == "QUARANTINED" ? JobState::kQuarantined : JobState::kDelayed;
  if (words.front() == "QUARANTINED" || words.front() == "DELAYED") return outcome;
  return std::nullopt;
}

std::optional<CancelOutcome> read(const Cancel&, const Words& words) {
  if (is(words, "ENDED", 1)) return CancelOutcome{};
  if (!is(words, "CANCELLED", 2)) return std::nullopt;
  return CancelOutcome{true, parse_token(words[1])};
}

std::optional<DueOutcome> read(const Due&, const Words& words) {
  DueOutcome outcome;
  if (is(words, "GONE", 1)) return outcome;
  outcome.queued = is(words, "QUEUED", 1) && read_number(words[1], outcome.score);
  if (!outcome.queued) return std::nullopt;
  return outcome;
}

}  // namespace

std::string_view script_of(const Transition& transition) {
  return std::visit([](const auto& one) { return std::decay_t<decltype(one)>::kScript; }, transition);
}

std::vector<std::string> arguments_of(const Transition& transition) {
  return std::visit(protocol::Overloaded{
                        [](const Submit& submit) {
                          return Words{submit.key.value, std::string(protocol::name_of(submit.needs)),
                                       number_text(submit.priority), submit.problem, submit.spec};
                        },
                        [](const Lease& lease) {
                          return Words{to_string(lease.token), std::to_string(lease.job.value), lease.worker.value,
                                       std::to_string(lease.incarnation.value)};
                        },
                        [](const Started& started) { return Words{to_string(started.token)}; },
                        [](const Complete& complete) {
                          return Words{to_string(complete.token), complete.worker.value, complete.verdict,
                                       complete.record,           complete.problem,      complete.history};
                        },
                        [](const Lost& lost) {
                          return Words{to_string(lost.token),        std::string(protocol::name_of(lost.cause)),
                                       std::to_string(lost.due_ms),  lost.record,
                                       lost.only_worker ? "1" : "0", std::to_string(lost.crash_limit)};
                        },
                        [](const Cancel& cancel) { return Words{std::to_string(cancel.job.value)}; },
                        [](const Due& due) { return Words{std::to_string(due.job.value)}; },
                    },
                    transition);
}

Result<std::vector<std::string>> answer_of(std::string_view script, const redisReply& reply) {
  AUTOKERNEL_TRY_ASSIGN(auto words, texts_of(reply));
  if (words.empty()) return fail(Code::kInternal, "script {} answered nothing", script);
  if (words.front() == "STALE_EPOCH") {
    return fail(Code::kStale, "another coordinator leads under epoch {}", words.size() > 1 ? words[1] : "?");
  }
  if (words.front() == "WRONG_TYPE" && words.size() == 4) {
    return fail(Code::kInvalid, "key {} is {}, not {}: another program uses this Redis; choose another --queue",
                words[1], words[2], words[3]);
  }
  if (words.front() == "INVALID") {
    return fail(Code::kInternal, "script {} refused its arguments: {}", script, words.size() > 1 ? words[1] : "?");
  }
  return words;
}

Result<Outcome> outcome_of(const Transition& transition, const redisReply& reply) {
  return std::visit(
      [&](const auto& one) -> Result<Outcome> {
        AUTOKERNEL_TRY_ASSIGN(const auto words, answer_of(one.kScript, reply));
        const auto outcome = read(one, words);
        if (!outcome) return fail(Code::kInternal, "script {} answered '{}'", one.kScript, words.front());
        return Outcome(*outcome);
      },
      transition);
}

}  // namespace autokernel::store
