#include "sestina/base/memory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "sestina/base/error.h"

namespace sestina::test {
namespace {

TEST(Memory, ReadsWhatTheSystemTells) {
  std::istringstream meminfo(
      "MemTotal:       16306088 kB\nMemFree:  1 kB\nMemAvailable:   12 kB\nBuffers: 3 kB\n");
  EXPECT_EQ(parse_available_memory(meminfo), 12288.0);
  std::istringstream nothing("MemTotal: 3 kB\n");
  EXPECT_FALSE(parse_available_memory(nothing));
}

class ControlGroups : public testing::Test {
 protected:
  ~ControlGroups() override { std::filesystem::remove_all(root_); }

  void put(const std::string& group, const std::string& file, const std::string& text) {
    std::filesystem::create_directories(root_ / group);
    std::ofstream(root_ / group / file) << text;
  }

  const std::filesystem::path root_ =
      std::filesystem::temp_directory_path() / fmt::format("sestina_control_groups_{}", getpid());
};

TEST_F(ControlGroups, LeaveWhatTheTightestAllows) {
  EXPECT_FALSE(left_in_control_groups(root_, "a/b"));
  put("a", "memory.max", "1000\n"), put("a", "memory.current", "900\n");
  put("a/b", "memory.max", "max\n"), put("a/b", "memory.current", "300\n");
  EXPECT_EQ(left_in_control_groups(root_, "a/b"), 100.0);
  put("a/b", "memory.max", "350\n");
  EXPECT_EQ(left_in_control_groups(root_, "a/b"), 50.0);
  EXPECT_EQ(left_in_control_groups(root_, ""), std::nullopt);
}

TEST_F(ControlGroups, CountPagesOfFilesAsLeft) {
  put("", "memory.max", "1000\n"), put("", "memory.current", "990\n");
  put("", "memory.stat", "anon 200\nfile 700\ninactive_file 400\nactive_file 250\nslab_reclaimable 40\n");
  EXPECT_EQ(left_in_control_groups(root_, ""), 700.0);
}

TEST(Memory, TellsBytesByPowersOfTen) {
  EXPECT_EQ(bytes_in_words(999.0), "999 bytes");
  EXPECT_EQ(bytes_in_words(1.5e9), "1.5 GB");
  EXPECT_EQ(bytes_in_words(2.34e16), "2.34e+04 TB");
}

TEST(Memory, ThatIsNotThereIsRefusedWithTheSize) {
  EXPECT_NO_THROW(check_memory(1e3, "a list"));
  if (!available_memory()) return;
  try {
    check_memory_of_matrix(1e6, 2e6, "a matrix");
    FAIL();
  } catch (const InputError& error) {
    const std::string_view expected = "a matrix of 1000000 x 2000000 numbers takes 16 TB of memory, and ";
    EXPECT_TRUE(std::string_view(error.what()).starts_with(expected)) << error.what();
  }
}

}  // namespace
}  // namespace sestina::test
