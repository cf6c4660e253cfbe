#pragma once

#include <string>
#include <string_view>

namespace autokernel::kernelbench {

/// The class of a Python exception in a verdict's words: "RuntimeError" of a text that has a line "RuntimeError: …"
/// (the last such line, as at the end of a traceback). `otherwise` where there is none.
[[nodiscard]] std::string error_name_in(std::string_view detail, std::string_view otherwise);

/// At most `bytes` of the text, never cutting a UTF-8 sequence, with "..." where something was left out.
[[nodiscard]] std::string cut_text(std::string_view text, std::size_t bytes);

/// The same for people: cut between two words, or within one that is longer than half of it all, with "…".
[[nodiscard]] std::string cut_at_word(std::string_view text, std::size_t bytes);

}  // namespace autokernel::kernelbench
