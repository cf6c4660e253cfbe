#include "client/node/local_node.hpp"

#include <unistd.h>

#include <utility>

#include "client/node/endpoint_file.hpp"
#include "client/node/programs.hpp"
#include "client/node/redis_ping.hpp"

namespace autokernel::client {
namespace {

namespace fs = std::filesystem;

constexpr const char* kQueue = "run";

std::string clients_endpoint_in(const fs::path& folder) { return "ipc://" + (folder / "clients").string(); }
std::string workers_endpoint_in(const fs::path& folder) { return "ipc://" + (folder / "workers").string(); }

Service redis_service(const fs::path& run, const fs::path& folder) {
  const std::string socket = (folder / "redis").string();
  Service service;
  service.name = "redis-server";
  service.process.arguments = {"redis-server",
                               "--port",
                               "0",
                               "--unixsocket",
                               socket,
                               "--unixsocketperm",
                               "700",
                               "--dir",
                               (run / "redis").string(),
                               "--appendonly",
                               "yes",
                               "--appendfsync",
                               "always",
                               "--save",
                               "",
                               "--maxmemory-policy",
                               "noeviction",
                               "--daemonize",
                               "no"};
  service.process.output_path = (run / "logs" / "redis.log").string();
  service.ready = [socket] { return redis_answers(socket); };
  return service;
}

Service coordinator_service(const fs::path& run, const fs::path& folder) {
  Service service;
  service.name = "autokernel-coordinator";
  service.process.arguments = {program_path("autokernel-coordinator"),
                               "--redis",
                               "unix:" + (folder / "redis").string(),
                               "--queue",
                               kQueue,
                               "--workers",
                               workers_endpoint_in(folder),
                               "--clients",
                               clients_endpoint_in(folder)};
  service.process.output_path = (run / "logs" / "coordinator.log").string();
  return service;
}

Service worker_service(const fs::path& run, const fs::path& folder, const std::string& devices) {
  Service service;
  service.name = "autokernel-worker";
  service.process.arguments = {program_path("autokernel-worker"),
                               "--connect",
                               workers_endpoint_in(folder),
                               "--devices",
                               devices,
                               "--id",
                               "local",
                               "--cache",
                               cache_folder(),
                               "--folder",
                               folder.string()};
  service.process.output_path = (run / "logs" / "worker.log").string();
  return service;
}

std::vector<Service> services_of(const LocalNodeOptions& options, const fs::path& folder) {
  const fs::path run = fs::absolute(options.run_folder);
  return {redis_service(run, folder), coordinator_service(run, folder), worker_service(run, folder, options.devices)};
}

}  // namespace

LocalNode::LocalNode(const Clock& clock, const LocalNodeOptions& options, system::OwnedFolder folder)
    : run_folder_(options.run_folder),
      folder_(std::move(folder)),
      clients_endpoint_(clients_endpoint_in(folder_.path())),
      supervisor_(clock, services_of(options, folder_.path())) {}

Result<std::unique_ptr<LocalNode>> LocalNode::start(const Clock& clock, const LocalNodeOptions& options,
                                                    const std::function<bool()>& cancelled) {
  AUTOKERNEL_TRY_ASSIGN(system::OwnedFolder folder, make_private_folder());
  std::unique_ptr<LocalNode> node(new LocalNode(clock, options, std::move(folder)));
  AUTOKERNEL_TRY(write_endpoint(options.run_folder, EndpointFile{node->clients_endpoint_, node->folder_.path().string(),
                                                                 static_cast<std::int64_t>(::getpid())}));
  if (auto started = node->supervisor_.start(cancelled); !started) {
    const Error& error = started.error();
    if (error.code == Code::kNotFound && error.message.rfind("redis-server", 0) == 0) {
      return fail(Code::kUnavailable,
                  "redis-server is not installed: run scripts/setup, or: apt-get install redis-server");
    }
    return tl::unexpected(error);
  }
  return node;
}

void LocalNode::stop() {
  if (std::exchange(stopped_, true)) return;
  supervisor_.stop();
  remove_endpoint(run_folder_);
}

LocalNode::~LocalNode() { stop(); }

}  // namespace autokernel::client
