// Tips of beams, from the differential equations of the rod, integrated from the clamp and shot at the tip
// (Runge-Kutta of order 8, relative tolerance 2.5e-14; Newton's residual below 1e-14 of the load):
// independent of any element. Nine digits are given and hold.
#pragma once

#include <cmath>

#include "sestina/flexible/beam_statics.h"

namespace sestina::testing_support {

inline constexpr double kPi = 3.14159265358979323846;

inline double angle_of(double degrees) { return degrees * kPi / 180.0; }

// A straight beam along x with z up, clamped at its first node.
inline BeamStatics clamped_beam(double length, int elements, const BeamSection& section) {
  BeamStatics beam(
      make_beam_mesh(straight_frames({0, 0, 0}, {length, 0, 0}, {0, 0, 1}), length, elements, section));
  beam.clamp(0);
  return beam;
}

// Nachbagauer and others, 2011: L = 2, section 0.1 x 0.5, tip force 5e8 h^3; deflects along y.
inline BeamSection nachbagauer_section() {
  const double h = 0.5, w = 0.1, nu = 0.3, k = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu);
  const double I = w * h * h * h / 12.0;
  return make_section({h * w, I, I, I, k, k}, {2.07e11, nu, 0.0});
}
inline constexpr double kNachbagauerForce = 5e8 * 0.5 * 0.5 * 0.5;
inline constexpr double kNachbagauerShortening = 0.150971144239, kNachbagauerDeflection = 0.710568597854;

// Princeton beam: F at the angle beta from the stiff axis, which is y.
inline constexpr double kPrincetonLength = 0.508;
inline BeamSection princeton_section() {
  const double h = 12.3777e-3, w = 3.2024e-3;
  const double stiff = w * h * h * h / 12.0, weak = h * w * w * w / 12.0;
  return make_section({h * w, weak, stiff, 0.198 * (stiff + weak), 1.0, 1.0}, {71.7e9, 0.31, 0.0});
}
struct PrincetonTip {
  double force, beta;  // N, degrees
  double y, z;         // mm
};
inline constexpr PrincetonTip kPrincetonTips[] = {{4.448, 0, 5.358219408, 0.0},
                                                  {4.448, 15, 5.211222901, 20.808367211},
                                                  {4.448, 30, 4.757605550, 39.959864771},
                                                  {4.448, 45, 3.976433782, 56.063500665},
                                                  {4.448, 60, 2.874159030, 68.131946682},
                                                  {4.448, 75, 1.510624945, 75.569032987},
                                                  {4.448, 90, 0.0, 78.077269066},
                                                  {8.896, 0, 10.712764794, 0.0},
                                                  {8.896, 15, 10.643581436, 42.192448630},
                                                  {8.896, 30, 10.207613789, 79.547377120},
                                                  {8.896, 45, 8.979196723, 109.113115255},
                                                  {8.896, 60, 6.742044151, 129.957858888},
                                                  {8.896, 75, 3.621978706, 142.218169895},
                                                  {8.896, 90, 0.0, 146.252357201},
                                                  {13.345, 0, 16.061178877, 0.0},
                                                  {13.345, 15, 16.577651973, 64.734218007},
                                                  {13.345, 30, 16.989798933, 118.179534218},
                                                  {13.345, 45, 15.621149906, 156.774617721},
                                                  {13.345, 60, 11.963545832, 182.003786208},
                                                  {13.345, 75, 6.470335303, 196.138733764},
                                                  {13.345, 90, 0.0, 200.683960608}};

// Bathe and Bolourchi's bend: an eighth of a circle of radius 100 in the x-y plane, 1 x 1, E = 1e7, nu = 0,
// force along z.
struct BendTip {
  double J, force;  // m^4, N
  double x, y, z;   // m: along the first tangent, towards the centre, along the load
};
inline constexpr BendTip kBendTips[] = {{1.0 / 6, 150, 66.366010287, 26.695524568, 25.104996880},
                                        {1.0 / 6, 300, 58.779122490, 22.244780945, 40.191891670},
                                        {1.0 / 6, 450, 52.238558011, 18.508178925, 48.502927344},
                                        {1.0 / 6, 600, 47.150438574, 15.684800534, 53.474858792},
                                        {0.140577, 150, 66.237174048, 26.622316951, 25.414466249},
                                        {0.140577, 300, 58.535932621, 22.112614520, 40.480261580},
                                        {0.140577, 450, 51.969717355, 18.369275643, 48.704788628},
                                        {0.140577, 600, 46.891924781, 15.557785824, 53.607369266}};
inline BeamFrames bend_frames(double R = 100.0) {
  return curve_frames(
      [R](double s) {
        return Vec3<double>{R * std::sin(s / R), R * (1.0 - std::cos(s / R)), 0.0};
      },
      [R](double s) {
        return Vec3<double>{std::cos(s / R), std::sin(s / R), 0.0};
      },
      {0, 0, 1});
}

}  // namespace sestina::testing_support
