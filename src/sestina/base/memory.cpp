#include "sestina/base/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sestina/base/error.h"

namespace sestina {
namespace {

std::optional<double> read_number(const std::filesystem::path& path) {
  std::ifstream file(path);
  double number = 0.0;
  if (file >> number) return number;
  return {};  // "max" as well
}

// Returns the bytes of a group's file cache that can be reclaimed.
double read_reclaimable(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string name;
  double sum = 0.0, number = 0.0;
  while (file >> name >> number) {
    if (name == "inactive_file" || name == "active_file" || name == "slab_reclaimable") sum += number;
  }
  return sum;
}

std::filesystem::path own_control_group() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("0::/")) return line.substr(4);
  }
  return {};
}

}  // namespace

std::optional<double> parse_available_memory(std::istream& meminfo) {
  constexpr double kKibibyte = 1024.0;
  for (std::string line; std::getline(meminfo, line);) {
    std::istringstream words(line);
    std::string name;
    double number = 0.0;
    if (words >> name >> number && name == "MemAvailable:") return kKibibyte * number;
  }
  return {};
}

std::optional<double> left_in_control_groups(const std::filesystem::path& root, std::filesystem::path group) {
  std::optional<double> least;
  while (true) {
    const std::filesystem::path folder = root / group;
    const std::optional<double> most = read_number(folder / "memory.max"),
                                held = read_number(folder / "memory.current");
    if (most && held) {
      const double used = *held - read_reclaimable(folder / "memory.stat");
      least = std::min(least.value_or(*most), std::clamp(*most - used, 0.0, *most));
    }
    if (group.empty()) return least;
    group = group.parent_path();
  }
}

std::optional<double> available_memory() {
  std::ifstream meminfo("/proc/meminfo");
  const std::optional<double> of_machine = parse_available_memory(meminfo),
                              of_group = left_in_control_groups("/sys/fs/cgroup", own_control_group());
  if (of_machine && of_group) return std::min(*of_machine, *of_group);
  return of_machine ? of_machine : of_group;
}

void check_memory(double bytes, const std::string& what) {
  constexpr double kAlwaysThere = 64e6;
  if (bytes <= kAlwaysThere) return;
  const std::optional<double> available = available_memory();
  if (!available || bytes <= *available) return;
  throw InputError(fmt::format("{} takes {} of memory, and {} are available", what, bytes_in_words(bytes),
                               bytes_in_words(*available)));
}

void check_memory_of_matrix(double rows, double columns, const std::string& what) {
  check_memory(rows * columns * sizeof(double), fmt::format("{} of {} x {} numbers", what, rows, columns));
}

std::string bytes_in_words(double bytes) {
  constexpr const char* kUnits[] = {"bytes", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (bytes >= 1000.0 && unit + 1 < std::size(kUnits)) bytes /= 1000.0, ++unit;
  return fmt::format("{:.3g} {}", bytes, kUnits[unit]);
}

}  // namespace sestina
