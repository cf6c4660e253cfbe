#include "client/run_folder/results_log.hpp"

#include <algorithm>
#include <utility>

namespace autokernel::client {

Result<ResultsLog> ResultsLog::open(const std::filesystem::path& path) {
  AUTOKERNEL_TRY_ASSIGN(kernelbench::ResultsFile file, kernelbench::read_results(path));
  AUTOKERNEL_TRY(kernelbench::cut_torn_tail(path, file));
  ResultsLog log(path);
  log.defects_ = std::move(file.defects);
  log.records_ = std::move(file.records);
  for (std::size_t index = 0; index < log.records_.size(); ++index) {
    log.places_.emplace(identity_of(log.records_[index]), index);
  }
  return log;
}

bool ResultsLog::holds(const std::string& identity) const {
  const auto found = places_.find(identity);
  return found != places_.end() && kernelbench::is_settled(records_[found->second]);
}

std::size_t ResultsLog::settled() const {
  return static_cast<std::size_t>(std::count_if(records_.begin(), records_.end(), kernelbench::is_settled));
}

Result<bool> ResultsLog::append(const protocol::Record& record) {
  const std::string identity = identity_of(record);
  if (holds(identity)) return false;
  AUTOKERNEL_TRY(kernelbench::append_record(path_, record));
  const auto [place, fresh] = places_.emplace(identity, records_.size());
  if (fresh) {
    records_.push_back(record);
  } else {
    records_[place->second] = record;
  }
  return true;
}

}  // namespace autokernel::client
