#include "sestina/io/result_path.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "sestina/base/error.h"

namespace sestina {

std::string cannot_write(const std::filesystem::path& path, int error) {
  const std::string what = "cannot write '" + path.string() + "': ";
  std::error_code ignored;
  const std::filesystem::path directory = path.parent_path();
  if (error == ENOENT && !directory.empty() && !std::filesystem::exists(directory, ignored)) {
    return what + "there is no directory '" + directory.string() + "'";
  }
  return what + std::generic_category().message(error);
}

int write_all(int file_descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

WritablePath::WritablePath(std::filesystem::path path) : path_(std::move(path)) {
  if (path_.empty()) throw InputError("the name of the file to write is empty");
  file_descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  created_ = file_descriptor_ >= 0;
  if (!created_ && errno == EEXIST) {
    // Not O_TRUNC: an earlier result lives until the run begins.
    file_descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  }
  if (file_descriptor_ < 0) throw InputError(cannot_write(path_, errno));
}

WritablePath::~WritablePath() {
  close();
  if (created_) ::unlink(path_.c_str());
}

void WritablePath::close() {
  if (file_descriptor_ >= 0) ::close(file_descriptor_);
  file_descriptor_ = -1;
}

}  // namespace sestina
