#pragma once

#include <string>
#include <utility>

#include "common/protocol/describe.hpp"
#include "common/protocol/messages.hpp"
#include "coordinator/store/transition.hpp"

namespace autokernel::test {

/// A job for tests of the queue: a_job("relu").needs(DeviceKind::kCuda).spec().
class JobBuilder {
 public:
  explicit JobBuilder(const std::string& name) {
    spec_.problem.level = 1;
    spec_.problem.name = "level1/" + name + ".py";
    spec_.problem.text = "# " + name;
    spec_.candidate.name = name + "_kernel.py";
  }
  JobBuilder& of_problem(std::string problem) {
    spec_.problem.name = std::move(problem);
    return *this;
  }
  JobBuilder& needs(protocol::DeviceKind kind) {
    spec_.candidate.needs = kind;
    return *this;
  }
  JobBuilder& with_priority(double priority) {
    priority_ = priority;
    return *this;
  }

  [[nodiscard]] const protocol::JobSpec& spec() const { return spec_; }
  [[nodiscard]] std::string key() const { return "key-" + spec_.candidate.name; }
  [[nodiscard]] store::Submit submit() const {
    return {{key()}, spec_.candidate.needs, priority_, spec_.problem.name, protocol::pack(spec_)};
  }
  [[nodiscard]] protocol::Submit message() const { return {key(), priority_, spec_}; }

 private:
  protocol::JobSpec spec_;
  double priority_ = 0;
};

[[nodiscard]] inline JobBuilder a_job(const std::string& name) { return JobBuilder(name); }

/// The record that a worker would send for the job.
[[nodiscard]] inline protocol::Record a_record(const protocol::JobSpec& spec, protocol::Verdict verdict) {
  protocol::Record record;
  record.problem = spec.problem.name;
  record.candidate = spec.candidate.name;
  record.verdict = verdict;
  record.correct = protocol::counts_as_correct(verdict);
  record.seconds = 1;
  return record;
}

}  // namespace autokernel::test
