// Linear equations of second order of the user's own, coupled to coordinates of joints.
//
// x = (q, s): b coordinates q of joints and n coordinates s of the element, with the velocities v = x'. With
// K symmetric and M symmetric and positive definite,
//   M s'' = f_s - (D v)_s - (K x)_s          n equations                                              (1)
//   tau   = f_q - (D v)_q - (K x)_q          generalised forces on the coordinates of the joints      (2)
// The joints impart no acceleration to the element: mass that moves with them belongs to their bodies.
// Energies and powers, whose sum over (1) and (2) balances:
//   kinetic s'.M s'/2,  potential x.K x/2,  supplied v.f,  dissipated v.D v                           (3)
// An antisymmetric part of D is gyroscopic and dissipates nothing.
//
// s and s' are states of the model. model/freeze_second_order.cpp evaluates SecondOrder with symbols;
// SecondOrderForce takes the values of these expressions.
#pragma once

#include <vector>

#include "sestina/forces/force.h"

namespace sestina {

template <class T>
struct SecondOrder {
  int b = 0, n = 0;
  std::vector<T> M;     // (n x n) by rows
  std::vector<T> D, K;  // (b + n x b + n) by rows; empty: zero

  struct Input {
    std::vector<T> x, v, f;  // (b + n)
  };
  struct Output {
    std::vector<T> tau;           // (b)
    std::vector<T> acceleration;  // (n)
    T kinetic{}, potential{};     // J
    T supplied{}, dissipated{};   // W
  };

  Output evaluate(const Input& in) const {
    const std::size_t rows = index(b + n), start = index(b);
    const std::vector<T> damping = product(D, in.v, rows), elastic = product(K, in.x, rows);
    std::vector<T> r(rows);
    for (std::size_t i = 0; i < rows; ++i) r[i] = in.f[i] - damping[i] - elastic[i];
    const std::vector<T> rate(in.v.begin() + b, in.v.end());
    Output out;
    out.tau.assign(r.begin(), r.begin() + b);
    out.acceleration = solve({r.begin() + b, r.end()});
    out.kinetic = half_of(dot(rate, product(M, rate, rows - start)));
    out.potential = half_of(dot(in.x, elastic));
    out.supplied = dot(in.v, in.f), out.dissipated = dot(in.v, damping);
    return out;
  }

  // Returns the pivots d of M = L diag(d) L^T; all are positive if and only if M is positive definite.
  std::vector<T> pivots() const { return factor().d; }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  static T half_of(const T& a) { return a / T(2); }

  static T dot(const std::vector<T>& a, const std::vector<T>& c) {
    T sum{};
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * c[i];
    return sum;
  }
  static std::vector<T> product(const std::vector<T>& A, const std::vector<T>& x, std::size_t rows) {
    std::vector<T> y(rows);
    if (A.empty()) return y;
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < rows; ++j) y[i] += A[i * rows + j] * x[j];
    }
    return y;
  }

  struct Factor {
    std::vector<T> L;  // below its diagonal of ones, by rows
    std::vector<T> d;
  };
  Factor factor() const {
    const std::size_t size = index(n);
    Factor F{std::vector<T>(size * size), std::vector<T>(size)};
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        T a = M[i * size + j];
        for (std::size_t k = 0; k < j; ++k) a -= F.L[i * size + k] * F.d[k] * F.L[j * size + k];
        if (j == i) {
          F.d[i] = a;
        } else {
          F.L[i * size + j] = a / F.d[j];
        }
      }
    }
    return F;
  }
  std::vector<T> solve(std::vector<T> y) const {
    const Factor F = factor();
    const std::size_t size = y.size();
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t k = 0; k < i; ++k) y[i] -= F.L[i * size + k] * y[k];
    }
    for (std::size_t i = size; i-- > 0;) {
      y[i] = y[i] / F.d[i];
      for (std::size_t k = i + 1; k < size; ++k) y[i] -= F.L[k * size + i] * y[k];
    }
    return y;
  }
};

// The effect of the equations on the joints and on the energy balance: the values of consecutive expressions,
// first those of tau, then kinetic and potential energy, supplied and dissipated power.
template <class T>
struct SecondOrderForce : ForceElement<T> {
  std::vector<int> u;  // the speeds that tau acts on
  int first = 0;       // the first of its expressions

  void add_force(const ForceInput<T>& in, ForceOutput<T>& out) const {
    for (std::size_t i = 0; i < u.size(); ++i) out.tau[u[i]] += in.expressions[first + static_cast<int>(i)];
  }
  T kinetic_energy(const ForceInput<T>& in) const { return after_tau(in, 0); }
  T potential_energy(const ForceInput<T>& in) const { return after_tau(in, 1); }
  T supplied_power(const ForceInput<T>& in) const { return after_tau(in, 2); }
  T dissipated_power(const ForceInput<T>& in) const { return after_tau(in, 3); }

 private:
  const T& after_tau(const ForceInput<T>& in, int k) const {
    return in.expressions[first + static_cast<int>(u.size()) + k];
  }
};

}  // namespace sestina
