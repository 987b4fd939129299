// Friction of a coordinate by bristles (LuGre), with a true stick state, presliding and Stribeck's effect.
//
// z is the mean deflection of the bristles, a state of the model; u the speed of the coordinate:
//   z'  = u - sigma0 |u| z/g(u)                                                                       (1)
//   g   = coulomb_friction + (static_friction - coulomb_friction) exp(-(u/stribeck_speed)^2)          (2)
//   tau = -(sigma0 z + sigma1 z' + sigma2 u)                                                          (3)
// At constant speed sigma0 |z| = g(u). The bristles store sigma0 z^2/2. The rest of the power -tau u,
//   sigma0^2 |u| z^2/g + sigma1 z' u + sigma2 u^2                                                     (4)
// is dissipated. Its second term may be negative; the least sum over z is
//   |u| ((sigma1 + sigma2) |u| - sigma1^2 u^2/(4 g)),                                                 (5)
// so that the law takes no energy from nothing while |u| <= 4 g (sigma1 + sigma2)/sigma1^2.
//
// Source: C. Canudas de Wit, H. Olsson, K. J. Astrom, P. Lischinsky, IEEE Trans. Automatic Control 40 (1995)
// 419-425; (5) is the minimum of (4), with (1), over z.
#pragma once

#include "sestina/forces/force.h"

namespace sestina {

template <class T>
struct LugreFriction : ForceElement<T> {
  int u = 0, bristle = 0;  // index of the speed, and of z among the states
  T sigma0{};              // N m/rad or N/m
  T sigma1{};              // N m s/rad or N s/m
  T sigma2{};              // N m s/rad or N s/m
  T coulomb_friction{};    // N m or N
  T static_friction{};     // N m or N
  T stribeck_speed{};      // rad/s or m/s

  void add_force(const ForceInput<T>& in, ForceOutput<T>& out) const {
    const T z_rate = rate(in);
    out.tau[u] -= sigma0 * in.x[bristle] + sigma1 * z_rate + sigma2 * in.u[u];  // (3)
    out.rates[bristle] = z_rate;
  }
  T potential_energy(const ForceInput<T>& in) const {
    return T(0.5) * sigma0 * in.x[bristle] * in.x[bristle];
  }
  T dissipated_power(const ForceInput<T>& in) const {
    const T &z = in.x[bristle], &v = in.u[u], z_rate = rate(in);
    return sigma0 * z * (v - z_rate) + (sigma1 * z_rate + sigma2 * v) * v;  // (4)
  }

 private:
  // (1) and (2)
  T rate(const ForceInput<T>& in) const {
    const T& v = in.u[u];
    const T part = v / stribeck_speed;
    const T g = coulomb_friction + (static_friction - coulomb_friction) * exp(-(part * part));
    const T speed = value_of(v) < 0.0 ? -v : v;
    return v - sigma0 * speed * in.x[bristle] / g;
  }
};

}  // namespace sestina
