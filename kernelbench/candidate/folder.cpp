#include "kernelbench/candidate/folder.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include "kernelbench/candidate/name.hpp"
#include "kernelbench/candidate/needs.hpp"
#include "kernelbench/problem/near_names.hpp"
#include "kernelbench/problem/source_text.hpp"

namespace autokernel::kernelbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExpected =
    "expected files like level_1_problem_19_sample_0_kernel.py (or .cu, .hip, .cpp), or level1/19_ReLU.cu beside "
    "level1/19_ReLU.py";

Candidate read_candidate(const fs::path& path, std::string name, const CandidateName& place) {
  Candidate candidate;
  candidate.source.name = std::move(name);
  candidate.source.sample = place.sample;
  candidate.source.language = place.language;
  candidate.level = place.level;
  candidate.problem_id = place.problem;
  candidate.path = path;
  if (auto text = read_source(path)) {
    candidate.source.text = *std::move(text);
  } else {
    candidate.broken = std::move(text).error().message;
  }
  candidate.source.needs = device_needs(place.language, candidate.source.text);
  return candidate;
}

std::string stem_of(const Problem& problem) {
  std::string stem = problem.source.name.substr(problem.source.name.find('/') + 1);
  if (stem.ends_with(".py")) stem.resize(stem.size() - 3);
  return stem;
}

/// One pass over a folder; collects what it finds.
class Reading {
 public:
  Reading(const fs::path& root, const Catalogue& catalogue) : catalogue_(catalogue) { found_.root = root; }

  /// `mirrored` is the level of the folder when it is a level folder.
  Result<void> read(const fs::path& folder, const std::string& prefix, std::optional<int> mirrored) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      if (name.starts_with(".") || name == "__pycache__" || name.ends_with("_prompt.txt")) continue;
      std::error_code unknown;
      if (entry->is_directory(unknown)) {
        const auto level = parse_level_folder(name);
        if (!level || mirrored) {
          found_.ignored.push_back(prefix + name + "/");
        } else {
          AUTOKERNEL_TRY(read(entry->path(), name + "/", level));
        }
      } else {
        add(entry->path(), prefix, name, mirrored);
      }
    }
    if (error) return fail(Code::kUnavailable, "cannot read the folder '{}': {}", folder.string(), error.message());
    return {};
  }

  Result<CandidateFolder> finish() {
    if (found_.candidates.empty() && found_.unmatched.empty()) {
      return fail(Code::kInvalid, "no candidate in '{}': {}", found_.root.string(), kExpected);
    }
    const auto key = [](const Candidate& candidate) {
      return std::tuple(candidate.level, candidate.problem_id, candidate.source.sample, candidate.source.name);
    };
    std::sort(found_.candidates.begin(), found_.candidates.end(),
              [&](const Candidate& a, const Candidate& b) { return key(a) < key(b); });
    for (std::size_t index = 1; index < found_.candidates.size(); ++index) {
      const Candidate& a = found_.candidates[index - 1];
      const Candidate& b = found_.candidates[index];
      if (std::tie(a.level, a.problem_id, a.source.sample) != std::tie(b.level, b.problem_id, b.source.sample))
        continue;
      return fail(
          Code::kInvalid,
          "two candidates for sample {} of level {} problem {}: '{}' and '{}'; remove one or give it another sample "
          "number",
          a.source.sample, a.level, a.problem_id, a.path.string(), b.path.string());
    }
    std::sort(found_.unmatched.begin(), found_.unmatched.end());
    std::sort(found_.ignored.begin(), found_.ignored.end());
    return std::move(found_);
  }

 private:
  void add(const fs::path& path, const std::string& prefix, const std::string& name, std::optional<int> mirrored) {
    const std::string shown = prefix + name;
    if (const auto place = parse_candidate_name(name)) {
      if (catalogue_.find(place->level, place->problem) == nullptr) {
        refuse(shown, fmt::format("level {} problem {}", place->level, place->problem), "");
      } else {
        found_.candidates.push_back(read_candidate(path, shown, *place));
      }
    } else if (const auto mirror = mirrored ? parse_mirrored_name(name) : std::nullopt) {
      const Problem* problem = catalogue_.find(*mirrored, mirror->problem);
      if (problem == nullptr || lower_case(stem_of(*problem)) != lower_case(mirror->stem)) {
        refuse(shown, fmt::format("level{}/{}.py", *mirrored, mirror->stem), mirror->stem);
      } else {
        found_.candidates.push_back(
            read_candidate(path, shown, CandidateName{*mirrored, mirror->problem, mirror->sample, mirror->language}));
      }
    } else {
      found_.ignored.push_back(shown);
    }
  }

  /// The nearest problems by name, or, where only a number was given, the span of numbers that the catalogue has.
  void refuse(const std::string& file, const std::string& problem, const std::string& stem) {
    std::string hint;
    if (!stem.empty()) {
      std::vector<std::string> known;
      for (const Problem& entry : catalogue_.problems) known.push_back(stem_of(entry));
      hint = suggestion(near_names(stem, known));
    }
    found_.unmatched.push_back(fmt::format("candidate '{}' belongs to no problem: '{}' has no {}{}", file,
                                           catalogue_.root.string(), problem,
                                           hint.empty() ? "; it has " + spans() : hint));
  }

  [[nodiscard]] std::string spans() const {
    std::string text;
    for (const int level : catalogue_.levels()) {
      int low = 0;
      int high = 0;
      for (const Problem& problem : catalogue_.problems) {
        if (problem.source.level != level) continue;
        low = low == 0 ? problem.source.id : std::min(low, problem.source.id);
        high = std::max(high, problem.source.id);
      }
      text += fmt::format("{}level {} problems {} to {}", text.empty() ? "" : ", ", level, low, high);
    }
    return text;
  }

  const Catalogue& catalogue_;
  CandidateFolder found_;
};

std::optional<int> level_of_root(const fs::path& folder) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(folder, error);
  return parse_level_folder((error ? folder : whole).filename().string());
}

}  // namespace

std::vector<const Candidate*> CandidateFolder::of(const protocol::ProblemSource& problem) const {
  std::vector<const Candidate*> chosen;
  for (const Candidate& candidate : candidates) {
    if (candidate.level == problem.level && candidate.problem_id == problem.id) chosen.push_back(&candidate);
  }
  return chosen;
}

std::string CandidateFolder::misnamed() const {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> names;
  for (const std::string& name : ignored) {
    if (language_of_suffix(fs::path(name).extension().string())) names.push_back(name);
  }
  if (names.empty()) return "";
  const std::size_t shown = std::min(names.size(), kShown);
  std::string text =
      names.size() == 1
          ? fmt::format("1 file in '{}' is left out, since its name is no candidate's: ", root.string())
          : fmt::format("{} files in '{}' are left out, since their names are no candidate's: ", names.size(),
                        root.string());
  for (std::size_t index = 0; index < shown; ++index) text += (index == 0 ? "" : ", ") + names[index];
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return fmt::format("{}; {}", text, kExpected);
}

Result<CandidateFolder> load_candidates(const fs::path& folder, const Catalogue& catalogue) {
  std::error_code error;
  const auto status = fs::status(folder, error);
  if (!fs::exists(status)) {
    return fail(Code::kNotFound, "the candidates folder '{}' does not exist: give one with --candidates",
                folder.string());
  }
  if (!fs::is_directory(status)) return fail(Code::kInvalid, "'{}' is not a folder: {}", folder.string(), kExpected);
  Reading reading(folder, catalogue);
  AUTOKERNEL_TRY(reading.read(folder, "", level_of_root(folder)));
  return reading.finish();
}

Result<Candidate> load_candidate(const fs::path& file, const protocol::ProblemSource& problem) {
  std::error_code error;
  if (!fs::exists(file, error)) return fail(Code::kNotFound, "the candidate '{}' does not exist", file.string());
  const auto language = language_of_suffix(file.extension().string());
  if (!language) {
    return fail(Code::kInvalid, "'{}' is no candidate: its name must end in .py, .cu, .hip or .cpp", file.string());
  }
  CandidateName place{problem.level, problem.id, 0, *language};
  if (const auto named = parse_candidate_name(file.filename().string())) {
    place.sample = named->sample;
  } else if (const auto mirrored = parse_mirrored_name(file.filename().string())) {
    place.sample = mirrored->sample;
  }
  Candidate candidate = read_candidate(file, file.filename().string(), place);
  if (!candidate.usable()) return fail(Code::kInvalid, "{}", candidate.broken);
  return candidate;
}

}  // namespace autokernel::kernelbench
