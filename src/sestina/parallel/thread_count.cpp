#include "sestina/parallel/thread_count.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <fmt/format.h>

#ifdef __linux__
#include <sched.h>
#endif

#include "sestina/base/error.h"

namespace sestina {
namespace {

int processors_by_affinity() {
#ifdef __linux__
  // The default set holds 1024 processors; larger machines reject it and are counted below.
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set);
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// Returns this process's group relative to the root of version 2: the line "0::/path" of /proc/self/cgroup.
std::string control_group() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("0::/")) return line.substr(4);
  }
  return {};
}

// Returns the smallest quota of the group and of the groups that contain it.
std::optional<double> control_group_quota() {
  const std::filesystem::path root = "/sys/fs/cgroup";
  std::optional<double> smallest;
  std::filesystem::path group = control_group();
  while (true) {
    std::ifstream file(root / group / "cpu.max");
    std::string text;
    if (std::getline(file, text)) {
      const std::optional<double> quota = parse_cpu_quota(text);
      if (quota && (!smallest || *quota < *smallest)) smallest = quota;
    }
    if (group.empty()) return smallest;
    group = group.parent_path();
  }
}

}  // namespace

std::optional<double> parse_cpu_quota(std::string_view cpu_max) {
  const std::size_t space = cpu_max.find(' ');
  if (space == std::string_view::npos) return {};
  long quota = 0;   // us
  long period = 0;  // us
  const char* end = cpu_max.data() + cpu_max.size();
  const auto [after_quota, quota_error] = std::from_chars(cpu_max.data(), end, quota);
  const auto [after_period, period_error] = std::from_chars(cpu_max.data() + space + 1, end, period);
  if (quota_error != std::errc() || after_quota != cpu_max.data() + space) return {};
  if (period_error != std::errc() || quota <= 0 || period <= 0) return {};
  return static_cast<double>(quota) / static_cast<double>(period);
}

int available_processors() {
  const int processors = processors_by_affinity();
  const double quota = control_group_quota().value_or(processors);
  return std::clamp(static_cast<int>(std::min<double>(quota, processors)), 1, kMaxThreads);
}

int parse_thread_count(std::string_view text, std::string_view source) {
  int count = 0;
  const char* end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || after != end || count < 1 || count > kMaxThreads) {
    throw InputError(
        fmt::format("{}: '{}' is not a number of threads from 1 to {}", source, text, kMaxThreads));
  }
  return count;
}

int default_thread_count() {
  const char* text = std::getenv("SESTINA_THREADS");
  if (text != nullptr && *text != '\0') return parse_thread_count(text, "SESTINA_THREADS");
  return available_processors();
}

}  // namespace sestina
