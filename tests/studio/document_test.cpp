#include "studio/document.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <memory>

#include "message_of.h"
#include "sestina/io/text_file.h"

namespace sestina::studio {
namespace {

namespace fs = std::filesystem;
using testing_support::kNothingThrown;
using testing_support::message_of;

constexpr const char* kPendulum =
    "# A pendulum.\n"
    "sestina: 1\n"
    "parameters: {l: 0.8, m: 1.0}   # m, kg\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  - name: rod\n"
    "    mass: m                    # all of it\n"
    "    center_of_mass: [0, -l/2, 0]\n"
    "  - {name: pen, type: particle, mass: 0}\n"
    "joints:\n"
    "  - {name: hip, type: revolute, parent: ground.origin, child: rod.origin, axis: [0, 0, 1]}\n"
    "\n"
    "# How it is run.\n"
    "analysis:\n"
    "  duration: 10\n";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

class DocumentFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("sestina_document_" + std::to_string(getpid()));
    fs::create_directories(folder_);
    file_ = write("pendulum.yaml", kPendulum);
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  static std::string contents(const fs::path& file) { return read_text_file(file, kLargestDocument); }
  fs::path copy() const { return folder_ / ".pendulum.yaml.studio"; }
  // The text in the copy, after the line that tells what it was made from.
  std::string kept() const {
    const std::string all = contents(copy());
    EXPECT_TRUE(all.starts_with("# unsaved work of the studio")) << all;
    return all.substr(all.find('\n') + 1);
  }

  fs::path folder_, file_;
};

TEST(Document, ChangesAValueInItsLineAndKeepsTheRest) {
  Document document{std::string(kPendulum)};
  document.set_value("parameters.l", "1.25");
  EXPECT_EQ(document.text(), replaced(kPendulum, "l: 0.8", "l: 1.25"));
  document.set_value("bodies.rod.mass", "2*m");
  EXPECT_NE(document.text().find("    mass: 2*m                    # all of it\n"), std::string::npos);
  document.set_value("gravity", "[0, 0, -1.62]");
  EXPECT_NE(document.text().find("gravity: [0, 0, -1.62]\nbodies:"), std::string::npos);
  document.set_value("joints.hip.axis", "[1, 0, 0]");
  EXPECT_NE(document.text().find("axis: [1, 0, 0]}\n"), std::string::npos);
}

TEST(Document, AddsKeysThatAreNotThere) {
  Document document{std::string(kPendulum)};
  document.set_value("joints.hip.q", "0.3");
  EXPECT_NE(document.text().find("axis: [0, 0, 1], q: 0.3}\n"), std::string::npos);
  document.set_value("analysis.solver", "kane");
  EXPECT_NE(document.text().find("analysis:\n  duration: 10\n  solver: kane\n"), std::string::npos);
  document.set_value("output.every", "0.1");
  EXPECT_NE(document.text().find("output: {every: 0.1}"), std::string::npos);
  EXPECT_EQ(document.read().output.every->value(), 0.1);
  EXPECT_EQ(document.read().analysis.solver.text, "kane");
}

TEST(Document, AddsAndRemovesItemsWhereTheirListStands) {
  Document document{std::string(kPendulum)};
  document.add_item("bodies", "{name: disc, mass: 3}");
  EXPECT_NE(document.text().find("mass: 0}\n  - {name: disc, mass: 3}\njoints:"), std::string::npos);
  document.add_item("parameters", "g: 9.81");
  EXPECT_NE(document.text().find("{l: 0.8, m: 1.0, g: 9.81}   # m, kg"), std::string::npos);
  document.add_item("forces", "{name: push, type: joint_force, joint: hip, value: 1}");
  EXPECT_LT(document.text().find("forces:\n  - {name: push"), document.text().find("analysis:"));
  document.remove_item("bodies", "disc");
  document.remove_item("bodies", "pen");
  EXPECT_EQ(document.read().bodies.size(), 1u);
  EXPECT_EQ(message_of([&] { document.remove_item("bodies", "pen"); }), "bodies: there is no 'pen'");
}

constexpr const char* kBall =
    "sestina: 1\n"
    "ground: {shapes: [{name: floor, type: plane}]}\n"
    "bodies: [{name: ball, mass: 1, shape: {type: sphere, radius: 0.1}}]\n"
    "contacts: [{name: one, between: [ball, floor]}, {name: two, between: [ball, ground], friction: 0.1}]\n"
    "events:\n"
    "  - {name: low, when: \"ball.q[2] - 0.1\", set: {\"ball.u[2]\": 1}}\n";

TEST(Document, ListsItsItemsWithTheTextOfTheirValues) {
  const Document document{std::string(kBall)};
  const auto lists = document.items();
  ASSERT_EQ(lists.size(), 5u);
  EXPECT_EQ(lists[1].first, "contacts");
  const Document::Item two = {{"name", "two"}, {"between", "[ball, ground]"}, {"friction", "0.1"}};
  EXPECT_EQ(lists[1].second.at(1), two);
  const Document::Item low = {
      {"name", "low"}, {"when", "\"ball.q[2] - 0.1\""}, {"set", "{\"ball.u[2]\": 1}"}};
  EXPECT_EQ(lists[2].second.at(0), low);
  EXPECT_EQ(lists[3].first, "ground.shapes");
  EXPECT_EQ(lists[4].first, "model");
  const Document::Item model = {{"sestina", "1"}, {"ground", "{shapes: [{name: floor, type: plane}]}"}};
  EXPECT_EQ(lists[4].second.at(0), model);
  EXPECT_TRUE(Document{std::string("a: [")}.items().empty());
}

TEST(Document, ChangesAnItemInOneStepOrNotAtAll) {
  Document document{std::string(kBall)};
  document.edit_item("contacts", "two", {{"friction", "0.2"}, {"restitution", "0.5"}, {"name", "three"}});
  const std::string changed =
      replaced(replaced(kBall, "friction: 0.1", "friction: 0.2, restitution: 0.5"), "two", "three");
  EXPECT_EQ(document.text(), changed);
  EXPECT_EQ(document.undo_steps(), 1u);
  EXPECT_NE(message_of([&] {
              document.edit_item("contacts", "three", {{"friction", "1"}, {"a.b.c[", "1"}});
            }),
            kNothingThrown);
  EXPECT_EQ(document.text(), changed);
  document.edit_item("events", "low", {{"set", "{\"ball.u[2]\": 2}"}});
  EXPECT_EQ(document.text(), replaced(changed, "\"ball.u[2]\": 1", "\"ball.u[2]\": 2"));
  document.undo();
  document.undo();
  EXPECT_EQ(document.text(), kBall);
}

constexpr const char* kCommented =
    "# Heads stay.\n"
    "sestina: 1\n"
    "parameters:\n"
    "  l: 0.8   # m\n"
    "  m: 1     # kg\n"
    "bodies:\n"
    "  # The one that swings.\n"
    "  - name: rod\n"
    "    mass: m   # all of it\n"
    "    points:\n"
    "      tip: [0, -l, 0]\n"
    "      eye: {position: [0, 1, 0], axes: {rpy: [0, 0, 1]}}\n"
    "    shape: {type: sphere, radius: 0.1}\n"
    "joints:\n"
    "  - {name: hip, type: revolute, parent: ground.origin, child: rod.origin, axis: [0, 0, 1], q: 1, "
    "limits: {lower: -1}}\n"
    "# Feet stay.\n";

TEST(Document, ChangesAddsAndRemovesKeysOfAnItemInOneStep) {
  Document document{std::string(kCommented)};
  document.edit_item("bodies", "rod",
                     {{"points.tip", "[0, -2*l, 0]"},
                      {"points.eye.axes.rpy", ""},
                      {"points.toe", "[1, 0, 0]"},
                      {"shape.radius", "0.2"},
                      {"inertia.xx", "0"},
                      {"mass", "2*m"}});
  std::string wanted = replaced(kCommented, "[0, -l, 0]\n", "[0, -2*l, 0]\n      toe: [1, 0, 0]\n");
  wanted = replaced(wanted, ", axes: {rpy: [0, 0, 1]}", "");
  wanted = replaced(replaced(wanted, "radius: 0.1", "radius: 0.2"), "mass: m   #", "mass: 2*m   #");
  EXPECT_EQ(document.text(), replaced(wanted, "- name: rod\n", "- name: rod\n    inertia: {xx: 0}\n"));
  EXPECT_EQ(document.undo_steps(), 1u);
  EXPECT_EQ(document.read().bodies.front().points.size(), 3u);
  document.undo();
  document.edit_item("joints", "hip",
                     {{"limits.lower", ""}, {"q", ""}, {"axis", "[1, 0, 0]"}, {"name", "hinge"}});
  EXPECT_EQ(document.text(), replaced(replaced(replaced(kCommented, ", q: 1, limits: {lower: -1}", ""),
                                               "axis: [0, 0, 1]", "axis: [1, 0, 0]"),
                                      "hip", "hinge"));
}

TEST(Document, RemovesKeysInBlockStyleAndTheMapThatWouldBeEmpty) {
  Document document{std::string(kCommented)};
  document.remove_value("parameters.l");
  EXPECT_EQ(document.text(), replaced(kCommented, "  l: 0.8   # m\n", ""));
  document.remove_value("parameters.m");
  EXPECT_EQ(document.text(), replaced(kCommented, "parameters:\n  l: 0.8   # m\n  m: 1     # kg\n", ""));
  document.remove_value("parameters.m");  // nothing is there
  EXPECT_EQ(document.undo_steps(), 2u);
  EXPECT_NE(message_of([&] { document.remove_value("bodies.rod"); }), kNothingThrown);
  EXPECT_NE(message_of([&] { document.remove_value("bodies.rod.name"); }), kNothingThrown);
  document.edit_item("", "", {{"analysis.step.dt", "0.1"}, {"bodies.rod.points", "{tip: [0, 0, 1]}"}});
  EXPECT_TRUE(document.text().ends_with("# Feet stay.\nanalysis: {step: {dt: 0.1}}\n"));
  EXPECT_NE(document.text().find("    points: {tip: [0, 0, 1]}\n    shape:"), std::string::npos);
  document.set_text(replaced(kCommented, "[0, -l, 0]\n", "[0, -l, 0]   # below\n"));
  EXPECT_NE(message_of([&] { document.set_value("bodies.rod.points", "{}"); }).find("only the text"),
            std::string::npos);
}

TEST(Document, AddsAndRemovesItemsInBrackets) {
  Document document{std::string(kBall)};
  document.remove_item("contacts", "one");
  EXPECT_EQ(document.text(), replaced(kBall, "{name: one, between: [ball, floor]}, ", ""));
  document.undo();
  document.remove_item("contacts", "two");
  EXPECT_EQ(document.text(), replaced(kBall, ", {name: two, between: [ball, ground], friction: 0.1}", ""));
  document.undo();
  document.add_item("ground.shapes", "{name: wall, type: box, size: [1, 1, 1]}");
  const std::string shapes = "{name: floor, type: plane}, {name: wall, type: box, size: [1, 1, 1]}]";
  EXPECT_EQ(document.text(), replaced(kBall, "{name: floor, type: plane}]", shapes));
  Document other{std::string("sestina: 1\n")};
  other.add_item("ground.shapes", "{name: floor, type: plane}");
  other.add_item("variables", "count: 0");
  EXPECT_EQ(other.text(),
            "sestina: 1\nground: {shapes: [{name: floor, type: plane}]}\nvariables:\n  count: 0\n");
}

TEST(Document, GrowsFromNothing) {
  Document document{std::string()};
  document.set_text("sestina: 1\n");
  document.add_item("bodies", "{name: mass, type: particle, mass: 1}");
  document.add_item(
      "joints", "{name: rail, type: prismatic, parent: ground.origin, child: mass.origin, axis: [1, 0, 0]}");
  EXPECT_EQ(document.read().joints.size(), 1u);
}

TEST(Document, RemovesAnItemWithAllThatBelongsToIt) {
  Document document{
      std::string("bodies:\n  - name: a\n    mass: 1\n  - name: b\n    mass: 2\n    # where it is\n\n"
                  "    center_of_mass: [1, 0, 0]\n  # the last\n  - name: c\n")};
  document.remove_item("bodies", "b");
  EXPECT_EQ(document.text(), "bodies:\n  - name: a\n    mass: 1\n  # the last\n  - name: c\n");
  Document windows{std::string("bodies:\r\n  - name: a\r\n\r\n    mass: 1\r\njoints: []\r\n")};
  windows.add_item("bodies", "{name: b}");
  EXPECT_EQ(windows.text(), "bodies:\r\n  - name: a\r\n\r\n    mass: 1\r\n  - {name: b}\r\njoints: []\r\n");
  Document shapes{std::string("ground:\n  shapes:\n    - name: floor\n      type: plane\nbodies: []\n")};
  shapes.remove_item("ground.shapes", "floor");
  EXPECT_EQ(shapes.text(), "bodies: []\n");
}

TEST(Document, KeepsTheCommentsOfAMapWhoseKeysAreAllReplaced) {
  Document document{std::string(
      "joints:\n  - name: hip\n    limits: {upper: 3}   # end stop\n    type: revolute\n"
      "bodies:\n  - name: rod\n    points:\n      # at its end\n      tip: [1, 0, 0]   # m\n    mass: 1\n")};
  document.edit_item("joints", "hip", {{"limits.upper", ""}, {"limits.lower", "-3"}});
  EXPECT_NE(document.text().find("    limits: {lower: -3}   # end stop\n    type"), std::string::npos)
      << document.text();
  document.edit_item("bodies", "rod", {{"points.tip", ""}, {"points.end", "[1, 0, 0]"}});
  EXPECT_NE(document.text().find("# at its end"), std::string::npos) << document.text();
  EXPECT_NE(document.text().find("end: [1, 0, 0]"), std::string::npos) << document.text();
}

TEST(Document, LeavesCommasInCommentsAlone) {
  const std::string text =
      "joints:\n  - {name: hip, type: revolute, # a, b\n     parent: ground.origin, child: rod.origin}\n"
      "bodies: [\n  {name: a, mass: 1}, # first, really\n  {name: b, mass: 1} # second, too\n]\n";
  Document document(text);
  document.edit_item("joints", "hip", {{"parent", ""}});
  document.remove_item("bodies", "b");
  EXPECT_EQ(document.text(),
            "joints:\n  - {name: hip, type: revolute, # a, b\n     child: rod.origin}\n"
            "bodies: [\n  {name: a, mass: 1} # first, really\n]\n");
  EXPECT_THROW(document.edit_item("joints", "hip", {{"child", ""}}), InputError);  // before it, a comment
}

TEST(Document, LeavesToTheTextWhatIsWrittenAtAnAnchor) {
  const std::string text =
      "bodies:\n  - &A {name: a, mass: 1}\n  - {<<: *A, name: b}\n  - {name: c, points: &P {tip: [1, 0, "
      "0]}}\n"
      "  - {name: d, points: *P}\n";
  Document document{text};
  for (const char* path : {"bodies.b.mass", "bodies.d.points.tip"}) {
    EXPECT_NE(message_of([&] { document.set_value(path, "3"); }).find("only the text"), std::string::npos)
        << path;
    EXPECT_NE(message_of([&] { document.remove_value(path); }).find("only the text"), std::string::npos)
        << path;
  }
  // It would change what uses the anchor, too.
  EXPECT_NE(message_of([&] { document.set_value("bodies.a.mass", "4"); }), kNothingThrown);
  EXPECT_NE(message_of([&] { document.remove_item("bodies", "a"); }), kNothingThrown);
  EXPECT_EQ(document.text(), text);
  document.set_value("bodies.c.mass", "4");
  EXPECT_NE(document.text().find("{tip: [1, 0, 0]}, mass: 4}"), std::string::npos);
}

// What a form asks for happens, and nothing else: a text that would mean something else is not taken.
TEST(Document, ChangesNothingElse) {
  const char* const texts[] = {
      "{original_name: it's, name: rod, mass: 1}",  // no quotation
      "{<<: *A, name: rod, mass: 1}",               // what is merged stays
      "{mass: 2, <<: *A, name: rod}",
      "{name: rod, mass: 1  # it, too\n   }",
  };
  for (const char* item : texts) {
    const std::string text =
        "parameters: &A {mass: 5}\nbodies: [" + std::string(item) + ", {name: arm, mass: 1}]\n";
    Document document{text};
    const auto arm_is_there = [&] {
      return document.text().find("name: arm, mass: 1") != std::string::npos ||
             document.text().find("name: arm, mass: 7") != std::string::npos;
    };
    for (const auto& change : std::vector<std::function<void()>>{
             [&] { document.remove_value("bodies.rod.mass"); },
             [&] { document.remove_item("bodies", "rod"); },
             [&] { document.set_value("bodies.rod.center_of_mass", "[1, 0, 0]"); },
             [&] { document.set_value("bodies.arm.mass", "7"); }}) {
      const std::string before = document.text();
      if (message_of(change) == kNothingThrown) {
        EXPECT_TRUE(arm_is_there()) << document.text();
        document.undo();
      }
      EXPECT_EQ(document.text(), before);
    }
  }
  Document document{std::string("parameters: {l: 1, m: 2}\n")};
  for (const char* value : {"1, k: 5", "\"x", "[1", "", "1 # x", "3}\nx: {"}) {
    EXPECT_NE(message_of([&] { document.set_value("parameters.l", value); }), kNothingThrown) << value;
    EXPECT_EQ(document.text(), "parameters: {l: 1, m: 2}\n") << value;
  }
  EXPECT_EQ(document.undo_steps(), 0u);
  document.set_text("name: |\n  two\n  # lines\nbodies: []\n");
  message_of([&] { document.set_value("gravity", "[0, 0, -9]"); });
  EXPECT_NE(document.text().find("name: |\n  two\n  # lines\n"), std::string::npos);
}

// As Python's YAML writes: sorted keys, and lists that are not indented.
TEST(Document, AddsKeysToWhatProgramsWrite) {
  Document document{
      std::string("bodies:\n- center_of_mass:\n  - 0\n  - 1\n  mass: 1\n  name: rod\nsestina: 1\n")};
  document.set_value("bodies.rod.original_name", "x");
  document.set_value("gravity", "[0, 0, -9]");
  EXPECT_EQ(document.text(),
            "bodies:\n- center_of_mass:\n  - 0\n  - 1\n  original_name: x\n  mass: 1\n  name: rod\n"
            "gravity: [0, 0, -9]\nsestina: 1\n");
  Document flow{std::string("bodies: [\n{name: rod}\n]\n")};
  flow.set_value("gravity", "[0, 0, -9]");
  EXPECT_EQ(flow.text(), "bodies: [\n{name: rod}\n]\ngravity: [0, 0, -9]\n");
  Document marked{std::string("\xEF\xBB\xBF{\"parameters\": {\"m\": 2}}\n")};
  marked.set_value("parameters.m", "3");
  EXPECT_EQ(marked.text(), "\xEF\xBB\xBF{\"parameters\": {\"m\": 3}}\n");
  Document empty{std::string()};
  empty.add_item("bodies", "{name: a}");
  EXPECT_EQ(empty.undo_steps(), 1u);
  empty.undo();
  EXPECT_EQ(empty.text(), "");
}

TEST(Document, KnowsQuotesCommasAndBracketsThatPeopleWrite) {
  Document quoted{std::string("name: 'Newton''s cradle'\n")};
  quoted.set_value("name", "foo");
  EXPECT_EQ(quoted.text(), "name: foo\n");
  Document ended{std::string("parameters: { l: 1,\n  m: 2,\n}\nbodies: [{name: a},]\n")};
  ended.set_value("parameters.n", "3");
  ended.add_item("bodies", "{name: b}");
  EXPECT_EQ(ended.text(), "parameters: { l: 1,\n  m: 2,\nn: 3}\nbodies: [{name: a},{name: b}]\n");
  Document json{std::string("{\"sestina\": 1}\n")};
  json.add_item("bodies", "{name: a}");
  EXPECT_EQ(json.text(), "{\"sestina\": 1, bodies: [{name: a}]}\n");
  const std::string text = "parameters: {l: 1,  # long, heavy\n  m: 2}\n";
  Document commented{text};
  EXPECT_NE(message_of([&] { commented.remove_value("parameters.m"); }), kNothingThrown);
  EXPECT_EQ(commented.text(), text);
}

TEST(Document, LeavesWhatWasUndoneToBeRedoneWhenAnEditFails) {
  Document document{std::string(kPendulum)};
  document.set_value("parameters.l", "2");
  document.undo();
  EXPECT_NE(message_of([&] {
              document.edit_item("", "", {{"parameters.l", "5"}, {"bodies.x.y", "1"}});
            }),
            kNothingThrown);
  EXPECT_EQ(document.text(), kPendulum);
  EXPECT_TRUE(document.redo());
  EXPECT_EQ(document.text(), replaced(kPendulum, "l: 0.8", "l: 2"));
}

TEST(Document, UndoesStepByStepAndTakesTypedLettersTogether) {
  Document document{std::string(kPendulum)};
  document.set_value("parameters.l", "0.9", "slider l");
  document.set_value("parameters.l", "0.95", "slider l");
  document.set_value("parameters.m", "2", "slider m");
  EXPECT_EQ(document.undo_steps(), 2u);
  EXPECT_TRUE(document.undo());
  EXPECT_EQ(document.text(), replaced(kPendulum, "l: 0.8", "l: 0.95"));
  EXPECT_TRUE(document.undo());
  EXPECT_EQ(document.text(), kPendulum);
  EXPECT_FALSE(document.undo());
  EXPECT_TRUE(document.redo());
  EXPECT_TRUE(document.redo());
  EXPECT_FALSE(document.redo());
  EXPECT_NE(document.text().find("l: 0.95, m: 2}"), std::string::npos);
}

TEST(Document, RefusesTextsThatAreTooLargeOrNoUtf8) {
  Document document{std::string(kPendulum)};
  EXPECT_NE(message_of([&] { document.set_text(std::string(kLargestDocument + 1, 'a')); }), kNothingThrown);
  EXPECT_NE(message_of([&] { document.set_text("a: \xff\n"); }), kNothingThrown);
  EXPECT_EQ(document.text(), kPendulum);
}

TEST_F(DocumentFile, KeepsACopyUntilItIsSavedAndOffersItAgain) {
  {
    Document document(file_);
    EXPECT_FALSE(fs::exists(copy()));
    document.set_value("parameters.l", "2");
    EXPECT_TRUE(document.is_dirty());
    EXPECT_EQ(kept(), document.text());
    EXPECT_EQ(contents(file_), kPendulum);
  }  // as if the program had been killed
  Document again(file_);
  EXPECT_EQ(again.text(), kPendulum);
  ASSERT_TRUE(again.recovered());
  EXPECT_EQ(*again.recovered(), replaced(kPendulum, "l: 0.8", "l: 2"));
  // Nothing takes its place before it is answered.
  EXPECT_NE(message_of([&] { again.set_value("parameters.l", "3"); }).find("throw it away"),
            std::string::npos);
  EXPECT_NE(message_of([&] { again.save(); }).find("throw it away"), std::string::npos);
  EXPECT_NE(message_of([&] { again.undo(); }).find("throw it away"), std::string::npos);
  EXPECT_EQ(kept(), *again.recovered());
  const std::string text = *again.recovered();
  again.forget_recovered();
  again.set_text(text);
  again.save();
  EXPECT_EQ(contents(file_), again.text());
  EXPECT_FALSE(fs::exists(copy()));
  EXPECT_FALSE(Document(file_).recovered());
}

TEST_F(DocumentFile, EveryStudioKeepsACopyOfItsOwn) {
  auto first = std::make_unique<Document>(file_), second = std::make_unique<Document>(file_);
  first->set_value("parameters.l", "2");
  second->set_value("parameters.l", "3");
  second->undo();
  const std::string text = first->text();
  EXPECT_FALSE(Document(file_).recovered());  // of a studio that is running
  second->set_value("parameters.l", "4");
  first.reset(), second.reset();
  Document next(file_);
  ASSERT_TRUE(next.recovered());
  EXPECT_EQ(*next.recovered(), text);
  next.take_recovered();
  Document after(file_);
  ASSERT_TRUE(after.recovered());
  EXPECT_NE(after.recovered()->find("l: 4"), std::string::npos);
  after.forget_recovered();
  EXPECT_EQ(kept(), text);
}

// The copy is never removed before the next one is there, which here cannot be written.
TEST_F(DocumentFile, TakesUnsavedWorkWithoutALossInBetween) {
  Document(file_).set_value("parameters.l", "2");
  Document again(file_);
  struct rlimit before {};
  getrlimit(RLIMIT_FSIZE, &before);
  const struct rlimit none = {0, before.rlim_max};
  const auto former = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &none);
  again.take_recovered();
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, former);
  EXPECT_NE(again.copy_fault(), "");
  EXPECT_NE(again.text().find("l: 2"), std::string::npos);
  EXPECT_TRUE(again.is_dirty());
  EXPECT_EQ(kept(), again.text());
  EXPECT_TRUE(again.undo());
  EXPECT_EQ(again.text(), kPendulum);
}

TEST_F(DocumentFile, AsksAboutAFileThatWasEmptied) {
  Document(file_).set_value("parameters.l", "2");
  write("pendulum.yaml", "");
  Document again(file_);
  again.take_recovered();
  EXPECT_EQ(again.changed_text(), "");
}

TEST_F(DocumentFile, AsksAboutAFileThatWasChangedAfterTheWorkThatIsTaken) {
  for (const bool is_changed : {false, true}) {
    Document(file_).set_value("parameters.l", "2");
    if (is_changed) {
      write("pendulum.yaml", "sestina: 1\n");
      Document between(file_);  // it writes the copy anew, asks and gets no answer
      between.take_recovered();
      between.set_value("parameters.m", "3");
      EXPECT_GE(fs::last_write_time(copy()), fs::last_write_time(file_));
      between.set_text(replaced(kPendulum, "l: 0.8", "l: 2"));
    }
    Document again(file_);
    again.take_recovered();
    EXPECT_EQ(again.changed_text().has_value(), is_changed);
    if (is_changed) {
      EXPECT_NE(message_of([&] { again.save(); }).find("another program"), std::string::npos);
    }
    again.keep_own(again.changed_text());
    again.save();
    EXPECT_EQ(contents(file_), replaced(kPendulum, "l: 0.8", "l: 2"));
    write("pendulum.yaml", kPendulum);
  }
}

// The text on disk is another program's: what is shown exists nowhere else.
TEST_F(DocumentFile, KeepsACopyOfASavedTextThatAnotherProgramHasReplaced) {
  Document document(file_);
  document.set_value("parameters.l", "2");
  document.save();
  document.set_value("parameters.l", "3");
  write("pendulum.yaml", "sestina: 1\n");
  document.note_other(true);
  document.undo();
  EXPECT_TRUE(document.is_dirty());
  EXPECT_EQ(kept(), document.text());
  document.keep_own("sestina: 1\n");
  document.note_other(false);
  EXPECT_TRUE(document.is_dirty());
  EXPECT_EQ(kept(), document.text());
  document.save();
  EXPECT_FALSE(document.is_dirty());
  EXPECT_FALSE(fs::exists(copy()));
}

TEST_F(DocumentFile, RefusesAFileThatIsNotUtf8) {
  const fs::path latin = write("latin.yaml", "sestina: 1\nname: L\xE4nge\n");
  EXPECT_NE(message_of([&] { Document document(latin); }).find("latin.yaml"), std::string::npos);
}

TEST_F(DocumentFile, AModelWithoutANameIsKeptToo) {
  const fs::path unnamed = folder_ / "unnamed";
  auto former = std::make_unique<Document>(std::string(), unnamed);
  former->set_text(kPendulum);
  former.reset();
  Document document(std::string(), unnamed);
  EXPECT_FALSE(Document(folder_ / "unnamed.yaml").recovered());
  ASSERT_TRUE(document.recovered());
  EXPECT_EQ(*document.recovered(), kPendulum);
  document.take_recovered();
  document.save_as(folder_ / "named.yaml");
  EXPECT_FALSE(Document(std::string(), unnamed).recovered());
  document.set_value("parameters.l", "2");
  EXPECT_TRUE(fs::exists(folder_ / ".named.yaml.studio"));
}

TEST_F(DocumentFile, IsEditedWhereNoCopyCanBeWritten) {
  Document document(file_);
  fs::create_directory(copy());
  for (int k = 2; k <= 9; ++k) fs::create_directory(folder_ / fmt::format(".pendulum.yaml.{}.studio", k));
  document.set_value("parameters.l", "2");
  EXPECT_NE(document.copy_fault(), "");
  EXPECT_EQ(document.text(), replaced(kPendulum, "l: 0.8", "l: 2"));
  fs::remove(copy());
  fs::permissions(file_, fs::perms::owner_read | fs::perms::owner_write);
  document.set_value("parameters.l", "3");
  EXPECT_EQ(document.copy_fault(), "");
  EXPECT_EQ(fs::status(copy()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(DocumentFile, SeesWhatOthersWriteAndReloadsAsAStepOfUndo) {
  Document document(file_);
  EXPECT_FALSE(document.changed_text());
  write("pendulum.yaml", replaced(kPendulum, "duration: 10", "duration: 3"));
  EXPECT_EQ(document.changed_text(), replaced(kPendulum, "duration: 10", "duration: 3"));
  document.reload();
  EXPECT_FALSE(document.is_dirty());
  EXPECT_NE(document.text().find("duration: 3"), std::string::npos);
  EXPECT_TRUE(document.undo());
  EXPECT_EQ(document.text(), kPendulum);
}

TEST_F(DocumentFile, ReadsNoFileOutsideItsFolderThatAClientNames) {
  const fs::path outside = folder_.parent_path() / (folder_.filename().string() + "_outside.csv");
  std::ofstream(outside) << "t,secret\n0,1\n1,2\n";
  Document document(file_);
  const auto message_with = [&](const std::string& file) {
    document.set_text(std::string(kPendulum) +
                      "forces: [{name: f, type: joint_force, joint: hip, value: {table: '" + file +
                      "', columns: secret}}]\n");
    return message_of([&] { document.read(); });
  };
  EXPECT_NE(message_with("../" + outside.filename().string()).find("outside of the folder"),
            std::string::npos);
  EXPECT_NE(message_with(outside.string()).find("outside of the folder"), std::string::npos);
  EXPECT_NE(message_with("file://" + outside.string()).find("outside of the folder"), std::string::npos);
  fs::create_symlink(outside, folder_ / "link.csv");
  EXPECT_NE(message_with("link.csv").find("outside of the folder"), std::string::npos);
  fs::create_symlink(outside.string() + ".not_there", folder_ / "dangling.csv");
  EXPECT_NE(message_with("dangling.csv").find("outside of the folder"), std::string::npos);
  write("inside.csv", "t,secret\n0,1\n1,2\n");
  EXPECT_EQ(message_with("inside.csv"), kNothingThrown);
  // A mesh is not read before it is drawn, but its path is refused alike.
  document.set_text(
      replaced(kPendulum, "    mass: m ", "    shape: {type: mesh, file: ../x.stl}\n    mass: m "));
  EXPECT_NE(message_of([&] { document.read(); }).find("outside of the folder"), std::string::npos);
  EXPECT_NE(message_of([&] { document.save(); }).find("outside of the folder"), std::string::npos);
  EXPECT_EQ(contents(file_), kPendulum);
  fs::remove(outside);
}

}  // namespace
}  // namespace sestina::studio
