#pragma once

#include <cmath>
#include <string>

#include "common/protocol/record.hpp"

namespace autokernel::kernelbench {

/// A record under construction; only what a test is about needs to be said.
class ARecord {
 public:
  explicit ARecord(protocol::Verdict verdict, int problem = 1, int sample = 0) {
    record_.verdict = verdict;
    record_.correct = protocol::counts_as_correct(verdict);
    record_.robust = verdict == protocol::Verdict::kRobust;
    record_.level = 1;
    record_.problem_id = problem;
    record_.problem = "level1/" + std::to_string(problem) + "_P.py";
    record_.candidate =
        "level_1_problem_" + std::to_string(problem) + "_sample_" + std::to_string(sample) + "_kernel.py";
    record_.sample = sample;
    record_.trials = 5;
    record_.trials_passed = record_.correct ? 5 : 0;
    record_.environment["device"] = "A GPU";
  }
  ARecord& at_level(int level) {
    record_.level = level;
    record_.problem = "level" + std::to_string(level) + "/" + std::to_string(record_.problem_id) + "_P.py";
    return *this;
  }
  ARecord& detail(std::string text) {
    record_.detail = std::move(text);
    return *this;
  }
  ARecord& timed(double reference_us, double candidate_us) {
    protocol::TimingReport timing;
    timing.reference_us = {reference_us, reference_us, 1, reference_us - 1, reference_us + 1, 100};
    timing.candidate_us =
        protocol::SampleSummary{candidate_us, candidate_us, 1, candidate_us - 1, candidate_us + 1, 100};
    const double ratio = reference_us / candidate_us;
    timing.speedup = protocol::SpeedupInterval{ratio, ratio, ratio, 0.95, 2};
    timing.method = "cuda_event";
    record_.timing = timing;
    return *this;
  }
  ARecord& between(double low, double high) {
    record_.timing->speedup->low = low;
    record_.timing->speedup->high = high;
    return *this;
  }
  ARecord& stage(protocol::StageName name, protocol::StageOutcome outcome, std::string text = "") {
    record_.stages.push_back({name, outcome, 0.5, std::move(text)});
    return *this;
  }
  [[nodiscard]] protocol::Record& record() { return record_; }
  operator protocol::Record() const { return record_; }  // NOLINT(google-explicit-constructor): reads as the record

 private:
  protocol::Record record_;
};

}  // namespace autokernel::kernelbench
