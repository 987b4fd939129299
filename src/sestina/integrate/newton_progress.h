// Whether the simplified Newton iteration of an implicit step has converged: from the sizes of its
// increments, relative to the tolerances, and how they contract. With theta the rate of contraction, what is
// left after an increment of size d is about eta d, eta = theta / (1 - theta).
//
// Where it contracts slowly or not at all, tangents at the last iterate help. Steps with error control become
// shorter instead; steps that are solved to round-off cannot, and take new tangents within the step.
//
// Source: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II (1996), section IV.8.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "sestina/integrate/error_tolerances.h"

namespace sestina {

// What increments of a step are measured by: the tolerances of the numbers themselves; where the iteration is
// to go on to round-off (kToRoundOff), one tolerance for all, relative to the largest, since rounding is.
class StepTolerances {
 public:
  // At the end of a step of the length h (s).
  StepTolerances(const ErrorTolerances& tolerances, double h, std::span<const double> u,
                 std::span<const double> x)
      : tolerances_(tolerances), is_exact_(tolerances.rtol <= kToRoundOff.rtol), h_(std::abs(h)) {
    for (const std::span<const double> part : {u, x}) {
      for (const double value : part) largest_ = std::max(largest_, std::abs(value));
    }
  }

  double of(double before, double after) const {
    return tolerances_.of(is_exact_ ? largest_ : std::max(std::abs(before), std::abs(after)));
  }
  double of_displacement() const { return tolerances_.of(1.0); }
  // How large an increment of rounding may seem. In steps to round-off also that of coordinates of size one,
  // which is 1/h as large in the speeds of a step: it remains when the system is at rest.
  double rounding() const {
    if (!is_exact_) return kRounding * largest_ / tolerances_.atol;
    return std::max(kRounding * largest_, kRoundingOfCoordinates / h_) / tolerances_.of(largest_);
  }

 private:
  static constexpr double kRounding = 1e-13, kRoundingOfCoordinates = 2e-16;

  ErrorTolerances tolerances_;
  bool is_exact_;
  double h_;
  double largest_ = 0.0;
};

class NewtonProgress {
 public:
  enum class Outcome { kGoesOn, kConverged, kDiverges };

  // `rate`: of the step before, 1 where it is not known.
  NewtonProgress(double rate, const ErrorTolerances& tolerances)
      : most_renewals_(tolerances.rtol <= kToRoundOff.rtol ? kMostRenewals : 0),
        most_iterations_(most_renewals_ > 0 ? 40 : 10),
        eta_(std::pow(std::max(rate < 1.0 ? rate / (1.0 - rate) : 1.0, 1e-16), 0.8)),
        rate_(rate) {}

  // The next increment has the size `norm`, 1 where it is as large as the tolerance; `rounding`: see above.
  Outcome take(double norm, double rounding) {
    if (++iterations_ > 1) {
      const double contraction = norm / before_;
      // Rounding does not contract.
      if ((contraction > 0.5 && norm <= rounding) || (contraction > 0.9 && norm <= 100.0 * rounding)) {
        return Outcome::kConverged;
      }
      rate_ = std::max(iterations_ > 2 ? std::sqrt(rate_ * contraction) : contraction, kLeastRate);
      is_rate_known_ = true;
      // Errors that turn from one stage into another may grow once and shrink the next time.
      if (rate_ >= (iterations_ == 2 ? kMostGrowth : 1.0)) return Outcome::kDiverges;
      eta_ = rate_ < 1.0 ? rate_ / (1.0 - rate_) : INFINITY;
    }
    if (norm == 0.0 || eta_ * norm <= kPartOfTolerance) return Outcome::kConverged;
    before_ = norm;
    return iterations_ == most_iterations_ ? Outcome::kDiverges : Outcome::kGoesOn;
  }

  // Returns the rate of this iteration. One increment measures nothing: the rate is then that of the
  // iteration before, made slower (eta becomes eta^0.8), until a second increment is taken and measures it.
  double rate() const { return is_rate_known_ ? rate_ : std::max(rate_, eta_ / (1.0 + eta_)); }
  // Whether it contracts so slowly that new tangents pay.
  bool wants_new_tangents() const { return is_rate_known_ && rate_ > kSlow; }
  // Whether the iteration should go on with tangents at its last iterate, for they would cost less than the
  // iterations that they save.
  bool pays_to_renew() const {
    if (!is_rate_known_ || renewals_ == most_renewals_ || iterations_ < 3) return false;
    return std::log(kPartOfTolerance / (eta_ * before_)) < kCostOfTangents * std::log(rate_);
  }
  // Goes on with new tangents; false where it has had enough of them.
  bool renew() {
    if (renewals_ == most_renewals_) return false;
    ++renewals_;
    eta_ = rate_ = 1.0;
    iterations_ = 0;
    is_rate_known_ = false;
    return true;
  }

 private:
  static constexpr double kPartOfTolerance = 0.01;  // that the iteration may leave
  static constexpr double kSlow = 0.1;
  static constexpr double kLeastRate = 1e-4;
  static constexpr double kMostGrowth = 10.0;  // of the second increment
  static constexpr int kMostRenewals = 10;
  static constexpr double kCostOfTangents = 15.0;  // in iterations

  int most_renewals_, renewals_ = 0;
  int most_iterations_;
  double eta_, rate_;
  double before_ = 0.0;
  int iterations_ = 0;
  bool is_rate_known_ = false;
};

}  // namespace sestina
