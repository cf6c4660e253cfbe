#include "worker/runner_process/scratch_folder.hpp"

#include <algorithm>
#include <fstream>

#include "common/system/file.hpp"

namespace autokernel::runner_process {

Result<ScratchFolder> ScratchFolder::make(const std::filesystem::path& parent, const std::string& name) {
  AUTOKERNEL_TRY_ASSIGN(auto path, system::make_unique_folder(parent, name));
  return ScratchFolder(std::move(path));
}

ScratchFolder& ScratchFolder::operator=(ScratchFolder&& other) noexcept {
  if (this != &other) {
    remove();
    path_ = std::exchange(other.path_, {});
  }
  return *this;
}

void ScratchFolder::remove() {
  if (path_.empty()) return;
  std::error_code ignored;  // a process that is still dying may add a file; the worker's own folder goes at the end
  std::filesystem::remove_all(path_, ignored);
}

std::string output_tail(const std::filesystem::path& file, std::size_t max_bytes) {
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  if (!stream) return "";
  const auto size = static_cast<std::size_t>(std::max<std::streamoff>(stream.tellg(), 0));
  const std::size_t wanted = std::min(size, max_bytes);
  stream.seekg(static_cast<std::streamoff>(size - wanted));
  std::string text(wanted, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(wanted));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (wanted < size) {
    if (const auto line = text.find('\n'); line != std::string::npos && line + 1 < text.size()) text.erase(0, line + 1);
  }
  std::erase_if(text, [](char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return (byte < 0x20 && letter != '\n' && letter != '\t') || byte == 0x7f;
  });
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace autokernel::runner_process
