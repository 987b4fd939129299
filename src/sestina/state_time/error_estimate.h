// Estimates of the difference between an element's polynomials and the motion.
//
// y is any of v, w, C, x of a body, y' = f its differential equation, y_h the element's polynomial of degree
// k, h its length, s_1 ... s_k its points and M(s) = c (s - s_1) ... (s - s_k), |M(0)| = 1, which for Gauss
// points is Legendre's polynomial. The rate equations hold at the points, so that to leading order the
// residual between them is one constant for each number, and so is the error in the directions that a
// joint's conditions fix at the points and at the element's start:
//   f - y_h' / h = R M(s)                         along the freedoms of the joints                      (1)
//   y - y_h = j s M(s) / M(1)                     across them, in v and w                               (2)
// In (2) j = y_e - y_h(1) is known: the part that the impulses at the end removed. f is known at the ends of
// the element, whose errors are far smaller: accelerations from the equations of motion there, C' = C [w x],
// and x' = v. The residual r at both ends, without the part of (2), gives R:
//   R = (M(0) r(0) + M(1) r(1)) / (M(0)^2 + M(1)^2)                                                    (3)
// and with it the error of the element's polynomial, which is zero at the start:
//   e(s) = h R integral of M from 0 to s  +  j s M(s) / M(1)                                           (4)
// For Radau points M(1) = 0, and (2) is omitted. For Gauss points the use of both ends eliminates the next
// term, which is odd about the middle, from (3).
//
// The estimate is the root mean square over the element of the error that the element adds. The error of its
// start is not included; at the ends of elements errors are of a far higher order (element_pair.h).
//
// The error with polynomials of one degree less has the same form: the part of degree k - 1 of the rate, a
// P(2 s - 1) with P Legendre's polynomial of that degree, is the part that they would omit:
//   e(s) = a times the integral of P from 0 to s, and the same for the points of Radau                 (5)
// The ratio of (4) to (5) shows how fast errors fall with the degree (element_choice.h).
#pragma once

#include <span>
#include <vector>

#include "sestina/state_time/time_trajectory.h"

namespace sestina {

// Accelerations of a body: of its mass centre in ground axes, angular in its own axes.
struct BodyRates {
  Vec3<double> v, w;  // m/s^2, rad/s^2
};

// Root mean squares over an element of a body's errors. Each is the length of an error vector; for the
// cosines that of all nine numbers.
struct BodyError {
  double v = 0.0, w = 0.0, C = 0.0, x = 0.0;  // m/s, rad/s, 1, m
};

class ErrorEstimate {
 public:
  explicit ErrorEstimate(const ElementForm& form);

  // Estimates the errors of the element of length h (s) that begins with `start` and has the unknowns y, from
  // the rates of the bodies at its two ends. errors (bodies).
  void calc(double h, std::span<const double> start, std::span<const double> y,
            std::span<const BodyRates> at_start, std::span<const BodyRates> at_end,
            std::span<BodyError> errors) const;
  // Estimates the errors with polynomials of one degree less: (5). errors (bodies).
  void calc_lower(double h, std::span<const double> start, std::span<const double> y,
                  std::span<BodyError> errors) const;

 private:
  // The values of one vector of a body, and f at the ends.
  struct Curve {
    Vec3<double> start, end, f_start, f_end;
    Vec3<double> points[kMostDegree];
  };
  Curve curve_of(std::span<const double> start, std::span<const double> y, int body, int number) const;
  void set_lower(const ElementPair& pair);
  double square_of(double h, const Curve& curve, bool has_jump) const;
  double square_of_place(double h, const Curve& velocity) const;
  double square(double h, const Vec3<double>& r_start, const Vec3<double>& r_end,
                const Vec3<double>& jump) const;

  ElementLayout layout_;
  std::vector<double> at_end_;                   // (k + 1) E
  std::vector<double> slope_start_, slope_end_;  // (k + 1) L_j'
  std::vector<double> point_start_, point_end_;  // (k): on the points only
  double M_start_ = 0.0, M_end_ = 0.0;
  double M_slope_end_ = 0.0;       // M'(1) / M(1)
  std::vector<double> top_;        // (k + 1) a of (5) from the values at start and points
  std::vector<double> point_top_;  // (k) from values at the points only, for a rate
  double by_lower_ = 0.0;          // mean square of the function of (5)
  double by_free_ = 0.0, by_both_ = 0.0, by_jump_ = 0.0;  // integrals of the products of the functions of (4)
};

}  // namespace sestina
