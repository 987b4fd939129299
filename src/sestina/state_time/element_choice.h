// Lengths of elements, and the degree of their polynomials, from estimates of their errors.
//
// With C and T for what the motion is like in an element of length h, the error of polynomials of degree k is
// near C (h / T)^(k + 1) / k!, as that of an exponential is. Two of them are known: e of the element's degree
// k, and what it would be with one degree less, with the ratio r = h / (k T). With degree d and length l the
// error is then
//   e r^(d - k) (k^(d - k) k! / d!) (l / h)^(d + 1)                                            (1)
// which gives the length that each degree would want. A degree takes as many elements as fill the time with
// these lengths, and each the work of a tangent and its factors, which is as 8 + d^2: measured, from LQ to
// P6P7. All elements of a window get the degree with the least of the product.
#pragma once

#include <span>
#include <vector>

namespace sestina {

// Relative to what the tolerance is.
struct ElementError {
  double h;             // s
  double error, lower;  // of the element, and with polynomials of one degree less
};

struct ElementChoice {
  int degree;
  std::vector<double> wanted;  // lengths, s
};

struct DegreeRange {
  int least, most;
};

// From elements of this degree: the degree within the range that takes the least work to come within the
// tolerance; of those that differ little, the lowest.
ElementChoice choose_elements(std::span<const ElementError> errors, double tolerance, int degree,
                              DegreeRange range);

// The length with which an element of length h and this error would just be within the tolerance, by the
// order of the error, k + 1, but for some safety; no more than some times h.
double wanted_length(double h, double error, double tolerance, int degree);

// Lengths of elements that fill as much time as `lengths`, as many as needed for each to be nowhere longer
// than `wanted` of the old elements there, nor more than twice as long as a neighbour would like: where
// elements are wanted shorter they are cut, where longer merged.
std::vector<double> spread_elements(std::span<const double> lengths, std::span<const double> wanted);

// The same elements, but those that are wanted shorter cut into equal parts: where a force has a kink or
// jumps errors fall far slower with the length than by their order, and all ends but those stay where they
// are, or the kink would come to lie in a longer element again. None becomes shorter than `shortest`.
std::vector<double> cut_elements(std::span<const double> lengths, std::span<const double> wanted,
                                 double shortest);

}  // namespace sestina
