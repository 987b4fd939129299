// Laws for the conditions of every cut joint and constraint: their rates are the derivatives of their
// errors, the power of their forces follows from their rates, and both methods of solution agree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "dynamics/constrained_systems.h"
#include "sestina/dynamics/comparison.h"
#include "sestina/dynamics/constrained_kane.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/model/freeze.h"

namespace sestina {
namespace {

using namespace testing_support;

struct AtState {
  AtState(std::shared_ptr<const Model> frozen, const State<double>& at)
      : model(std::move(frozen)),
        properties(calc_properties(*model)),
        kinematics(*model),
        rows(*model),
        state(at) {
    update(state);
  }
  void update(const State<double>& at) {
    update_kinematics(*model, properties, at, kinematics);
    update_constraint_rows(*model, properties, at, kinematics, rows);
  }
  // The state after a time dt at constant speeds.
  State<double> moved(double dt) const {
    State<double> at = state;
    at.t += dt;
    std::vector<double> displacement = state.u;
    for (double& x : displacement) x *= dt;
    plus_q<double>(*model, state.q, displacement, at.q);
    return at;
  }

  std::shared_ptr<const Model> model;
  Properties<double> properties;
  Kinematics<double> kinematics;
  ConstraintRows<double> rows;
  State<double> state;
};

// Calls f(q, u) with the places of the slope at each node of each cable.
template <class F>
void for_each_slope(const Model& model, F&& f) {
  for (const BeamInfo& beam : model.beams()) {
    for (std::size_t k = 0; k < beam.slope_q.size(); ++k) {
      f(static_cast<std::size_t>(beam.slope_q[k]), static_cast<std::size_t>(beam.slope_u[k]));
    }
  }
}
Vec3<double> three(const std::vector<double>& x, std::size_t first) {
  return {x[first], x[first + 1], x[first + 2]};
}

class EachConstraint : public testing::Test {
 protected:
  template <class F>
  void for_each(F&& test) {
    for (const auto& [name, system] : constrained_systems()) {
      SCOPED_TRACE(name);
      const auto model = freeze(system);
      const Properties<double> properties = calc_properties(*model);
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        test(AtState(model, random_state(*model, properties, seed)));
      }
    }
  }
};

TEST_F(EachConstraint, AssemblesToRoundOff) {
  for_each([](const AtState& at) {
    for (const ConstraintRow<double>& row : at.rows.rows) {
      EXPECT_NEAR(row.error, 0.0, 1e-10);
      EXPECT_NEAR(row.velocity, 0.0, 1e-10);
    }
  });
}

// Central differences of step 1e-5: their error is 1e-10 of the third derivatives, round-off 1e-11.
TEST_F(EachConstraint, ErrorsGrowAsTheRatesTell) {
  for_each([](AtState at) {
    // Any speeds: the rates are those of a motion that leaves the conditions.
    SplitMix random(5);
    for (double& u : at.state.u) u += random.uniform(-1.0, 1.0);
    at.update(at.state);
    const std::vector<ConstraintRow<double>> here = at.rows.rows;
    constexpr double kStep = 1e-5;
    // Where N of a cut joint turns with its coordinates, the errors are compared in the axes of this place.
    at.update(at.moved(kStep));
    const std::vector<ConstraintRow<double>> after = at.rows.rows;
    at.update(at.moved(-kStep));
    const std::vector<ConstraintRow<double>> before = at.rows.rows;
    double moved = 0.0;
    for (std::size_t r = 0; r < here.size(); ++r) {
      if (!here[r].is_on_position) continue;
      const double rate = (after[r].error - before[r].error) / (2.0 * kStep);
      EXPECT_NEAR(rate, here[r].velocity, 1e-7);
      moved = std::max(moved, std::abs(rate));
    }
    if (!here.empty() && here[0].is_on_position) {
      EXPECT_GT(moved, 1e-3);
    }
  });
}

TEST_F(EachConstraint, RatesGrowAsTheBiasTells) {
  for_each([](AtState at) {
    const std::vector<ConstraintRow<double>> here = at.rows.rows;
    // Accelerations of the bodies while no speed changes.
    std::vector<SpatialMotion<double>> A0(at.kinematics.bias.size());
    for (std::size_t b = 1; b < A0.size(); ++b) {
      const BodyInfo& info = at.model->bodies()[BodyIndex(static_cast<int>(b))];
      A0[b] = shift(A0[static_cast<std::size_t>(info.parent.value())], at.kinematics.s[b]) +
              at.kinematics.bias[b];
    }
    const std::vector<double> no_udot(at.state.u.size());
    std::vector<double> bias;
    for (const ConstraintRow<double>& row : here)
      bias.push_back(row.bias + calc_rate<double>(at.rows, row, A0, no_udot));
    constexpr double kStep = 1e-5;
    at.update(at.moved(kStep));
    const std::vector<ConstraintRow<double>> after = at.rows.rows;
    at.update(at.moved(-kStep));
    for (std::size_t r = 0; r < here.size(); ++r) {
      if (here[r].is_inertia) continue;
      EXPECT_NEAR((after[r].velocity - at.rows.rows[r].velocity) / (2.0 * kStep), bias[r], 1e-6);
    }
  });
}

TEST_F(EachConstraint, ForcesDoTheWorkThatTheRatesTell) {
  for_each([](const AtState& at) {
    std::vector<SpatialMotion<double>> V(at.kinematics.motion.size());
    for (std::size_t b = 0; b < V.size(); ++b) V[b] = at.kinematics.motion[b].V_WB;
    for (std::size_t r = 0; r < at.rows.rows.size(); ++r) {
      std::vector<double> lambda(at.rows.rows.size()), tau(at.state.u.size());
      std::vector<SpatialForce<double>> body(V.size());
      lambda[r] = 1.0;
      add_constraint_forces<double>(at.rows, lambda, tau, body);
      double power = 0.0;
      SpatialForce<double> sum;
      for (std::size_t b = 0; b < V.size(); ++b) {
        power += dot(V[b], body[b]);
        sum += shift_back(body[b], at.kinematics.motion[b].X_WB.p);
      }
      Vec3<double> on_slopes;
      bool acts_on_slopes = false;
      for_each_slope(*at.model, [&](std::size_t q, std::size_t u) {
        if (norm(three(tau, u)) == 0.0) return;
        acts_on_slopes = true;
        on_slopes += cross(three(at.state.q, q), three(tau, u));
      });
      if (acts_on_slopes) sum.torque += on_slopes - body[0].torque;  // slopes instead of the ground
      // Action is reaction, but for the inertial forces of a cable.
      const ConstraintRow<double>& row = at.rows.rows[r];
      if (!row.is_inertia || row.a != row.b) {
        // A point is on a beam to 1e-10 (AssemblesToRoundOff).
        const bool slides = !at.model->plan().points_on_beams.empty();
        EXPECT_NEAR(norm(sum.force) + norm(sum.torque), 0.0, slides ? 1e-9 : 1e-13);
        if (slides && !acts_on_slopes && row.b.value() != 0) {
          EXPECT_NEAR(norm(body[0].force) + norm(body[0].torque), 0.0, 1e-9);
        }
      }
      for (std::size_t k = 0; k < tau.size(); ++k) power += tau[k] * at.state.u[k];
      EXPECT_NEAR(power, calc_rate<double>(at.rows, at.rows.rows[r], V, at.state.u), 1e-13);
    }
  });
}

// Seen from anywhere, and from anything that moves as a rigid body, errors and rates are the same.
TEST_F(EachConstraint, DoesNotChangeWithTheObserver) {
  for_each([](AtState at) {
    if (!at.model->conditions().empty() || !at.model->user_constraints().empty()) return;  // of coordinates
    const std::vector<ConstraintRow<double>> here = at.rows.rows;
    const Pose<double> X{axis_rotation(Vec3<double>{0.48, 0.6, 0.64}, 0.7), {0.3, -0.2, 0.5}};
    const SpatialMotion<double> V{{0.4, -0.3, 0.9}, {0.2, 0.7, -0.1}};  // of what is at the ground's origin
    for (FrameMotion<double>& frame : at.kinematics.motion) {
      frame.V_WB = rotate(X.R, frame.V_WB);
      frame.X_WB = X * frame.X_WB;
      frame.V_WB.w += V.w;
      frame.V_WB.v += V.v + cross(V.w, frame.X_WB.p);
    }
    for_each_slope(*at.model, [&](std::size_t q, std::size_t u) {
      const Vec3<double> slope = X.R * three(at.state.q, q),
                         rate = X.R * three(at.state.u, u) + cross(V.w, slope);
      for (int i = 0; i < 3; ++i) {
        at.state.q[q + static_cast<std::size_t>(i)] = slope[i];
        at.state.u[u + static_cast<std::size_t>(i)] = rate[i];
      }
    });
    update_constraint_rows(*at.model, at.properties, at.state, at.kinematics, at.rows);
    for (std::size_t r = 0; r < here.size(); ++r) {
      EXPECT_NEAR(at.rows.rows[r].error, here[r].error, 1e-12);
      EXPECT_NEAR(at.rows.rows[r].velocity, here[r].velocity, 1e-11);
      if (std::ranges::any_of(at.model->beams(), &BeamInfo::is_cable)) continue;  // see below
      EXPECT_NEAR(norm(at.rows.rows[r].force.force - X.R * here[r].force.force), 0.0, 1e-9);
      EXPECT_NEAR(norm(at.rows.rows[r].force.torque - X.R * here[r].force.torque), 0.0, 1e-9);
    }
  });
}

TEST_F(EachConstraint, SolversAgreeAndKeepTheConditions) {
  for_each([](const AtState& at) {
    std::vector<double> udot[4], lambda[4];
    const char* names[] = {"recursive", "kane", "divide_and_conquer", "hybrid"};
    for (std::size_t i = 0; i < 4; ++i) {
      SCOPED_TRACE(names[i]);
      ForwardDynamics dynamics(at.model, at.properties, names[i]);
      udot[i].resize(at.state.u.size());
      dynamics.calc_udot(at.state, udot[i]);
      const auto multipliers = dynamics.constrained()->lambda();
      lambda[i].assign(multipliers.begin(), multipliers.end());
      // With the constraint forces the equations of motion are satisfied.
      InverseDynamics<double> inverse(*at.model);
      update_inverse_dynamics<double>(*at.model, at.properties, dynamics.kinematics(), dynamics.forces(),
                                      udot[i], inverse);
      for (const double residual : inverse.residual) EXPECT_NEAR(residual, 0.0, 1e-11);
      // The accelerations satisfy the conditions.
      const std::vector<ConstraintRow<double>>& rows = dynamics.constrained()->rows().rows;
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const double rate = rows[r].bias + calc_rate<double>(dynamics.constrained()->rows(), rows[r],
                                                             inverse.acceleration, udot[i]);
        // A rotor's force is its inertia times its acceleration, both divided by the root of its inertia.
        EXPECT_NEAR(rate, rows[r].is_inertia ? -lambda[i][r] : 0.0, 1e-10);
      }
    }
    for (std::size_t i = 1; i < 4; ++i) {
      SCOPED_TRACE(names[i]);
      for (std::size_t k = 0; k < udot[0].size(); ++k) EXPECT_NEAR(udot[0][k], udot[i][k], 1e-10);
      for (std::size_t r = 0; r < lambda[0].size(); ++r) EXPECT_NEAR(lambda[0][r], lambda[i][r], 1e-9);
    }
  });
}

TEST_F(EachConstraint, CartesianCoordinatesGiveTheSameAccelerationsAndReactions) {
  for (auto [name, system] : constrained_systems()) {
    SCOPED_TRACE(name);
    const auto model = freeze(system);
    if (!model->user_constraints().empty()) continue;  // refused
    system.analysis.coordinates = "cartesian";
    const auto cartesian = freeze(system);
    const Properties<double> properties = calc_properties(*model);
    std::vector<State<double>> states;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) states.push_back(random_state(*model, properties, seed));
    const Comparison comparison = compare_formulations(model, properties, states, cartesian);
    const FormulationComparison& f = comparison.formulations.back();
    EXPECT_EQ(f.failure, "");
    EXPECT_LE(f.relative_residual, kResidualLimit);
    EXPECT_LE(f.udot_difference, kUdotLimit);
    EXPECT_LE(f.reaction_difference, 1e-9);  // relative to the largest
  }
}

// Trees of every joint and force, with cut joints and distances between any two bodies. Nothing is assembled:
// the linear problem is the same wherever the loops stand open.
TEST(ConstrainedDynamics, WaysAgreeOnRandomTreesWithLoops) {
  int loops = 0, compared = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    System system = random_system(seed);
    if (system.bodies.size() > 25) continue;
    SplitMix random(seed + 1000);
    const auto model_of_tree = freeze(system);
    const int room = model_of_tree->nu() / 3;
    const auto body = [&] {
      return system.bodies[static_cast<std::size_t>(random.below(static_cast<int>(system.bodies.size())))]
          .name.text;
    };
    int rows = 0;
    for (int i = 0; i < 4 && system.bodies.size() > 2; ++i) {
      const std::string from = body(), to = random.chance(0.3) ? "ground" : body();
      if (from == to) continue;
      if (random.chance(0.5)) {
        if (rows + 1 > room) break;
        system.add_distance(fmt::format("rod{}", i), from + ".origin", to + ".origin", 1.0);
        rows += 1;
      } else {
        if (rows + 3 > room) break;
        system.add_joint(fmt::format("ball{}", i), "spherical", to + ".origin", from + ".origin").cut = true;
        rows += 3;
      }
    }
    if (rows == 0) continue;
    const auto model = freeze(system);
    loops += static_cast<int>(model->cut_joints().size() + model->constraints().size());
    State<double> state = calc_initial_state(*model);
    std::vector<double> udot[3];
    const char* names[] = {"recursive", "kane", "divide_and_conquer"};
    int rank = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      ForwardDynamics dynamics(model, calc_properties(*model), names[i]);
      udot[i].resize(static_cast<std::size_t>(model->nu()));
      dynamics.calc_udot(state, udot[i]);
      if (i == 1) {
        ConstrainedKane kane(*model);
        kane.factor(dynamics.properties(), dynamics.kinematics(), dynamics.constrained()->rows());
        rank = kane.rank();
      }
    }
    if (rank < model->constraint_rows()) continue;  // open loops that contradict each other have no solution
    for (std::size_t i = 1; i < 3; ++i) {
      double size = 0.0, difference = 0.0;
      for (std::size_t k = 0; k < udot[0].size(); ++k) {
        size = std::max(size, std::abs(udot[0][k]));
        difference = std::max(difference, std::abs(udot[0][k] - udot[i][k]));
      }
      EXPECT_LT(difference, 1e-8 * size) << names[i] << ", seed " << seed;
    }
    ++compared;
  }
  EXPECT_GT(loops, 60);
  EXPECT_GT(compared, 20);
}

}  // namespace
}  // namespace sestina
