#include "sestina/state_time/element_pair.h"
#include "sestina/model/analysis.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace sestina {
namespace {

constexpr double kPi = 3.14159265358979323846;

// Legendre's polynomial of degree n on [-1, 1], and its derivative, by the three-term recursion.
struct Legendre {
  double value, slope;
};
Legendre legendre(int n, double x) {
  double before = 1.0, value = x;
  for (int i = 2; i <= n; ++i) {
    const double next = ((2 * i - 1) * x * value - (i - 1) * before) / i;
    before = value, value = next;
  }
  return {value, n * (x * value - before) / (x * x - 1.0)};
}

// Computes the Gauss points on [0, 1] by Newton's method from asymptotic values; symmetric to the last bit.
void set_gauss_points(ElementPair& pair) {
  const int k = pair.degree;
  pair.points.assign(static_cast<std::size_t>(k), 0.5);
  pair.weights.assign(static_cast<std::size_t>(k), 0.0);
  for (int i = 0; i < (k + 1) / 2; ++i) {
    double x = i == k - 1 - i ? 0.0 : std::cos(kPi * (i + 0.75) / (k + 0.5));
    for (int repeat = 0; repeat < 20; ++repeat) {
      const Legendre p = legendre(k, x);
      x -= p.value / p.slope;
    }
    if (i == k - 1 - i) x = 0.0;
    const double slope = legendre(k, x).slope, weight = 1.0 / ((1.0 - x * x) * slope * slope);
    const auto low = static_cast<std::size_t>(i), high = static_cast<std::size_t>(k - 1 - i);
    pair.points[low] = 0.5 * (1.0 - x), pair.points[high] = 0.5 * (1.0 + x);
    pair.weights[low] = pair.weights[high] = weight;
  }
}

double lagrange(const std::vector<double>& nodes, std::size_t j, double s) {
  double value = 1.0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i != j) value *= (s - nodes[i]) / (nodes[j] - nodes[i]);
  }
  return value;
}
double lagrange_slope(const std::vector<double>& nodes, std::size_t j, double s) {
  double slope = 0.0;
  for (std::size_t l = 0; l < nodes.size(); ++l) {
    if (l == j) continue;
    double term = 1.0 / (nodes[j] - nodes[l]);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (i != j && i != l) term *= (s - nodes[i]) / (nodes[j] - nodes[i]);
    }
    slope += term;
  }
  return slope;
}

std::vector<double> nodes_of(const ElementPair& pair) {
  std::vector<double> nodes{0.0};
  nodes.insert(nodes.end(), pair.points.begin(), pair.points.end());
  return nodes;
}

// Computes the Radau points on [0, 1], the last of which is 1, from the Gauss points: on [-1, 1] they are the
// zeros of P_k - P_(k-1), bracketed by changes of sign.
void set_radau_points(ElementPair& pair) {
  const int k = pair.degree;
  const auto f = [k](double x) { return legendre(k, x).value - legendre(k - 1, x).value; };
  const std::vector<double> gauss = pair.points, gauss_weights = pair.weights;
  pair.points.clear();
  constexpr int kIntervals = 1000;  // the zeros for k = 8 are more than 0.1 apart
  const auto place = [](int i) { return -1.0 + (2.0 * i + 0.5) / kIntervals; };
  for (int i = 0; static_cast<int>(pair.points.size()) < k - 1; ++i) {
    double low = place(i), high = place(i + 1);
    if (f(low) * f(high) > 0.0) continue;
    for (int halving = 0; halving < 60; ++halving) {
      const double middle = 0.5 * (low + high);
      (f(low) * f(middle) > 0.0 ? low : high) = middle;
    }
    pair.points.push_back(0.5 + 0.25 * (low + high));
  }
  pair.points.push_back(1.0);
  for (std::size_t j = 0; j < pair.points.size(); ++j) {
    pair.weights[j] = 0.0;
    for (std::size_t g = 0; g < gauss.size(); ++g) {
      pair.weights[j] += gauss_weights[g] * lagrange(pair.points, j, gauss[g]);
    }
  }
}

// Integrates Lagrange's polynomial j from 0 to s; exact, since the integrand has degree k - 1.
double integral_to(const ElementPair& pair, std::size_t j, double s) {
  double sum = 0.0;
  for (std::size_t g = 0; g < pair.points.size(); ++g) {
    sum += s * pair.weights[g] * lagrange(pair.points, j, s * pair.points[g]);
  }
  return sum;
}

}  // namespace

void ElementPair::calc_shape(double s, double* values) const {
  const std::vector<double> nodes = nodes_of(*this);
  for (std::size_t j = 0; j < nodes.size(); ++j) values[j] = lagrange(nodes, j, s);
}

void ElementPair::calc_shape_slope(double s, double* values) const {
  const std::vector<double> nodes = nodes_of(*this);
  for (std::size_t j = 0; j < nodes.size(); ++j) values[j] = lagrange_slope(nodes, j, s);
}

void ElementPair::calc_point_shape(double s, double* values) const {
  for (std::size_t j = 0; j < points.size(); ++j) values[j] = lagrange(points, j, s);
}

void ElementPair::calc_integrals_of_point_values(double s, double* values) const {
  for (std::size_t j = 0; j < points.size(); ++j) values[j] = integral_to(*this, j, s);
}

std::string_view first_pair(std::string_view pair) { return pair == kAutomaticPair ? kFirstPair : pair; }

std::string name_of_degree(int degree) {
  return element_pair_names()[static_cast<std::size_t>(degree - kLeastDegree)];
}

ElementPair make_element_pair(std::string_view name, TestFunctions tests) {
  const auto& names = element_pair_names();
  const auto found = std::find(names.begin(), names.end(), name);
  assert(found != names.end());
  ElementPair pair;
  pair.name = name;
  pair.degree = kLeastDegree + static_cast<int>(found - names.begin());
  set_gauss_points(pair);
  if (tests == TestFunctions::kUpwind) set_radau_points(pair);
  for (const double point : pair.points) {
    for (std::size_t j = 0; j < pair.points.size(); ++j) pair.integral.push_back(integral_to(pair, j, point));
  }
  const std::vector<double> nodes = nodes_of(pair);
  for (const double point : pair.points) {
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      pair.derivative.push_back(lagrange_slope(nodes, j, point));
    }
  }
  for (std::size_t j = 0; j < nodes.size(); ++j) pair.at_end.push_back(lagrange(nodes, j, 1.0));
  return pair;
}

}  // namespace sestina
