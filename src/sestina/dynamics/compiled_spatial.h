// Vectors, forces and inertias of expressions, and their transformations from a link's frame to the next by
// rotations about coordinate axes and shifts along them (compiled_recursion.h).
//
// `by` holds sine and cosine of the angle from the wanted axes to the axes in which a quantity is given,
// about axis k. Axes are 0, 1 and 2; k+1 and k+2 are modulo 3.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "sestina/expression/expression.h"
#include "sestina/spatial/spatial.h"

namespace sestina::compiled {

using E = Expression;
using Vector = Vec3<E>;

inline void turn_pair(E& x, E& y, const SinCos<E>& by) {
  const E old_x = x;
  x = by.cos * x - by.sin * y;
  y = by.sin * old_x + by.cos * y;
}
inline void turn(Vector& a, int k, const SinCos<E>& by) { turn_pair(a[(k + 1) % 3], a[(k + 2) % 3], by); }
inline void turn_back(Vector& a, int k, const SinCos<E>& by) { turn(a, k, {-by.sin, by.cos}); }

// a x e_k
inline Vector cross_axis(const Vector& a, int k) {
  Vector result;
  result[(k + 1) % 3] = a[(k + 2) % 3];
  result[(k + 2) % 3] = -a[(k + 1) % 3];
  return result;
}

// Rotates a 2x2 block about axis k on both sides; `is_symmetric`: ij and ji are the same element:
//   [ii ij; ji jj] -> [ii - s w, c w - ji; c w - ij, jj + s w],   w = s (ii - jj) + c (ij + ji)
inline void turn_block(E& ii, E& jj, E& ij, E& ji, bool is_symmetric, const SinCos<E>& by) {
  const E &c = by.cos, &s = by.sin;
  if (s.is_zero() && (c.is_one() || (-c).is_one())) return;
  if (c.is_zero()) {  // s = 1 or -1
    std::swap(ii, jj);
    const E old = ij;
    ij = -ji;
    ji = is_symmetric ? ij : -old;
    return;
  }
  const E w = s * (ii - jj) + (is_symmetric ? (E(2) * c) * ij : c * (ij + ji));
  const E sw = s * w, cw = c * w;
  ii = ii - sw;
  jj = jj + sw;
  const E old = ij;
  ij = cw - ji;
  ji = is_symmetric ? ij : cw - old;
}

// A symmetric 6x6 matrix [J B; B^T m].
class Inertia {
 public:
  E& operator()(int i, int j) { return at_[place(i, j)]; }
  const E& operator()(int i, int j) const { return at_[place(i, j)]; }

  Inertia& operator+=(const Inertia& b) {
    for (std::size_t k = 0; k < at_.size(); ++k) at_[k] += b.at_[k];
    return *this;
  }

  void turn(int k, const SinCos<E>& by) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    Inertia& I = *this;
    for (const int block : {0, 3}) {
      turn_block(I(block + i, block + i), I(block + j, block + j), I(block + i, block + j),
                 I(block + i, block + j), true, by);
      turn_pair(I(block + i, block + k), I(block + j, block + k), by);
    }
    turn_block(I(i, 3 + i), I(j, 3 + j), I(i, 3 + j), I(j, 3 + i), false, by);
    turn_pair(I(i, 3 + k), I(j, 3 + k), by);
    turn_pair(I(k, 3 + i), I(k, 3 + j), by);
  }

  // Shifts the reference point by -d e_k: B -> B + d e_k x m, and J by the old and the new B.
  void shift(int k, const E& d) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const Inertia old = *this;
    Inertia& I = *this;
    for (int c = 0; c < 3; ++c) {
      I(i, 3 + c) -= d * old(3 + j, 3 + c);
      I(j, 3 + c) += d * old(3 + i, 3 + c);
    }
    I(i, i) -= d * (old(i, 3 + j) + I(i, 3 + j));
    I(j, j) += d * (old(j, 3 + i) + I(j, 3 + i));
    I(i, j) += d * (I(i, 3 + i) - old(j, 3 + j));
    I(i, k) -= d * old(k, 3 + j);
    I(j, k) += d * old(k, 3 + i);
  }

 private:
  static std::size_t place(int i, int j) {
    const int low = std::min(i, j), high = std::max(i, j);
    return static_cast<std::size_t>(high * (high + 1) / 2 + low);
  }
  std::array<E, 21> at_;
};

struct Force {
  Vector torque, force;

  E& operator[](int i) { return i < 3 ? torque[i] : force[i - 3]; }
  void turn_by(int k, const SinCos<E>& by) { turn(torque, k, by), turn(force, k, by); }
  void shift(int k, const E& d) { torque -= d * cross_axis(force, k); }
};

struct Motion {
  Vector w, v;

  E& operator[](int i) { return i < 3 ? w[i] : v[i - 3]; }
};

// Mass (kg), first (kg m) and second moments (kg m^2).
struct Composite {
  E mass;
  Vector first;
  SymMat3<E> second;

  E& second_at(int i, int j) {
    E* const entries[3][3] = {{&second.xx, &second.xy, &second.xz},
                              {&second.xy, &second.yy, &second.yz},
                              {&second.xz, &second.yz, &second.zz}};
    return *entries[i][j];
  }
  void turn_by(int k, const SinCos<E>& by) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    turn_block(second_at(i, i), second_at(j, j), second_at(i, j), second_at(i, j), true, by);
    turn_pair(second_at(i, k), second_at(j, k), by);
    turn(first, k, by);
  }
  void shift(int k, const E& d) {
    const Vector old = first;
    first[k] += d * mass;
    second_at(k, k) += d * (old[k] + first[k]);
    for (const int i : {(k + 1) % 3, (k + 2) % 3}) second_at(i, k) += d * old[i];
  }
  // Returns the force and torque that a unit rotation about axis k, or a unit translation along it, requires.
  Force for_turn(int k) {
    Force f;
    for (int i = 0; i < 3; ++i) f.torque[i] = -second_at(i, k);
    f.torque[k] = second_at((k + 1) % 3, (k + 1) % 3) + second_at((k + 2) % 3, (k + 2) % 3);
    f.force = -cross_axis(first, k);
    return f;
  }
  Force for_slide(int k) const {
    Force f;
    f.torque = cross_axis(first, k);
    f.force[k] = mass;
    return f;
  }
};

}  // namespace sestina::compiled
