#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "common/result/result.hpp"

namespace autokernel::client {

/// RUN_DIR/endpoint: where a running sweep's coordinator listens, so that `status` finds it. It outlives a killed
/// client; then nobody answers there.
struct EndpointFile {
  std::string clients;       ///< endpoint for clients
  std::string folder;        ///< private folder of the sockets; empty when the coordinator is not ours
  std::int64_t process = 0;  ///< the client's

  template <class Archive>
  void describe(Archive& archive) {
    archive.field("clients", clients);
    archive.field("folder", folder);
    archive.field("process", process);
  }
};

[[nodiscard]] Result<void> write_endpoint(const std::filesystem::path& run, const EndpointFile& endpoint);
/// kNotFound: no sweep runs there (or it ended in order).
[[nodiscard]] Result<EndpointFile> read_endpoint(const std::filesystem::path& run);
void remove_endpoint(const std::filesystem::path& run);

}  // namespace autokernel::client
