// The interface of lane kernels for integration in lanes, each lane with its own model.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "dynamics/random_systems.h"
#include "sestina/batch/batch_kernel.h"
#include "sestina/batch/lane_signature.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/model/freeze.h"

namespace sestina {
namespace {

using testing_support::random_system;
using testing_support::SplitMix;

// A model, and for each lane other masses and another state.
struct Lanes {
  std::shared_ptr<const Model> model;
  int lanes;
  std::vector<Properties<double>> properties;
  std::vector<State<double>> states;
  std::vector<double> t, q, u, d;

  Lanes(std::uint64_t seed, InstructionSet set) : model(freeze(random_system(seed))), lanes(lanes_of(set)) {
    SplitMix random(seed);
    const State<double> initial = calc_initial_state(*model);
    q.resize(initial.q.size() * static_cast<std::size_t>(lanes));
    u.resize(initial.u.size() * static_cast<std::size_t>(lanes));
    d.resize(initial.d.size() * static_cast<std::size_t>(lanes));
    for (int l = 0; l < lanes; ++l) {
      properties.push_back(make_properties(1.0 + 0.3 * l));
      State<double>& state = states.emplace_back(initial);
      state.t = random.uniform(0.0, 2.0);
      std::vector<double> displacement(initial.u.size());
      for (double& x : displacement) x = random.uniform(-1.0, 1.0);
      plus_q<double>(*model, initial.q, displacement, state.q);
      for (double& x : state.u) x = random.signed_unit();
      t.push_back(state.t);
      put(state.q, l, q), put(state.u, l, u), put(state.d, l, d);
    }
  }

  Properties<double> make_properties(double factor) const {
    Properties<double> result = calc_properties(*model);
    for (BodyIndex b{1}; b.value() < model->bodies().size(); ++b) {
      result.bodies[b].M.mass *= factor;
      for (SymMat3<double>* J : {&result.bodies[b].M.J, &result.bodies[b].J_com}) {
        for (double* moment : {&J->xx, &J->yy, &J->zz, &J->xy, &J->xz, &J->yz}) *moment *= factor;
      }
    }
    return result;
  }
  void put(const std::vector<double>& numbers, int lane, std::vector<double>& to) const {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      to[i * static_cast<std::size_t>(lanes) + static_cast<std::size_t>(lane)] = numbers[i];
    }
  }
  std::unique_ptr<BatchKernel> make_kernel(InstructionSet set) const {
    std::vector<const Properties<double>*> sets;
    for (const auto& one : properties) sets.push_back(&one);
    return make_batch_kernel(set, *model, sets);
  }
  LaneStates arrays() const { return {t.data(), q.data(), u.data(), d.data()}; }
  std::size_t rates() const { return static_cast<std::size_t>((model->nq() + model->nu() + 2) * lanes); }
};

bool is_same(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

class LaneKernels : public testing::TestWithParam<InstructionSet> {};
INSTANTIATE_TEST_SUITE_P(Available, LaneKernels, testing::ValuesIn(available_instruction_sets()),
                         [](const auto& set) { return std::string(to_string(set.param)); });

TEST_P(LaneKernels, GiveTheRatesAndObservablesOfEachModelByItself) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Lanes given(seed, GetParam());
    const auto kernel = given.make_kernel(GetParam());
    const Model& model = *given.model;
    const int lanes = given.lanes, nq = model.nq(), nu = model.nu();
    std::vector<double> rates(given.rates());
    EXPECT_EQ(kernel->calc_rates(given.arrays(), rates.data()), 0U);
    const int bodies = model.bodies().size() - 1;
    std::vector<double> origins(static_cast<std::size_t>(3 * bodies * lanes));
    std::vector<double> energies(static_cast<std::size_t>(2 * lanes));
    std::vector<double> momentum(static_cast<std::size_t>(6 * lanes));
    kernel->calc_observables(given.arrays(), {origins.data(), energies.data(), momentum.data()});
    for (int l = 0; l < lanes; ++l) {
      const auto lane = static_cast<std::size_t>(l);
      ForwardDynamics single(given.model, given.properties[lane], "recursive");
      std::vector<double> expected(static_cast<std::size_t>(nq + nu));
      const State<double>& state = given.states[lane];
      calc_q_dot<double>(model, state.q, state.u, std::span(expected).first(static_cast<std::size_t>(nq)));
      single.calc_udot(state, std::span(expected).subspan(static_cast<std::size_t>(nq)));
      double scale = 1.0;
      for (const double x : expected) scale = std::max(scale, std::abs(x));
      const auto at = [&](const std::vector<double>& array, int i) {
        return array[static_cast<std::size_t>(i * lanes + l)];
      };
      // As for the accelerations of BatchDynamics: the condition of the mass matrix times rounding.
      for (int i = 0; i < nq + nu; ++i) {
        EXPECT_NEAR(at(rates, i), expected[static_cast<std::size_t>(i)], 1e-9 * scale) << seed << ' ' << i;
      }
      const Power<double> power = single.power(state);
      EXPECT_NEAR(at(rates, nq + nu), power.supplied, 1e-12 * (1.0 + std::abs(power.supplied)));
      EXPECT_NEAR(at(rates, nq + nu + 1), power.dissipated, 1e-12 * (1.0 + power.dissipated));
      const Energy<double> energy = single.energy(state);
      EXPECT_NEAR(at(energies, 0), energy.kinetic, 1e-12 * (1.0 + energy.kinetic));
      EXPECT_NEAR(at(energies, 1), energy.potential, 1e-12 * (1.0 + std::abs(energy.potential)));
      const Momentum<double> total =
          calc_momentum(single.model(), single.properties(), state, single.kinematics());
      EXPECT_NEAR(at(momentum, 1), total.linear.y, 1e-12 * (1.0 + norm(total.linear)));
      EXPECT_NEAR(at(momentum, 5), total.angular.z, 1e-12 * (1.0 + norm(total.angular)));
      const Vec3<double> last =
          calc_body_pose(given.properties[lane], single.kinematics(), BodyIndex(bodies)).p;
      EXPECT_NEAR(at(origins, 3 * bodies - 1), last.z, 1e-12 * (1.0 + norm(last)));
    }
  }
}

TEST_P(LaneKernels, TakeAnotherModelIntoOneLaneAndLeaveTheOthersTheirBits) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Lanes given(seed, GetParam());
    const auto kernel = given.make_kernel(GetParam());
    const auto lanes = static_cast<std::size_t>(given.lanes);
    std::vector<double> before(given.rates()), after(given.rates()), made_so(given.rates());
    kernel->calc_rates(given.arrays(), before.data());
    given.properties[1] = given.make_properties(0.4);
    kernel->set_properties(1, given.properties[1]);
    kernel->calc_rates(given.arrays(), after.data());
    given.make_kernel(GetParam())->calc_rates(given.arrays(), made_so.data());
    EXPECT_TRUE(is_same(after, made_so));
    EXPECT_FALSE(is_same(before, after));
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (i % lanes != 1) {
        EXPECT_EQ(before[i], after[i]);
      }
    }
  }
}

TEST_P(LaneKernels, AddCompareAndCopyInEachLaneByItself) {
  const Lanes given(1, GetParam());
  const auto kernel = given.make_kernel(GetParam());
  const int lanes = given.lanes, count = 7;
  const auto size = static_cast<std::size_t>(count * lanes);
  SplitMix random(3);
  const auto numbers = [&](std::size_t n) {
    std::vector<double> result(n);
    for (double& x : result) x = random.signed_unit();
    return result;
  };
  const std::vector<double> from = numbers(size), terms = numbers(3 * size);
  const std::vector<double> h = numbers(static_cast<std::size_t>(lanes));
  const std::vector<double> weights{0.3, 0.0, -1.7};
  std::vector<double> to(size), no_start(size);
  kernel->add_weighted(count, from.data(), h.data(), weights, terms.data(), to.data());
  kernel->add_weighted(count, nullptr, h.data(), weights, terms.data(), no_start.data());
  for (std::size_t i = 0; i < size; ++i) {
    const double sum = h[i % static_cast<std::size_t>(lanes)] * (0.3 * terms[i] - 1.7 * terms[2 * size + i]);
    EXPECT_NEAR(no_start[i], sum, 1e-15);
    EXPECT_NEAR(to[i], from[i] + sum, 1e-15);
  }
  const std::vector<double> rtol(static_cast<std::size_t>(lanes), 1e-3);
  const std::vector<double> atol(static_cast<std::size_t>(lanes), 1e-2);
  std::vector<double> ratio(static_cast<std::size_t>(lanes));
  std::vector<double> error = numbers(size);
  error[0] = std::numeric_limits<double>::infinity();
  kernel->calc_largest_ratio(count, error.data(), from.data(), to.data(), rtol.data(), atol.data(),
                             ratio.data());
  EXPECT_EQ(kernel->find_not_finite(count, error.data()), 1U);
  EXPECT_TRUE(std::isnan(ratio[0]));
  for (int l = 1; l < lanes; ++l) {
    double largest = 0.0;
    for (int i = 0; i < count; ++i) {
      const auto k = static_cast<std::size_t>(i * lanes + l);
      const double scale = 1e-2 + 1e-3 * std::max(std::abs(from[k]), std::abs(to[k]));
      largest = std::max(largest, std::abs(error[k]) / scale);
    }
    EXPECT_NEAR(ratio[static_cast<std::size_t>(l)], largest, 1e-14 * largest);
  }
  std::vector<double> copied = to;
  kernel->copy_lanes(2U, count, from.data(), copied.data());
  for (std::size_t i = 0; i < size; ++i) {
    EXPECT_EQ(copied[i], (i % static_cast<std::size_t>(lanes) == 1 ? from : to)[i]);
  }
}

TEST(LaneSignature, TellsApartWhatIsComputedByOtherCode) {
  System system;
  system.set_parameter("l", 1.0);
  system.add_body("rod", 1.0).center_of_mass = {"l", 0, 0};
  system.bodies[0].inertia = {.xx = 1.0, .yy = 1.0, .zz = 1.0};
  JointSpec& hinge = system.add_joint("hinge", "revolute", "ground.origin", "rod.origin");
  hinge.axis = {0, 0, 1};
  ForceSpec& drive = system.add_force("drive", "joint_force");
  drive.joint = "hinge";
  drive.value = {"l*sin(2*t)"};
  const auto signature = [&] {
    const auto model = freeze(system);
    return calc_lane_signature(*model, calc_properties(*model));
  };
  const std::string first = signature();
  system.set_parameter("l", 2.0);
  system.bodies[0].mass = 3.0;
  system.joint("hinge").q = {0.5};
  EXPECT_EQ(signature(), first);
  system.joint("hinge").armature = 0.1;
  EXPECT_NE(signature(), first);
  system.joint("hinge").armature = 0.0;
  system.bodies[0].inertia.xy = 0.1;
  EXPECT_NE(signature(), first);
  system.bodies[0].inertia.xy = 0.0;
  EXPECT_EQ(signature(), first);
  system.joint("hinge").axis = {0, 1, 0};
  EXPECT_NE(signature(), first);
  system.joint("hinge").axis = {0, 0, 1};
  drive.value = {"l*sin(3*t)"};
  EXPECT_NE(signature(), first);
  drive.value = {"l*sin(2*t)"};
  system.add_joint_damper("friction", "hinge", 0.1);
  EXPECT_NE(signature(), first);
}

}  // namespace
}  // namespace sestina
