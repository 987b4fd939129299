// Random systems for tests, the same on every machine: trees with every joint type, every force element and
// every way of giving a rotation. A formulation defined elsewhere is compared with ours by
//
//   #include "dynamics/random_systems.h"
//   for (std::uint64_t seed = 1; seed <= 200; ++seed) {
//     const auto model = freeze(testing_support::random_system(seed));
//     ...
//   }
#pragma once

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "sestina/joints/joint_info.h"
#include "sestina/model/system.h"

namespace sestina::testing_support {

// splitmix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014).
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  // In [-1, 1).
  double signed_unit() { return std::ldexp(static_cast<double>(bits() >> 11), -52) - 1.0; }
  double uniform(double low, double high) {
    return low + (high - low) * std::ldexp(static_cast<double>(bits() >> 11), -53);
  }
  int below(int n) { return static_cast<int>(bits() % static_cast<std::uint64_t>(n)); }
  bool chance(double probability) { return uniform(0.0, 1.0) < probability; }
  std::array<double, 3> vector(double size = 1.0) {
    std::array<double, 3> v{};
    for (double& x : v) x = uniform(-size, size);
    return v;
  }
  // A direction of any length between 0.3 and 1.
  std::array<double, 3> direction() {
    for (;;) {
      const auto v = vector();
      const double length = std::hypot(v[0], v[1], v[2]);
      if (length > 0.3 && length < 1.0) return v;
    }
  }
  std::array<double, 4> euler_parameters() {
    for (;;) {
      std::array<double, 4> e{};
      double sum = 0.0;
      for (double& x : e) x = signed_unit(), sum += x * x;
      if (sum < 0.1 || sum > 1.0) continue;
      for (double& x : e) x /= std::sqrt(sum);
      return e;
    }
  }

 private:
  std::uint64_t state_;
};

enum class TreeShape { kAny, kChain, kStar, kRandom };

struct RandomSystemOptions {
  int bodies = 0;  // 0: one to sixty
  TreeShape shape = TreeShape::kAny;
  bool has_forces = true;         // otherwise nothing but gravity acts
  bool has_ground_forces = true;  // gravity and forces from outside; otherwise inner forces alone
  bool has_dampers = true;
  bool is_floating = false;     // one tree on a free joint, and nothing else touches the ground
  bool is_parametrised = true;  // every number is an expression of parameters
};

// Lengths, masses, speeds, forces and their constants are of size one; masses vary by a hundred.
class RandomSystem {
 public:
  RandomSystem(std::uint64_t seed, RandomSystemOptions options) : random_(seed), options_(options) {}

  System make() {
    if (options_.is_parametrised) {
      // The derivative by `a` is of size one everywhere; `b` and `c` are there to be used by others.
      system_.set_parameter("a", "b - c/2");
      system_.set_parameter("b", 0.75);
      system_.set_parameter("c", 1.5);
    }
    if (options_.has_ground_forces) system_.gravity = triple(random_.vector(5.0));
    count_ = options_.bodies > 0 ? options_.bodies : 1 + random_.below(60);
    choose_parents();
    add_ground_points();
    add_bodies();
    for (int i = 0; i < count_; ++i) add_joint(i);
    if (options_.has_forces) add_forces();
    return std::move(system_);
  }

 private:
  static constexpr int kPoints = 3;  // of a body for joints, in addition to its origin
  static std::string body_name(int i) { return fmt::format("body{}", i); }
  static std::string joint_name(int i) { return fmt::format("joint{}", i); }

  // Without parameters the plain number; otherwise an expression that has the same value to round-off.
  Number number(double x) {
    if (!options_.is_parametrised) return x;
    static constexpr const char* kForms[] = {"{:.17g} + a", "{:.17g}*(1 + a)", "{:.17g} - 0.3*(b - c/2)",
                                             "{:.17g}*exp(2*b - c)"};
    return fmt::format(fmt::runtime(kForms[random_.below(4)]), x);
  }
  Number positive_number(double x) {
    return options_.is_parametrised ? Number(fmt::format("{:.17g}*exp(a)", x)) : Number(x);
  }
  Triple triple(const std::array<double, 3>& v) { return {number(v[0]), number(v[1]), number(v[2])}; }

  // Arguments of a function are evaluated in any order: what is random is drawn before.
  RotationSpec rotation() {
    const Triple v = triple(random_.direction());
    switch (random_.below(4)) {
      case 0: {
        const auto e = random_.euler_parameters();
        const Number numbers[] = {number(e[0]), number(e[1]), number(e[2]), number(e[3])};
        return RotationSpec::euler_parameters(numbers[0], numbers[1], numbers[2], numbers[3]);
      }
      case 1:
        return RotationSpec::axis_angle(v, number(random_.uniform(-3.0, 3.0)));
      case 2:
        return RotationSpec::rpy(v[0], v[1], v[2]);
      default:
        return matrix_rotation(random_.euler_parameters());
    }
  }
  RotationSpec matrix_rotation(const std::array<double, 4>& e) {
    const Rotation<double> R = euler_parameter_rotation(e.data());
    return RotationSpec::matrix({Triple{number(R.xx), number(R.xy), number(R.xz)},
                                 {number(R.yx), number(R.yy), number(R.yz)},
                                 {number(R.zx), number(R.zy), number(R.zz)}});
  }

  void choose_parents() {
    const TreeShape shape =
        options_.shape != TreeShape::kAny ? options_.shape : static_cast<TreeShape>(1 + random_.below(3));
    for (int i = 0; i < count_; ++i) {
      int parent = i - 1;  // -1: the ground
      if (shape == TreeShape::kStar) parent = i == 0 ? -1 : 0;
      if (shape == TreeShape::kRandom) parent = random_.below(i + 1) - 1;
      if (options_.is_floating && i > 0 && parent < 0) parent = 0;
      if (!options_.is_floating && i > 0 && random_.chance(0.05)) parent = -1;
      parents_.push_back(parent);
      floats_.push_back(i == 0 ? options_.is_floating : parent < 0 && random_.chance(0.5));
      types_.push_back(floats_.back() ? JointType::kFree : random_type());
    }
  }
  JointType random_type() {
    return static_cast<JointType>(random_.below(static_cast<int>(joint_keywords().size())));
  }
  int parent(int i) const { return parents_[static_cast<std::size_t>(i)]; }
  bool floats(int i) const { return floats_[static_cast<std::size_t>(i)]; }
  JointType type(int i) const { return types_[static_cast<std::size_t>(i)]; }

  // A point mass can be carried where its joint does not turn it.
  bool may_be_particle(int i) const {
    return type(i) == JointType::kPrismatic || type(i) == JointType::kXyz || type(i) == JointType::kWeld;
  }

  void add_points(std::vector<PointSpec>& points) {
    for (int k = 0; k < kPoints; ++k) {
      PointSpec point{fmt::format("p{}", k), triple(random_.vector()), {}};
      if (k > 0) point.axes = rotation();
      points.push_back(std::move(point));
    }
    points.push_back({"hook", triple(random_.vector()), {}});
  }
  void add_ground_points() { add_points(system_.ground_points); }
  std::string random_point(int body) {
    const int k = random_.below(kPoints + 1);
    return (body < 0 ? std::string("ground") : body_name(body)) +
           (k == kPoints ? std::string(".origin") : fmt::format(".p{}", k));
  }

  // In an order that has nothing to do with the tree's.
  void add_bodies() {
    std::vector<int> order(static_cast<std::size_t>(count_));
    std::iota(order.begin(), order.end(), 0);
    for (int i = count_ - 1; i > 0; --i) {
      std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(random_.below(i + 1))]);
    }
    for (const int i : order) {
      const Number mass = positive_number(std::pow(10.0, random_.uniform(-1.0, 1.0)));
      if (may_be_particle(i) && random_.chance(0.3)) {
        system_.add_particle(body_name(i), mass);
      } else {
        BodySpec& body = system_.add_body(body_name(i), mass);
        body.center_of_mass = triple(random_.vector(0.5));
        set_inertia(body);
      }
      add_points(system_.bodies.back().points);
    }
  }
  // R diag(b + c, a + c, a + b) R^T, with a, b, c second moments of the mass.
  void set_inertia(BodySpec& body) {
    const double a = random_.uniform(0.02, 0.5), b = random_.uniform(0.02, 0.5),
                 c = random_.uniform(0.02, 0.5);
    const auto e = random_.euler_parameters();
    const SymMat3<double> J =
        rotate(euler_parameter_rotation(e.data()), SymMat3<double>{b + c, a + c, a + b});
    const auto scaled = [&](double x) { return positive_number(x); };
    body.inertia = {.xx = scaled(J.xx),
                    .yy = scaled(J.yy),
                    .zz = scaled(J.zz),
                    .xy = scaled(J.xy),
                    .xz = scaled(J.xz),
                    .yz = scaled(J.yz)};
  }

  void add_joint(int i) {
    if (floats(i)) return;
    const JointInfo& info = joint_info(type(i));
    const std::string parent_point = random_point(parent(i)), child_point = random_point(i);
    JointSpec& joint = system_.add_joint(joint_name(i), info.keyword, parent_point, child_point);
    const auto axis = random_.direction();
    if (info.has_axis) joint.axis = triple(axis);
    if (info.has_second_axis) joint.second_axis = triple(away_from(axis));
    if (info.numbers.pitch) joint.pitch = number(random_.uniform(-0.5, 0.5));
    if (info.nu == 1 && random_.chance(0.3)) joint.armature = positive_number(random_.uniform(0.0, 0.5));
    if (info.euler_parameters_start >= 0) {
      for (int k = 0; k < info.euler_parameters_start; ++k) joint.q.push_back(number(random_.signed_unit()));
      for (const double x : random_.euler_parameters()) joint.q.push_back(number(x));
    } else {
      for (int k = 0; k < info.nq; ++k) joint.q.push_back(number(random_.signed_unit()));
    }
    for (int k = 0; k < info.nu; ++k) joint.u.push_back(number(random_.signed_unit()));
  }
  // A direction at least thirty degrees off the given line.
  std::array<double, 3> away_from(const std::array<double, 3>& a) {
    for (;;) {
      const auto b = random_.direction();
      const double dot_ab = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
      if (std::abs(dot_ab) < 0.85 * std::hypot(a[0], a[1], a[2]) * std::hypot(b[0], b[1], b[2])) return b;
    }
  }

  void add_forces() {
    for (int i = 0; i < count_; ++i) {
      const JointInfo& info = joint_info(type(i));
      const std::string joint = floats(i) ? body_name(i) : joint_name(i);
      const bool is_inner = parent(i) >= 0;
      if (info.nu == 0 || (!is_inner && !options_.has_ground_forces)) continue;
      if (info.nq == info.nu && random_.chance(0.4)) add_joint_spring(i, joint, info);
      if (random_.chance(0.3)) add_joint_force(i, joint, info);
    }
    for (int k = 0; k < 1 + count_ / 4; ++k) {
      add_spring_damper(k);
      if (options_.has_ground_forces) add_point_force(k);
    }
  }
  void add_joint_spring(int i, const std::string& joint, const JointInfo& info) {
    ForceSpec& spring = system_.add_force(fmt::format("spring{}", i), "joint_spring");
    spring.joint = joint;
    for (int k = 0; k < info.nu; ++k) spring.stiffness.push_back(number(random_.uniform(0.0, 5.0)));
    spring.reference = {number(random_.signed_unit())};
    if (!options_.has_dampers) return;
    ForceSpec& damper = system_.add_force(fmt::format("damper{}", i), "joint_damper");
    damper.joint = joint;
    damper.damping = {number(random_.uniform(0.0, 2.0))};
  }
  // The force depends on time, its own coordinates and speeds, and those of another joint.
  void add_joint_force(int i, const std::string& joint, const JointInfo& info) {
    ForceSpec& force = system_.add_force(fmt::format("drive{}", i), "joint_force");
    force.joint = joint;
    const std::string other = coordinate_of(random_.below(count_));
    for (int k = 0; k < info.nu; ++k) {
      const std::string speed = info.nu == 1 ? joint + ".u" : fmt::format("{}.u[{}]", joint, k);
      std::string value = fmt::format("{:.17g}*sin(2*t + {}) - 0.2*{}", random_.signed_unit(), other, speed);
      if (options_.is_parametrised) value += " + b*c*tanh(a)";
      force.value.emplace_back(value);
    }
  }
  // Internal forces do not depend on the position of the whole.
  std::string coordinate_of(int i) {
    if (parent(i) < 0 && !options_.has_ground_forces) return "0";
    const JointInfo& info = joint_info(type(i));
    const std::string joint = floats(i) ? body_name(i) : joint_name(i);
    if (info.nq == 0) return "0";
    return info.nq == 1 ? joint + ".q" : fmt::format("{}.q[{}]", joint, random_.below(info.nq));
  }
  // Between hooks, which no joint brings together.
  void add_spring_damper(int k) {
    const int a = random_.below(count_);
    int b = options_.has_ground_forces ? random_.below(count_ + 1) - 1 : random_.below(count_);
    if (a == b) b = a - 1;
    if (b < 0 && !options_.has_ground_forces) return;
    ForceSpec& spring = system_.add_force(fmt::format("spring_damper{}", k), "spring_damper");
    spring.from = body_name(a) + ".hook";
    spring.to = (b < 0 ? std::string("ground") : body_name(b)) + ".hook";
    spring.stiffness = {number(random_.uniform(0.0, 5.0))};
    if (options_.has_dampers) spring.damping = {number(random_.uniform(0.0, 2.0))};
    spring.free_length = positive_number(random_.uniform(0.0, 1.0));
  }
  void add_point_force(int k) {
    const char* type = random_.chance(0.5) ? "point_force" : "point_torque";
    ForceSpec& force = system_.add_force(fmt::format("load{}", k), type);
    force.at = random_point(random_.below(count_));
    force.axes = random_.chance(0.5) ? "ground" : "body";
    const std::string other = coordinate_of(random_.below(count_));
    force.value = {random_.signed_unit(), fmt::format("cos(t)*{}", other),
                   fmt::format("{:.17g} - t", random_.signed_unit())};
  }

  SplitMix random_;
  RandomSystemOptions options_;
  System system_;
  int count_ = 0;
  std::vector<int> parents_;
  std::vector<bool> floats_;
  std::vector<JointType> types_;
};

inline System random_system(std::uint64_t seed, RandomSystemOptions options = {}) {
  return RandomSystem(seed, options).make();
}

}  // namespace sestina::testing_support
