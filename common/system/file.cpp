#include "common/system/file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace autokernel::system {
namespace {

Result<void> write_all(int fd, const std::filesystem::path& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return fail(code_of_write(errno), "cannot write '{}': {}", path.string(), std::strerror(errno));
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(fd) != 0) return fail(code_of_write(errno), "cannot write '{}': {}", path.string(), std::strerror(errno));
  return {};
}

Result<UniqueFd> open_lock(const std::filesystem::path& path) {
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!fd.valid()) return fail(Code::kUnavailable, "cannot open lock '{}': {}", path.string(), std::strerror(errno));
  return fd;
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path, std::size_t max_bytes) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) {
    return fail(errno == ENOENT ? Code::kNotFound : Code::kUnavailable, "cannot read '{}': {}", path.string(),
                std::strerror(errno));
  }
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return fail(Code::kInvalid, "cannot read '{}': it is not a regular file", path.string());
  }
  const auto too_big = [&] {
    return fail(Code::kInvalid, "'{}' is too big: the limit is {} bytes", path.string(), max_bytes);
  };
  if (static_cast<std::uint64_t>(status.st_size) > max_bytes) return too_big();
  std::string bytes;
  std::string chunk(65536, '\0');
  for (;;) {
    const ssize_t got = ::read(fd.get(), chunk.data(), chunk.size());
    if (got == 0) return bytes;
    if (got < 0) {
      if (errno == EINTR) continue;
      return fail(Code::kUnavailable, "cannot read '{}': {}", path.string(), std::strerror(errno));
    }
    bytes.append(chunk.data(), static_cast<std::size_t>(got));
    if (bytes.size() > max_bytes) return too_big();
  }
}

Result<void> write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::string temporary = path.string() + ".XXXXXX";
  const UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd.valid()) {
    return fail(code_of_write(errno), "cannot write '{}': {}", path.string(), std::strerror(errno));
  }
  ::fchmod(fd.get(), 0644);
  if (auto written = write_all(fd.get(), path, bytes); !written) {
    ::unlink(temporary.c_str());
    return written;
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary.c_str());
    return fail(code_of_write(error), "cannot write '{}': {}", path.string(), std::strerror(error));
  }
  return {};
}

Result<void> append_line(const std::filesystem::path& path, std::string_view line) {
  const UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!fd.valid()) {
    return fail(code_of_write(errno), "cannot write '{}': {}", path.string(), std::strerror(errno));
  }
  std::string text;
  const off_t size = ::lseek(fd.get(), 0, SEEK_END);
  char last = '\n';
  if (size > 0 && ::pread(fd.get(), &last, 1, size - 1) == 1 && last != '\n') text += '\n';  // a writer died half-way
  text += line;
  text += '\n';
  auto written = write_all(fd.get(), path, text);
  if (!written && ::ftruncate(fd.get(), size) != 0) {
    return fail(written.error().code, "{}; its last line may be cut short", written.error().message);
  }
  return written;
}

Result<void> make_folders(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return fail(code_of_write(error.value()), "cannot create folder '{}': {}", path.string(), error.message());
  return {};
}

Result<std::filesystem::path> make_unique_folder(const std::filesystem::path& parent, const std::string& name) {
  AUTOKERNEL_TRY(make_folders(parent));
  std::string path = (parent / (name + "-XXXXXX")).string();
  if (::mkdtemp(path.data()) == nullptr) {  // 0700 by itself
    const int error = errno;
    return fail(code_of_write(error), "cannot create a folder in '{}': {}", parent.string(), std::strerror(error));
  }
  return path;
}

Code code_of_write(int error) { return error == ENOSPC || error == EDQUOT ? Code::kExhausted : Code::kUnavailable; }

Result<std::uint64_t> free_bytes(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path existing = std::filesystem::absolute(path, error);
  while (!existing.empty() && !std::filesystem::exists(existing, error) && existing != existing.parent_path()) {
    existing = existing.parent_path();
  }
  const auto space = std::filesystem::space(existing, error);
  if (error) return fail(Code::kUnavailable, "cannot ask for free space of '{}': {}", path.string(), error.message());
  return space.available;
}

Result<std::optional<FileLock>> FileLock::try_acquire(const std::filesystem::path& path) {
  return try_lock(path, LOCK_EX);
}

Result<std::optional<FileLock>> FileLock::try_acquire_shared(const std::filesystem::path& path) {
  return try_lock(path, LOCK_SH);
}

Result<void> FileLock::share() {
  while (::flock(fd_.get(), LOCK_SH) != 0) {
    if (errno != EINTR) return fail(Code::kUnavailable, "cannot share a lock: {}", std::strerror(errno));
  }
  return {};
}

Result<std::optional<FileLock>> FileLock::try_lock(const std::filesystem::path& path, int operation) {
  AUTOKERNEL_TRY_ASSIGN(UniqueFd fd, open_lock(path));
  if (::flock(fd.get(), operation | LOCK_NB) == 0) return FileLock(std::move(fd));
  if (errno == EWOULDBLOCK) return std::nullopt;
  return fail(Code::kUnavailable, "cannot lock '{}': {}", path.string(), std::strerror(errno));
}

Result<FileLock> FileLock::acquire(const std::filesystem::path& path) {
  AUTOKERNEL_TRY_ASSIGN(UniqueFd fd, open_lock(path));
  while (::flock(fd.get(), LOCK_EX) != 0) {
    if (errno != EINTR) return fail(Code::kUnavailable, "cannot lock '{}': {}", path.string(), std::strerror(errno));
  }
  return FileLock(std::move(fd));
}

}  // namespace autokernel::system
