// Comments of a model that forms edit: each stays with what it is about, and goes with that.
#include <gtest/gtest.h>

#include "studio/document.h"

namespace sestina::studio {
namespace {

TEST(Comments, StayWithAKeyThatIsRenamed) {
  Document document{std::string(
      "parameters:\n  l: 0.8   # m\n  n: 2     # links\n  m: 1     # kg\n"
      "bodies:\n  - name: rod\n    points:\n      tip: [0, -l, 0]   # the end\n      mid: [0, 1, 0]\n")};
  document.edit_item("", "", {{"parameters.mm", "1"}, {"parameters.l", ""}});
  EXPECT_EQ(document.text().substr(0, 62),
            "parameters:\n  mm: 1   # m\n  n: 2     # links\n  m: 1     # kg\nb");
  EXPECT_EQ(document.undo_steps(), 1u);
  document.edit_item("bodies", "rod", {{"points.tip", ""}, {"points.end", "[0, -l, 0]"}});
  EXPECT_NE(document.text().find("      end: [0, -l, 0]   # the end\n      mid"), std::string::npos)
      << document.text();
  Document flow{std::string("parameters: {l: 0.8, m: 1}   # m, kg\n")};
  flow.edit_item("", "", {{"parameters.len", "0.8"}, {"parameters.l", ""}});
  EXPECT_EQ(flow.text(), "parameters: {len: 0.8, m: 1}   # m, kg\n");
}

TEST(Comments, StayWithAPointThatGetsAnotherNameAndPlaceAtOnce) {
  Document document{std::string(
      "bodies:\n  - name: rod\n    points:\n      tip: [0, -l, 0]   # the end\n      mid: [0, 1, 0]\n")};
  document.edit_item("bodies", "rod", {{"points.tip", ""}, {"points.end", "[0, -2*l, 0]"}});
  EXPECT_NE(document.text().find("      end: [0, -2*l, 0]   # the end\n      mid"), std::string::npos)
      << document.text();
  document.edit_item("bodies", "rod", {{"points.end", ""}, {"points.mid", "[0, 2, 0]"}});  // no new name
  EXPECT_NE(document.text().find("    points:\n      mid: [0, 2, 0]\n"), std::string::npos)
      << document.text();
}

TEST(Comments, GoWithTheElementInBracketsOnTheirLine) {
  Document last{std::string("parameters: {\n  l: 1,\n  m: 2   # mass\n}\n")};
  last.remove_value("parameters.m");
  EXPECT_EQ(last.text(), "parameters: {\n  l: 1\n}\n");
  Document first{std::string("parameters: {\n  l: 1,   # length\n  m: 2\n}\n")};
  first.remove_value("parameters.l");
  EXPECT_EQ(first.text(), "parameters: {\n  m: 2\n}\n");
  Document middle{
      std::string("bodies: [\n  {name: a},   # first\n  {name: b},   # second\n  {name: c}\n]\n")};
  middle.remove_item("bodies", "b");
  EXPECT_EQ(middle.text(), "bodies: [\n  {name: a},   # first\n  {name: c}\n]\n");
  middle.remove_item("bodies", "c");
  EXPECT_EQ(middle.text(), "bodies: [\n  {name: a}   # first\n]\n");
  Document opened{std::string("parameters: {l: 1,   # length\n  m: 2}\n")};
  opened.remove_value("parameters.l");
  EXPECT_EQ(opened.text(), "parameters: {\n  m: 2}\n");
  Document ended{std::string("parameters: {l: 1,\n  m: 2,   # mass\n}\n")};
  ended.remove_value("parameters.m");
  EXPECT_EQ(ended.text(), "parameters: {l: 1,\n}\n");
  Document one_line{std::string("parameters: {l: 1, m: 2}   # numbers\n")};
  one_line.remove_value("parameters.m");
  EXPECT_EQ(one_line.text(), "parameters: {l: 1}   # numbers\n");
}

TEST(Comments, AtTheEndOfAnItemGoWithIt) {
  Document document{
      std::string("bodies:\n  - name: a\n    mass: 1\n    inertia:\n      xx: 1\n      # end of inertia\n"
                  "    # tail of a\n  # about b\n  - name: b\n    # tail of b\n")};
  document.remove_value("bodies.a.inertia.xx");
  EXPECT_EQ(
      document.text(),
      "bodies:\n  - name: a\n    mass: 1\n    # tail of a\n  # about b\n  - name: b\n    # tail of b\n");
  document.add_item("bodies", "{name: c}");
  EXPECT_EQ(document.text().substr(document.text().find("  - name: b")),
            "  - name: b\n    # tail of b\n  - {name: c}\n");
  document.remove_item("bodies", "a");
  EXPECT_EQ(document.text(), "bodies:\n  # about b\n  - name: b\n    # tail of b\n  - {name: c}\n");
}

TEST(Comments, OfASectionAreNotThoseOfANewOne) {
  const std::string joints = "bodies:\n  - {name: a}\njoints:\n  - {name: j}\n  # - {name: k} out\n";
  Document document{joints + "\n# How it is run.\nanalysis: {duration: 1}\n"};
  document.add_item("forces", "{name: f}");
  EXPECT_EQ(document.text(),
            joints + "forces:\n  - {name: f}\n\n# How it is run.\nanalysis: {duration: 1}\n");
  Document about{joints + "\n# about the limits\n\nanalysis: {duration: 1}\n"};
  about.add_item("forces", "{name: f}");
  EXPECT_EQ(about.text(),
            joints + "\n# about the limits\n\nforces:\n  - {name: f}\nanalysis: {duration: 1}\n");
}

}  // namespace
}  // namespace sestina::studio
