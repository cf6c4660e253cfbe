#pragma once

#include <string_view>

#include "common/protocol/job.hpp"

namespace autokernel::messages {

/// A→J and A→C, before anything else or not at all: make the device's context (0.2 s and more on a GPU), which needs
/// neither problem nor candidate.
///
/// A judge answers DeviceOpen. A candidate gets it through the judge's end of its channel before the judge has that,
/// and answers nothing: what goes wrong is told in answer to Load.
struct OpenDevice {
  static constexpr std::string_view kType = "open_device";
  protocol::DeviceKind device = protocol::DeviceKind::kCpu;
  template <class Archive>
  void describe(Archive& archive) {
    archive.field("device", device);
  }
};

}  // namespace autokernel::messages
