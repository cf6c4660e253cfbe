#include "common/telemetry/log.hpp"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

namespace autokernel::telemetry {
namespace {

bool json_lines = false;

std::string json_text(std::string_view text) {
  std::string result = "\"";
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      result += '\\';
      result += letter;
    } else if (byte < 0x20) {
      result += fmt::format("\\u{:04x}", byte);
    } else {
      result += letter;
    }
  }
  return result + '"';
}

spdlog::level::level_enum spdlog_level(Level level) {
  switch (level) {
    case Level::kDebug: return spdlog::level::debug;
    case Level::kInfo: return spdlog::level::info;
    case Level::kWarning: return spdlog::level::warn;
    case Level::kError: return spdlog::level::err;
  }
  return spdlog::level::info;
}

}  // namespace

void start_logging(const LogOptions& options) {
  std::shared_ptr<spdlog::sinks::sink> sink;
  std::string problem;
  if (!options.path.empty()) {
    try {
      sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(options.path);
    } catch (const spdlog::spdlog_ex& error) {
      problem = error.what();
    }
  }
  if (!sink) sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  auto logger = std::make_shared<spdlog::logger>(options.process, std::move(sink));
  json_lines = options.json;
  if (json_lines) {
    logger->set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l","process":"%n",%v})",
                        spdlog::pattern_time_type::utc);
  } else {
    logger->set_pattern("%Y-%m-%d %H:%M:%S.%e %L %n: %v");
  }
  logger->set_level(spdlog_level(options.level));
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
  if (!problem.empty()) warning("the log file cannot be written, logging to stderr", {{"reason", problem}});
}

void log(Level level, std::string_view message, std::initializer_list<Field> fields) {
  std::string line;
  if (json_lines) {
    line = fmt::format("\"message\":{}", json_text(message));
    for (const Field& field : fields) line += fmt::format(",{}:{}", json_text(field.name), json_text(field.value));
  } else {
    line = message;
    for (const Field& field : fields) line += fmt::format(" {}={}", field.name, field.value);
  }
  spdlog::log(spdlog_level(level), "{}", line);
}

}  // namespace autokernel::telemetry
