// Potentials and gradients of charges, and how far two of them differ.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace sestina::testing_support {

struct Field {
  std::vector<double> u, gx, gy, gz;
  explicit Field(std::size_t n) : u(n), gx(n), gy(n), gz(n) {}
};

struct Errors {
  double potential = 0.0, gradient = 0.0;  // relative, least squares
};

inline Errors compare(const Field& f, const Field& exact) {
  double du = 0.0, u = 0.0, dg = 0.0, g = 0.0;
  const auto square = [](double a) { return a * a; };
  for (std::size_t i = 0; i < f.u.size(); ++i) {
    du += square(f.u[i] - exact.u[i]), u += square(exact.u[i]);
    dg += square(f.gx[i] - exact.gx[i]) + square(f.gy[i] - exact.gy[i]) + square(f.gz[i] - exact.gz[i]);
    g += square(exact.gx[i]) + square(exact.gy[i]) + square(exact.gz[i]);
  }
  return {std::sqrt(du / u), std::sqrt(dg / g)};
}

}  // namespace sestina::testing_support
