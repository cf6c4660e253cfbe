#include "kernelbench/problem/selection.hpp"

#include <algorithm>
#include <charconv>

#include "kernelbench/problem/near_names.hpp"

namespace autokernel::kernelbench {
namespace {

constexpr std::string_view kForm = "--only takes numbers, ranges and names, such as 12,40-45,ReLU";

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

Result<int> parse_number(std::string_view digits, std::string_view term) {
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc()) return fail(Code::kInvalid, "'{}' in --only: the number is too large", term);
  return number;
}

Result<Selection::Term> parse_term(std::string_view term) {
  if (all_digits(term)) {
    AUTOKERNEL_TRY_ASSIGN(const int number, parse_number(term, term));
    return Selection::Numbers{number, number};
  }
  const std::size_t dash = term.find('-');
  if (dash == std::string_view::npos) return std::string(term);
  const std::string_view first = trim(term.substr(0, dash));
  const std::string_view last = trim(term.substr(dash + 1));
  if (all_digits(first) && all_digits(last)) {
    AUTOKERNEL_TRY_ASSIGN(const int from, parse_number(first, term));
    AUTOKERNEL_TRY_ASSIGN(const int to, parse_number(last, term));
    if (to < from) return fail(Code::kInvalid, "'{}' in --only: the range runs backwards, write {}-{}", term, to, from);
    return Selection::Numbers{from, to};
  }
  if ((all_digits(first) && last.empty()) || (first.empty() && all_digits(last))) {
    return fail(Code::kInvalid, "'{}' in --only: a range needs both ends, such as 40-45", term);
  }
  return std::string(term);
}

/// The forms of a problem's name that a person may type: "level1/19_ReLU", "19_ReLU", "ReLU".
std::vector<std::string> names_of_problem(const Problem& problem) {
  std::string whole = problem.source.name;
  if (whole.ends_with(".py")) whole.resize(whole.size() - 3);
  const std::string file = whole.substr(whole.find('/') + 1);
  return {whole, file, file.substr(file.find('_') + 1)};
}

bool meets(const Problem& problem, const Selection::Term& term) {
  if (const auto* numbers = std::get_if<Selection::Numbers>(&term)) {
    return problem.source.id >= numbers->first && problem.source.id <= numbers->last;
  }
  std::string wanted = lower_case(std::get<std::string>(term));
  if (wanted.ends_with(".py")) wanted.resize(wanted.size() - 3);
  const auto names = names_of_problem(problem);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return lower_case(name) == wanted; });
}

std::string levels_text(const std::vector<int>& levels) {
  std::string text = levels.size() == 1 ? "level " : "levels ";
  for (std::size_t index = 0; index < levels.size(); ++index) {
    text += (index == 0 ? "" : ", ") + std::to_string(levels[index]);
  }
  return text;
}

tl::unexpected<Error> nothing_meets(const Catalogue& catalogue, const Selection::Term& term) {
  const std::string where = levels_text(catalogue.levels());
  if (const auto* numbers = std::get_if<Selection::Numbers>(&term)) {
    const auto [low, high] =
        std::minmax_element(catalogue.problems.begin(), catalogue.problems.end(),
                            [](const Problem& a, const Problem& b) { return a.source.id < b.source.id; });
    const std::string shown = numbers->first == numbers->last ? fmt::format("{}", numbers->first)
                                                              : fmt::format("{}-{}", numbers->first, numbers->last);
    return fail(Code::kInvalid, "--only {}: no such problem in {} of '{}', numbers there run from {} to {}", shown,
                where, catalogue.root.string(), low->source.id, high->source.id);
  }
  std::vector<std::string> known;
  for (const Problem& problem : catalogue.problems) known.push_back(names_of_problem(problem)[1]);
  const auto& wanted = std::get<std::string>(term);
  auto near = near_names(wanted, known);
  if (near.empty()) {
    for (std::size_t index = 0; index < known.size(); ++index)
      known[index] = names_of_problem(catalogue.problems[index])[2];
    near = near_names(wanted, known);
  }
  return fail(Code::kInvalid, "--only '{}': no such problem in {} of '{}'{}", wanted, where, catalogue.root.string(),
              suggestion(near));
}

}  // namespace

Result<std::vector<Selection::Term>> parse_only(const std::vector<std::string>& lists) {
  std::vector<Selection::Term> terms;
  for (const std::string& list : lists) {
    std::string_view rest = list;
    for (bool more = true; more;) {
      const std::size_t comma = rest.find(',');
      more = comma != std::string_view::npos;
      const std::string_view term = trim(rest.substr(0, comma));
      if (more) rest = rest.substr(comma + 1);
      if (term.empty()) return fail(Code::kInvalid, "'{}': an entry is empty; {}", list, kForm);
      AUTOKERNEL_TRY_ASSIGN(auto parsed, parse_term(term));
      terms.push_back(std::move(parsed));
    }
  }
  return terms;
}

Result<Catalogue> select(Catalogue catalogue, const Selection& selection) {
  const std::vector<int> there = catalogue.levels();
  for (const int level : selection.levels) {
    if (std::find(there.begin(), there.end(), level) == there.end()) {
      return fail(Code::kInvalid, "--level {}: '{}' has {}", level, catalogue.root.string(), levels_text(there));
    }
  }
  if (!selection.levels.empty()) {
    std::erase_if(catalogue.problems, [&](const Problem& problem) {
      return std::find(selection.levels.begin(), selection.levels.end(), problem.source.level) ==
             selection.levels.end();
    });
  }
  if (selection.only.empty()) return catalogue;
  std::vector<bool> taken(catalogue.problems.size());
  for (const auto& term : selection.only) {
    bool found = false;
    for (std::size_t index = 0; index < taken.size(); ++index) {
      if (!meets(catalogue.problems[index], term)) continue;
      taken[index] = true;
      found = true;
    }
    if (!found) return nothing_meets(catalogue, term);
  }
  std::vector<Problem> chosen;
  for (std::size_t index = 0; index < taken.size(); ++index) {
    if (taken[index]) chosen.push_back(std::move(catalogue.problems[index]));
  }
  catalogue.problems = std::move(chosen);
  return catalogue;
}

}  // namespace autokernel::kernelbench
