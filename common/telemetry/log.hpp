#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Logging for every process: one human line, or one JSON line. Messages are fixed text; what varies goes into fields
/// ("job", "attempt", "token", "epoch", "worker", …). Secrets and candidate source are never logged.
namespace autokernel::telemetry {

enum class Level { kDebug, kInfo, kWarning, kError };

struct LogOptions {
  std::string process;  ///< "coordinator", "worker", "client", "runner"
  std::string path;     ///< empty: stderr
  bool json = false;
  Level level = Level::kInfo;
};

/// Once, in main(). Before it, lines go to stderr at kInfo; and still, with a warning, when `path` cannot be written.
void start_logging(const LogOptions& options);

/// A field's value as text; built from anything fmt can format.
struct Field {
  template <class T>
  Field(std::string_view field_name, const T& field_value) : name(field_name), value(fmt::format("{}", field_value)) {}
  std::string name;
  std::string value;
};

void log(Level level, std::string_view message, std::initializer_list<Field> fields = {});

inline void info(std::string_view message, std::initializer_list<Field> fields = {}) {
  log(Level::kInfo, message, fields);
}
inline void warning(std::string_view message, std::initializer_list<Field> fields = {}) {
  log(Level::kWarning, message, fields);
}
inline void error(std::string_view message, std::initializer_list<Field> fields = {}) {
  log(Level::kError, message, fields);
}
inline void debug(std::string_view message, std::initializer_list<Field> fields = {}) {
  log(Level::kDebug, message, fields);
}

}  // namespace autokernel::telemetry
