#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>

namespace autokernel::store {

/// Every script of coordinator/store/lua, one for each transition; prelude.lua stands in front of each.
inline constexpr std::array<std::string_view, 8> kScriptNames{"takeover", "submit", "lease",  "started",
                                                              "complete", "lost",   "cancel", "due"};

/// A script as it lies in the folder; empty for a name that is not there.
[[nodiscard]] std::string_view lua_source(std::string_view name);

/// The texts that a store sends to Redis, by name. A test replaces parts of them to show that its checks bite.
class ScriptSet {
 public:
  ScriptSet();

  [[nodiscard]] const std::string& text(std::string_view name) const;

  /// Replaces `part` in every script that holds it. The part must be there: a mutant of nothing proves nothing.
  void replace(std::string_view part, std::string_view by);

 private:
  std::map<std::string, std::string, std::less<>> texts_;
};

}  // namespace autokernel::store
