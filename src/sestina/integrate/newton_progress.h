// Convergence test for the simplified Newton iteration of an implicit step, from the sizes of its increments
// relative to the tolerances and from their rate of contraction. With contraction rate theta, the error after
// an increment of size d is about eta d, eta = theta / (1 - theta).
//
// If the iteration contracts slowly or not at all, tangents at the last iterate help. Steps with error
// control become shorter instead; steps that are solved to round-off cannot, and renew the tangents within
// the step.
//
// Source: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II (1996), section IV.8.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "sestina/integrate/error_tolerances.h"

namespace sestina {

// The measure of increments: the tolerances of the individual numbers. If the iteration continues
// to round-off (kToRoundOff), it is one tolerance for all, relative to the largest number, because
// rounding is relative to it.
class StepTolerances {
 public:
  // Tolerances at the end of a step of length h (s).
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
  // The apparent size of an increment due to rounding. In steps solved to round-off it includes the rounding
  // of coordinates of size one, which is 1/h as large in speeds: it remains when the system is at rest.
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

// The additional iterations that tangents of an earlier step have cost since they were new. They are renewed
// when these have cost as much as new tangents: if each step costs more than the step before it by the same
// amount, no other period costs less in total.
class TangentWear {
 public:
  TangentWear() = default;
  TangentWear(double least, double extra) : least_(least), extra_(extra) {}

  // A step has converged after `iterations`.
  void take(int iterations) {
    if (least_ == 0.0 || iterations < least_) least_ = iterations;
    extra_ += iterations - least_;
  }
  // `cost`: of new tangents, in iterations.
  bool is_spent(double cost) const { return extra_ >= cost; }
  // Iterations of a step with new tangents, 0: not known; additional ones since then.
  double least() const { return least_; }
  double extra() const { return extra_; }

 private:
  double least_ = 0.0, extra_ = 0.0;
};

class NewtonProgress {
 public:
  enum class Outcome { kGoesOn, kConverged, kDiverges };

  // `rate`: that of the previous step, 1 if unknown; `cost_of_tangents`: in iterations.
  NewtonProgress(double rate, const ErrorTolerances& tolerances, double cost_of_tangents)
      : most_renewals_(tolerances.rtol <= kToRoundOff.rtol ? kMostRenewals : 0),
        most_iterations_(most_renewals_ > 0 ? 40 : 10),
        eta_(std::pow(std::max(rate < 1.0 ? rate / (1.0 - rate) : 1.0, 1e-16), 0.8)),
        rate_(rate),
        cost_of_tangents_(cost_of_tangents) {}

  // Takes the next increment, of size `norm`, where 1 equals the tolerance; `rounding`:
  // StepTolerances::rounding().
  Outcome take(double norm, double rounding) {
    if (++iterations_ > 1) {
      const double contraction = norm / before_;
      // Increments due to rounding do not contract.
      if ((contraction > 0.5 && norm <= rounding) || (contraction > 0.9 && norm <= 100.0 * rounding)) {
        return Outcome::kConverged;
      }
      const double rate = iterations_ > 2 ? std::sqrt(rate_ * contraction) : contraction;
      rate_ = std::max(rate, kLeastRate);
      is_rate_known_ = true;
      // Errors that are exchanged between stages may grow once and shrink the next time.
      if (rate_ >= (iterations_ == 2 ? kMostGrowth : 1.0)) return Outcome::kDiverges;
      // The first contraction may be faster than the next one would be, unless only round-off is left.
      const double trusted = most_renewals_ > 0 ? rate : rate_;
      eta_ = trusted < 1.0 ? trusted / (1.0 - trusted) : INFINITY;
    }
    if (norm == 0.0 || eta_ * norm <= kPartOfTolerance) return Outcome::kConverged;
    before_ = norm;
    return iterations_ == most_iterations_ ? Outcome::kDiverges : Outcome::kGoesOn;
  }

  // Returns the rate of this iteration. A single increment measures no rate: then the rate of the previous
  // iteration counts, made slower (eta becomes eta^0.8) until a second increment gives a measurement.
  double rate() const { return is_rate_known_ ? rate_ : std::max(rate_, eta_ / (1.0 + eta_)); }
  // Counts the iterations of a step that has converged, unless its tangents were renewed within it.
  void add_to(TangentWear& wear) const {
    if (renewals_ == 0) wear.take(iterations_);
  }
  // True if new tangents are worthwhile. Steps with error control renew them where it contracts slowly: what
  // remains of the iteration is an error. Others renew them when that costs less than not to.
  bool needs_new_tangents(const TangentWear& wear) const {
    return most_renewals_ > 0 ? wear.is_spent(cost_of_tangents_) : is_rate_known_ && rate_ > kSlow;
  }
  // True if the iteration should continue with tangents at its last iterate, because they cost less than the
  // iterations that they save.
  bool pays_to_renew() const {
    if (!is_rate_known_ || renewals_ == most_renewals_ || iterations_ < 3) return false;
    return std::log(kPartOfTolerance / (eta_ * before_)) < cost_of_tangents_ * std::log(rate_);
  }
  // Continues with new tangents; false if their number is exhausted.
  bool renew() {
    if (renewals_ == most_renewals_) return false;
    ++renewals_;
    eta_ = rate_ = 1.0;
    iterations_ = 0;
    is_rate_known_ = false;
    return true;
  }

 private:
  static constexpr double kPartOfTolerance = 0.01;  // part of the tolerance that may remain as error
  static constexpr double kSlow = 0.1;
  static constexpr double kLeastRate = 1e-4;   // that the next step may rely on
  static constexpr double kMostGrowth = 10.0;  // of the second increment; above, it diverges
  static constexpr int kMostRenewals = 10;

  int most_renewals_, renewals_ = 0;
  int most_iterations_;
  double eta_, rate_;
  double cost_of_tangents_;
  double before_ = 0.0;
  int iterations_ = 0;
  bool is_rate_known_ = false;
};

}  // namespace sestina
