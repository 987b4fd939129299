// A function given by points (x_i, y_i). Beyond the end points linear and pchip are constant, a spline
// continues with its end piece, and a periodic spline repeats.
//
//   linear  straight lines between the points
//   pchip   cubic Hermite pieces with the slopes of Fritsch and Butland (1984): once continuously
//           differentiable, monotone wherever the points are, so that no bump or negative stiffness
//           appears that is not in the data; end slopes by the shape-preserving three-point formula of
//           Moler, Numerical Computing with MATLAB (2004), section 3.4
//   spline  cubic pieces, twice continuously differentiable; the third derivative is continuous at the last
//           point before each end ("not a knot"), so that cubics are reproduced. Three points: the parabola;
//           two: the straight line
//   periodic  the same over the period x_n - x_0; y_n and y_0 must be equal
#pragma once

#include <span>
#include <vector>

#include "sestina/numerics/dual.h"

namespace sestina {

enum class Interpolation { kLinear, kPchip, kSpline, kPeriodicSpline };

class Table {
 public:
  // At least two points, x strictly increasing, all finite; otherwise throws InputError.
  Table(std::vector<double> x, std::vector<double> y, Interpolation interpolation);

  // Returns the derivative of this order with respect to x (0: the value itself); exactly zero from order 4
  // on. At a point where pieces meet, the piece on its right applies.
  double calc(double at, int order = 0) const;

  const std::vector<double>& x() const { return x_; }
  const std::vector<double>& y() const { return y_; }
  Interpolation interpolation() const { return interpolation_; }

 private:
  void set_pchip_slopes();
  void set_spline_slopes();
  void set_periodic_slopes();

  std::vector<double> x_, y_;
  std::vector<double> slope_;  // dy/dx at the points; empty when linear
  Interpolation interpolation_;
};

inline constexpr int kHighestTableDerivative = 3;

// One overload for each scalar type of the tape.
inline double calc_table(const Table& table, int order, double x) { return table.calc(x, order); }
inline Dual calc_table(const Table& table, int order, Dual x) {
  return {table.calc(x.v, order), table.calc(x.v, order + 1) * x.d};
}

}  // namespace sestina
