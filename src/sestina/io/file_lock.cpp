#include "sestina/io/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <string>

namespace sestina {
namespace {

using std::filesystem::directory_iterator;
using std::filesystem::path;

// Returns the text of a small file of /proc; nothing if its process or descriptor has gone meanwhile, in
// which case reading fails although the file was opened.
std::string contents(const path& file) {
  std::array<char, 4096> text{};
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {};
  const ssize_t size = ::read(descriptor, text.data(), text.size());
  ::close(descriptor);
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : std::string();
}

// True if the process has a descriptor of the file and holds the lock by it. Linux does not show this for
// processes of other users.
bool has_lock(const path& process, const struct stat& file) {
  std::error_code error;
  for (auto entry = directory_iterator(process / "fd", error); !error && entry != directory_iterator();
       entry.increment(error)) {
    struct stat open {};
    if (::stat(entry->path().c_str(), &open) != 0) continue;
    if (open.st_dev != file.st_dev || open.st_ino != file.st_ino) continue;
    if (contents(process / "fdinfo" / entry->path().filename()).find("OFDLCK") != std::string::npos)
      return true;
  }
  return false;
}

}  // namespace

bool lock_file(int file_descriptor) {
  struct flock whole_file {};
  whole_file.l_type = F_WRLCK;
  whole_file.l_whence = SEEK_SET;
  return ::fcntl(file_descriptor, F_OFD_SETLK, &whole_file) == 0 || (errno != EAGAIN && errno != EACCES);
}

std::string describe_lock_holder(int file_descriptor) {
  std::string unknown = "another process";
  struct stat file {};
  if (::fstat(file_descriptor, &file) != 0) return unknown;
  std::error_code error;
  for (auto entry = directory_iterator("/proc", error); !error && entry != directory_iterator();
       entry.increment(error)) {
    const std::string number = entry->path().filename().string();
    int id = 0;
    const auto [end, failure] = std::from_chars(number.data(), number.data() + number.size(), id);
    if (failure != std::errc() || end != number.data() + number.size()) continue;
    if (!has_lock(entry->path(), file)) continue;
    if (id == ::getpid()) return "this process";
    std::string name = contents(entry->path() / "comm");
    if (name.ends_with('\n')) name.pop_back();
    return name.empty() ? fmt::format("process {}", id) : fmt::format("process {} ({})", id, name);
  }
  return unknown;
}

}  // namespace sestina
