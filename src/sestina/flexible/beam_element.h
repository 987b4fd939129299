// A geometrically exact beam element between two cross-sections: its forces, tangent and energy.
//
// The ends are poses X_a, X_b of the section's frame (x-axis along the unstressed axis). With d and P of
// twist_map.h and the energy W(d), lambda = dW/dd of beam_strain.h, small motions chi of the ends in their
// own axes, [angular; linear], do the work
//
//   delta W = lambda . delta d,   delta d = P_b chi_b - P_a chi_a,   P_a = P(-d), P_b = P(d)              (1)
//   f_b = P_b^T lambda,   f_a = -P_a^T lambda                                                            (2)
//
// f is the load that the ends require ([N m; N], axes of the ends); the beam exerts -f. W depends only on the
// relative pose, so forces do not change in rigid motions (to round-off) and do not depend on the path. The
// tangent, with S = dlambda/dd = F^-1/h and G(d) = d(P(d)^T lambda)/dd,
//
//   delta f_b =  (P_b^T S + G(d)) delta d
//   delta f_a = -(P_a^T S - G(-d)) delta d                                                               (3)
//
// There are two ways to find lambda: `relax` solves for it, so that the forces are a function of the ends
// (dynamics); `advance` takes one Newton step from an estimate, so that lambda is another unknown of a global
// Newton iteration, condensed here (statics: fewer and larger load steps). Both use (1) to (3).
//
// Kelvin-Voigt damping with the time tau (s) adds tau S d' to lambda, which dissipates tau d'.S d' >= 0 (W).
// It uses the stiffness at the present strain, which differs from the material's by the order of the square
// of the element's length.
#pragma once

#include "sestina/flexible/beam_strain.h"

namespace sestina {

template <class T>
struct BeamElementForces {
  Vec6<T> a, b;  // [N m; N], in the axes of each end
};

// d[f_a; f_b] = [aa ab; ba bb] [chi_a; chi_b]
template <class T>
struct BeamElementTangent {
  Mat6<T> aa, ab, ba, bb;
};

enum class BeamRelaxation { done, stalled };

template <class T>
class BeamElement {
 public:
  // Solves for the wrench, starting from zero: a function of the poses.
  BeamRelaxation relax(const BeamSegment<T>& segment, const Pose<T>& X_a, const Pose<T>& X_b) {
    twist_ = log_pose(inverse(X_a) * X_b);
    lambda_ = Vec6<T>();
    // Quadratic convergence: after a step with a small gap, the next gap is round-off.
    constexpr int kMostSteps = 30;
    constexpr double kLast = 1e-9;
    for (int step = 0; step < kMostSteps; ++step) {
      strain_.update(segment, twist_, lambda_);
      const double gap = size_of_gap(segment);
      correct(segment);
      if (gap <= kLast) {
        strain_.update(segment, twist_, lambda_);
        correct(segment);
        return BeamRelaxation::done;
      }
    }
    return BeamRelaxation::stalled;
  }

  // One Newton step from the wrench `lambda`; lambda() is then the corrected wrench.
  void advance(const BeamSegment<T>& segment, const Pose<T>& X_a, const Pose<T>& X_b, const Vec6<T>& lambda) {
    twist_ = log_pose(inverse(X_a) * X_b);
    lambda_ = lambda;
    strain_.update(segment, twist_, lambda_);
    correct(segment);
  }

  const Vec6<T>& twist() const { return twist_; }
  const Vec6<T>& lambda() const { return lambda_; }
  const Mat6<T>& stiffness() const { return S_; }  // S
  const BeamStrain<T>& strain() const { return strain_; }
  // The gap between the strains and the ends, as an angle and a stretch.
  T gap(const BeamSegment<T>& segment) const { return T(size_of_gap(segment)); }

  // (2), of a wrench that may contain damping.
  BeamElementForces<T> forces(const Vec6<T>& wrench) const {
    const TwistMap<T> map(twist_);
    return {-map.transpose_times(wrench, -1.0), map.transpose_times(wrench, 1.0)};
  }
  BeamElementForces<T> forces() const { return forces(lambda_); }

  // (1): d' for the velocities of the ends in their own axes.
  Vec6<T> twist_rate(const Vec6<T>& V_a, const Vec6<T>& V_b) const {
    Mat6<T> P_a, P_b;
    TwistMap<T>(twist_).set_both(P_b, P_a);
    return P_b * V_b - P_a * V_a;
  }
  Vec6<T> damping_wrench(const Vec6<T>& twist_rate, const T& tau) const { return tau * (S_ * twist_rate); }

  // (3), and the forces too.
  void update_tangent(BeamElementTangent<T>& K, BeamElementForces<T>& f) const {
    const TwistMap<T> map(twist_);
    Mat6<T> P_a, P_b, by_a, by_b;
    map.set_both(P_b, P_a);
    f.a = -sestina::transpose_times(P_a, lambda_), f.b = sestina::transpose_times(P_b, lambda_);
    map.set_derivatives_of_transpose(geometric_, by_b, by_a);
    const Rows6<T> S(S_);
    add_block_transpose_product(P_b, S, T(1), by_b);
    add_block_transpose_product(P_a, S, T(-1), by_a);
    const Rows6<T> rows_b(P_b);
    store_product(by_b, rows_b, K.bb), store_product(by_a, rows_b, K.ab);
    for (int i = 0; i < 6; ++i) (T(-1) * Row6<T>(P_a.m[i])).store(P_a.m[i]);
    const Rows6<T> rows_a(P_a);
    store_product(by_b, rows_a, K.ba), store_product(by_a, rows_a, K.aa);
  }

  // W (J). Exact where the gap is closed.
  T energy(const BeamSegment<T>& segment) const {
    const Vec6<T> mean = lambda_ - strain_.a * commutator_transpose(strain_.slope, lambda_);
    const Vec6<T> slope = strain_.a * commutator_transpose(strain_.middle, lambda_);
    return T(0.5) * segment.length *
           (dot(mean, segment.compliance * mean) + dot(slope, segment.compliance * slope));
  }
  // The section's wrench in the middle of the element, and at s = h/2 (z = 1), -h/2 (z = -1).
  Vec6<T> section_wrench(double z) const {
    const Vec6<T> mean = lambda_ - strain_.a * commutator_transpose(strain_.slope, lambda_);
    const Vec6<T> slope = strain_.a * commutator_transpose(strain_.middle, lambda_);
    return mean + T(kSqrt3 * z) * slope;
  }
  Vec6<T> section_strain(double z) const { return strain_.middle + T(kSqrt3 * z) * strain_.slope; }

 private:
  static constexpr double kSqrt3 = 1.7320508075688772;

  void correct(const BeamSegment<T>& segment) {
    invert_symmetric(strain_.F);
    geometric_ = lambda_;
    lambda_ = lambda_ - strain_.F * strain_.gap;
    const T inverse = T(1) / segment.length;
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 6; ++j) S_.m[i][j] = inverse * strain_.F.m[i][j];
    }
  }
  double size_of_gap(const BeamSegment<T>& segment) const {
    double size = 0.0;
    for (int i = 0; i < 6; ++i) {
      const double g = std::abs(value_of(strain_.gap[i])) * (i < 3 ? value_of(segment.length) : 1.0);
      if (!(g <= size)) size = g;
    }
    return size;
  }
  Vec6<T> twist_, lambda_;
  Vec6<T> geometric_;  // the wrench before its correction, at which Newton's method needs the tangent
  Mat6<T> S_;
  BeamStrain<T> strain_;
};

}  // namespace sestina
