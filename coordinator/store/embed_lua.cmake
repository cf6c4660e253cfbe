# cmake -DOUTPUT=<file.cpp> -DFOLDER=<lua folder> -DNAMES="a;b" -P embed_lua.cmake
# Writes the scripts into one source file, so that the program carries them.
set(entries "")
foreach(name IN LISTS NAMES)
  file(READ ${FOLDER}/${name}.lua text)
  string(APPEND entries "    Source{\"${name}\", R\"lua(${text})lua\"},\n")
endforeach()
file(
  WRITE ${OUTPUT}
  "// Generated from coordinator/store/lua: edit the scripts there.
#include \"coordinator/store/script.hpp\"

#include <array>

namespace autokernel::store {
namespace {
struct Source {
  std::string_view name;
  std::string_view text;
};
constexpr std::array kSources{
${entries}};
}  // namespace

std::string_view lua_source(std::string_view name) {
  for (const Source& source : kSources) {
    if (source.name == name) return source.text;
  }
  return {};
}

}  // namespace autokernel::store
")
