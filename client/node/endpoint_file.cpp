#include "client/node/endpoint_file.hpp"

#include "client/run_folder/run_folder.hpp"
#include "common/config/toml.hpp"
#include "common/protocol/describe.hpp"
#include "common/system/file.hpp"

namespace autokernel::client {

Result<void> write_endpoint(const std::filesystem::path& run, const EndpointFile& endpoint) {
  return system::write_file(endpoint_path(run), config::format_toml(protocol::to_value(endpoint)));
}

Result<EndpointFile> read_endpoint(const std::filesystem::path& run) {
  const auto path = endpoint_path(run);
  AUTOKERNEL_TRY_ASSIGN(const std::string text, system::read_file(path, 65536));
  AUTOKERNEL_TRY_ASSIGN(const config::TomlDocument document, config::parse_toml(text, path.string()));
  auto endpoint = protocol::from_value<EndpointFile>(document.root);
  if (!endpoint) return tl::unexpected(endpoint.error().within(path.string()));
  return endpoint;
}

void remove_endpoint(const std::filesystem::path& run) {
  std::error_code error;
  std::filesystem::remove(endpoint_path(run), error);
}

}  // namespace autokernel::client
