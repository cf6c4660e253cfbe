#include "kernelbench/problem/source_text.hpp"

#include "common/system/file.hpp"
#include "common/text/utf8.hpp"

namespace autokernel::kernelbench {

Result<std::string> read_source(const std::filesystem::path& path) {
  AUTOKERNEL_TRY_ASSIGN(std::string source, system::read_file(path, kMaxSourceBytes));
  if (const auto bad = text::find_bad_utf8(source); bad != std::string_view::npos) {
    return fail(Code::kInvalid, "'{}' is not UTF-8 (byte {}): save it as UTF-8", path.string(), bad);
  }
  if (const auto nul = source.find('\0'); nul != std::string::npos) {
    return fail(Code::kInvalid, "'{}' holds a NUL byte (byte {}): it is not a source file", path.string(), nul);
  }
  return source;
}

}  // namespace autokernel::kernelbench
