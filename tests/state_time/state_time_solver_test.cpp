#include "sestina/state_time/state_time_solver.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sestina/base/error.h"
#include "sestina/parallel/executor.h"
#include "state_time/solved_system.h"
#include "state_time/state_time_systems.h"

namespace sestina::test {
namespace {

TEST(StateTimeSolverTest, FollowsTheRecursiveSolver) {
  struct Case {
    const char* name;
    System system;
    double duration;
    int elements;
  };
  const Case cases[] = {{"double pendulum", double_pendulum(), 1.0, 16},
                        {"spherical chain", spherical_chain(4), 0.5, 10},
                        {"chain of 16", spherical_chain(16), 0.25, 16},
                        {"branched tree", branched_tree(), 0.5, 16},
                        {"heavy top", heavy_top(), 1.0, 40},
                        {"screws", screwed_links(), 0.5, 16}};
  for (const Case& c : cases) {
    const SolvedSystem solved =
        solve_in_time(c.system, c.duration, {.elements = c.elements, .pair = "P5P6", .windows = 2});
    const State<double> reference = reference_state(c.system, c.duration);
    EXPECT_LT(distance_between(*solved.model, solved.at(c.duration), reference), 1e-9) << c.name;
    EXPECT_GT(distance_between(*solved.model, calc_initial_state(*solved.model), reference), 0.1) << c.name;
  }
}

// Order of the largest error in q and u at the end of a second.
double observed_order(const char* pair, TestFunctions tests, int elements) {
  const System system = double_pendulum();
  const State<double> reference = reference_state(system, 1.0);
  const auto error = [&](int n) {
    const SolvedSystem solved = solve_in_time(system, 1.0, {.elements = n, .pair = pair, .tests = tests});
    return distance_between(*solved.model, solved.at(1.0), reference);
  };
  return std::log2(error(elements) / error(2 * elements));
}

TEST(StateTimeSolverTest, EndsOfElementsAreSuperconvergent) {
  EXPECT_NEAR(observed_order("LQ", TestFunctions::kNatural, 32), 4.0, 0.4);
  EXPECT_NEAR(observed_order("QC", TestFunctions::kNatural, 16), 6.0, 0.6);
  EXPECT_NEAR(observed_order("LQ", TestFunctions::kUpwind, 32), 3.0, 0.4);
}

TEST(StateTimeSolverTest, KeepsJointsClosedAndDirectionCosinesOrthonormal) {
  const SolvedSystem solved = solve_in_time(branched_tree(), 0.5, {.elements = 8, .pair = "LQ"});
  const std::size_t n = static_cast<std::size_t>(solved.model->bodies().size() - 1);
  std::vector<BodyInstant> bodies(n), first(n);
  solved.solver->calc_bodies(0.0, first);
  solved.solver->calc_bodies(0.5, bodies);
  const auto& properties = calc_properties(*solved.model);
  const auto joints = make_joint_conditions(*solved.model, properties);
  for (const BodyInstant& body : bodies) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        EXPECT_NEAR(dot(body.C.column(i), body.C.column(j)), i == j ? 1.0 : 0.0, 1e-12);
      }
    }
  }
  for (const JointConditions& joint : joints) {
    const auto c = static_cast<std::size_t>(joint.child);
    const BodyInstant ground;
    const BodyInstant& P = joint.parent == kNoBody ? ground : bodies[static_cast<std::size_t>(joint.parent)];
    const Vec3<double> gap = bodies[c].x + bodies[c].C * joint.r - P.x - P.C * joint.s;
    EXPECT_LT(norm(gap), 1e-12);
    for (const JointCondition& condition : joint.conditions) {
      if (condition.kind != JointCondition::Kind::kTurn) continue;
      const BodyInstant& P0 =
          joint.parent == kNoBody ? ground : first[static_cast<std::size_t>(joint.parent)];
      EXPECT_NEAR(dot(P.C * condition.n, bodies[c].C * condition.m),
                  dot(P0.C * condition.n, first[c].C * condition.m), 1e-12);
    }
  }
  EXPECT_GT(norm(bodies[1].x - first[1].x), 0.1);
}

// At the ends of elements: the largest gap of a joint's points and change of the energy, relative to the
// largest kinetic energy.
struct Drift {
  double gap = 0.0, energy = 0.0;
};
Drift find_drift(const SolvedSystem& solved) {
  const Properties<double> properties = calc_properties(*solved.model);
  ForwardDynamics dynamics(solved.model, properties, "recursive");
  const auto joints = make_joint_conditions(*solved.model, properties);
  std::vector<BodyInstant> bodies(static_cast<std::size_t>(solved.model->bodies().size() - 1));
  std::vector<double> udot(static_cast<std::size_t>(solved.model->nu()));
  const auto energy_of = [&](double t) {
    const State<double> state = solved.at(t);
    dynamics.calc_udot(state, udot);
    return dynamics.energy(state);
  };
  const Energy<double> before = energy_of(0.0);
  double largest = before.kinetic;
  Drift drift;
  for (const TimeElement& element : solved.solver->elements()) {
    const Energy<double> at = energy_of(element.end());
    largest = std::max(largest, at.kinetic);
    drift.energy =
        std::max(drift.energy, std::abs(at.kinetic + at.potential - before.kinetic - before.potential));
    solved.solver->calc_bodies(element.end(), bodies);
    for (const JointConditions& joint : joints) {
      const BodyInstant& B = bodies[static_cast<std::size_t>(joint.child)];
      const BodyInstant ground;
      const BodyInstant& P =
          joint.parent == kNoBody ? ground : bodies[static_cast<std::size_t>(joint.parent)];
      drift.gap = std::max(drift.gap, norm(B.x + B.C * joint.r - P.x - P.C * joint.s));
    }
  }
  drift.energy /= largest;
  return drift;
}

TEST(StateTimeSolverTest, EnergyAndJointsDoNotDrift) {
  struct Case {
    const char* name;
    System system;
    double duration;
    int elements;
  };
  const Case cases[] = {{"chain of 16", spherical_chain(16), 0.25, 16},
                        {"branched tree", branched_tree(), 0.5, 16},
                        {"heavy top", heavy_top(), 1.0, 40}};
  for (const Case& c : cases) {
    const SolvedSystem solved =
        solve_in_time(c.system, c.duration, {.elements = c.elements, .pair = "P5P6", .windows = 2});
    const Drift drift = find_drift(solved);
    RecordProperty(std::string(c.name) + " gap, m", std::to_string(1e15 * drift.gap) + "e-15");
    RecordProperty(std::string(c.name) + " energy", std::to_string(1e15 * drift.energy) + "e-15");
    EXPECT_LT(drift.gap, 1e-13) << c.name;
    EXPECT_LT(drift.energy, 1e-10) << c.name;
  }
}

TEST(StateTimeSolverTest, AllJointsAndForcesFollowTheRecursiveSolver) {
  for (const std::uint64_t seed : {2U, 5U, 8U}) {
    const System system = random_state_time_system(seed, 4);
    const double duration = 0.05;
    const SolvedSystem solved = solve_in_time(system, duration, {.elements = 4, .pair = "P5P6"});
    const State<double> reference = reference_state(system, duration);
    double size = 1.0;
    for (const double u : reference.u) size = std::max(size, std::abs(u));
    EXPECT_LT(distance_between(*solved.model, solved.at(duration), reference), 1e-8 * size)
        << "seed " << seed;
  }
}

TEST(StateTimeSolverTest, EachWayToSolveTheLinearEquationsGivesTheSame) {
  const System system = branched_tree();
  const SolvedSystem tree = solve_in_time(system, 0.4, {.elements = 6, .pair = "LQ"});
  for (const TimeMatrixKind kind : {TimeMatrixKind::kByElements, TimeMatrixKind::kSparse}) {
    const SolvedSystem other = solve_in_time(system, 0.4, {.elements = 6, .pair = "LQ", .matrix = kind});
    // All solve the same equations to the last correction.
    EXPECT_LT(distance_between(*tree.model, tree.at(0.4), other.at(0.4)), 1e-11);
  }
}

TEST(StateTimeSolverTest, TheLinearQuadraticSchemeGivesTheSameWithFewerUnknowns) {
  for (const System& system : {double_pendulum(), spherical_chain(4), branched_tree()}) {
    const SolvedSystem newton = solve_in_time(system, 0.4, {.elements = 6, .pair = "QC"});
    const SolvedSystem reduced = solve_in_time(
        system, 0.4, {.elements = 6, .pair = "QC", .scheme = StateTimeScheme::kLinearQuadratic});
    EXPECT_LT(distance_between(*newton.model, newton.at(0.4), reduced.at(0.4)), 1e-11);
    EXPECT_LT(10 * reduced.solver->statistics().unknowns, 9 * newton.solver->statistics().unknowns);
    EXPECT_LE(reduced.solver->statistics().iterations, newton.solver->statistics().iterations);
  }
}

TEST(StateTimeSolverTest, BothSchemesConvergeFromAStateThatIsHeld) {
  for (const StateTimeScheme scheme : {StateTimeScheme::kNewton, StateTimeScheme::kLinearQuadratic}) {
    const SolvedSystem marched = solve_in_time(double_pendulum(), 0.5, {.elements = 4, .pair = "QC"});
    const SolvedSystem held = solve_in_time(
        double_pendulum(), 0.5, {.elements = 4, .pair = "QC", .scheme = scheme, .guess = FirstGuess::kHeld});
    EXPECT_EQ(held.solver->statistics().held_windows, 1);
    EXPECT_LT(distance_between(*held.model, held.at(0.5), marched.at(0.5)), 1e-11);
  }
}

TEST(StateTimeSolverTest, ThreadsDoNotChangeABit) {
  const System system = branched_tree();
  const State<double> alone = solve_in_time(system, 0.4, {.elements = 8, .pair = "QC"}).at(0.33);
  for (const int threads : {2, 3}) {
    Executor executor(threads);
    const State<double> together =
        solve_in_time(system, 0.4, {.elements = 8, .pair = "QC"}, &executor).at(0.33);
    EXPECT_EQ(together.q, alone.q) << threads;
    EXPECT_EQ(together.u, alone.u) << threads;
  }
}

TEST(StateTimeSolverTest, MultipliersAreTheReactions) {
  const System system = double_pendulum();
  const SolvedSystem solved = solve_in_time(system, 1.0, {.elements = 16, .pair = "P3P4"});
  ForwardDynamics dynamics(solved.model, calc_properties(*solved.model), "recursive");
  const double t = 0.53;
  const State<double> state = solved.at(t);
  std::vector<double> udot(static_cast<std::size_t>(solved.model->nu()));
  dynamics.calc_udot(state, udot);
  std::vector<SpatialForce<double>> recovered(3), multipliers(3);
  dynamics.calc_reactions(udot, recovered);
  solved.solver->calc_multiplier_reactions(t, multipliers);
  for (std::size_t b = 1; b < 3; ++b) {
    EXPECT_LT(norm(multipliers[b].force - recovered[b].force), 1e-4) << b;
    EXPECT_LT(norm(multipliers[b].torque - recovered[b].torque), 1e-4) << b;
    EXPECT_GT(norm(recovered[b].force), 0.1);
  }
}

TEST(StateTimeSolverTest, UpwindSetCarriesStiffSpringsOverLongElements) {
  // A mass on a spring of 1e6 N/m, displaced by 1 mm, pulled by its weight: omega = 1000 rad/s. The classical
  // Runge-Kutta rule is stable up to 2.8 ms.
  System system;
  system.gravity = {0, 0, -9.81};
  system.add_body("mass", 1.0).inertia = {.xx = 0.1, .yy = 0.1, .zz = 0.1};
  JointSpec& slide = system.add_joint("slide", "prismatic", "ground.origin", "mass.origin");
  slide.axis = {0, 0, 1}, slide.q = 1e-3;
  system.add_joint_spring("spring", "slide", 1e6);
  const SolvedSystem solved = solve_in_time(
      system, 3.0, {.elements = 10, .pair = "LQ", .tests = TestFunctions::kUpwind, .windows = 10});
  const State<double> end = solved.at(3.0);
  EXPECT_NEAR(end.q[0], -9.81e-6, 1e-8);  // where the weight hangs at rest
  EXPECT_NEAR(end.u[0], 0.0, 1e-6);
}

// Largest difference of the bodies' velocities between two solutions, at 1000 instants.
double largest_difference(const StateTimeSolver& a, const StateTimeSolver& b, std::size_t bodies,
                          double duration) {
  std::vector<BodyInstant> in_a(bodies), in_b(bodies);
  double largest = 0.0;
  for (int i = 0; i < 1000; ++i) {
    a.calc_bodies((i + 0.5) / 1000 * duration, in_a), b.calc_bodies((i + 0.5) / 1000 * duration, in_b);
    for (std::size_t body = 0; body < bodies; ++body) {
      largest = std::max(largest, norm(in_a[body].v - in_b[body].v));
    }
  }
  return largest;
}

TEST(StateTimeSolverTest, AToleranceIsKeptWithElementsOfItsOwnLengths) {
  // The lower rod whips round at 4 s.
  const System system = double_pendulum();
  const SolvedSystem reference = solve_in_time(system, 5.0, {.elements = 100, .pair = "P7P8", .windows = 10});
  for (const double tolerance : {1e-3, 1e-5}) {
    const SolvedSystem solved =
        solve_in_time(system, 5.0, {.elements = 20, .pair = "P3P4", .windows = 4, .tolerance = tolerance});
    const StateTimeStatistics& statistics = solved.solver->statistics();
    EXPECT_LE(statistics.error, tolerance);
    double shortest = 1e300, longest = 0.0, sum = 0.0;
    for (const TimeElement& element : solved.solver->elements()) {
      shortest = std::min(shortest, element.h), longest = std::max(longest, element.h), sum += element.h;
    }
    EXPECT_NEAR(sum, 5.0, 1e-13);
    EXPECT_GT(longest, 2.0 * shortest);
    // Velocities are up to 3.3 m/s; the largest error is above the mean over an element, and errors that
    // earlier elements left grow along this motion.
    const double error = largest_difference(*solved.solver, *reference.solver, 2, 5.0);
    EXPECT_LT(error, 10.0 * tolerance);
    // Not far more elements than it takes.
    EXPECT_GT(error, 0.1 * tolerance);
    // As many elements of one length do worse.
    const int count = static_cast<int>(solved.solver->elements().size());
    const SolvedSystem equal = solve_in_time(system, 5.0, {.elements = count, .pair = "P3P4", .windows = 4});
    EXPECT_GT(largest_difference(*equal.solver, *reference.solver, 2, 5.0), 1.5 * error);
  }
}

TEST(StateTimeSolverTest, AMarchIsLookedAtInsteadOfASolution) {
  for (const System& system : {double_pendulum(), branched_tree()}) {
    StateTimeOptions options{.elements = 16, .pair = "P4P5", .tolerance = 1e-7};
    const SolvedSystem looked = solve_in_time(system, 0.125, options);
    options.guess = FirstGuess::kHeld;
    const SolvedSystem held = solve_in_time(system, 0.125, options);
    const StateTimeStatistics& statistics = looked.solver->statistics();
    EXPECT_LE(statistics.error, 1e-7);
    EXPECT_LT(statistics.unknowns, held.solver->statistics().unknowns);
    EXPECT_LE(statistics.spreads, 1);
    EXPECT_LT(distance_between(*looked.model, looked.at(0.125), held.at(0.125)), 1e-6);
  }
}

TEST(StateTimeSolverTest, AToleranceChoosesTheDegreeWindowByWindow) {
  const System system = double_pendulum();
  const SolvedSystem reference = solve_in_time(system, 5.0, {.elements = 100, .pair = "P7P8", .windows = 10});
  int before = 0;
  for (const double tolerance : {1e-2, 1e-5, 1e-9}) {
    const SolvedSystem solved =
        solve_in_time(system, 5.0, {.elements = 20, .pair = "auto", .windows = 5, .tolerance = tolerance});
    EXPECT_LE(solved.solver->statistics().error, tolerance);
    // Errors grow along this motion.
    EXPECT_LT(largest_difference(*solved.solver, *reference.solver, 2, 5.0), 100.0 * tolerance);
    const std::span<const TimeElement> elements = solved.solver->elements();
    int highest = 0, lowest = kMostDegree;
    for (const TimeElement& element : elements) {
      highest = std::max(highest, element.form->pair.degree);
      lowest = std::min(lowest, element.form->pair.degree);
    }
    EXPECT_GE(lowest, before);
    EXPECT_GT(highest, before);
    before = lowest;
    // No more unknowns than with a degree that was not chosen.
    const SolvedSystem fixed =
        solve_in_time(system, 5.0, {.elements = 20, .pair = "LQ", .windows = 5, .tolerance = tolerance});
    EXPECT_LT(elements.size(), fixed.solver->elements().size());
  }
}

TEST(StateTimeSolverTest, AToleranceFindsElementsThatCanBeSolved) {
  System system = double_pendulum();
  system.joint("hip").u = 20.0;
  const SolvedSystem solved = solve_in_time(system, 1.0, {.elements = 1, .pair = "P5P6", .tolerance = 1e-8});
  const State<double> reference = reference_state(system, 1.0);
  // The errors of the elements grow along this motion.
  EXPECT_LT(distance_between(*solved.model, solved.at(1.0), reference), 1e-4);
  EXPECT_GT(solved.solver->elements().size(), 8U);
}

TEST(StateTimeSolverTest, ATangentThatIsKeptGivesTheSame) {
  const SolvedSystem solved = solve_in_time(spherical_chain(4), 0.5, {.elements = 10, .pair = "QC"});
  const StateTimeStatistics& statistics = solved.solver->statistics();
  EXPECT_LT(statistics.factors, statistics.iterations);
  EXPECT_LT(statistics.correction, 1e-12);
}

// However near to it the guess is: the march of 64 elements alone is 1e-9 off.
TEST(StateTimeSolverTest, AFineMarchIsCorrectedToTheSolution) {
  const System system = double_pendulum();
  const State<double> reference = reference_state(system, 1.0);
  for (const int elements : {32, 64}) {
    for (const StateTimeScheme scheme : {StateTimeScheme::kNewton, StateTimeScheme::kLinearQuadratic}) {
      const SolvedSystem solved =
          solve_in_time(system, 1.0, {.elements = elements, .pair = "P3P4", .scheme = scheme});
      EXPECT_LT(distance_between(*solved.model, solved.at(1.0), reference), 5e-12) << elements;
      EXPECT_LT(solved.solver->statistics().correction, 1e-12) << elements;
    }
  }
}

TEST(StateTimeSolverTest, TellsWhereNewtonsMethodFails) {
  System system = double_pendulum();
  system.joint("hip").u = 400.0;
  try {
    solve_in_time(system, 10.0, {.elements = 2, .pair = "LQ"});
    FAIL() << "two elements cannot follow six hundred turns";
  } catch (const ComputationError& error) {
    EXPECT_NE(std::string(error.what()).find("the element from here to 5 s"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace sestina::test
