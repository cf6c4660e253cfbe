#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace autokernel::kernelbench {

/// Python source with the content of comments and string literals blanked out (spaces; newlines stay), so that a plain
/// text search finds code only. Same length as the input, so offsets carry over. It never fails: text that is no Python
/// comes out as some text, and the judge's interpreter says what is wrong with it.
[[nodiscard]] std::string blank_strings_and_comments(std::string_view source);

/// Where the statements of the module itself start, in blanked text: column 0, outside every bracket.
[[nodiscard]] std::vector<std::size_t> module_statement_starts(std::string_view blanked);

/// True where the module seems to give `name` a value: by class, def, assignment or import, at any indentation, or by a
/// star import that may bring anything. Errs towards true: wrongly refusing a problem is worse than letting the judge
/// find out.
[[nodiscard]] bool seems_to_define(std::string_view blanked, std::string_view name);

/// First place of `word` as a whole identifier at or after `from`; npos when there is none.
[[nodiscard]] std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0);

}  // namespace autokernel::kernelbench
