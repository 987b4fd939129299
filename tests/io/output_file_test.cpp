#include "sestina/io/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>

#include "message_of.h"
#include "result_testing.h"
#include "sestina/io/file_uses.h"
#include "sestina/io/text_file.h"

namespace sestina {
namespace {

using ::testing::HasSubstr;
using testing_support::kNothingThrown;
using testing_support::message_of;

class OutputFiles : public ::testing::Test {
 protected:
  std::string text_of(const std::string& name) const { return read_text_file(directory_ / name, 1000); }
  std::filesystem::path make(const std::string& name, const std::string& text) const {
    write_whole_file(directory_ / name, text);
    return directory_ / name;
  }

  test::TemporaryDirectory directory_;
};

// ---- locks ------------------------------------------------------------------------------------------------

TEST_F(OutputFiles, AreWrittenByOneAtATime) {
  for (const char* name : {"there", "fresh"}) {
    const std::filesystem::path path = directory_ / name;
    if (std::string(name) == "there") make(name, "old");
    {
      OutputFile first(path);
      EXPECT_EQ(message_of([&] { OutputFile second(path); }),
                "cannot write '" + path.string() + "': this process is writing it");
      first.keep();
    }
    EXPECT_EQ(message_of([&] { OutputFile next(path); }), kNothingThrown);
    EXPECT_TRUE(std::filesystem::exists(path));
  }
}

TEST_F(OutputFiles, StayLockedWhenTheyAreReplaced) {
  const std::filesystem::path path = directory_ / "a";
  OutputFile first(path);
  for (const char* text : {"one", "two"}) {
    first.replace_by(text);
    EXPECT_EQ(text_of("a"), text);
    EXPECT_THAT(message_of([&] { OutputFile second(path); }), HasSubstr("is writing it"));
  }
}

TEST_F(OutputFiles, AreFreeAfterAKill) {
  const std::filesystem::path path = directory_ / "a";
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    OutputFile file(path);
    const char byte = 'x';
    if (::write(ready[1], &byte, 1) == 1) ::pause();
    ::_exit(1);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_THAT(message_of([&] { OutputFile file(path); }),
              HasSubstr("process " + std::to_string(child) + " ("));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(message_of([&] { OutputFile file(path); }), kNothingThrown);
  ::close(ready[0]);
  ::close(ready[1]);
}

// ---- making and replacing ---------------------------------------------------------------------------------

TEST_F(OutputFiles, ThatNobodyKeepsLeaveNothing) {
  { const OutputFile file(directory_ / "a"); }
  EXPECT_EQ(directory_.files(), 0u);
  make("b", "old");
  { const OutputFile file(directory_ / "b"); }
  EXPECT_EQ(text_of("b"), "old");
}

TEST_F(OutputFiles, OfAnotherWriterAreNotRemoved) {
  std::optional<OutputFile> file(directory_ / "a");
  std::filesystem::remove(directory_ / "a");
  make("a", "of somebody else");
  file.reset();
  EXPECT_EQ(text_of("a"), "of somebody else");
}

TEST_F(OutputFiles, AreReplacedBehindLinks) {
  make("real", "old");
  std::filesystem::create_symlink("real", directory_ / "link");
  std::filesystem::create_symlink("absent", directory_ / "dangling");
  OutputFile(directory_ / "link").replace_by("new");
  write_whole_file(directory_ / "dangling", "new");
  for (const char* name : {"link", "dangling"}) {
    EXPECT_TRUE(std::filesystem::is_symlink(directory_ / name));
    EXPECT_EQ(text_of(name), "new");
  }
  EXPECT_EQ(text_of("real") + text_of("absent"), "newnew");
}

TEST_F(OutputFiles, KeepTheirPermissions) {
  const std::filesystem::path path = make("a", "old");
  using std::filesystem::perms;
  std::filesystem::permissions(path, perms::owner_read | perms::owner_write);
  OutputFile(path).replace_by("new");
  EXPECT_EQ(std::filesystem::status(path).permissions(), perms::owner_read | perms::owner_write);
}

// During its lifetime no file grows beyond this many bytes, as on a full disk.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  sighandler_t handler_;
};

TEST_F(OutputFiles, ThatCannotBeReplacedStayAsTheyAre) {
  const std::filesystem::path path = make("a", "old");
  for (const std::filesystem::path& target : {path, directory_ / "absent"}) {
    const SmallDisk disk(5);
    EXPECT_EQ(message_of([&] { write_whole_file(target, "new and longer"); }),
              "cannot write '" + target.string() + "': File too large");
  }
  EXPECT_EQ(text_of("a"), "old");
  EXPECT_EQ(directory_.files(), 1u);  // nothing temporary is left
  OutputFile file(path);
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  EXPECT_THAT(message_of([&] { file.replace_by("new"); }), HasSubstr("Is a directory"));
  EXPECT_EQ(directory_.files(), 1u);
  EXPECT_EQ(message_of([&] { write_whole_file("", "new"); }), "the name of the file to write is empty");
}

TEST_F(OutputFiles, ThatWaitAreNotSeenBeforeTheyAreWhole) {
  const std::filesystem::path path = directory_ / "a";
  OutputFile first(path, OutputFile::WhenAbsent::kWait), second(path, OutputFile::WhenAbsent::kWait);
  EXPECT_EQ(directory_.files(), 0u);
  first.replace_by("first");
  EXPECT_EQ(message_of([&] { second.replace_by("second"); }),
            "cannot write '" + path.string() + "': this process is writing it");
  EXPECT_EQ(text_of("a"), "first");
  EXPECT_EQ(directory_.files(), 1u);
}

TEST_F(OutputFiles, TakeNoNameThatIsThere) {
  const std::filesystem::path path = directory_ / "a";
  const TemporaryFile one(path), other(path);
  EXPECT_NE(one.path(), other.path());
  EXPECT_EQ(one.path().parent_path(), path.parent_path());
  EXPECT_EQ(directory_.files(), 2u);
  EXPECT_EQ(message_of([&] { TemporaryFile long_name(directory_ / std::string(255, 'x')); }), kNothingThrown);
}

// ---- what is read and written -----------------------------------------------------------------------------

TEST_F(OutputFiles, AreTheSameWhateverTheyAreCalled) {
  const std::filesystem::path path = make("a", "text");
  std::filesystem::create_directory(directory_ / "folder");
  std::filesystem::create_symlink("a", directory_ / "soft");
  std::filesystem::create_hard_link(path, directory_ / "hard");
  std::filesystem::create_symlink("absent", directory_ / "dangling");
  make("b", "text");
  for (const char* name : {"a", "soft", "hard", "folder/../a", "./a"}) {
    EXPECT_TRUE(is_same_file(path, directory_ / name)) << name;
  }
  EXPECT_TRUE(is_same_file(directory_ / "absent", directory_ / "dangling"));
  EXPECT_TRUE(is_same_file(directory_ / "absent", directory_ / "folder/../absent"));
  for (const char* name : {"b", "absent", "dangling", "folder"}) {
    EXPECT_FALSE(is_same_file(path, directory_ / name)) << name;
  }
  EXPECT_FALSE(is_same_file("/dev/null", "/dev/null"));  // nothing in it can be lost
}

TEST_F(OutputFiles, AreNoneOfTheInputs) {
  const std::string path = make("gust.csv", "t,x\n0,1\n");
  System system;
  system.add_body("rod", 1.0).shapes.emplace_back().file = (directory_ / "mesh.obj").string();
  TableSpec table;
  table.file = path;
  system.add_force("wind", "point_force").table = table;
  const auto check = [&](const std::filesystem::path& result, const std::filesystem::path& checkpoint) {
    return message_of([&] {
      FileUses files;
      files.add_inputs_of(system);
      files.add_output("the result", result);
      files.add_output("the checkpoint", checkpoint);
      files.check();
    });
  };
  EXPECT_EQ(check(path, ""), "cannot write the result '" + path +
                                 "': it is the same file as the table of the force "
                                 "'wind' '" +
                                 path + "', which would be lost");
  make("mesh.obj", "v");
  EXPECT_THAT(check("", directory_ / "mesh.obj"), HasSubstr("the same file as a mesh of the body 'rod'"));
  const std::string absent = directory_ / "r.csv";
  EXPECT_EQ(check(absent, absent), "cannot write the checkpoint '" + absent +
                                       "': it is the same file as the result '" + absent +
                                       "', which is written, too");
  EXPECT_EQ(check(absent, directory_ / "ck"), kNothingThrown);
}

}  // namespace
}  // namespace sestina
