#include "coordinator/store/script.hpp"

#include "common/result/result.hpp"

namespace autokernel::store {
namespace {

/// Redis reads the flags from the first line, so that line stays in front of the prelude.
std::string with_prelude(std::string_view source) {
  const std::size_t end_of_flags = source.find('\n') + 1;
  std::string text(source.substr(0, end_of_flags));
  text += lua_source("prelude");
  text += source.substr(end_of_flags);
  return text;
}

}  // namespace

ScriptSet::ScriptSet() {
  for (const std::string_view name : kScriptNames) texts_.emplace(name, with_prelude(lua_source(name)));
}

const std::string& ScriptSet::text(std::string_view name) const {
  const auto found = texts_.find(name);
  AUTOKERNEL_CHECK(found != texts_.end());
  return found->second;
}

void ScriptSet::replace(std::string_view part, std::string_view by) {
  bool replaced = false;
  for (auto& [name, text] : texts_) {
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + by.size())) {
      text.replace(at, part.size(), by);
      replaced = true;
    }
  }
  AUTOKERNEL_CHECK(replaced);
}

}  // namespace autokernel::store
