#include "client/run_folder/results_log.hpp"

#include <utility>

#include "kernelbench/export/results_file.hpp"

namespace autokernel::client {

std::string identity_of(const std::string& problem, const std::string& candidate) { return problem + " " + candidate; }

std::string identity_of(const protocol::Record& record) { return identity_of(record.problem, record.candidate); }

Result<ResultsLog> ResultsLog::open(const std::filesystem::path& path) {
  AUTOKERNEL_TRY_ASSIGN(kernelbench::ResultsFile file, kernelbench::read_results(path));
  AUTOKERNEL_TRY(kernelbench::cut_torn_tail(path, file));
  ResultsLog log(path);
  log.defects_ = std::move(file.defects);
  for (protocol::Record& record : file.records) {
    if (log.identities_.insert(identity_of(record)).second) log.records_.push_back(std::move(record));
  }
  return log;
}

Result<bool> ResultsLog::append(const protocol::Record& record) {
  if (holds(identity_of(record))) return false;
  AUTOKERNEL_TRY(kernelbench::append_record(path_, record));
  identities_.insert(identity_of(record));
  records_.push_back(record);
  return true;
}

}  // namespace autokernel::client
