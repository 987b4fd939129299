#include "sestina/integrate/butcher_tableau.h"

namespace sestina {
namespace {

// L. Euler, Institutionum calculi integralis I (1768), section 2, chapter 7.
ButcherTableau forward_euler() {
  return {.name = "forward_euler", .order = 1, .c = {0.0}, .a = {{}}, .b = {1.0}};
}

// W. Kutta, Beitrag zur naeherungsweisen Integration totaler Differentialgleichungen, Z. Math. Phys. 46
// (1901) 435-453: "the" Runge-Kutta rule.
ButcherTableau rk4() {
  return {.name = "rk4",
          .order = 4,
          .c = {0.0, 1.0 / 2, 1.0 / 2, 1.0},
          .a = {{}, {1.0 / 2}, {0.0, 1.0 / 2}, {0.0, 0.0, 1.0}},
          .b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}};
}

// E. Fehlberg, Low-order classical Runge-Kutta formulas with stepsize control and their application to some
// heat transfer problems, NASA TR R-315 (1969), table III. Fehlberg advances the fourth-order solution; here
// the fifth-order one is advanced (local extrapolation), and the fourth-order one gives the error estimate.
ButcherTableau rkf45() {
  return {.name = "rkf45",
          .order = 5,
          .embedded_order = 4,
          .c = {0.0, 1.0 / 4, 3.0 / 8, 12.0 / 13, 1.0, 1.0 / 2},
          .a = {{},
                {1.0 / 4},
                {3.0 / 32, 9.0 / 32},
                {1932.0 / 2197, -7200.0 / 2197, 7296.0 / 2197},
                {439.0 / 216, -8.0, 3680.0 / 513, -845.0 / 4104},
                {-8.0 / 27, 2.0, -3544.0 / 2565, 1859.0 / 4104, -11.0 / 40}},
          .b = {16.0 / 135, 0.0, 6656.0 / 12825, 28561.0 / 56430, -9.0 / 50, 2.0 / 55},
          .b_embedded = {25.0 / 216, 0.0, 1408.0 / 2565, 2197.0 / 4104, -1.0 / 5, 0.0}};
}

// J. R. Dormand and P. J. Prince, A family of embedded Runge-Kutta formulae, J. Comput. Appl. Math. 6 (1980)
// 19-26, RK5(4)7M. Dense output of order 4 by L. F. Shampine, Some practical Runge-Kutta formulas, Math.
// Comp. 46 (1986) 135-150, in the form of contd5 in dopri5.f by E. Hairer and G. Wanner.
ButcherTableau dormand_prince_54() {
  return {.name = "dormand_prince_54",
          .order = 5,
          .embedded_order = 4,
          .c = {0.0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1.0, 1.0},
          .a = {{},
                {1.0 / 5},
                {3.0 / 40, 9.0 / 40},
                {44.0 / 45, -56.0 / 15, 32.0 / 9},
                {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
                {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}},
          .b = {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0.0},
          .b_embedded = {5179.0 / 57600, 0.0, 7571.0 / 16695, 393.0 / 640, -92097.0 / 339200, 187.0 / 2100,
                         1.0 / 40},
          .first_same_as_last = true,
          .dense = {-12715105075.0 / 11282082432.0, 0.0, 87487479700.0 / 32700410799.0,
                    -10690763975.0 / 1880347072.0, 701980252875.0 / 199316789632.0,
                    -1453857185.0 / 822651844.0, 69997945.0 / 29380423.0}};
}

}  // namespace

std::span<const ButcherTableau> explicit_tableaus() {
  static const std::vector<ButcherTableau> tableaus = {forward_euler(), rk4(), rkf45(), dormand_prince_54()};
  return tableaus;
}

const ButcherTableau* find_tableau(const std::string& name) {
  for (const ButcherTableau& tableau : explicit_tableaus()) {
    if (tableau.name == name) return &tableau;
  }
  return nullptr;
}

}  // namespace sestina
