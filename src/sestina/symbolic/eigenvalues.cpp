#include "sestina/symbolic/eigenvalues.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "sestina/base/error.h"
#include "sestina/numerics/zero_crossing.h"
#include "sestina/symbolic/spectrum.h"

namespace sestina::symbolic {
namespace {

using Complex = std::complex<double>;

bool is_finite(std::span<const double> elements) {
  return std::all_of(elements.begin(), elements.end(), [](double x) { return std::isfinite(x); });
}

// Returns the permutation p with the least sum of cost(i, p[i]) (H. W. Kuhn, Naval Res. Logist. Q. 2 (1955)
// 83-97, in the form with potentials, O(n^3)).
template <class Cost>
std::vector<std::size_t> assign(std::size_t n, Cost cost) {
  std::vector<double> row(n + 1, 0.0), column(n + 1, 0.0);
  std::vector<std::size_t> row_of(n + 1, 0), way(n + 1, 0);
  for (std::size_t i = 1; i <= n; ++i) {
    row_of[0] = i;
    std::size_t at = 0;
    std::vector<double> least(n + 1, std::numeric_limits<double>::infinity());
    std::vector<bool> is_used(n + 1, false);
    while (row_of[at] != 0) {
      is_used[at] = true;
      const std::size_t k = row_of[at];
      double delta = std::numeric_limits<double>::infinity();
      std::size_t next = 0;
      for (std::size_t j = 1; j <= n; ++j) {
        if (is_used[j]) continue;
        const double reduced = cost(k - 1, j - 1) - row[k] - column[j];
        if (reduced < least[j]) least[j] = reduced, way[j] = at;
        if (least[j] < delta) delta = least[j], next = j;
      }
      for (std::size_t j = 0; j <= n; ++j) {
        if (is_used[j]) {
          row[row_of[j]] += delta, column[j] -= delta;
        } else {
          least[j] -= delta;
        }
      }
      at = next;
    }
    for (; at != 0; at = way[at]) row_of[at] = row_of[way[at]];
  }
  std::vector<std::size_t> chosen(n);
  for (std::size_t j = 1; j <= n; ++j) chosen[row_of[j] - 1] = j - 1;
  return chosen;
}

// A spectrum at a value of the parameter, and the order of its eigenvalues.
struct Sample {
  double value = 0.0;
  Spectrum spectrum;
};
using Places = std::vector<std::size_t>;

// The values of the branches at one sample.
struct Station {
  Sample sample;
  Places place;  // of each branch in the spectrum

  Complex eigenvalue(std::size_t branch) const { return sample.spectrum.eigenvalues[place[branch]]; }
  bool is_unstable(std::size_t branch) const { return sample.spectrum.is_unstable[place[branch]]; }
};

struct Located : EigenvalueBranches::Change {
  std::size_t branch = 0;
  bool is_onset = false;  // the real part becomes positive for increasing values
  double width = 0.0;     // distance of the two given values around it
};

class BranchFollower {
 public:
  BranchFollower(Mechanics& mechanics, const Matrix& A, const Expression& parameter,
                 const ParameterValues& others)
      : n_(A.rows()),
        name_(to_text(parameter)),
        function_(mechanics, A.elements(), {parameter}, others, "the matrix") {}

  EigenvalueBranches follow(std::span<const double> values) {
    EigenvalueBranches result;
    result.values.assign(values.begin(), values.end());
    for (const double value : values) append(value);
    result.branches.resize(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      for (const Station& station : stations_) result.branches[i].push_back(station.eigenvalue(i));
    }
    for (std::size_t k = 1; k < stations_.size(); ++k) find_changes(stations_[k - 1], stations_[k]);
    drop_touches();
    result.changes.assign(changes_.begin(), changes_.end());
    std::ranges::stable_sort(result.changes, {}, &EigenvalueBranches::Change::value);
    return result;
  }

 private:
  static constexpr double kResolution = 1e-12;  // relative to the distance of two values
  static constexpr double kTouch = 1e-6;        // relative to the distance of two values too
  static constexpr double kNearAll = 1e-4, kNearOwn = 1e-5;
  static constexpr int kMostSamples = 4000;  // between two values
  static constexpr int kMostSteps = 36;      // starting from kResolution, each twice the last

  std::optional<Sample> sample(double value) {
    const std::span<const double> elements = function_(std::span<const double>(&value, 1));
    if (!is_finite(elements)) return std::nullopt;
    return Sample{value, calc_spectrum(elements, n_)};
  }

  // Returns the branches at a sample: the eigenvalues nearest to the expected ones.
  Station station(Sample sample, const std::vector<Complex>& expected) const {
    const std::vector<Complex>& found = sample.spectrum.eigenvalues;
    Places place = assign(n_, [&](std::size_t i, std::size_t j) { return std::abs(expected[i] - found[j]); });
    return {std::move(sample), std::move(place)};
  }

  void append(double value) {
    std::optional<Sample> found = sample(value);
    if (!found) throw InputError(fmt::format("the matrix is not finite at {} = {}", name_, value));
    stations_.push_back(station(*found, stations_.empty() ? found->spectrum.eigenvalues : predict(value)));
  }

  // Extrapolates linearly from the last two values.
  std::vector<Complex> predict(double value) const {
    const Station& last = stations_.back();
    const Station& before = stations_.size() > 1 ? stations_[stations_.size() - 2] : last;
    const double step = last.sample.value - before.sample.value;
    std::vector<Complex> expected;
    for (std::size_t i = 0; i < n_; ++i) {
      const Complex slope = step == 0.0 ? 0.0 : (last.eigenvalue(i) - before.eigenvalue(i)) / step;
      expected.push_back(last.eigenvalue(i) + slope * (value - last.sample.value));
    }
    return expected;
  }

  void find_changes(const Station& a, const Station& b) {
    width_ = std::abs(b.sample.value - a.sample.value);
    moves_.clear();
    for (std::size_t i = 0; i < n_; ++i) moves_.push_back(std::abs(b.eigenvalue(i) - a.eigenvalue(i)));
    samples_left_ = kMostSamples;
    halve(a, b);
  }

  // Bisects the interval between two samples while a branch changes there. The assignment of eigenvalues to
  // branches becomes clearer as the samples come closer.
  void halve(const Station& a, const Station& b) {
    if (!has_change(a, b)) return;
    const double width = b.sample.value - a.sample.value;
    if (std::abs(width) <= kResolution * width_) return report(a, b);
    std::optional<Sample> middle = sample(a.sample.value + 0.5 * width);
    if (!middle) middle = sample(a.sample.value + 0.4375 * width);
    if (!middle || --samples_left_ < 0) return;
    std::vector<Complex> expected;
    for (std::size_t i = 0; i < n_; ++i) expected.push_back(0.5 * (a.eigenvalue(i) + b.eigenvalue(i)));
    const Station between = station(std::move(*middle), expected);
    halve(a, between);
    halve(between, b);
  }

  bool has_change(const Station& a, const Station& b) const {
    for (std::size_t i = 0; i < n_; ++i) {
      if (a.is_unstable(i) != b.is_unstable(i)) return true;
    }
    return false;
  }

  // True if the branch is near zero compared with all eigenvalues, with its change between the two values, or
  // with rounding: it can then pass zero between two samples that count as one.
  bool is_near_zero(const Station& at, std::size_t branch) const {
    const Spectrum& all = at.sample.spectrum;
    const double scale =
        std::max({kNearAll * all.radius, kNearOwn * moves_[branch], 2.0 * all.rounding[at.place[branch]]});
    return std::abs(at.eigenvalue(branch).real()) <= scale;
  }
  // True if every branch that changes is near zero at both samples.
  bool passes_zero(const Station& a, const Station& b) const {
    for (std::size_t i = 0; i < n_; ++i) {
      const bool is_change = a.is_unstable(i) != b.is_unstable(i);
      if (is_change && !(is_near_zero(a, i) && is_near_zero(b, i))) return false;
    }
    return true;
  }

  // Records changes between samples that count as one: those of the followed branches if these are
  // continuous, otherwise those of the nearest eigenvalues.
  void report(const Station& a, const Station& b) {
    std::vector<Complex> here;
    for (std::size_t i = 0; i < n_; ++i) here.push_back(a.eigenvalue(i));
    const Station nearest = station(b.sample, here);
    const Station& end = passes_zero(a, b) ? b : nearest;
    for (std::size_t i = 0; i < n_; ++i) {
      const Complex from = a.eigenvalue(i), to = end.eigenvalue(i);
      const bool was = a.is_unstable(i);
      if (was == end.is_unstable(i) || (was ? from : to).imag() < 0.0) continue;
      if (!is_near_zero(a, i) || !is_near_zero(end, i)) continue;  // a pole, not a zero
      const bool is_rising = a.sample.value < b.sample.value;
      Located change{
          {was ? a.sample.value : b.sample.value, was ? from : to, was == is_rising}, i, !was, width_};
      settle(change, was ? b.sample.value - a.sample.value : a.sample.value - b.sample.value);
      changes_.push_back(change);
    }
  }

  // Moves from a value where the real part is positive beyond rounding to the one where it changes its sign:
  // forward by growing steps, then back by bisection.
  void settle(Located& change, double step) {
    const Complex known = change.eigenvalue;
    Complex nearest = known;
    const auto real_part = [&](double value) {
      const std::optional<Sample> found = sample(value);
      if (!found) return 0.0;
      nearest = *std::ranges::min_element(found->spectrum.eigenvalues, {},
                                          [&](const Complex& e) { return std::abs(e - known); });
      return nearest.real();
    };
    double inside = change.value, at_inside = known.real(), outside = inside, at_outside = at_inside;
    for (int k = 0; k < kMostSteps && at_outside > 0.0; ++k, step *= 2.0) {
      inside = outside, at_inside = at_outside;
      outside = change.value + step, at_outside = real_part(outside);
    }
    if (at_outside > 0.0) return;
    Bracket bracket = inside < outside ? Bracket{inside, outside, at_inside, at_outside}
                                       : Bracket{outside, inside, at_outside, at_inside};
    if (at_outside < 0.0) narrow(bracket, 0.5 * kResolution * width_, real_part);
    change.value = at_outside < 0.0 ? bracket.b : outside;
    real_part(change.value);
    change.eigenvalue = nearest;
  }

  // A real part that touches zero at one of the values and is positive on both sides of it does not change.
  void drop_touches() {
    const auto is_touch = [](const Located& before, const Located& after) {
      return before.branch == after.branch && !before.is_onset && after.is_onset &&
             std::abs(after.value - before.value) <= kTouch * std::min(before.width, after.width);
    };
    for (auto before = changes_.begin(); before != changes_.end();) {
      const auto after =
          std::find_if(before + 1, changes_.end(), [&](const Located& e) { return is_touch(*before, e); });
      if (after == changes_.end()) {
        ++before;
      } else {
        changes_.erase(after);
        before = changes_.erase(before);
      }
    }
  }

  std::size_t n_;
  std::string name_;
  CompiledExpressions function_;
  std::vector<Station> stations_;
  std::vector<Located> changes_;  // by value
  double width_ = 0.0;            // distance of the current two values
  std::vector<double> moves_;     // of each branch between them
  int samples_left_ = 0;
};

void check_square(const Matrix& A) {
  if (A.rows() == A.columns() && A.rows() > 0) return;
  throw InputError(
      fmt::format("eigenvalues were requested of a matrix of {} rows and {} columns", A.rows(), A.columns()));
}

}  // namespace

std::vector<std::complex<double>> calc_eigenvalues(Mechanics& mechanics, const Matrix& A,
                                                   const ParameterValues& parameters) {
  check_square(A);
  CompiledExpressions function(mechanics, A.elements(), {}, parameters, "the matrix");
  const std::span<const double> elements = function({});
  if (!is_finite(elements)) throw InputError("eigenvalues were requested of a matrix that is not finite");
  return calc_spectrum(elements, A.rows()).eigenvalues;
}

EigenvalueBranches calc_eigenvalue_branches(Mechanics& mechanics, const Matrix& A,
                                            const Expression& parameter, std::span<const double> values,
                                            const ParameterValues& others) {
  check_square(A);
  const bool is_given = std::ranges::any_of(others, [&](const auto& other) {
    return other.first.in(mechanics.graph()) == parameter.in(mechanics.graph());
  });
  if (is_given) {
    throw InputError(fmt::format("{} is varied, and has a value among the parameters: leave that out",
                                 to_text(parameter)));
  }
  return BranchFollower(mechanics, A, parameter, others).follow(values);
}

}  // namespace sestina::symbolic
