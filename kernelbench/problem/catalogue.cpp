#include "kernelbench/problem/catalogue.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <tuple>

#include "kernelbench/problem/python_text.hpp"
#include "kernelbench/problem/source_text.hpp"

namespace autokernel::kernelbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExpected =
    "expected KernelBench's layout: level1/1_Name.py, level1/2_Name.py, level2/1_Name.py and so on";

std::optional<int> parse_number(std::string_view digits) {
  int number = 0;
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

/// Names of a folder's entries, sorted, without hidden ones and Python's caches.
Result<std::vector<std::string>> list(const fs::path& folder) {
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(".") && name != "__pycache__") names.push_back(name);
  }
  if (error) return fail(Code::kUnavailable, "cannot read the folder '{}': {}", folder.string(), error.message());
  std::sort(names.begin(), names.end());
  return names;
}

std::string missing_parts(std::string_view text) {
  static constexpr std::array<std::string_view, 3> kParts{"Model", "get_inputs", "get_init_inputs"};
  const std::string blanked = blank_strings_and_comments(text);
  std::string missing;
  for (const std::string_view part : kParts) {
    if (!seems_to_define(blanked, part)) missing += (missing.empty() ? "" : ", ") + std::string(part);
  }
  return missing;
}

Problem read_problem(const fs::path& path, int level, int id, std::string name) {
  Problem problem{protocol::ProblemSource{level, id, std::move(name), "", false}, path, ""};
  auto text = read_source(path);
  if (!text) {
    problem.broken = std::move(text).error().message;
  } else if (const std::string missing = missing_parts(*text); !missing.empty()) {
    problem.broken = fmt::format(
        "'{}' does not define {}: a KernelBench problem has a class Model and the functions get_inputs and "
        "get_init_inputs",
        path.string(), missing);
  } else {
    problem.source.text = *std::move(text);
  }
  return problem;
}

Result<void> read_level(Catalogue& catalogue, const fs::path& folder, int level) {
  AUTOKERNEL_TRY_ASSIGN(const auto names, list(folder));
  for (const std::string& name : names) {
    const std::string shown = fmt::format("level{}/{}", level, name);
    if (const auto parsed = parse_problem_file_name(name)) {
      catalogue.problems.push_back(read_problem(folder / name, level, parsed->id, shown));
    } else {
      catalogue.ignored.push_back(shown);
    }
  }
  return {};
}

/// Two files with one number are both refused: results are filed by number, so either choice would be a guess.
void refuse_doubles(std::vector<Problem>& problems) {
  std::map<std::pair<int, int>, std::vector<Problem*>> by_number;
  for (Problem& problem : problems) by_number[{problem.source.level, problem.source.id}].push_back(&problem);
  for (const auto& [number, same] : by_number) {
    if (same.size() < 2) continue;
    for (Problem* problem : same) {
      const Problem* other = problem == same[0] ? same[1] : same[0];
      problem->broken = fmt::format("'{}' has the same number as '{}': renumber or remove one", problem->path.string(),
                                    other->path.string());
      problem->source.text.clear();
    }
  }
}

/// The level folders of a problems folder: name and level. Empty when it has none.
std::vector<std::pair<fs::path, int>> level_folders(const fs::path& folder, const std::vector<std::string>& names) {
  std::vector<std::pair<fs::path, int>> levels;
  std::error_code error;
  for (const std::string& name : names) {
    const auto level = parse_level_folder(name);
    if (level && fs::is_directory(folder / name, error)) levels.emplace_back(folder / name, *level);
  }
  return levels;
}

/// A folder's name, also when the path ends in a slash or is ".".
std::string name_of_folder(const fs::path& folder) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(folder, error);
  return (error ? folder : whole).filename().string();
}

}  // namespace

std::optional<ProblemFileName> parse_problem_file_name(std::string_view file) {
  if (!file.ends_with(".py")) return std::nullopt;
  const std::string_view stem = file.substr(0, file.size() - 3);
  const std::size_t underscore = stem.find('_');
  if (underscore == std::string_view::npos) return std::nullopt;
  const auto id = parse_number(stem.substr(0, underscore));
  if (!id) return std::nullopt;
  return ProblemFileName{*id, std::string(stem.substr(underscore + 1))};
}

std::optional<int> parse_level_folder(std::string_view folder) {
  constexpr std::string_view kPrefix = "level";
  if (!folder.starts_with(kPrefix) || folder.substr(kPrefix.size()).starts_with("0")) return std::nullopt;
  return parse_number(folder.substr(kPrefix.size()));
}

const Problem* Catalogue::find(int level, int id) const {
  for (const Problem& problem : problems) {
    if (problem.source.level == level && problem.source.id == id) return &problem;
  }
  return nullptr;
}

std::vector<int> Catalogue::levels() const {
  std::set<int> levels;
  for (const Problem& problem : problems) levels.insert(problem.source.level);
  return {levels.begin(), levels.end()};
}

Result<Catalogue> load_catalogue(const fs::path& folder) {
  std::error_code error;
  const auto status = fs::status(folder, error);
  if (!fs::exists(status)) {
    return fail(Code::kNotFound, "the problems folder '{}' does not exist: give a KernelBench folder with --problems",
                folder.string());
  }
  if (!fs::is_directory(status)) {
    return fail(Code::kInvalid, "'{}' is not a folder: {}", folder.string(), kExpected);
  }
  AUTOKERNEL_TRY_ASSIGN(const auto names, list(folder));
  if (names.empty()) return fail(Code::kInvalid, "the problems folder '{}' is empty: {}", folder.string(), kExpected);

  Catalogue catalogue{folder, {}, {}};
  const auto levels = level_folders(folder, names);
  for (const auto& [path, level] : levels) AUTOKERNEL_TRY(read_level(catalogue, path, level));
  if (levels.empty()) {
    if (const auto level = parse_level_folder(name_of_folder(folder))) {
      AUTOKERNEL_TRY(read_level(catalogue, folder, *level));
    } else if (fs::is_directory(folder / "KernelBench", error)) {
      return load_catalogue(folder / "KernelBench");
    }
  }
  if (catalogue.problems.empty()) {
    const bool flat =
        std::any_of(names.begin(), names.end(), [](const auto& name) { return parse_problem_file_name(name); });
    if (flat) {
      return fail(Code::kInvalid,
                  "'{}' holds problems outside a level folder: move them into one named level1, level2, …",
                  folder.string());
    }
    return fail(Code::kInvalid, "no problem in '{}': nothing there is named like <number>_<Name>.py; {}",
                folder.string(), kExpected);
  }
  refuse_doubles(catalogue.problems);
  std::sort(catalogue.problems.begin(), catalogue.problems.end(), [](const Problem& a, const Problem& b) {
    return std::tie(a.source.level, a.source.id, a.source.name) < std::tie(b.source.level, b.source.id, b.source.name);
  });
  return catalogue;
}

Result<Problem> load_problem(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error)) return fail(Code::kNotFound, "the problem '{}' does not exist", file.string());
  const std::string name = file.filename().string();
  const std::string folder = name_of_folder(file.parent_path().empty() ? fs::path(".") : file.parent_path());
  const auto level = parse_level_folder(folder);
  const auto parsed = parse_problem_file_name(name);
  Problem problem = read_problem(file, level.value_or(0), parsed ? parsed->id : 0,
                                 level ? fmt::format("level{}/{}", *level, name) : name);
  if (!problem.usable()) return fail(Code::kInvalid, "{}", problem.broken);
  return problem;
}

}  // namespace autokernel::kernelbench
