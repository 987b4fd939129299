#include "sestina/io/rehearsal.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

#include "sestina/io/hdf5_handle.h"
#include "sestina/io/output_file.h"

namespace sestina {
namespace {

constexpr rlim_t kBytes = rlim_t{256} << 20;  // in addition to those of the file
constexpr rlim_t kSeconds = 2;                // of processor time
constexpr rlim_t kBytesPerSecond = 10 << 20;  // of the file, at least
constexpr char kDone = '\0';                  // the first byte of the child's answer; otherwise a message

// True in the child process.
bool is_rehearsing = false;

// Returns the address space in use, in bytes.
rlim_t address_space() {
  unsigned long pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  const bool is_read = std::fscanf(file, "%lu", &pages) == 1;  // NOLINT(cert-err34-c)
  std::fclose(file);
  return is_read ? pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

void lower(decltype(RLIMIT_AS) what, rlim_t most) {
  rlimit limit{};
  if (::getrlimit(what, &limit) != 0) return;
  limit.rlim_cur = std::min(limit.rlim_max, most);
  ::setrlimit(what, &limit);
}

// Only the answer reports the outcome: the child prints nothing and leaves no core file.
[[noreturn]] void be_the_child(int answer, rlim_t file_bytes, const std::function<void()>& work) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU}) ::signal(signal, SIG_DFL);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
  lower(RLIMIT_CORE, 0);
  lower(RLIMIT_CPU, kSeconds + file_bytes / kBytesPerSecond);
  if (const rlim_t used = address_space(); used > 0) lower(RLIMIT_AS, used + kBytes + 4 * file_bytes);
  is_rehearsing = true;
  std::string message(1, kDone);
  try {
    work();
  } catch (const std::exception& error) {
    message = error.what();
  }
  write_all(answer, message);
  ::_exit(0);
}

std::string read_all(int file_descriptor) {
  std::string text;
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t count = ::read(file_descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

void rehearse(const std::filesystem::path& file, const std::function<void()>& work) {
  if (is_rehearsing) return work();
  std::error_code ignored;
  const auto bytes = std::filesystem::file_size(file, ignored);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
  const pid_t child = ::fork();
  if (child == 0) be_the_child(ends[1], ignored ? 0 : bytes, work);
  ::close(ends[1]);
  const std::string answer = child > 0 ? read_all(ends[0]) : std::string(1, kDone);
  ::close(ends[0]);
  // If no process can be created (child < 0), the work is accepted untested.
  if (child > 0) {
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (answer.empty()) throw Hdf5Error("it is damaged: the HDF5 library fails to read it");
  if (answer.front() != kDone) throw Hdf5Error(answer);
}

}  // namespace sestina
