// A path that a result will be written to, checked before anything is computed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace sestina {

// Opens the path for writing, as a check, and leaves what stands there untouched. A file that did not exist
// is created empty, and removed again unless `keep` is called.
class WritablePath {
 public:
  // Throws InputError that names the path and the reason: a missing directory, no permission, a directory.
  explicit WritablePath(std::filesystem::path path);
  WritablePath(const WritablePath&) = delete;
  WritablePath& operator=(const WritablePath&) = delete;
  ~WritablePath();

  const std::filesystem::path& path() const { return path_; }
  int file_descriptor() const { return file_descriptor_; }  // write only, at the start, not truncated
  bool was_absent() const { return created_; }              // until keep()
  void keep() { created_ = false; }
  void close();

 private:
  std::filesystem::path path_;
  int file_descriptor_ = -1;
  bool created_ = false;
};

// "cannot write 'a/b.csv': no directory 'a'", the reason being an errno.
std::string cannot_write(const std::filesystem::path& path, int error);

// Writes all bytes, however many calls that takes. Returns 0 or an errno, after which an unknown part is
// written.
int write_all(int file_descriptor, std::string_view bytes);

}  // namespace sestina
