#include "sestina/dynamics/column_recursion.h"

#include <cstring>

namespace sestina {
namespace {

// As many columns as let two spatial vectors stay in registers.
#if defined(__AVX512F__)
constexpr int kWidth = 8;
#elif defined(__AVX__)
constexpr int kWidth = 4;
#else
constexpr int kWidth = 2;
#endif
constexpr int kStrip = 8;
using Wide = double __attribute__((vector_size(8 * kWidth)));

[[gnu::always_inline]] inline void load(Wide& x, const double* from) { std::memcpy(&x, from, sizeof(x)); }
[[gnu::always_inline]] inline void store(const Wide& x, double* to) { std::memcpy(to, &x, sizeof(x)); }

// Spatial vectors of kWidth columns: of forces torque first, of motions the angular part.
struct Six {
  Wide x[6] = {};

  [[gnu::always_inline]] void load_from(const double* from) {
    for (int c = 0; c < 6; ++c) load(x[c], from + c * kWidth);
  }
  [[gnu::always_inline]] void store_to(double* to) const {
    for (int c = 0; c < 6; ++c) store(x[c], to + c * kWidth);
  }
  [[gnu::always_inline]] void add_from(const double* from) {
    Six other;
    other.load_from(from);
    for (int c = 0; c < 6; ++c) x[c] += other.x[c];
  }
  // this += a y
  [[gnu::always_inline]] void add(const double (&a)[6], const Wide& y, int components) {
    for (int c = 0; c < components; ++c) x[c] += a[c] * y;
  }
  [[gnu::always_inline]] Wide dot_turn(const double (&a)[6]) const {
    return (a[0] * x[0] + a[1] * x[1]) + a[2] * x[2];
  }
  [[gnu::always_inline]] Wide dot(const double (&a)[6]) const {
    return ((a[0] * x[0] + a[1] * x[1]) + (a[2] * x[2] + a[3] * x[3])) + (a[4] * x[4] + a[5] * x[5]);
  }
  // torque += s x force
  [[gnu::always_inline]] void shift_back(const double (&s)[3]) {
    x[0] += s[1] * x[5] - s[2] * x[4];
    x[1] += s[2] * x[3] - s[0] * x[5];
    x[2] += s[0] * x[4] - s[1] * x[3];
  }
  // v += w x s
  [[gnu::always_inline]] void shift(const double (&s)[3]) {
    x[3] += s[2] * x[1] - s[1] * x[2];
    x[4] += s[0] * x[2] - s[2] * x[0];
    x[5] += s[1] * x[0] - s[0] * x[1];
  }
};

bool has_only_turns(JointType type) {
  return type == JointType::kRevolute || type == JointType::kSpherical || type == JointType::kUniversal;
}

}  // namespace

ColumnRecursion::ColumnRecursion(const Model& model)
    : tree_(model),
      whole_(Walk::over_all(tree_)),
      columns_(static_cast<std::size_t>(model.nu())),
      steps_(tree_.links.size()),
      inertia_sums_(static_cast<std::size_t>(whole_.num_sums)),
      sums_(static_cast<std::size_t>(whole_.num_sums * 2 * 6 * kWidth)) {
  for (std::size_t i = 1; i < steps_.size(); ++i) {
    steps_[i].only_turns = has_only_turns(model.bodies()[BodyIndex(static_cast<int>(i))].joint_type);
  }
}

SolveReport<double> ColumnRecursion::factor(const Properties<double>& properties,
                                            const Kinematics<double>& kinematics) {
  SolveReport<double> report;
  ArticulatedRows<double> I;
  for (auto step = whole_.steps.rbegin(); step != whole_.steps.rend(); ++step) {
    const auto i = static_cast<std::size_t>(step->body);
    if (step->takes_carry) {
      I.add(kinematics.inertia[i], {}, {});
    } else {
      I.start(kinematics.inertia[i], {}, {});
    }
    if (step->own_sum >= 0) I += inertia_sums_[static_cast<std::size_t>(step->own_sum)];
    const BodyLink& link = tree_.links[i];
    const double inertia_any_way = I.J[0][0] + I.J[1][1] + I.J[2][2];
    const double mass_any_way = I.m[0][0] + I.m[1][1] + I.m[2][2];
    for (int k = link.u_start; k < link.u_start + link.nu; ++k) {
      const SpatialMotion<double>& H = kinematics.H[static_cast<std::size_t>(k)];
      const ForceLanes<double> U = I.times(H);  // (1)
      const double D = dot(H, U) + properties.bodies.values()[i].armature;
      report.check_pivot(D, dot(H.w, H.w) * inertia_any_way + dot(H.v, H.v) * mass_any_way, k);
      const double D_inverse = 1.0 / D;
      const ForceLanes<double> W = D_inverse * U;
      I.subtract_outer(U.unpacked(), W);
      columns_[static_cast<std::size_t>(k)] = {
          {H.w.x, H.w.y, H.w.z, H.v.x, H.v.y, H.v.z},
          {W.torque[0], W.torque[1], W.torque[2], W.force[0], W.force[1], W.force[2]},
          D_inverse};
    }
    const Vec3<double>& s = kinematics.s[i];
    steps_[i].s[0] = s.x, steps_[i].s[1] = s.y, steps_[i].s[2] = s.z;
    if (step->hangs_on_base) continue;
    I.shift_back(s);
    if (step->gives_carry) continue;
    ArticulatedRows<double>& sum = inertia_sums_[static_cast<std::size_t>(step->parent_sum)];
    step->begins_sum ? sum = I : sum += I;
  }
  return report;
}

double* ColumnRecursion::sum_of(int sum, int block) { return sums_.data() + (sum * 2 + block) * 6 * kWidth; }

template <int blocks, bool is_unit>
void ColumnRecursion::pass_inward(const Strip& strip, const Walk& filled, int place) {
  double* X = strip.X + place;
  Six z[blocks];
  for (auto step = filled.steps.rbegin(); step != filled.steps.rend(); ++step) {
    const auto i = static_cast<std::size_t>(step->body);
    for (int b = 0; b < blocks; ++b) {
      if (!step->takes_carry) z[b] = {};
      if (step->own_sum >= 0) z[b].add_from(sum_of(step->own_sum, b));
    }
    const BodyLink& link = tree_.links[i];
    const Step& body = steps_[i];
    for (int k = link.u_start; k < link.u_start + link.nu; ++k) {
      const Column& column = columns_[static_cast<std::size_t>(k)];
      for (int b = 0; b < blocks; ++b) {
        Wide e = {};
        if constexpr (is_unit) {
          for (int c = 0; c < kWidth; ++c) e[c] = k - strip.unit == place + b * kStrip + c ? 1.0 : 0.0;
        } else {
          load(e, strip.minus_B + k * strip.B_stride + b * strip.B_distance + place);
          e = -e;
        }
        e -= body.only_turns ? z[b].dot_turn(column.H) : z[b].dot(column.H);  // (2)
        z[b].add(column.W, e, 6);
        store(column.D_inverse * e, X + k * strip.X_stride + b * strip.X_distance);
      }
    }
    if (step->hangs_on_base) continue;
    for (int b = 0; b < blocks; ++b) {
      z[b].shift_back(body.s);
      if (step->gives_carry) continue;
      double* sum = sum_of(step->parent_sum, b);
      if (!step->begins_sum) z[b].add_from(sum);
      z[b].store_to(sum);
    }
  }
}

template <int blocks>
void ColumnRecursion::pass_outward(const Strip& strip, const Walk& filled, int place) {
  double* X = strip.X + place;
  Six A[blocks];
  auto next = filled.steps.begin();
  for (const WalkStep& step : whole_.steps) {
    if (step.body >= strip.num_bodies) break;
    const auto i = static_cast<std::size_t>(step.body);
    const bool is_filled = next != filled.steps.end() && next->body == step.body;
    if (is_filled) ++next;
    const BodyLink& link = tree_.links[i];
    const Step& body = steps_[i];
    for (int b = 0; b < blocks; ++b) {
      if (step.hangs_on_base) {
        A[b] = {};
      } else if (!step.gives_carry) {
        A[b].load_from(sum_of(step.parent_sum, b));
      }
      A[b].shift(body.s);
    }
    for (int k = link.u_start + link.nu; k-- > link.u_start;) {
      const Column& column = columns_[static_cast<std::size_t>(k)];
      for (int b = 0; b < blocks; ++b) {
        double* row = X + k * strip.X_stride + b * strip.X_distance;
        Wide x = {};
        if (is_filled) load(x, row);
        x -= A[b].dot(column.W);  // (3)
        A[b].add(column.H, x, body.only_turns ? 3 : 6);
        store(x, row);
      }
    }
    if (step.own_sum < 0) continue;
    for (int b = 0; b < blocks; ++b) A[b].store_to(sum_of(step.own_sum, b));
  }
}

void ColumnRecursion::solve(const Strip& strip, const Walk& filled) {
  for (int place = 0; place < kStrip; place += kWidth) {
    if (strip.minus_B != nullptr) {
      pass_inward<2, false>(strip, filled, place);
      pass_outward<2>(strip, filled, place);
    } else if (strip.has_two) {
      pass_inward<2, true>(strip, filled, place);
      pass_outward<2>(strip, filled, place);
    } else {
      pass_inward<1, true>(strip, filled, place);
      pass_outward<1>(strip, filled, place);
    }
  }
}

}  // namespace sestina
