#include "sestina/io/plot_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "sestina/base/error.h"
#include "sestina/io/result_path.h"

namespace sestina {
namespace {

int write_new_file(const std::filesystem::path& path, std::string_view bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return errno;
  const int error = write_all(file, bytes);
  return ::close(file) != 0 && error == 0 ? errno : error;
}

}  // namespace

void write_whole_file(const std::filesystem::path& path, std::string_view bytes) {
  WritablePath target(path);  // refuses with the reason
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {  // a device cannot be replaced
    if (const int error = write_all(target.file_descriptor(), bytes)) {
      throw InputError(cannot_write(path, error));
    }
    return;
  }
  const std::filesystem::path real_path = std::filesystem::canonical(path);  // a link keeps pointing to it
  const std::filesystem::path beside = real_path.string() + ".part" + std::to_string(::getpid());
  int error = write_new_file(beside, bytes);
  if (error == 0 && std::rename(beside.c_str(), real_path.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(beside.c_str());
    throw InputError(cannot_write(path, error));
  }
  target.keep();
}

}  // namespace sestina
