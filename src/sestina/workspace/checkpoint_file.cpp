// Writing of checkpoints, whole or not at all.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>

#include "sestina/base/error.h"
#include "sestina/io/result_path.h"
#include "sestina/workspace/checkpoint.h"

namespace sestina {
namespace {

std::filesystem::path temporary_of(std::filesystem::path path) { return path += ".new"; }

// What a user would miss were it overwritten.
bool is_something_else(const std::filesystem::path& path) {
  constexpr std::string_view kBeginning = "sestina checkpoint";
  std::ifstream file(path, std::ios::binary);
  std::array<char, kBeginning.size()> bytes{};
  file.read(bytes.data(), bytes.size());
  const auto count = static_cast<std::size_t>(file.gcount());
  return count > 0 && std::string_view(bytes.data(), count) != kBeginning;
}

int open_temporary(const std::filesystem::path& path) {
  return ::open(temporary_of(path).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

// Text to a file that outlives a loss of power. Returns 0 or an errno.
int write_durably(int file_descriptor, std::string_view text) {
  int error = write_all(file_descriptor, text);
  if (error == 0 && ::fsync(file_descriptor) != 0) error = errno;
  if (::close(file_descriptor) != 0 && error == 0) error = errno;
  return error;
}

// The name of a renamed file is durable when its folder is.
void sync_folder(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);  // some file systems cannot, and need not
  ::close(descriptor);
}

}  // namespace

CheckpointFile::CheckpointFile(std::filesystem::path path) : path_(std::move(path)) {
  if (path_.empty()) throw InputError("the name of the checkpoint file is empty");
  if (path_.string().find('\n') != std::string::npos) {
    throw InputError("the name of the checkpoint file has a line break");
  }
  std::error_code ignored;
  if (std::filesystem::exists(path_, ignored)) {
    if (std::filesystem::is_directory(path_, ignored)) throw InputError(cannot_write(path_, EISDIR));
    if (!std::filesystem::is_regular_file(path_, ignored) || is_something_else(path_)) {
      throw InputError("cannot write '" + path_.string() +
                       "': something else than a checkpoint stands there, and is left as it is");
    }
  }
  const int file_descriptor = open_temporary(path_);
  if (file_descriptor < 0) throw InputError(cannot_write(path_, errno));
  ::close(file_descriptor);
  ::unlink(temporary_of(path_).c_str());
}

std::string CheckpointFile::write(const Checkpoint& checkpoint) const {
  const std::string text = to_text(checkpoint);
  const int file_descriptor = open_temporary(path_);
  if (file_descriptor < 0) return cannot_write(path_, errno);
  int error = write_durably(file_descriptor, text);
  if (error == 0 && ::rename(temporary_of(path_).c_str(), path_.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary_of(path_).c_str());
    return cannot_write(path_, error);
  }
  sync_folder(path_);
  return "";
}

}  // namespace sestina
