// The tables of joints of fix sestina.
#include "joint_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "message_of.h"
#include "owned_molecules.h"

namespace sestina::lammps {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::message_of;

JointTable parse(const std::string& text) { return parse_joint_table(text, "table"); }

TEST(JointTable, BodiesThatShareAnAtomHaveABallJointThere) {
  const JointTable table = parse("1 rigid 10 20 30  # a comment\n\n2 rigid 30 40\n3 rigid 40 50 60\n");
  EXPECT_THAT(table.atoms, ElementsAre(10, 20, 30, 40, 50, 60));
  ASSERT_EQ(table.bodies.size(), 3u);
  EXPECT_THAT(table.bodies[1].particles, ElementsAre(3));
  EXPECT_EQ(table.bodies[1].parent, 0);
  EXPECT_EQ(table.bodies[1].at, 2);
  EXPECT_EQ(table.bodies[1].joint, ParticleJoint::kSpherical);
  EXPECT_EQ(table.bodies[2].parent, 1);
  EXPECT_EQ(table.bodies[2].at, 3);
}

// Bodies follow their parents, whatever the order of the file.
TEST(JointTable, JointsThatAreNamedMakeTrees) {
  const JointTable table = parse(
      "joint 1 3 universal at 5 along 5 6 across 5 7\n"
      "3 a 5 6\n1 b 7 8\n2 c 9 10\n"
      "joint 2 1 revolute at 9 along 9 8\ninertia 2 0.25\n4 d 11\n");
  ASSERT_EQ(table.bodies.size(), 4u);
  EXPECT_THAT(table.bodies[0].particles, ElementsAre(0, 1));
  EXPECT_EQ(table.bodies[1].joint, ParticleJoint::kUniversal);
  EXPECT_THAT(table.bodies[1].along, ElementsAre(0, 1));
  EXPECT_THAT(table.bodies[1].across, ElementsAre(0, 2));
  EXPECT_EQ(table.bodies[2].joint, ParticleJoint::kRevolute);
  EXPECT_EQ(table.bodies[2].parent, 1);
  EXPECT_EQ(table.bodies[2].inertia, 0.25);
  EXPECT_EQ(table.bodies[3].parent, -1);
}

// The axis that the parent holds is the other one when the tree grows the other way.
TEST(JointTable, UniversalJointsCanBeReversed) {
  const JointTable table = parse("1 a 1 2\n2 b 3 4\njoint 1 2 universal at 1 along 1 2 across 3 4\n");
  EXPECT_EQ(table.bodies[1].parent, 0);
  EXPECT_THAT(table.bodies[1].along, ElementsAre(2, 3));
  EXPECT_THAT(table.bodies[1].across, ElementsAre(0, 1));
}

TEST(JointTable, BadTablesAreNamedWithTheirLines) {
  const auto refusal = [](const std::string& text) { return message_of([&] { parse(text); }); };
  EXPECT_THAT(refusal(""), HasSubstr("table: has no body"));
  EXPECT_THAT(refusal("1 a 1\nbody 2\n"), HasSubstr("table:2: 'body' is neither"));
  EXPECT_THAT(refusal("1 a 1 x\n"), HasSubstr("table:1: 'x' is not an atom's ID"));
  EXPECT_THAT(refusal("1 a\n"), HasSubstr("table:1: body 1 has no atoms"));
  EXPECT_THAT(refusal("1 a 1\n1 b 2\n"), HasSubstr("table:2: body 1 is there already"));
  EXPECT_THAT(refusal("1 a 1 1\n"), HasSubstr("atom 1 is named twice"));
  EXPECT_THAT(refusal("1 a 1 2\n2 b 2 1\n"), HasSubstr("all atoms of body 2 belong to other bodies"));
  EXPECT_THAT(refusal("1 a 1\n2 b 2\njoint 1 2 hinge at 1\n"), HasSubstr("table:3: 'hinge' is not one of"));
  EXPECT_THAT(refusal("1 a 1\n2 b 2\njoint 1 2 spherical\n"), HasSubstr("`at` an atom of one of the two"));
  EXPECT_THAT(refusal("1 a 1\n2 b 2\njoint 1 2 spherical at\n"), HasSubstr("an atom's ID is missing"));
  EXPECT_THAT(refusal("1 a 1\n2 b 2\njoint 1 2 revolute at 1\n"), HasSubstr("need `along ATOM ATOM`"));
  EXPECT_THAT(refusal("1 a 1\n2 b 2\njoint 1 2 universal at 1 along 1 2\n"),
              HasSubstr("need `across ATOM ATOM`"));
  EXPECT_THAT(refusal("1 a 1\n2 b 2\njoint 1 2 revolute at 1 along 1 9\n"), HasSubstr("an atom of no body"));
  EXPECT_THAT(refusal("1 a 1\n2 b 2\njoint 1 2 spherical at 1 on 2\n"),
              HasSubstr("'on' is not one of at, along"));
  EXPECT_THAT(refusal("1 a 1\njoint 1 1 spherical at 1\n"), HasSubstr("no joint with itself"));
  EXPECT_THAT(refusal("1 a 1\ninertia 1 heavy\n"), HasSubstr("'heavy' is not a moment of inertia"));
  EXPECT_THAT(refusal("1 a 1 2\n2 b 2 3\n3 c 3 4 1\n"), HasSubstr("closes a ring"));
}

TEST(JointTable, BondsMakeTreesOfTheirAtoms) {
  const JointTable table = joint_table_of_bonds({7, 3, 5, 9}, {{3, 5}, {5, 7}}, false, 0.1);
  EXPECT_THAT(table.atoms, ElementsAre(3, 5, 7, 9));
  ASSERT_EQ(table.bodies.size(), 4u);
  EXPECT_EQ(table.bodies[2].parent, 1);
  EXPECT_EQ(table.bodies[3].parent, -1);
  EXPECT_EQ(table.bodies[3].inertia, 0.1);
  EXPECT_THAT(message_of([] {
                joint_table_of_bonds({3, 5, 7}, {{3, 5}, {5, 7}, {3, 7}}, false, 0.0);
              }),
              HasSubstr("atom 7 and atom 3 closes a ring"));
}

TEST(Ownership, GivesRanksAsManyAtomsAsIsPossible) {
  std::vector<std::array<AtomId, 2>> bonds;
  std::vector<AtomId> atoms;
  for (int i = 1; i <= 24; ++i) {
    atoms.push_back(i);
    if (i % 4 != 0) bonds.push_back({i, i + 1});
  }
  const JointTable table = joint_table_of_bonds(atoms, bonds, false, 0.0);
  const Ownership by_place(table, 3, std::vector<int>{2, 2, 0, 1, 1, 0});
  EXPECT_THAT(first_atoms(table), ElementsAre(0, 4, 8, 12, 16, 20));
  for (int m = 0; m < 6; ++m) EXPECT_EQ(by_place.rank[4 * m], (std::vector<int>{2, 2, 0, 1, 1, 0}[m]));
  const Ownership ownership(table, 3, std::vector<int>{0, 0, 0, 0, 0, -1});
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(std::ranges::count(ownership.rank, rank), 8);
    EXPECT_EQ(OwnedMolecules(table, ownership, rank).slots(), 8);
  }
  for (int i = 0; i < 24; ++i) EXPECT_EQ(ownership.rank[i], ownership.rank[i - i % 4]);
}

}  // namespace
}  // namespace sestina::lammps
