#include "fake_node.hpp"

#include <stdlib.h>

#include "common/system/file.hpp"

namespace autokernel::test {

TemporaryFolder::TemporaryFolder() {
  std::string path = (std::filesystem::temp_directory_path() / "autokernel-test-XXXXXX").string();
  AUTOKERNEL_CHECK(::mkdtemp(path.data()) != nullptr);
  path_ = path;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

runner_process::ZygoteOptions fake_zygote_options(const std::filesystem::path& folder) {
  runner_process::ZygoteOptions options;
  options.program = AUTOKERNEL_FAKE_RUNNER;
  options.output_path = (folder / "runner.log").string();
  return options;
}

FakeNode::FakeNode() : cache(folder.path() / "cache") {
  auto started = runner_process::Zygote::start(fake_zygote_options(folder.path()));
  AUTOKERNEL_CHECK(started.has_value());
  zygote = *std::move(started);
}

lane::LaneResources FakeNode::lane_resources() const {
  devices::Device cpu;
  cpu.name = "a made-up CPU";
  return lane::LaneResources{*zygote, cpu, nullptr, {}, folder.path() / "lane", {{"evaluator", "e1"}}};
}

compile::BuilderSettings FakeNode::builder_settings() const {
  compile::BuilderSettings settings;
  settings.scratch = folder.path() / "builds";
  settings.include_folder = folder.path();
  return settings;
}

compile::Builder FakeNode::builder(compile::CpuGate* gate) const {
  return compile::Builder(*zygote, cache, compile::Toolchain{zygote->environment(), "c++ 12", "digest"},
                          builder_settings(), gate);
}

protocol::Dispatch a_dispatch(std::uint64_t number, const std::string& candidate, const std::string& problem) {
  protocol::Dispatch dispatch;
  dispatch.seq = number;
  dispatch.token = LeaseToken{Epoch{1}, number};
  dispatch.job = number;
  dispatch.attempt = 2;
  dispatch.spec.problem.level = 1;
  dispatch.spec.problem.id = 19;
  dispatch.spec.problem.name = "level1/19_ReLU.py";
  dispatch.spec.problem.text = problem;
  dispatch.spec.candidate.name = "level_1_problem_19_sample_0_kernel.py";
  dispatch.spec.candidate.text = candidate;
  return dispatch;
}

lane::LaneJob a_lane_job(const FakeNode& node, const protocol::Dispatch& dispatch) {
  lane::LaneJob job;
  job.dispatch = dispatch;
  job.judge_key = lane::judge_key_of(dispatch.spec);
  job.build.source_path = node.folder.path() / fmt::format("candidate-{}.py", dispatch.job);
  job.build.artefact_folder = node.folder.path() / "artefacts";
  AUTOKERNEL_CHECK(system::write_file(job.build.source_path, dispatch.spec.candidate.text).has_value());
  job.cancellation = std::make_shared<runner_process::Cancellation>();
  return job;
}

}  // namespace autokernel::test
