#include "tests/unit/judge/runner_harness.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

#include "common/protocol/tagged.hpp"
#include "common/system/file.hpp"

namespace autokernel::judge {

using namespace std::chrono_literals;

namespace {

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

template <class Family>
Family next_of(system::Channel& channel, std::chrono::milliseconds limit = 120s) {
  auto frame = must(channel.receive(limit));
  if (!frame) throw std::runtime_error("no message came in time");
  return must(protocol::unpack_message<Family>(frame->bytes));
}

}  // namespace

RunnerHarness::RunnerHarness() {
  std::string pattern = (std::filesystem::temp_directory_path() / "autokernel-judge-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
  folder_ = pattern;
  auto [ours, theirs] = must(system::Channel::make_pair());
  system::ProcessOptions options;
  options.arguments = {AUTOKERNEL_RUNNER, "--zygote"};
  options.descriptors = {{theirs.fd(), 3}};
  options.output_path = (folder_ / "zygote.log").string();
  process_.emplace(must(system::ChildProcess::start(options)));
  zygote_.emplace(std::move(ours));
  if (!std::holds_alternative<messages::Ready>(next_of<messages::FromZygote>(*zygote_))) {
    throw std::runtime_error("the zygote is unfit");
  }
}

RunnerHarness::~RunnerHarness() {
  judge_.reset();
  zygote_.reset();
  process_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string RunnerHarness::write(const std::string& name, const std::string& text) {
  const auto path = folder_ / name;
  must(system::write_file(path, text));
  return path.string();
}

RunnerHarness::Child RunnerHarness::spawn(messages::Role role) {
  auto [ours, theirs] = must(system::Channel::make_pair());
  messages::Spawn order;
  order.child = next_child_++;
  order.role = role;
  order.environment = {{"CUDA_VISIBLE_DEVICES", ""}, {"OMP_NUM_THREADS", "1"}};
  order.folder = folder_.string();
  order.output_path = (folder_ / fmt::format("child{}.log", order.child)).string();
  must(zygote_->send(protocol::pack_message(messages::ToZygote(order)), {theirs.fd()}));
  return {order.child, std::move(ours)};
}

void RunnerHarness::kill(std::uint64_t child) {
  must(zygote_->send(protocol::pack_message(messages::ToZygote(messages::Kill{child}))));
  for (;;) {
    const auto message = next_of<messages::FromZygote>(*zygote_);
    const auto* exited = std::get_if<messages::Exited>(&message);
    if (exited != nullptr && exited->child == child) return;
  }
}

messages::Prepared RunnerHarness::prepare(const std::string& problem, const protocol::EvaluationOptions& options,
                                          const messages::Tolerance& tolerance) {
  judge_.reset();
  judge_.emplace(spawn(messages::Role::kJudge));
  messages::Prepare order;
  order.problem.name = "level1/1_Test.py";
  order.problem.level = 1;
  order.problem.id = 1;
  order.problem_path = write(fmt::format("{}_problem.py", ++files_), problem);
  order.options = options;
  order.tolerance = tolerance;
  must(judge_->channel.send(protocol::pack_message(messages::ToJudge(order))));
  return std::get<messages::Prepared>(next_of<messages::FromJudge>(judge_->channel));
}

void RunnerHarness::give_candidate() {
  if (candidate_) kill(*candidate_);
  Child child = spawn(messages::Role::kCandidate);
  candidate_ = child.id;
  must(judge_->channel.send(protocol::pack_message(messages::ToJudge(order_)), {child.channel.fd()}));
}

messages::Judged RunnerHarness::take_turn() {
  stages_.clear();
  for (;;) {
    auto message = next_of<messages::FromJudge>(judge_->channel, 240s);
    if (auto* stage = std::get_if<messages::StageDone>(&message)) stages_.push_back(stage->stage);
    if (std::holds_alternative<messages::NeedCandidate>(message)) {
      ++fresh_candidates_;
      give_candidate();
    }
    if (auto* judged = std::get_if<messages::Judged>(&message)) return std::move(*judged);
  }
}

messages::Judged RunnerHarness::judge(const std::string& candidate) {
  fresh_candidates_ = 0;
  order_ = {};
  order_.candidate_path = write(fmt::format("{}_candidate.py", ++files_), candidate);
  order_.artefact_folder = folder_.string();
  give_candidate();
  return take_turn();
}

messages::Judged RunnerHarness::judge_native(const std::string& artefact_folder) {
  fresh_candidates_ = 0;
  order_ = {};
  order_.candidate_path = artefact_folder + "/kernel.cpp";
  order_.artefact_folder = artefact_folder;
  order_.language = protocol::Language::kCpp;
  give_candidate();
  return take_turn();
}

messages::Judged RunnerHarness::time_reference() {
  must(judge_->channel.send(protocol::pack_message(messages::ToJudge(messages::TimeReference{}))));
  return take_turn();
}

}  // namespace autokernel::judge
