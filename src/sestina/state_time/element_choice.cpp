#include "sestina/state_time/element_choice.h"

#include <algorithm>
#include <cmath>

#include "sestina/state_time/element_pair.h"

namespace sestina {
namespace {

constexpr double kGain = 0.9;

double work_of_element(int degree) { return 8.0 + degree * degree; }

// Predicts the error by (1) for l = h and degree + change.
double predict(const ElementError& of, int degree, int change) {
  const double ratio = of.lower > 0.0 ? std::clamp(of.error / of.lower, 1e-3, 1.0) : 1.0;
  double error = of.error;
  for (int d = degree; d < degree + change; ++d) error *= ratio * degree / (d + 1);
  for (int d = degree; d > degree + change; --d) error /= ratio * degree / d;
  return error;
}

double work_of_degree(std::span<const ElementError> errors, double tolerance, int degree, int change) {
  double elements = 0.0;
  for (const ElementError& of : errors) {
    elements += of.h / wanted_length(of.h, predict(of, degree, change), tolerance, degree + change);
  }
  return std::max(1.0, elements) * work_of_element(degree + change);
}

}  // namespace

ElementChoice choose_elements(std::span<const ElementError> errors, double tolerance, int degree,
                              DegreeRange range) {
  int best = range.least;
  double least = work_of_degree(errors, tolerance, degree, best - degree);
  for (int other = range.least + 1; other <= range.most; ++other) {
    const double work = work_of_degree(errors, tolerance, degree, other - degree);
    if (work < kGain * least) least = work, best = other;
  }
  ElementChoice choice{best, {}};
  for (const ElementError& of : errors) {
    choice.wanted.push_back(wanted_length(of.h, predict(of, degree, best - degree), tolerance, best));
  }
  return choice;
}

double wanted_length(double h, double error, double tolerance, int degree) {
  constexpr double kSafety = 0.85, kShortest = 0.05, kLongest = 4.0;
  if (!(error > 0.0)) return kLongest * h;
  return h * std::clamp(kSafety * std::pow(tolerance / error, 1.0 / (degree + 1)), kShortest, kLongest);
}

std::vector<double> spread_elements(std::span<const double> lengths, std::span<const double> wanted) {
  constexpr double kSteepest = 2.0;
  std::vector<double> length(wanted.begin(), wanted.end());
  for (std::size_t e = 1; e < length.size(); ++e) length[e] = std::min(length[e], kSteepest * length[e - 1]);
  for (std::size_t e = length.size() - 1; e-- > 0;)
    length[e] = std::min(length[e], kSteepest * length[e + 1]);
  double elements = 0.0, duration = 0.0;
  for (std::size_t e = 0; e < length.size(); ++e) {
    elements += lengths[e] / length[e];
    duration += lengths[e];
  }
  const double count = std::ceil(elements - 1e-9);
  // An element ends where the accumulated number of elements, in fractions, reaches a whole number.
  std::vector<double> spread;
  double t = 0.0, end_before = 0.0, passed = 0.0;
  for (std::size_t e = 0; e < length.size(); ++e) {
    const double share = lengths[e] / length[e] * count / elements;
    while (static_cast<double>(spread.size()) + 1.0 < count &&
           passed + share >= static_cast<double>(spread.size()) + 1.0) {
      const double end = t + lengths[e] * (static_cast<double>(spread.size()) + 1.0 - passed) / share;
      spread.push_back(end - end_before);
      end_before = end;
    }
    passed += share, t += lengths[e];
  }
  spread.push_back(duration - end_before);
  return spread;
}

std::vector<double> cut_elements(std::span<const double> lengths, std::span<const double> wanted,
                                 double shortest) {
  constexpr double kFewest = 4.0;
  std::vector<double> cut;
  for (std::size_t e = 0; e < lengths.size(); ++e) {
    const double h = lengths[e];
    double parts = 1.0;
    if (wanted[e] < h) {
      parts = std::min(std::max(kFewest, std::ceil(h / wanted[e])), std::max(1.0, std::ceil(h / shortest)));
    }
    cut.insert(cut.end(), static_cast<std::size_t>(parts), h / parts);
  }
  return cut;
}

}  // namespace sestina
