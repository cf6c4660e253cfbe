#include "kernelbench/export/results_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <utility>

#include "common/system/file.hpp"
#include "kernelbench/export/json.hpp"
#include "kernelbench/export/record_json.hpp"

namespace autokernel::kernelbench {
namespace {

using Places = std::map<std::string, std::size_t>;  // identity → index in ResultsFile::records

void take_record(ResultsFile& results, Places& places, protocol::Record record) {
  const auto [place, fresh] = places.try_emplace(identity_of(record), results.records.size());
  if (fresh) {
    results.records.push_back(std::move(record));
  } else if (protocol::Record& earlier = results.records[place->second]; !is_settled(earlier)) {
    earlier = std::move(record);
  }
}

/// Parses one line; a record of a newer schema is the only error that ends the reading.
Result<void> take_line(const std::filesystem::path& path, ResultsFile& results, Places& places, const std::string& line,
                       std::size_t number) {
  auto record = parse_record(line);
  if (record) {
    take_record(results, places, *std::move(record));
    return {};
  }
  const std::string where = fmt::format("'{}' line {}", path.string(), number);
  if (const auto value = parse_json(line)) {
    const auto* schema = value->find("schema");
    const auto* version = schema == nullptr ? nullptr : schema->as<std::int64_t>();
    if (version != nullptr && *version > kRecordSchema) return tl::unexpected(record.error().within(where));
  }
  results.defects.push_back(fmt::format("{}: skipped, {}", where, record.error().message));
  return {};
}

}  // namespace

std::string identity_of(const std::string& problem, const std::string& candidate) { return problem + " " + candidate; }

std::string identity_of(const protocol::Record& record) { return identity_of(record.problem, record.candidate); }

bool is_settled(const protocol::Record& record) { return record.verdict != protocol::Verdict::kInfrastructure; }

Result<ResultsFile> read_results(const std::filesystem::path& path) {
  ResultsFile results;
  Places places;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return results;
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(Code::kUnavailable, "cannot read '{}': {}", path.string(), std::strerror(errno));
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (file.eof()) {
      // Without its newline a line may be cut anywhere, even where it happens to be JSON: the record is not there until
      // the write that ended it was complete.
      results.torn = true;
      results.defects.push_back(fmt::format("'{}' line {}: cut short ({} bytes); it is left out and its job runs again",
                                            path.string(), number, line.size()));
      break;
    }
    results.whole_bytes += line.size() + 1;
    if (!line.empty()) AUTOKERNEL_TRY(take_line(path, results, places, line, number));
  }
  if (file.bad()) return fail(Code::kUnavailable, "cannot read '{}': {}", path.string(), std::strerror(errno));
  return results;
}

Result<void> cut_torn_tail(const std::filesystem::path& path, const ResultsFile& results) {
  if (!results.torn) return {};
  std::error_code error;
  std::filesystem::resize_file(path, results.whole_bytes, error);
  if (error) return fail(Code::kUnavailable, "cannot shorten '{}': {}", path.string(), error.message());
  return {};
}

Result<void> append_record(const std::filesystem::path& path, const protocol::Record& record) {
  return system::append_line(path, record_line(record));
}

}  // namespace autokernel::kernelbench
