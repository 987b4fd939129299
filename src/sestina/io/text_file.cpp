#include "sestina/io/text_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "sestina/base/error.h"
#include "sestina/base/text.h"
#include "sestina/io/output_file.h"

namespace sestina {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, std::string message) {
  const Mark file{std::make_shared<const std::string>(path.string()), 0, 0};
  throw InputError({Fault{{file, ""}, std::move(message)}});
}

}  // namespace

std::string read_text_file(const std::filesystem::path& path, std::size_t max_bytes) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail(path, fmt::format("cannot be opened: {}", std::strerror(errno)));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail(path, fmt::format("cannot be read: {}", std::strerror(errno)));
  if (S_ISDIR(status.st_mode)) fail(path, "is a folder, not a file");
  if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)) fail(path, "is a device, not a file");
  const std::string too_large = fmt::format("is larger than {} MiB", max_bytes >> 20);
  std::string text;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t count = ::read(file.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path, fmt::format("cannot be read: {}", std::strerror(errno)));
    if (count == 0) return text;
    if (text.size() + static_cast<std::size_t>(count) > max_bytes) fail(path, too_large);
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

void check_utf8_text(std::string_view text, const std::string& file_name) {
  int line = 1;
  int column = 1;
  const auto fail_here = [&](std::string message) {
    const Mark mark{std::make_shared<const std::string>(file_name), line, column};
    throw InputError({Fault{{mark, ""}, std::move(message)}});
  };
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = utf8_length(text.substr(i));
    if (length == 0) fail_here(fmt::format("the byte 0x{:02x} is not UTF-8 text", byte));
    if ((byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F) {
      fail_here(fmt::format("the control character 0x{:02x} is not allowed in a text file", byte));
    }
    ++column;
    if (byte == '\n') {
      ++line;
      column = 1;
    }
    i += length;
  }
}

}  // namespace sestina
