// What the studio does with files: the model's, which other programs change, and tables.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "studio/session_fixture.h"

namespace sestina::studio {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST_F(SessionTest, AsksOnceAboutAFileThatAnotherProgramHasChanged) {
  session_->join(1);
  finish();
  session_->handle(1, R"({"type":"set","path":"parameters.l","value":"0.5"})");
  std::ofstream(file_) << "sestina: 1\nname: another\n";
  const auto is_asked = [this] { return !last("changed").empty(); };
  EXPECT_TRUE(tick_until(is_asked));
  std::ofstream(file_) << kSwingingRod;  // back again
  const auto is_withdrawn = [this] { return last("changed").find("\"same\":true") != std::string::npos; };
  EXPECT_TRUE(tick_until(is_withdrawn));
  std::ofstream(file_) << "sestina: 1\nname: another\n";
  texts_.clear();
  EXPECT_TRUE(tick_until(is_asked));
  texts_.clear();
  session_->handle(1, R"({"type":"set","path":"parameters.l","value":"0.6"})");
  EXPECT_FALSE(tick_until(is_asked, 700));
}

TEST_F(SessionTest, KeepsWhatWasBeingTypedWhenThePageIsClosed) {
  session_->join(1);
  finish();
  const std::string typed = std::string("# a swing\n") + kSwingingRod;
  session_->handle(1, fmt::format(R"({{"type":"draft","text":"{}"}})", escaped(typed)));
  session_->leave(1);
  session_->join(2);
  EXPECT_THAT(last("document", 2), HasSubstr("# a swing"));
  EXPECT_THAT(last("document", 2), HasSubstr("\"dirty\":true"));
}

TEST_F(SessionTest, TakesNoTextThatIsOlderThanAChangeByAProgram) {
  session_->join(1);
  finish();
  session_->set_value("parameters.l", "0.33");
  EXPECT_THAT(last("document"), HasSubstr("\"programs\":1"));
  const std::string typed = escaped(std::string("# a swing\n") + kSwingingRod);
  session_->handle(1, fmt::format(R"({{"n":1,"type":"text","text":"{}","programs":0}})", typed));
  EXPECT_THAT(last("document"), HasSubstr("\"answers\":1"));
  EXPECT_THAT(last("document"), HasSubstr("l: 0.33"));
  EXPECT_THAT(last("document"), testing::Not(HasSubstr("# a swing")));
  session_->handle(1, fmt::format(R"({{"n":2,"type":"text","text":"{}","programs":1}})", typed));
  EXPECT_THAT(last("document"), HasSubstr("# a swing"));
}

TEST_F(SessionTest, KeepsWhatIsBeingTypedWhenTheStudioEnds) {
  session_->join(1);
  finish();
  const std::string typed = std::string("# a swing\n") + kSwingingRod;
  session_->handle(1, fmt::format(R"({{"type":"draft","text":"{}"}})", escaped(typed)));
  session_ = std::make_unique<Session>(folder_ / "other.yaml", folder_, sender());
  session_ = std::make_unique<Session>(file_, folder_, sender());
  session_->join(2);
  EXPECT_THAT(last("document", 2), HasSubstr("\"recovered\":true"));
}

TEST_F(SessionTest, AsksAlsoWhileATextIsBeingTyped) {
  session_->join(1);
  finish();
  const std::string theirs = std::string(kSwingingRod) + "# theirs\n",
                    own = std::string("# own\n") + kSwingingRod;
  for (int times = 0; times < 2; ++times) {
    texts_.clear();
    session_->handle(1, fmt::format(R"({{"type":"draft","text":"{}"}})", escaped(own)));
    std::ofstream(file_) << theirs;
    EXPECT_TRUE(tick_until([&] { return !last("changed").empty(); }));
    session_->handle(1, fmt::format(R"({{"type":"text","text":"{}"}})", escaped(own)));
    session_->handle(1, R"({"type":"save"})");
    EXPECT_THAT(last("error"), HasSubstr("another program"));
    session_->handle(1, R"({"type":"reload"})");
    EXPECT_THAT(last("document"), HasSubstr("# theirs"));
    std::ofstream(file_) << kSwingingRod;  // back again, and then a second time
    tick_until([&] { return last("document").find("# theirs") == std::string::npos; });
  }
}

TEST_F(SessionTest, TellsOfATextThatIsNotUtf8) {
  session_->join(1);
  finish();
  std::ofstream(file_) << kSwingingRod << "# L\xe4nge\n";
  EXPECT_TRUE(tick_until([&] { return !last("changed").empty(); }));
  session_->handle(1, R"({"type":"save"})");
  EXPECT_THAT(last("error"), HasSubstr("another program"));
}

TEST_F(SessionTest, OverwritesNothingOfAnotherProgramThatWasNotRefused) {
  session_->join(1);
  finish();
  session_->handle(1, R"({"type":"set","path":"parameters.l","value":"0.5"})");
  std::ofstream(file_) << "sestina: 1\nname: another\n";
  session_->handle(1, R"({"type":"save"})");
  EXPECT_THAT(last("error"), HasSubstr("another program has changed it"));
  session_->leave(1);
  session_->join(2);  // is told, too
  EXPECT_THAT(last("changed", 2), HasSubstr("\"gone\":false"));
  session_->handle(2, R"({"type":"overwrite"})");
  session_->handle(2, R"({"type":"save"})");
  EXPECT_NE(last("saved", 2), "");
  std::stringstream saved;
  saved << std::ifstream(file_).rdbuf();
  EXPECT_THAT(saved.str(), HasSubstr("l: 0.5"));
  fs::remove(file_);
  texts_.clear();
  tick_until([&] { return !last("changed", 2).empty(); });
  EXPECT_THAT(last("changed", 2), HasSubstr("\"gone\":true"));
}

// The page has not shown yet what another program wrote.
TEST_F(SessionTest, AsksAboutAFileThatWasReadAgainWhileATextWasOnItsWay) {
  session_->join(1);
  finish();
  EXPECT_THAT(last("document"), HasSubstr("\"reloads\":0"));
  std::ofstream(file_) << kSwingingRod << "# theirs\n";
  tick_until([&] { return last("document").find("\"reloads\":1") != std::string::npos; });
  session_->handle(1, R"({"type":"text","text":"sestina: 1\n","kind":"typing 1","reloads":0})");
  EXPECT_TRUE(tick_until([&] { return !last("changed").empty(); }));
  session_->handle(1, R"({"type":"save"})");
  EXPECT_THAT(last("error"), HasSubstr("another program has changed it"));
  session_->handle(1, R"({"type":"overwrite"})");
  session_->handle(1, R"({"type":"text","text":"sestina: 1\nname: mine\n","kind":"typing 2","reloads":1})");
  session_->handle(1, R"({"type":"save"})");
  EXPECT_NE(last("saved"), "");
}

TEST_F(SessionTest, ASavedTextThatAnotherProgramHasReplacedIsUnsavedAgain) {
  session_->join(1);
  finish();
  session_->handle(1, R"({"type":"set","path":"parameters.l","value":"0.5"})");
  std::ofstream(file_) << "sestina: 1\nname: another\n";
  EXPECT_TRUE(tick_until([&] { return !last("changed").empty(); }));
  session_->handle(1, R"({"type":"undo"})");  // to what was read
  EXPECT_THAT(last("document"), HasSubstr("\"dirty\":true"));
  EXPECT_TRUE(fs::exists(folder_ / ".pendulum.yaml.studio"));
}

TEST_F(SessionTest, AsksAboutAFileThatCannotBeReadAnyMore) {
  session_->join(1);
  finish();
  std::ofstream(file_) << std::string(kLargestDocument + 1, '#');
  EXPECT_TRUE(tick_until([&] { return !last("changed").empty(); }));
  session_->handle(1, R"({"type":"save"})");
  EXPECT_THAT(last("error"), HasSubstr("another program has changed it"));
  session_->handle(1, R"({"type":"overwrite"})");
  EXPECT_THAT(last("document"), HasSubstr("\"dirty\":true"));
  session_->handle(1, R"({"type":"save"})");
  EXPECT_NE(last("saved"), "");
  std::stringstream saved;
  saved << std::ifstream(file_).rdbuf();
  EXPECT_EQ(saved.str(), kSwingingRod);
}

TEST_F(SessionTest, SavesANewModelInItsFolderAlone) {
  Session fresh({}, folder_, sender());
  fresh.join(7);
  fresh.handle(7, R"({"type":"text","text":"sestina: 1\nbodies: []\n"})");
  for (const char* name : {"../evil", "a/b", "", ".hidden", "x.yaml", "C:evil"}) {
    fresh.handle(7, std::string(R"({"type":"save","name":")") + name + "\"}");
    EXPECT_THAT(last("error", 7), HasSubstr("a name has letters")) << name;
  }
  fresh.handle(7, R"({"type":"save","name":"pendulum"})");
  EXPECT_THAT(last("error", 7), HasSubstr("exists already"));
  fs::create_symlink("../written_outside.yaml", folder_ / "link.yaml");  // to a file that is not there
  fresh.handle(7, R"({"type":"save","name":"link"})");
  EXPECT_THAT(last("error", 7), HasSubstr("link.yaml exists already"));
  EXPECT_FALSE(fs::exists(folder_ / "../written_outside.yaml"));
  fresh.handle(7, R"({"type":"save","name":"new_model"})");
  EXPECT_TRUE(fs::exists(folder_ / "new_model.yaml"));
}

TEST_F(SessionTest, ReloadsWhenTheFileChangesAndAsksWhereThatWouldLoseEdits) {
  session_->join(1);
  finish();
  std::ofstream(file_) << std::string(kSwingingRod) << "# changed\n";
  EXPECT_TRUE(tick_until([this] { return last("document").find("# changed") != std::string::npos; }));
  session_->handle(1, R"({"type":"set","path":"parameters.l","value":"0.7"})");
  std::ofstream(file_) << kSwingingRod;
  EXPECT_TRUE(tick_until([this] { return !last("changed").empty(); }));
  EXPECT_THAT(last("document"), HasSubstr("l: 0.7"));
}

TEST_F(SessionTest, WritesTablesBesideTheModel) {
  session_->join(1);
  const auto send_table = [this](const char* name, const char* text, const char* over = "t") {
    texts_.clear();
    session_->handle(
        1, fmt::format(R"({{"type":"table","name":"{}","text":"{}","over":"{}"}})", name, text, over));
  };
  session_->handle(
      1, R"({"type":"add","list":"forces","item":")"
         R"({name: push, type: joint_force, joint: hip, value: {table: push.csv, columns: [tau]}}"})");
  EXPECT_THAT(last("document"), HasSubstr("push.csv"));
  EXPECT_THAT(last("document"), Not(HasSubstr("\"faults\":[]")));  // there is no such file
  send_table("push.csv", "t, tau\\n0, 1\\n1, 2\\n");
  EXPECT_THAT(last("document"), HasSubstr("\"faults\":[]"));
  std::stringstream written;
  written << std::ifstream(folder_ / "push.csv").rdbuf();
  EXPECT_EQ(written.str(), "t, tau\n0, 1\n1, 2\n");
  send_table("push.csv", "t, tau\\n0, 1\\n1, 2\\n");  // the same again
  EXPECT_EQ(last("error"), "");
  send_table("push.csv", "t, tau\\n0, 1\\n1, 3\\n");
  EXPECT_THAT(last("error"), HasSubstr("push.csv is there already with other values"));
  send_table("track.csv", "s, x, y, z\\n0, 1, 2, 3\\n1, 2, 3, 4\\n", "s");
  EXPECT_EQ(last("error"), "");
  for (const char* name :
       {"../evil.csv", "a/b.csv", ".csv", ".hidden.csv", "", "pendulum.yaml", "C:evil.csv"}) {
    send_table(name, "t, tau\\n0, 1\\n");
    EXPECT_THAT(last("error"), HasSubstr("a table's name has letters")) << name;
  }
  send_table("bad.csv", "t, tau\\n0, one\\n");
  EXPECT_THAT(last("error"), HasSubstr("bad.csv"));
  EXPECT_FALSE(fs::exists(folder_ / "bad.csv"));
  fs::create_symlink("../written_outside.csv", folder_ / "link.csv");
  send_table("link.csv", "t, tau\\n0, 1\\n");
  EXPECT_NE(last("error"), "");
  EXPECT_FALSE(fs::exists(folder_ / "../written_outside.csv"));
}

}  // namespace
}  // namespace sestina::studio
