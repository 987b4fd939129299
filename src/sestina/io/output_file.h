// Files that are written: how they are opened, kept from other processes, and replaced.
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

// A new file beside another one, whose place it may take. Its name is one that no file had, and no link is
// followed; it has the permissions of the other one. It is removed at the end unless it took that place.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& beside);  // throws InputError
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  const std::filesystem::path& path() const { return path_; }
  int file_descriptor() const { return file_.get(); }  // to write and to read
  // Makes what was written durable and gives the file this name, in the same folder; a loss of power leaves
  // the former contents there or the new ones. Returns 0 or an errno: EEXIST where the name is taken and may
  // not be.
  enum class Replace { kYes, kNo };
  int take_name(const std::filesystem::path& name, Replace replace);

 private:
  friend class OutputFile;
  std::filesystem::path path_;  // empty when there is nothing to remove
  FileDescriptor file_;
};

// A file that this process writes, and no other one until the end. Links in its name are followed. What
// stands there is left as it is until somebody writes. Pipes and devices are written, too, but not locked.
class OutputFile {
 public:
  // A file that does not exist is made at once, empty, and removed again unless `keep` is called; or by the
  // first replace_by, for those who only see whole files.
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
  void close() { file_.close(); }  // lets go of the lock

  // A file beside this one, in which its next contents are made.
  TemporaryFile make_temporary() const { return TemporaryFile(real_path_); }
  // Lets the temporary file take this file's place; the lock goes with it. Throws InputError, and what stood
  // there remains.
  void replace_by(TemporaryFile file);
  // The same with these bytes.
  void replace_by(std::string_view bytes);

 private:
  void open_and_lock(WhenAbsent when_absent);
  bool open(WhenAbsent when_absent);
  bool is_in_place() const;  // whether the name still leads to the open file

  std::filesystem::path path_, real_path_;  // as given, and with links followed
  FileDescriptor file_;
  bool created_ = false;
  bool is_regular_ = false;
};

// Writes a file whole or not at all: what stood there remains when this fails. A device or a pipe is written
// to. Throws InputError that names the path and the reason.
void write_whole_file(const std::filesystem::path& path, std::string_view bytes);

// The path with all links followed, also where they lead to a file that does not exist.
std::filesystem::path follow_links(std::filesystem::path path);

// "cannot write 'a/b.csv': there is no directory 'a'", the reason being an errno.
std::string cannot_write(const std::filesystem::path& path, int error);

// Writes all bytes, however many calls that takes. Returns 0 or an errno, after which an unknown part is
// written.
int write_all(int file_descriptor, std::string_view bytes);
int write_all_at(int file_descriptor, std::uint64_t place, std::string_view bytes);

}  // namespace sestina
