// Coefficients of explicit Runge-Kutta rules, as data.
//
//   k_i = f(t + c_i h, y + h sum_j a_ij k_j),   y_next = y + h sum_i b_i k_i,   y^ = y + h sum_i b^_i k_i
//
// Source of the notation: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, 2nd edition
// (1993), sections II.1 and II.4.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace sestina {

// All members have a default, so that a tableau may omit what it does not have.
struct ButcherTableau {
  std::string name = {};
  int order = 0;                            // order of the solution that is advanced, with weights b
  int embedded_order = 0;                   // order of the solution with weights b^; zero without one
  std::vector<double> c = {};               // (stages)
  std::vector<std::vector<double>> a = {};  // row i has i entries
  std::vector<double> b = {};               // (stages)
  std::vector<double> b_embedded = {};      // (stages), or empty
  // The last stage is at the end of the step and is the first stage of the next (its row of a is b).
  bool first_same_as_last = false;
  // (stages), or empty. Dense output is the cubic Hermite polynomial through both ends of the step plus
  // theta^2 (1 - theta)^2 h sum_i dense_i k_i. It requires first_same_as_last.
  std::vector<double> dense = {};

  int stages() const { return static_cast<int>(b.size()); }
};

// Contains forward_euler, rk4, rkf45 and dormand_prince_54.
std::span<const ButcherTableau> explicit_tableaus();

// The tableau of this name; null if there is none.
const ButcherTableau* find_tableau(const std::string& name);

}  // namespace sestina
