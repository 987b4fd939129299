#include "sestina/dynamics/column_recursion.h"

#include <algorithm>

#include "sestina/model/properties.h"
#include "sestina/numerics/fused_lanes.h"

namespace sestina {
namespace {

constexpr int kWidth = kFusedLanes;  // so that two spatial vectors fit in the registers
constexpr int kStrip = 8;

// Spatial vectors of kWidth columns: forces with the torque first, motions with the angular part first.
struct Six {
  FusedLanes x[6];

  [[gnu::always_inline]] void load_from(const double* from) {
    for (int c = 0; c < 6; ++c) x[c] = FusedLanes::load(from + c * kWidth);
  }
  [[gnu::always_inline]] void store_to(double* to) const {
    for (int c = 0; c < 6; ++c) x[c].store(to + c * kWidth);
  }
  [[gnu::always_inline]] void add_from(const double* from) {
    for (int c = 0; c < 6; ++c) x[c] += FusedLanes::load(from + c * kWidth);
  }
  // this += a y
  [[gnu::always_inline]] void add(const double (&a)[6], const FusedLanes& y, int components) {
    for (int c = 0; c < components; ++c) x[c].add(a[c], y);
  }
  // Returns e - a . this for the angular part only, as two independent sums.
  [[gnu::always_inline]] FusedLanes less_turn(FusedLanes e, const double (&a)[6]) const {
    e.subtract(a[0], x[0]);
    FusedLanes other = a[1] * x[1];
    e.subtract(a[2], x[2]);
    return e -= other;
  }
  [[gnu::always_inline]] FusedLanes less_product(FusedLanes e, const double (&a)[6]) const {
    FusedLanes other = a[1] * x[1];
    for (const int c : {0, 2, 4}) e.subtract(a[c], x[c]);
    for (const int c : {3, 5}) other.add(a[c], x[c]);
    return e -= other;
  }
  // torque += s x force
  [[gnu::always_inline]] void shift_back(const double (&s)[3]) { add_cross(&x[0], s, &x[3]); }
  // v += w x s
  [[gnu::always_inline]] void shift(const double (&s)[3]) {
    const double minus_s[3] = {-s[0], -s[1], -s[2]};
    add_cross(&x[3], minus_s, &x[0]);
  }

 private:
  // to += s x of
  [[gnu::always_inline]] static void add_cross(FusedLanes* to, const double (&s)[3], const FusedLanes* of) {
    to[0].add(s[1], of[2]), to[0].subtract(s[2], of[1]);
    to[1].add(s[2], of[0]), to[1].subtract(s[0], of[2]);
    to[2].add(s[0], of[1]), to[2].subtract(s[1], of[0]);
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
      forces_(steps_.size()),
      accelerations_(steps_.size()),
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
    const double J_trace = I.J[0][0] + I.J[1][1] + I.J[2][2];
    const double m_trace = I.m[0][0] + I.m[1][1] + I.m[2][2];
    for (int k = link.u_start; k < link.u_start + link.nu; ++k) {
      const SpatialMotion<double>& H = kinematics.H[static_cast<std::size_t>(k)];
      const ForceLanes<double> U = I.times(H);  // (1)
      const double D = dot(H, U) + properties.bodies.values()[i].armature;
      report.check_pivot(D, dot(H.w, H.w) * J_trace + dot(H.v, H.v) * m_trace, k);
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
        FusedLanes e;
        if constexpr (is_unit) {
          e = FusedLanes::unit(k - strip.unit - place - b * kStrip);
        } else {
          e = -1.0 * FusedLanes::load(strip.minus_B + k * strip.B_stride + b * strip.B_distance + place);
        }
        e = body.only_turns ? z[b].less_turn(e, column.H) : z[b].less_product(e, column.H);  // (2)
        z[b].add(column.W, e, 6);
        (column.D_inverse * e).store(X + k * strip.X_stride + b * strip.X_distance);
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
        FusedLanes x;
        if (is_filled) x = FusedLanes::load(row);
        x = A[b].less_product(x, column.W);  // (3)
        A[b].add(column.H, x, body.only_turns ? 3 : 6);
        x.store(row);
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

void ColumnRecursion::solve(std::span<double> b) {
  const auto three = [](const double* x) { return Vec3<double>{x[0], x[1], x[2]}; };
  std::ranges::fill(forces_, SpatialForce<double>{});
  for (std::size_t i = steps_.size(); i-- > 1;) {
    const BodyLink& link = tree_.links[i];
    SpatialForce<double>& z = forces_[i];
    for (int k = link.u_start; k < link.u_start + link.nu; ++k) {
      const Column& column = columns_[static_cast<std::size_t>(k)];
      double& e = b[static_cast<std::size_t>(k)];
      e -= dot(three(column.H), z.torque) + dot(three(column.H + 3), z.force);
      z += SpatialForce<double>{e * three(column.W), e * three(column.W + 3)};  // (2)
    }
    forces_[static_cast<std::size_t>(link.parent)] += shift_back(z, three(steps_[i].s));
  }
  for (std::size_t i = 1; i < steps_.size(); ++i) {
    const BodyLink& link = tree_.links[i];
    SpatialMotion<double>& A = accelerations_[i];
    A = shift(accelerations_[static_cast<std::size_t>(link.parent)], three(steps_[i].s));
    for (int k = link.u_start + link.nu; k-- > link.u_start;) {
      const Column& column = columns_[static_cast<std::size_t>(k)];
      double& x = b[static_cast<std::size_t>(k)];
      x = x * column.D_inverse - dot(three(column.W), A.w) - dot(three(column.W + 3), A.v);  // (3)
      A += SpatialMotion<double>{x * three(column.H), x * three(column.H + 3)};
    }
  }
}

}  // namespace sestina
