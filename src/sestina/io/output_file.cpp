#include "sestina/io/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <random>
#include <system_error>
#include <utility>

#include "sestina/base/error.h"
#include "sestina/io/file_lock.h"

namespace sestina {
namespace {

constexpr int kMostAttempts = 100;  // against other processes with files of the same name

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

// Returns a name within the limits of file systems, with an ending that identifies the writer.
std::filesystem::path temporary_name(const std::filesystem::path& path) {
  constexpr std::size_t kMostOfName = 200;
  static thread_local std::mt19937_64 random{std::random_device{}()};
  const std::string name = path.filename().string().substr(0, kMostOfName);
  return folder_of(path) / fmt::format("{}.{:08x}.new", name, static_cast<std::uint32_t>(random()));
}

// The name of a renamed file is durable when its folder is. Some file systems cannot and need not do this.
void sync_folder(const std::filesystem::path& path) {
  const FileDescriptor folder(::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() >= 0) ::fsync(folder.get());
}

}  // namespace

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

int write_all_at(int file_descriptor, std::uint64_t place, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file_descriptor, bytes.data(), bytes.size(), static_cast<off_t>(place));
    if (written < 0 && errno != EINTR) return errno;
    if (written <= 0) continue;
    bytes.remove_prefix(static_cast<std::size_t>(written));
    place += static_cast<std::uint64_t>(written);
  }
  return 0;
}

std::filesystem::path follow_links(std::filesystem::path path) {
  constexpr int kMostLinks = 40;  // the limit of Linux
  std::error_code error;
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(path, error); ++i) {
    path = folder_of(path) / std::filesystem::read_symlink(path, error);
  }
  const std::filesystem::path folder = std::filesystem::canonical(folder_of(path), error);
  return error ? path : folder / path.filename();
}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this == &other) return *this;
  close();
  number_ = std::exchange(other.number_, -1);
  return *this;
}

void FileDescriptor::close() {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

TemporaryFile::TemporaryFile(const std::filesystem::path& beside) {
  int error = EEXIST;
  for (int i = 0; i < kMostAttempts && error == EEXIST; ++i) {
    path_ = temporary_name(beside);
    file_ = FileDescriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    error = file_.get() >= 0 ? 0 : errno;
  }
  if (error != 0) throw InputError(cannot_write(beside, error));
  struct stat other {};
  if (::stat(beside.c_str(), &other) == 0) ::fchmod(file_.get(), other.st_mode & 0777);
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : path_(std::exchange(other.path_, {})), file_(std::move(other.file_)) {}

TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

int TemporaryFile::take_name(const std::filesystem::path& name, Replace replace) {
  if (::fsync(file_.get()) != 0) return errno;
  const unsigned flags = replace == Replace::kYes ? 0 : RENAME_NOREPLACE;
  int error = ::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, name.c_str(), flags) == 0 ? 0 : errno;
  if (error == EINVAL || error == ENOSYS) {  // no flags in this file system
    error = ::rename(path_.c_str(), name.c_str()) == 0 ? 0 : errno;
  }
  if (error != 0) return error;
  path_.clear();
  sync_folder(name);
  return 0;
}

OutputFile::OutputFile(std::filesystem::path path, WhenAbsent when_absent) : path_(std::move(path)) {
  if (path_.empty()) throw InputError("the name of the file to write is empty");
  open_and_lock(when_absent);
}

void OutputFile::open_and_lock(WhenAbsent when_absent) {
  for (int i = 0; i < kMostAttempts; ++i) {
    if (!open(when_absent)) continue;
    if (!is_regular_ || file_.get() < 0) return;
    if (!lock_file(file_.get())) {
      const std::string holder = describe_lock_holder(file_.get());
      file_.close();
      throw InputError(fmt::format("cannot write '{}': {} is writing it", path_.string(), holder));
    }
    if (is_in_place()) return;
  }
  throw InputError("cannot write '" + path_.string() + "': other processes keep replacing it");
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      real_path_(std::move(other.real_path_)),
      file_(std::move(other.file_)),
      created_(std::exchange(other.created_, false)),
      is_regular_(other.is_regular_) {}

OutputFile::~OutputFile() {
  if (created_ && is_in_place()) ::unlink(real_path_.c_str());
}

// Returns false if another attempt is necessary.
bool OutputFile::open(WhenAbsent when_absent) {
  created_ = false;
  file_ = FileDescriptor(::open(path_.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
  if (file_.get() < 0 && errno == ENOENT) {
    real_path_ = follow_links(path_);
    is_regular_ = true;
    if (when_absent == WhenAbsent::kWait) return true;
    constexpr int kNewFile = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC;
    file_ = FileDescriptor(::open(real_path_.c_str(), kNewFile, 0666));
    if (file_.get() < 0 && errno == EEXIST) return false;
    created_ = file_.get() >= 0;
  }
  if (file_.get() < 0) throw InputError(cannot_write(path_, errno));
  struct stat status {};
  is_regular_ = ::fstat(file_.get(), &status) == 0 && S_ISREG(status.st_mode);
  real_path_ = is_regular_ ? follow_links(path_) : path_;
  return true;
}

bool OutputFile::is_in_place() const {
  struct stat here {
  }, there{};
  return ::fstat(file_.get(), &here) == 0 && ::lstat(real_path_.c_str(), &there) == 0 &&
         here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

void OutputFile::replace_by(TemporaryFile file) {
  using Replace = TemporaryFile::Replace;
  lock_file(file.file_descriptor());  // no other process has the file open
  int error = file_.get() < 0 ? file.take_name(real_path_, Replace::kNo) : EEXIST;
  if (error == EEXIST) {
    if (file_.get() < 0) open_and_lock(WhenAbsent::kWait);
    error = file.take_name(real_path_, Replace::kYes);
  }
  if (error != 0) throw InputError(cannot_write(path_, error));
  file_ = std::move(file.file_);
  created_ = false;
}

void OutputFile::replace_by(std::string_view bytes) {
  TemporaryFile file = make_temporary();
  if (const int error = write_all(file.file_descriptor(), bytes))
    throw InputError(cannot_write(path_, error));
  replace_by(std::move(file));
}

void write_whole_file(const std::filesystem::path& path, std::string_view bytes) {
  OutputFile file(path, OutputFile::WhenAbsent::kWait);
  if (file.is_regular()) return file.replace_by(bytes);
  if (const int error = write_all(file.file_descriptor(), bytes)) throw InputError(cannot_write(path, error));
}

}  // namespace sestina
