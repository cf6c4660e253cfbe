#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "common/protocol/messages.hpp"
#include "worker/compile/builder.hpp"
#include "worker/lane/lane_job.hpp"
#include "worker/lane/lane_resources.hpp"
#include "worker/runner_process/zygote.hpp"

namespace autokernel::test {

/// A folder that is gone after the test.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

[[nodiscard]] runner_process::ZygoteOptions fake_zygote_options(const std::filesystem::path& folder);

/// What a worker is made of, around the fake runner, on a made-up CPU device.
struct FakeNode {
  FakeNode();
  [[nodiscard]] lane::LaneResources lane_resources() const;
  [[nodiscard]] compile::BuilderSettings builder_settings() const;
  [[nodiscard]] compile::Builder builder(compile::CpuGate* gate = nullptr) const;

  TemporaryFolder folder;
  compile::BuildCache cache;
  std::unique_ptr<runner_process::Zygote> zygote;
};

/// An evaluation of a candidate with that text against a problem with that text.
[[nodiscard]] protocol::Dispatch a_dispatch(std::uint64_t number, const std::string& candidate,
                                            const std::string& problem = "PROBLEM");

/// The same, built and ready for a lane; its source stands in the node's folder.
[[nodiscard]] lane::LaneJob a_lane_job(const FakeNode& node, const protocol::Dispatch& dispatch);

}  // namespace autokernel::test
