#include "tests/support/redis_server.hpp"

#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

namespace autokernel::test {

using namespace std::chrono_literals;

RedisServer::RedisServer(std::vector<std::string> more_arguments) : more_arguments_(std::move(more_arguments)) {
  std::signal(SIGPIPE, SIG_IGN);  // as the coordinator does: connections outlive the server here
  start();
}

RedisServer::~RedisServer() { kill(); }

store::RedisAddress RedisServer::address() const { return {(folder_ / "redis.sock").string(), "", 0}; }

store::RedisConnection RedisServer::connect() const {
  store::RedisConnection connection(address(), 5s);
  AUTOKERNEL_CHECK(connection.connect().has_value());
  return connection;
}

void RedisServer::start() {
  system::ProcessOptions options;
  options.arguments = {"redis-server",
                       "--port",
                       "0",
                       "--unixsocket",
                       address().path,
                       "--dir",
                       folder_.path().string(),
                       "--appendonly",
                       "yes",
                       "--appendfsync",
                       "always",
                       "--save",
                       "",
                       "--enable-debug-command",
                       "local"};
  options.arguments.insert(options.arguments.end(), more_arguments_.begin(), more_arguments_.end());
  options.output_path = (folder_ / "redis.log").string();
  auto started = system::ChildProcess::start(options);
  AUTOKERNEL_CHECK(started.has_value());
  process_.emplace(*std::move(started));
  // Real processes need real waiting; bounded, and over as soon as it answers.
  for (int i = 0; i < 500; ++i) {
    store::RedisConnection connection(address(), 5s);
    if (connection.connect() && connection.command({"PING"})) return;
    std::this_thread::sleep_for(20ms);
  }
  const bool redis_server_started = false;
  AUTOKERNEL_CHECK(redis_server_started);
}

void RedisServer::kill() {
  if (!process_) return;
  process_->send_signal(SIGCONT);
  process_->send_signal(SIGKILL);
  static_cast<void>(process_->wait(10s));
  process_.reset();
}

}  // namespace autokernel::test
