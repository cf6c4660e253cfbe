#include <csignal>
#include <cstdio>
#include <string>

#include "common/config/program.hpp"
#include "common/telemetry/log.hpp"
#include "coordinator/service.hpp"

namespace autokernel::coordinator {
namespace {

StopRequest* stop_request = nullptr;

extern "C" void on_stop_signal(int /*signal*/) { stop_request->request(); }

int run_program(int argc, char** argv) {
  ServiceOptions options;
  std::string redis;
  telemetry::LogOptions log{"coordinator"};
  std::int64_t term_ms = options.dispatch.term.count();
  std::int64_t heartbeat_ms = options.dispatch.heartbeat.count();
  std::int64_t start_limit_ms = options.dispatch.start_limit.count();
  std::int64_t retry_base_ms = options.dispatch.retry_base.count();

  config::Program program({"autokernel-coordinator",
                           "Keeps the queue of one cluster in Redis and hands its jobs to workers.",
                           {"autokernel-coordinator --redis unix:/run/autokernel/redis.sock --queue sweep "
                            "--workers tcp://127.0.0.1:7100 --clients tcp://127.0.0.1:7101"}});
  config::Command& command = program.options();
  command.text("redis", redis, "ADDRESS", "unix:/path or 127.0.0.1:port of a Redis 7 with appendfsync always");
  command.text("queue", options.store.queue, "NAME", "which of that Redis' queues");
  command.text("workers", options.workers, "ENDPOINT", "where workers connect: ipc:///path or tcp://address:port");
  command.text("clients", options.clients, "ENDPOINT", "where clients connect");
  command.text("log", log.path, "FILE", "log file; stderr without it");
  command.flag("json-log", log.json, "one JSON object for each log line");
  command.text("metrics", options.metrics_path, "FILE", "metrics in Prometheus' text format, rewritten every 5 s");
  constexpr config::IntegerRange kMilliseconds{1, 3'600'000};
  command.integer("term-ms", term_ms, kMilliseconds, "silence after which a lease is lost");
  command.integer("heartbeat-ms", heartbeat_ms, kMilliseconds, "how often workers shall report");
  command.integer("start-limit-ms", start_limit_ms, kMilliseconds, "from a dispatch to a sign that it arrived");
  command.integer("retry-base-ms", retry_base_ms, kMilliseconds, "rest after a job's first crash; doubles with each");
  if (const auto exit_code = program.parse_or_print(argc, argv)) return *exit_code;

  const auto leave = [](const Error& error) {
    std::fprintf(stderr, "autokernel-coordinator: %s\n", error.message.c_str());
    return exit_code_of(error.code);
  };
  for (const auto& [name, value] :
       {std::pair{"redis", &redis}, std::pair{"workers", &options.workers}, std::pair{"clients", &options.clients}}) {
    if (value->empty()) return leave({Code::kInvalid, fmt::format("--{} is missing; --help shows an example", name)});
  }
  auto address = store::parse_redis_address(redis);
  if (!address) return leave(address.error());
  options.store.address = *std::move(address);
  options.dispatch.term = std::chrono::milliseconds(term_ms);
  options.dispatch.heartbeat = std::chrono::milliseconds(heartbeat_ms);
  options.dispatch.start_limit = std::chrono::milliseconds(start_limit_ms);
  options.dispatch.retry_base = std::chrono::milliseconds(retry_base_ms);
  telemetry::start_logging(log);

  StopRequest stop;
  stop_request = &stop;
  std::signal(SIGPIPE, SIG_IGN);  // a broken connection to Redis is an error, not the end
  std::signal(SIGTERM, on_stop_signal);
  std::signal(SIGINT, on_stop_signal);
  const auto exit_code = run(options, stop);
  if (exit_code) return *exit_code;
  telemetry::error("ending", {{"reason", exit_code.error().message}});
  return leave(exit_code.error());
}

}  // namespace
}  // namespace autokernel::coordinator

int main(int argc, char** argv) { return autokernel::coordinator::run_program(argc, argv); }
