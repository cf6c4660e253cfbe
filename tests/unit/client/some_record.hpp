#pragma once

#include <string>

#include "common/protocol/record.hpp"

namespace autokernel::client {

/// A record with what most tests do not care about.
inline protocol::Record some_record(const std::string& problem, const std::string& candidate,
                                    protocol::Verdict verdict = protocol::Verdict::kRobust) {
  protocol::Record record;
  record.problem = problem;
  record.level = 1;
  record.problem_id = 19;
  record.candidate = candidate;
  record.verdict = verdict;
  record.correct = protocol::counts_as_correct(verdict);
  record.robust = verdict == protocol::Verdict::kRobust;
  return record;
}

}  // namespace autokernel::client
