#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "sestina/io/model_file.h"
#include "sestina/sweep/sweep.h"
#include "studio/session_fixture.h"

namespace sestina::studio {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST_F(SessionTest, SendsTheDocumentAndAllRowsOfTheRun) {
  session_->join(1);
  finish();
  EXPECT_THAT(last("hello"), HasSubstr("\"editor\":true"));
  EXPECT_THAT(last("document"), HasSubstr("\"faults\":[]"));
  EXPECT_THAT(last("document"), HasSubstr(R"("parameters":[{"name":"l","value":0.8}])"));
  EXPECT_THAT(last("scene"), HasSubstr("\"name\":\"hip\""));
  EXPECT_EQ(rows_sent(), 101u);  // a row every hundredth of the duration
  EXPECT_THAT(last("status"), HasSubstr("\"failed\":false"));
  session_->join(2);  // comes later and sees the same
  EXPECT_EQ(rows_sent(2), 101u);
}

TEST_F(SessionTest, DrawsMotionsInCartesianCoordinates) {
  session_->join(1);
  session_->handle(1, R"({"type":"set","path":"analysis.coordinates","value":"cartesian"})");
  finish();
  EXPECT_EQ(last("error"), "");
  EXPECT_THAT(last("document"), HasSubstr("\"faults\":[]"));
  EXPECT_EQ(rows_sent(), 101u);
  blocks_.clear();
  session_->handle(1, R"({"type":"live","t":0.5})");
  tick_until([&] { return rows_sent() >= 2; });
  session_->handle(1, R"({"type":"stop"})");
  finish();
  EXPECT_EQ(last("error"), "");
  EXPECT_GE(rows_sent(), 2u);
}

TEST_F(SessionTest, TellsFaultsAtTheirLinesAndKeepsTheText) {
  session_->join(1);
  session_->handle(1, R"({"type":"set","path":"bodies.rod.mass","value":"-1"})");
  EXPECT_THAT(last("document"), HasSubstr("\"line\":4"));
  EXPECT_THAT(last("document"), HasSubstr("negative"));
  session_->handle(1, R"({"type":"undo"})");
  EXPECT_THAT(last("document"), HasSubstr("\"faults\":[]"));
  EXPECT_THAT(last("document"), HasSubstr("\"redo\":1"));
}

TEST_F(SessionTest, AnswersEveryChangeAlsoIfThereIsNothingToDo) {
  session_->join(1);
  finish();
  for (const char* type : {"undo", "redo", "recover"}) {
    texts_.clear();
    session_->handle(1, fmt::format(R"({{"type":"{}"}})", type));
    EXPECT_NE(last("document"), "") << type;
  }
}

TEST_F(SessionTest, AnswersAMessageThatItCannotReadByItsNumber) {
  session_->join(1);
  session_->handle(1, "{\"n\":7,\"type\":\"text\",\"text\":\"\x7f\"}");
  EXPECT_THAT(last("error"), HasSubstr("\"answers\":7"));
}

TEST_F(SessionTest, RunsAgainWhenAParameterChangesAndSavesWhatWasEdited) {
  session_->join(1);
  finish();
  const std::size_t scenes = blocks_[1].size();
  session_->handle(1, R"({"type":"set","path":"parameters.l","value":"0.5","kind":"slider l"})");
  finish();
  EXPECT_GT(blocks_[1].size(), scenes);
  session_->handle(1, R"({"type":"save"})");
  std::ifstream saved(file_);
  const std::string text{std::istreambuf_iterator<char>(saved), {}};
  EXPECT_THAT(text, HasSubstr("parameters: {l: 0.5}\n"));
  EXPECT_THAT(last("document"), HasSubstr("\"dirty\":false"));
}

TEST_F(SessionTest, LetsOneEditAndTheNextWhenThatOneLeaves) {
  session_->join(1);
  session_->join(2);
  session_->handle(2, R"({"type":"set","path":"parameters.l","value":"0.5"})");
  EXPECT_THAT(last("error", 2), HasSubstr("watches"));
  session_->leave(1);
  EXPECT_THAT(last("hello", 2), HasSubstr("\"editor\":true"));
  session_->handle(2, R"({"type":"set","path":"parameters.l","value":"0.5"})");
  EXPECT_THAT(last("document", 2), HasSubstr("l: 0.5"));
}

TEST_F(SessionTest, GoesOnLiveFromARowThatThereWas) {
  session_->join(1);
  finish();
  blocks_.clear();
  session_->handle(1, R"({"type":"live","t":0.5,"speed":10})");
  tick_until([&] { return rows_sent() >= 55; });
  session_->handle(1, R"({"type":"pull","body":1,"point":[0,-0.8,0],"target":[1,0,0]})");
  session_->handle(1, R"({"type":"pull"})");
  session_->handle(1, R"({"type":"stop"})");
  finish();
  EXPECT_EQ(last("error"), "");
  EXPECT_GE(rows_sent(), 55u);
  // Row 50 was at half a second; the first live row is a sixtieth of a second of the clock later, ten times
  // as fast.
  std::uint32_t head[2];
  std::memcpy(head, blocks_[1].front().data(), sizeof head);
  EXPECT_EQ(head[0], 1u);
  EXPECT_EQ(head[1], 51u);  // those before it are kept
  const std::string& block = blocks_[1][1];
  std::memcpy(head, block.data(), sizeof head);
  ASSERT_EQ(head[0], 2u);
  const std::size_t poses = (head[1] * 7 * sizeof(float) + 7) / 8 * 8;
  double t = 0;
  std::memcpy(&t, block.data() + sizeof head + poses, sizeof t);
  EXPECT_NEAR(t, 0.5 + 10.0 / 60.0, 1e-9);
  EXPECT_THAT(last("status"), HasSubstr("\"live\":true"));
}

// A live run records no reactions, and can be in cartesian coordinates: the rows before it stay nevertheless.
TEST_F(SessionTest, GoesOnLiveFromRowsWithOtherColumns) {
  session_->join(1);
  finish();
  session_->handle(1, R"({"type":"run","reactions":true})");
  finish();
  for (int times = 0; times < 2; ++times) {
    blocks_.clear();
    session_->handle(1, R"({"type":"live","t":0.5,"speed":10})");
    EXPECT_TRUE(tick_until([&] { return rows_sent() >= 53; }));
    session_->handle(1, R"({"type":"stop"})");
    finish();
    EXPECT_EQ(last("error"), "");
    std::uint32_t head[2];
    std::memcpy(head, blocks_[1].front().data(), sizeof head);
    EXPECT_EQ(head[1], 51u);
    const std::string cartesian =
        "\"analysis\", \"value\": \"{duration: 1, coordinates: cartesian, integrator: generalized_alpha}\"}";
    session_->handle(1, R"({"type":"set","path":)" + cartesian);
    finish();
  }
}

TEST_F(SessionTest, FindsNoFaultInAModelThatIsNotBegun) {
  Session session({}, folder_, sender());
  session.join(6);
  session.handle(6, R"({"type":"set","path":"gravity","value":"[0, 0, -9.81]"})");
  session.handle(6, R"({"type":"add","list":"ground.shapes","item":"{name: floor, type: plane}"})");
  EXPECT_THAT(last("document", 6), HasSubstr("\"faults\":[]"));
  session.handle(6, R"({"type":"add","list":"joints","item":"{name: j}"})");
  EXPECT_THAT(last("document", 6), Not(HasSubstr("\"faults\":[]")));
  session.handle(6, R"({"type":"undo"})");
  EXPECT_THAT(last("document", 6), HasSubstr("\"faults\":[]"));
}

TEST_F(SessionTest, TellsHowShortTheStepsAreOfARunThatTakesItsTime) {
  session_->join(1);
  session_->handle(
      1, R"({"type":"set","path":"analysis","value":"{step: {driver: fixed, dt: 2.0e-6}, duration: 1000}"})");
  EXPECT_TRUE(tick_until([&] { return last("status").find("steps of 2e-06 s, ") != std::string::npos; }))
      << last("status");
  EXPECT_THAT(last("status"), Not(HasSubstr("\"t\":0,")));
  session_->handle(1, R"({"type":"stop"})");
  finish();
}

// A rod that turns at 20 rad/s.
TEST_F(SessionTest, GoesOnLiveWithTheTurnsOfJoints) {
  for (const char* coordinates : {"relative", "cartesian"}) {
    std::string text = kSwingingRod;
    text.replace(text.find("-9.81"), 5, "0");
    text.replace(text.find("q: 1"), 4, "q: 0, u: 20");
    text.replace(text.find("{duration: 1}"), 13,
                 fmt::format("{{duration: 1, integrator: generalized_alpha, coordinates: {}}}", coordinates));
    std::ofstream(file_) << text;
    Session session(file_, folder_, sender());
    blocks_.clear();
    session.join(6);
    finish(session);
    const std::map<std::string, double> row = first_live_row(session, 6);
    EXPECT_NEAR(row.at("hip.q"), 20.0 * row.at("t"), 1e-3) << coordinates;
    EXPECT_GT(row.at("t"), 0.5);
  }
}

// Poses of the mode are about the equilibrium, where the rod hangs, not about q = 1.
TEST_F(SessionTest, DrawsModesAboutTheEquilibrium) {
  std::ofstream(file_) << std::string(kSwingingRod) << "name: modes\n";
  Session session(file_, folder_, sender());
  session.join(6);
  finish(session);
  std::vector<double> turned;
  for (const char* about : {"equilibrium", "initial"}) {
    blocks_.clear();
    session.handle(
        6, fmt::format(R"({{"type":"set","path":"analysis","value":"{{type: modes, about: {}}}"}})", about));
    finish(session);
    ASSERT_FALSE(blocks_[6].empty()) << last("document", 6);
    float pose[7];
    std::memcpy(pose, blocks_[6].back().data() + 2 * sizeof(std::uint32_t), sizeof pose);
    turned.push_back(2.0 * std::acos(std::abs(pose[6])));  // x, y, z, and the quaternion with its scalar last
  }
  EXPECT_LT(turned[0], 0.5);
  EXPECT_NEAR(turned[1] - turned[0], 1.0, 1e-3);
}

// Integrals and energies go on too: the energy that a damper takes is that of a whole run.
TEST_F(SessionTest, GoesOnLiveWithTheIntegralsOfTheRow) {
  const std::string damped = std::string(kSwingingRod) +
                             "forces: [{name: d, type: joint_damper, joint: hip, damping: 1}]\n"
                             "output: {columns: {lost: {value: hip.u^2, integrate: true}}}\n";
  std::ofstream(file_) << damped;
  Session session(file_, folder_, sender());
  session.join(6);
  finish(session);
  const std::map<std::string, double> row = first_live_row(session, 6);
  const double initial = -9.81 * 0.8 * std::cos(1.0);  // potential energy
  EXPECT_GT(row.at("lost"), 0.5);
  EXPECT_NEAR(row.at("lost"), row.at("energy.dissipated"), 1e-7);
  EXPECT_NEAR(row.at("energy.total") + row.at("energy.dissipated"), initial, 1e-6);
}

TEST_F(SessionTest, DropsEverySecondRowOfALiveRunThatTakesTooMuchMemory) {
  session_->join(1);
  finish();
  texts_.clear();
  blocks_.clear();
  constexpr std::size_t kMostBytes = 4096;
  session_->set_most_bytes(kMostBytes);
  session_->handle(1, R"({"type":"live"})");
  const auto keeps = [&] {
    return std::ranges::count_if(
        texts_[1], [](const std::string& text) { return text.starts_with(R"({"type":"keep")"); });
  };
  tick_until([&] { return keeps() >= 2; });
  session_->handle(1, R"({"type":"stop"})");
  finish();
  ASSERT_GE(keeps(), 2);
  EXPECT_THAT(last("keep"), HasSubstr(R"("stride":2)"));
  session_->join(2);
  EXPECT_GE(rows_sent(2), 4u);
  EXPECT_LT(rows_sent(2), rows_sent());
  EXPECT_LE(blocks_[2].back().size(), kMostBytes + 1024);
}

TEST_F(SessionTest, AProgramChangesOnlyParametersThatThereAre) {
  session_->set_value("parameters.l", "0.5");
  try {
    session_->set_value("parameters.ll", "0.5");
    ADD_FAILURE() << "a parameter was added";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no parameter 'll'"));
  }
}

// A damper that is too stiff for explicit steps of a live row, and an event that ends the motion.
constexpr const char* kStiffRod =
    "sestina: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies: [{name: rod, mass: 1, center_of_mass: [0, -1, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}]\n"
    "joints: [{name: hip, type: revolute, parent: ground.origin, child: rod.origin, axis: [0, 0, 1], q: 1}]\n"
    "forces: [{name: oil, type: joint_damper, joint: hip, damping: 1e5}]\n"
    "events: [{name: enough, when: t - 0.1, direction: rising, terminal: true}]\n"
    "analysis: {duration: 0.05, integrator: radau_iia}\n";

TEST_F(SessionTest, GoesOnLiveByTheRuleOfTheModelUntilAnEventEndsIt) {
  std::ofstream(file_) << kStiffRod;
  Session session(file_, folder_, sender());
  session.join(1);
  finish(session);
  session.handle(1, R"({"type":"live"})");
  finish(session);
  EXPECT_EQ(last("error"), "");
  EXPECT_THAT(last("status"), HasSubstr("\"failed\":false"));
  EXPECT_THAT(last("status"), HasSubstr("ended by the event enough"));
}

// A light bob on a heavy cart.
constexpr const char* kCart =
    "sestina: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  - {name: cart, mass: 100}\n"
    "  - {name: bob, mass: 0.1, center_of_mass: [0, -1, 0], inertia: {xx: 1e-3, yy: 1e-3, zz: 1e-3}}\n"
    "joints:\n"
    "  - {name: slide, type: prismatic, parent: ground.origin, child: cart.origin, axis: [1, 0, 0]}\n"
    "  - {name: hinge, type: revolute, parent: cart.origin, child: bob.origin, axis: [0, 0, 1], q: 0.1}\n"
    "analysis: {duration: 0.1}\n";

TEST_F(SessionTest, PullsALightPartOfAHeavyMechanismAsItsMassSuits) {
  std::ofstream(file_) << kCart;
  Session session(file_, folder_, sender());
  session.join(1);
  session.handle(1, R"({"type":"live"})");
  session.handle(1, R"({"type":"pull","body":2,"point":[0,-1,0],"target":[0.8,-0.5,0]})");
  const auto is_past_half_a_second = [this] {
    const std::string status = last("status");
    return status.find("\"live\":true") != std::string::npos &&
           std::stod(status.substr(status.find("\"t\":") + 4)) >= 0.5;
  };
  // A spring for the cart would whirl the bob until no step were short enough.
  EXPECT_TRUE(tick_until(session, is_past_half_a_second));
  EXPECT_THAT(last("status"), HasSubstr("\"failed\":false"));
}

constexpr const char* kLyingBox =
    "sestina: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "ground: {shapes: [{name: floor, type: plane}]}\n"
    "bodies: [{name: box, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}, shapes: [{type: box, size: [1, 1, 1]}]}]\n"
    "joints: [{name: fly, type: free, parent: ground.origin, child: box.origin, q: [0, 0, 0.5, 1, 0, 0, "
    "0]}]\n"
    "contacts: [{name: feet, between: [box, floor], friction: 0.5}]\n"
    "analysis: {duration: 0.1}\n";

TEST_F(SessionTest, SendsContactForcesOfRunsAndOfLiveRows) {
  std::ofstream(file_) << kLyingBox;
  Session session(file_, folder_, sender());
  session.join(3);
  const auto weight_of_last_row = [&] {
    const std::string& block = blocks_[3].back();
    std::uint32_t points = 0;
    float up = 0;
    const std::size_t end = block.size(), of_point = 28;
    // Its four points are the last ones of the block.
    for (std::size_t i = 1; i <= 4; ++i) {
      float force = 0;
      std::memcpy(&points, block.data() + end - i * of_point, sizeof points);
      EXPECT_EQ(points, 0u);  // the contact's number among the items
      std::memcpy(&force, block.data() + end - i * of_point + 24, sizeof force);
      up += force;
    }
    return up;
  };
  finish(session);
  EXPECT_THAT(last("scene", 3), HasSubstr(R"("items":[{"list":"contacts","name":"feet","type":"contact",)"
                                          R"("between":["box","floor"]}])"));
  EXPECT_NEAR(weight_of_last_row(), 9.81f, 1e-4f);
  blocks_.clear();
  session.handle(3, R"({"type":"live"})");
  ASSERT_TRUE(tick_until(session, [&] { return blocks_[3].size() >= 3; }));
  session.handle(3, R"({"type":"stop"})");
  EXPECT_NEAR(weight_of_last_row(), 9.81f, 1e-4f);
}

TEST_F(SessionTest, ShowsASecondResultBesideTheFirst) {
  RunReport report;
  const std::string text = kSwingingRod;
  const Replay first = run_replay(read_model(text, "model"), false, report);
  const Replay second =
      run_replay(read_model(text.substr(0, text.find("q: 1")) + "q: 0.5}]\n", "model"), false, report);
  Session session(first, sender(), make_ghost(second, "other \"run\".h5", kLargestMotion));
  session.join(4);
  EXPECT_THAT(last("ghost", 4), HasSubstr(R"("name":"other \"run\".h5")"));
  ASSERT_EQ(blocks_[4].size(), 2u);
  std::uint32_t head[2];
  std::memcpy(head, blocks_[4].back().data(), sizeof head);
  EXPECT_EQ(head[0], 3u);
  EXPECT_EQ(head[1], 101u);
}

TEST_F(SessionTest, ShowsTheRunsOfASweep) {
  const fs::path out = folder_ / "pendulum.sweep.h5";
  SweepOptions options;
  options.out = out;
  run_sweep(read_model_tree(file_), parse_sweep_axes({"parameters.l=[0.5, 1, -1]", "joints.hip.q=[0, 0.2]"}),
            options);
  Session session(SweepReplay(out), sender());
  session.join(5);
  EXPECT_THAT(last("sweep", 5), HasSubstr(R"({"path":"parameters.l","values":["0.5","1","-1"]})"));
  EXPECT_THAT(last("sweep", 5), HasSubstr(R"("status":[1,1,1,1,1,1])"));
  session.handle(5, R"({"type":"members","column":"t"})");
  EXPECT_THAT(last("members", 5), HasSubstr(R"("values":[1,1,1,1,1,1])"));
  blocks_.clear();
  session.handle(5, R"({"type":"member","run":3})");
  finish(session);
  EXPECT_EQ(rows_sent(5), 101u);
  EXPECT_EQ(last("error", 5), "");
  std::uint32_t head[2];
  std::memcpy(head, blocks_[5].front().data(), sizeof head);
  const std::size_t poses = (head[1] * 7 * sizeof(float) + 7) / 8 * 8;
  double q = 0;  // the second column of the first row
  std::memcpy(&q, blocks_[5].front().data() + sizeof head + poses + sizeof(double), sizeof q);
  EXPECT_EQ(q, 0.2);
  for (const char* bad :
       {R"({"type":"member","run":6})", R"({"type":"member"})", R"({"type":"members","column":"no"})",
        R"({"type":"set","path":"parameters.l","value":"1"})"}) {
    texts_.clear();
    session.handle(5, bad);
    EXPECT_NE(last("error", 5), "") << bad;
  }
  session_->join(1);
  session_->handle(1, R"({"type":"member","run":0})");
  EXPECT_THAT(last("error"), HasSubstr("no sweep"));
}

TEST_F(SessionTest, TellsTheProgramWhatIsSelectedPressedAndMoved) {
  std::vector<std::string> told;
  session_->set_on_action([&](const std::string& kind, const std::string& name, double value) {
    told.push_back(kind + " " + name + " " + std::to_string(value));
  });
  session_->join(1);
  session_->add_control({"kick", false});
  session_->add_control({"gain", true, -1.0, 2.0, 0.5});
  EXPECT_THAT(last("controls"),
              HasSubstr(R"({"name":"gain","slider":true,"lower":-1,"upper":2,"value":0.5})"));
  session_->handle(1, R"({"type":"select","body":"rod"})");
  session_->handle(1, R"({"type":"select"})");
  session_->handle(1, R"({"type":"control","name":"kick","value":0})");
  session_->handle(1, R"({"type":"control","name":"gain","value":9})");  // not more than the slider allows
  EXPECT_EQ(told, (std::vector<std::string>{"select rod 0.000000", "select  0.000000",
                                            "control kick 0.000000", "control gain 2.000000"}));
  session_->join(2);
  EXPECT_THAT(last("controls", 2), HasSubstr(R"("value":2})"));
  EXPECT_EQ(last("error"), "");
  for (const char* bad :
       {R"({"type":"control"})", R"({"type":"control","name":"x"})", R"({"type":"control","name":"gain"})"}) {
    texts_.clear();
    session_->handle(1, bad);
    EXPECT_NE(last("error"), "") << bad;
  }
  session_->set_value("parameters.l", "0.5");
  EXPECT_THAT(last("document"), HasSubstr("l: 0.5"));
}

TEST_F(SessionTest, EditsItemsOfTheModel) {
  session_->join(1);
  session_->handle(1, R"({"type":"edit","list":"joints","name":"hip","values":{"q":"0.5"}})");
  EXPECT_THAT(last("document"), HasSubstr(R"("q":"0.5")"));
  session_->handle(1, R"({"type":"edit","list":"analysis","name":"hip","values":{"q":"0.5"}})");
  EXPECT_THAT(last("error"), HasSubstr("is not a list"));
  session_->handle(1, R"({"type":"edit","list":"joints","name":"none","values":{"q":"0.5"}})");
  EXPECT_THAT(last("error"), HasSubstr("none"));
}

TEST_F(SessionTest, ImportsARobotAsAStepOfUndo) {
  session_->join(1);
  session_->handle(
      1,
      R"({"type":"import","name":"arm.urdf","text":"<robot name='arm'><link name='base'/><link name='tip'>)"
      R"(<inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>)"
      R"(</link><joint name='hinge' type='continuous'><parent link='base'/><child link='tip'/>)"
      R"(<axis xyz='0 1 0'/><dynamics friction='1'/></joint></robot>"})");
  EXPECT_THAT(last("document"), HasSubstr(R"("faults":[])"));
  EXPECT_THAT(last("document"), HasSubstr("# arm.urdf:1:"));  // friction is left out
  EXPECT_THAT(last("document"), HasSubstr(R"("name":"hinge","type":"revolute")"));
  const std::string imported = last("document");
  session_->handle(1, R"({"type":"import","name":"arm.urdf","text":"<robot"})");
  EXPECT_THAT(last("error"), HasSubstr("arm.urdf"));
  EXPECT_EQ(last("document"), imported);
  session_->handle(1, R"({"type":"undo"})");
  EXPECT_THAT(last("document"), HasSubstr(R"("name":"hip")"));
}

TEST_F(SessionTest, AnswersMalformedMessagesWithAnError) {
  session_->join(1);
  for (const char* text : {"",
                           "{",
                           "[]",
                           "null",
                           "{}",
                           R"({"type":1})",
                           R"({"type":"no"})",
                           R"({"type":"set"})",
                           "\xff\xfe",
                           R"({"type":"set","path":"bodies[9].mass","value":"1"})",
                           R"({"type":"set","path":"","value":"1"})",
                           R"({"type":"live","speed":-1})",
                           R"({"type":"live","speed":"nan"})",
                           R"({"type":"import"})",
                           R"({"type":"table"})",
                           R"({"type":"table","name":"a.csv","text":"t\n0\n"})",
                           R"({"type":"draft"})",
                           R"({"type":"import","text":"no robot"})",
                           R"({"type":"add","list":"x","item":"y"})",
                           R"({"type":"add","list":"bodies","item":"a\nb"})",
                           R"({"type":"pull","body":1e99})",
                           R"({"type":"remove","list":"bodies","name":"none"})"}) {
    texts_.clear();
    session_->handle(1, text);
    // A pull without a live run is nothing to complain about.
    if (std::string(text).find("pull") == std::string::npos) {
      EXPECT_NE(last("error"), "") << text;
    }
  }
}

}  // namespace
}  // namespace sestina::studio
