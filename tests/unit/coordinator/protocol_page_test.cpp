#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "common/protocol/messages.hpp"
#include "common/system/file.hpp"
#include "coordinator/store/script.hpp"
#include "coordinator/store/transition.hpp"

/// docs/protocol.md says what the code does: its tables name the same things.
namespace autokernel {
namespace {

namespace fs = std::filesystem;
using testing::ContainerEq;

constexpr const char* kRoot = AUTOKERNEL_SOURCE_FOLDER;

/// Heading → rows of the table below it → cells.
using Table = std::vector<std::vector<std::string>>;

std::map<std::string, Table> read_tables() {
  std::istringstream page(*system::read_file(fs::path(kRoot) / "docs/protocol.md", 1U << 20U));
  std::map<std::string, Table> tables;
  std::string heading;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) heading = line.substr(3);
    if (!line.starts_with("| ")) continue;
    std::vector<std::string> cells;
    std::istringstream row(line.substr(1));
    for (std::string cell; std::getline(row, cell, '|');) {
      const auto first = cell.find_first_not_of(' ');
      const auto last = cell.find_last_not_of(' ');
      cells.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
    }
    tables[heading].push_back(std::move(cells));
  }
  for (auto& [name, rows] : tables) rows.erase(rows.begin());  // the head
  return tables;
}

Table table(const std::string& heading) { return read_tables()[heading]; }

std::set<std::string> first_column(const Table& table) {
  std::set<std::string> names;
  for (const auto& row : table) names.insert(row.at(0));
  return names;
}

template <class Family, std::size_t... Index>
void add_types(std::map<std::string, std::string>& types, const std::string& direction, std::index_sequence<Index...>) {
  const auto add = [&](std::string_view type) {
    auto& known = types[std::string(type)];
    known += known.empty() ? direction : ", " + direction.substr(direction.find("→ ") + std::string("→ ").size());
  };
  (add(std::variant_alternative_t<Index, Family>::kType), ...);
}
template <class Family>
void add_types(std::map<std::string, std::string>& types, const std::string& direction) {
  add_types<Family>(types, direction, std::make_index_sequence<std::variant_size_v<Family>>());
}

TEST(ProtocolPage, ListsEveryMessageWithItsDirection) {
  std::map<std::string, std::string> types;
  add_types<protocol::WorkerMessage>(types, "worker → coordinator");
  add_types<protocol::ToWorkerMessage>(types, "coordinator → worker");
  add_types<protocol::ClientMessage>(types, "client → coordinator");
  add_types<protocol::ToClientMessage>(types, "coordinator → client");
  std::map<std::string, std::string> documented;
  for (const auto& row : table("Messages")) documented[row.at(0)] = row.at(1);
  EXPECT_THAT(documented, ContainerEq(types));
}

TEST(ProtocolPage, ListsEveryState) {
  std::set<std::string> states;
  for (const auto& [state, name] : names_of(store::JobState{})) states.emplace(name);
  EXPECT_THAT(first_column(table("States")), ContainerEq(states));
}

TEST(ProtocolPage, ListsEveryScriptOfTheFolder) {
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(fs::path(kRoot) / "coordinator/store/lua")) {
    const std::string stem = entry.path().stem().string();
    if (stem != "prelude") files.insert(stem);
  }
  std::set<std::string> names(store::kScriptNames.begin(), store::kScriptNames.end());
  EXPECT_THAT(files, ContainerEq(names));
  EXPECT_THAT(first_column(table("Scripts")), ContainerEq(names));
}

TEST(ProtocolPage, ListsTheAnswersThatEachScriptGives) {
  for (const auto& row : table("Scripts")) {
    const std::string source(store::lua_source(row.at(0)));
    std::istringstream answers(row.at(1));
    for (std::string answer; std::getline(answers >> std::ws, answer, ',');) {
      EXPECT_NE(source.find("return {'" + answer + "'"), std::string::npos) << row[0] << " → " << answer;
    }
  }
}

TEST(ProtocolPage, ListsEveryTransitionAsAScript) {
  const auto scripts = []<std::size_t... Index>(std::index_sequence<Index...>) {
    return std::set<std::string>{std::string(std::variant_alternative_t<Index, store::Transition>::kScript)...};
  }
  (std::make_index_sequence<std::variant_size_v<store::Transition>>());
  std::set<std::string> names(store::kScriptNames.begin(), store::kScriptNames.end());
  names.erase("takeover");  // a coordinator's, not a job's
  EXPECT_THAT(scripts, ContainerEq(names));
}

TEST(ProtocolPage, ListsEveryKeyThatTheScriptsUse) {
  std::set<std::string> used;
  for (const std::string_view name :
       {"prelude", "takeover", "submit", "lease", "started", "complete", "lost", "cancel", "due"}) {
    const std::string_view source = store::lua_source(name);
    constexpr std::string_view kCall = "key('";
    for (std::size_t at = source.find(kCall); at != std::string_view::npos; at = source.find(kCall, at + 1)) {
      const std::size_t from = at + kCall.size();
      used.emplace(source.substr(from, source.find('\'', from) - from));
    }
  }
  std::set<std::string> documented;
  for (const std::string& key : first_column(table("Keys"))) {
    const std::size_t colon = key.find(':');
    documented.insert(colon == std::string::npos ? key : key.substr(0, colon + 1));
  }
  EXPECT_THAT(documented, ContainerEq(used));
}

}  // namespace
}  // namespace autokernel
