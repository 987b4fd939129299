#include <gtest/gtest.h>

#include <cstring>

#include "message_of.h"
#include "sestina/io/yaml.h"
#include "sestina/model/freeze.h"
#include "sestina/model/properties.h"
#include "sestina/scene/json_writer.h"
#include "sestina/scene/scene_message.h"

namespace sestina {
namespace {

using testing_support::message_of;

System slider() {
  System system;
  system.name = "a </script> \"slider\"\n";
  system.add_particle("mass", 1.0);
  system.add_joint("rail", "prismatic", "ground.origin", "mass.origin").axis = {1, 0, 0};
  return system;
}

ResultTable rows_of(int count) {
  ResultHeader header;
  header.columns = {{"t", "s"}, {"rail.q", "m"}, {"energy.total", "J"}};
  ResultTable table(header);
  for (int i = 0; i < count; ++i) {
    table.append_row(std::vector<double>{0.1 * i, 0.01 * i, 1.0 / 3.0});
  }
  return table;
}

struct Made {
  Made() : system(slider()), model(freeze(system)), properties(calc_properties(*model)) {}
  Motion motion(const ResultTable& table, std::size_t most = 1u << 20) const {
    return make_motion(table, *model, properties, most);
  }

  System system;
  std::shared_ptr<const Model> model;
  Properties<double> properties;
};

TEST(JsonWriter, EscapesWhatWouldEndAStringOrAScript) {
  JsonWriter json;
  json.begin_object()
      .member("a\"b\\", "x\n</script>\x01")
      .member("n", 0.1)
      .member("bad", 1.0 / 0.0)
      .end_object();
  EXPECT_EQ(json.take(), R"({"a\"b\\":"x\u000a\u003c/script>\u0001","n":0.1,"bad":null})");
}

TEST(Base64, MatchesTheExamplesOfTheStandard) {  // RFC 4648, section 10
  const auto encode = [](std::string_view text) {
    return to_base64({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  };
  EXPECT_EQ(encode(""), "");
  EXPECT_EQ(encode("f"), "Zg==");
  EXPECT_EQ(encode("fo"), "Zm8=");
  EXPECT_EQ(encode("foo"), "Zm9v");
  EXPECT_EQ(encode("foobar"), "Zm9vYmFy");
}

TEST(SceneMessage, HoldsPosesAsFloatsAndColumnsToTheLastBit) {
  const Made made;
  const Motion motion = made.motion(rows_of(3));
  const std::vector<std::uint8_t> block = make_block(motion);
  const std::size_t poses = 3 * 7 * sizeof(float), start = (poses + 7) / 8 * 8;
  ASSERT_EQ(block.size(), start + 3 * 3 * sizeof(double));
  float x = 0;
  std::memcpy(&x, block.data() + 2 * 7 * sizeof(float), sizeof x);  // of the third frame
  EXPECT_FLOAT_EQ(x, 0.02f);
  double energy = 0;
  std::memcpy(&energy, block.data() + start + 2 * sizeof(double), sizeof energy);
  EXPECT_EQ(energy, 1.0 / 3.0);
}

TEST(SceneMessage, IsJsonThatCannotEndAScriptElement) {
  const Made made;
  const Scene scene =
      extract_scene(made.system, *made.model, made.properties, calc_initial_state(*made.model));
  const std::string header = make_header(scene, made.motion(rows_of(2)), {{"program", "sestina"}});
  EXPECT_EQ(header.find('<'), std::string::npos);
  FaultList faults;
  const YamlPointer tree = parse_yaml(header, "header", faults);  // JSON is YAML
  ASSERT_TRUE(faults.empty());
  EXPECT_EQ(tree->find("format")->value->text, "sestina scene");
  EXPECT_EQ(tree->find("rows")->value->text, "2");
  EXPECT_EQ(tree->find("scene")->value->find("name")->value->text, made.system.name);
}

TEST(Motion, LeavesOutRowsThatDoNotFitButNotTheLast) {
  const Made made;
  const ResultTable table = rows_of(1001);
  const std::size_t row = bytes_per_row(table, *made.model);
  EXPECT_EQ(row, 7 * sizeof(float) + 3 * sizeof(double));
  const Motion motion = made.motion(table, 100 * row);
  EXPECT_EQ(motion.stride, 11u);
  EXPECT_EQ(motion.rows, 92u);  // 0, 11, ..., 990, and 1000
  EXPECT_DOUBLE_EQ(motion.values[(motion.rows - 1) * 3], 100.0);
}

TEST(Motion, RefusesTheResultOfAnotherModel) {
  const Made made;
  ResultHeader header;
  header.columns = {{"t", "s"}, {"hinge.q", "rad"}};
  const ResultTable table(header);
  EXPECT_EQ(message_of([&] { made.motion(table); }),
            "the result has no column rail.q: it is of another model");
}

TEST(Motion, ShowsAModeAsOnePeriodOfItsShape) {
  const Made made;
  ResultHeader header;
  header.columns = {{"mode", "1"}, {"frequency", "Hz"}, {"rail.shape.real", "m"}, {"rail.shape.imag", "m"}};
  ResultTable table(header);
  table.append_row(std::vector<double>{1, 2, 1, 0});
  const Motion motion = made.motion(table);
  EXPECT_EQ(motion.x, "mode");
  ASSERT_EQ(motion.frames(), motion.frames_per_mode);
  const std::size_t half = motion.frames_per_mode / 2;
  EXPECT_GT(motion.poses[0], 0.1f);
  EXPECT_FLOAT_EQ(motion.poses[half * 7], -motion.poses[0]);
}

}  // namespace
}  // namespace sestina
