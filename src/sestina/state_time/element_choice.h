// Choice of the lengths of elements and the degree of their polynomials from error estimates.
//
// The error of polynomials of degree k on an element of length h is close to C (h / T)^(k + 1) / k!, as for
// an exponential function, with constants C and T of the motion. Two values are known: e for the element's
// degree k, and the error for one degree less; r = h / (k T) is their ratio. With degree d and length l the
// error is
//   e r^(d - k) (k^(d - k) k! / d!) (l / h)^(d + 1)                                            (1)
// which gives the length that each degree requires. A degree needs as many elements as fill the time with
// these lengths, and for each element the work of a tangent and its factors, in proportion to 8 + d^2
// (measured from LQ to P6P7). All elements of a window get the degree with the least product of the two.
#pragma once

#include <span>
#include <vector>

namespace sestina {

// Error of an element, relative to the tolerance's reference sizes.
struct ElementError {
  double h;             // s
  double error, lower;  // of the element; and with polynomials of one degree less
};

struct ElementChoice {
  int degree;
  std::vector<double> wanted;  // s, lengths
};

struct DegreeRange {
  int least, most;
};

// From estimates for elements of this degree, chooses the degree within the range with the least work to meet
// the tolerance; of degrees with nearly the same work, the lowest.
ElementChoice choose_elements(std::span<const ElementError> errors, double tolerance, int degree,
                              DegreeRange range);

// Returns the length (s) for which an element of length h with this error would just meet the tolerance,
// according to the order k + 1 of the error and with a safety factor; limited to a multiple of h.
double wanted_length(double h, double error, double tolerance, int degree);

// Returns lengths of new elements over the same time as `lengths`. There are enough of them that each is
// nowhere longer than `wanted` of the old elements it covers, nor more than twice as long as its neighbours'
// wanted lengths: elements are cut where shorter ones are wanted and merged where longer ones are.
std::vector<double> spread_elements(std::span<const double> lengths, std::span<const double> wanted);

// Cuts the elements that should be shorter into equal parts and keeps all other ends: where a force has a
// kink or a jump, errors fall far slower with the length than by their order, and if the ends moved, the kink
// would lie in a longer element again. No element becomes shorter than `shortest` (s).
std::vector<double> cut_elements(std::span<const double> lengths, std::span<const double> wanted,
                                 double shortest);

}  // namespace sestina
