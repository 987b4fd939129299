// Output files: opening, locking against other processes, and replacement.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace sestina {

// An open file that is closed at the end.
class FileDescriptor {
 public:
  explicit FileDescriptor(int number = -1) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor() { close(); }
  int get() const { return number_; }
  void close();

 private:
  int number_;
};

// A new file in the same folder as another one, which it may replace. Its name is new, and no link is
// followed; it has the permissions of the other one. It is removed at the end unless it replaced that file.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& beside);  // throws InputError
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  const std::filesystem::path& path() const { return path_; }
  int file_descriptor() const { return file_.get(); }  // to write and to read
  // Makes the contents durable and renames the file to this name, in the same folder; after a loss of power
  // the name has either the former contents or the new ones. Returns 0 or an errno: EEXIST if the name is
  // taken and may not be replaced.
  enum class Replace { kYes, kNo };
  int take_name(const std::filesystem::path& name, Replace replace);

 private:
  friend class OutputFile;
  std::filesystem::path path_;  // empty if there is nothing to remove
  FileDescriptor file_;
};

// A file that this process writes, locked against others until the end. Links in its name are followed. Its
// contents do not change until the first write. Pipes and devices are written too, but not locked.
class OutputFile {
 public:
  // An absent file is created at once, empty, and removed again unless `keep` is called (kMake); or by the
  // first replace_by, for readers that must see only complete files (kWait).
  enum class WhenAbsent { kMake, kWait };
  // Throws InputError that names the path and the reason: a missing directory, no permission, a directory,
  // another process that is writing it.
  explicit OutputFile(std::filesystem::path path, WhenAbsent when_absent = WhenAbsent::kMake);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  const std::filesystem::path& path() const { return path_; }
  int file_descriptor() const {
    return file_.get();
  }  // write only, at the start, not truncated; -1 while absent
  bool is_regular() const { return is_regular_; }
  bool was_absent() const { return created_; }  // until keep()
  void keep() { created_ = false; }
  void close() { file_.close(); }  // releases the lock
  bool is_in_place() const;        // the name still refers to the open file

  // Returns a temporary file in the same folder for the next contents.
  TemporaryFile make_temporary() const { return TemporaryFile(real_path_); }
  // Replaces this file by the temporary file; the lock moves to it. If it throws InputError, the former
  // contents remain.
  void replace_by(TemporaryFile file);
  // Replaces the contents by these bytes.
  void replace_by(std::string_view bytes);

 private:
  void open_and_lock(WhenAbsent when_absent);
  bool open(WhenAbsent when_absent);

  std::filesystem::path path_, real_path_;  // as given, and with links followed
  FileDescriptor file_;
  bool created_ = false;
  bool is_regular_ = false;
};

// Writes the complete file or nothing: the former contents remain if this fails. Devices and pipes are
// written directly. Throws InputError that names the path and the reason.
void write_whole_file(const std::filesystem::path& path, std::string_view bytes);

// Returns the path with all links followed, even if they lead to a file that does not exist.
std::filesystem::path follow_links(std::filesystem::path path);

// Returns "cannot write 'a/b.csv': there is no directory 'a'"; the reason is an errno.
std::string cannot_write(const std::filesystem::path& path, int error);

// Writes all bytes, with as many calls as necessary. Returns 0 or an errno, after which an unknown part has
// been written.
int write_all(int file_descriptor, std::string_view bytes);
int write_all_at(int file_descriptor, std::uint64_t place, std::string_view bytes);

}  // namespace sestina
