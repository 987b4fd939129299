// The equations of a hydraulic cylinder between two markers.
//
//   from o====[ p1, V1 |==piston==| p2, V2 ]-----o to        L: distance of the markers, L' its rate
//             head side               rod side
//
// Chambers, with stroke s = L - retracted_length:
//   V1 = head_volume + A1 s                                                                           (1)
//   V2 = rod_volume + A2 (stroke - s)                                                                 (2)
// Flow (m^3/s) into a chamber of pressure p through a valve with opening v: for v > 0 it connects the chamber
// with the supply p_s, for v < 0 with the tank p_t, by an orifice, k = C_d A sqrt(2/density) at v = 1:
//   Q(v, p) = k (max(v, 0) r(p_s - p) + min(v, 0) r(p - p_t))                                         (3)
//   r(d) = d/(d^2 + e^2)^(1/4)       sign(d) sqrt(|d|), but laminar (linear) where |d| is below e     (4)
// Pressures, with the bulk modulus K of oil and walls and leakage c past the piston, c (p1 - p2):
//   p1' = K/V1 (Q(v1, p1) - c (p1 - p2) - A1 L')                                                      (5)
//   p2' = K/V2 (Q(v2, p2) + c (p1 - p2) + A2 L')                                                      (6)
// Force that pushes the markers apart:
//   A1 p1 - A2 p2 - damping L'                                                                        (7)
// Source: H. E. Merritt, Hydraulic Control Systems (1967), sections 3.2 and 6.1.
//
// Pressures are states of the model. (A1 p1 - A2 p2) L' is power that is supplied to the mechanism, damping
// L'^2 is dissipated. model/freeze_hydraulics.cpp evaluates the equations with symbols; their derivatives
// are those of expressions.
#pragma once

#include <cmath>

namespace sestina {

template <class T>
struct HydraulicActuator {
  T head_area{};         // m^2: A1
  T rod_area{};          // m^2: A2, piston less rod
  T retracted_length{};  // m
  T stroke{};            // m
  T head_volume{};       // m^3: hose and dead volume
  T rod_volume{};        // m^3
  T bulk_modulus{};      // Pa: K
  T valve_flow{};        // m^3/(s Pa^0.5): k
  T supply_pressure{};   // Pa: p_s
  T tank_pressure{};     // Pa: p_t
  T laminar_pressure{};  // Pa: e
  T leakage{};           // m^3/(s Pa): c
  T initial_p1{};        // Pa
  T initial_p2{};        // Pa

  struct Pressures {
    T p1, p2;  // Pa, or Pa/s
  };
  struct Input {
    T length, rate;  // m, m/s: L, L'
    T v1, v2;        // openings of the valves of both chambers
    Pressures now;
  };

  Pressures rates(const Input& in) const {
    using std::max;
    const T s = in.length - retracted_length;
    // The rates of an empty chamber are not finite, so that the run ends there.
    const T V1 = max(head_volume + head_area * s, T(0));           // (1)
    const T V2 = max(rod_volume + rod_area * (stroke - s), T(0));  // (2)
    const T leak = leakage * (in.now.p1 - in.now.p2);
    return {bulk_modulus / V1 * (flow(in.v1, in.now.p1) - leak - head_area * in.rate),  // (5)
            bulk_modulus / V2 * (flow(in.v2, in.now.p2) + leak + rod_area * in.rate)};  // (6)
  }
  // Returns (7) without damping.
  T thrust(const Pressures& now) const { return head_area * now.p1 - rod_area * now.p2; }  // (7)

 private:
  T flow(const T& v, const T& p) const {
    using std::max, std::min;
    return valve_flow *
           (max(v, T(0)) * root(supply_pressure - p) + min(v, T(0)) * root(p - tank_pressure));  // (3)
  }
  T root(const T& d) const {
    using std::sqrt;
    return d / sqrt(sqrt(d * d + laminar_pressure * laminar_pressure));  // (4)
  }
};

}  // namespace sestina
