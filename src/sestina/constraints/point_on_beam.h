// A point of a body that slides along the axis of a beam or cable (a sliding joint).
//
// With s the arc length of the unstressed axis, element k from s_k to s_{k+1} = s_k + h, x = (s - s_k)/h, and
// r_k, e_k position and slope of the axis at node k, the axis is the cubic of flexible/cable_element.h:
//   r(s) = S_1 r_k + S_2 e_k + S_3 r_{k+1} + S_4 e_{k+1}                                                (1)
// The slope of a cable is a coordinate; that of a beam is the section's x-axis. The axis has a continuous
// tangent, so that the point passes from element to element without an impact. Beyond the ends of an open
// axis the line is straight: a run that leaves it ends.
//
// With p the position of the point, ' for d/ds and dots for rates at fixed s, the point is at the parameter s
// with
//   (p - r(s)).r'(s) = 0                                                                                (2)
// as of a point on a curve (point_on_curve.h): s starts from that of the last accepted step, and counts turns
// of a closed cable. With unit vectors n_1, n_2 perpendicular to r' and to each other:
//   g    = n.(p - r)                                                                                    (3)
//   g_t  = n.(v - rdot),   where g = 0                                                                  (4)
//   g_tt = n.(a - rddot - 2 rdot' s_t - r'' s_t^2),   s_t = (v - rdot).r'/|r'|^2,   where g_t = 0       (5)
// The force is perpendicular to the line: nothing resists sliding. n_1 = up x r'/|up x r'|, with `up` the
// z-axis of the beam's sections, or for a cable, whose sections have no axes, the axis of the ground that is
// farthest from its slopes at the start.
//
// The multipliers are the force on the point (N) along n_1 and n_2.
//
// All nodes take part, those of other elements with zero weights: the bodies on which a row acts must not
// change.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "sestina/constraints/point_on_curve.h"
#include "sestina/flexible/cable_element.h"

namespace sestina {

template <class T>
struct PointOnBeam {
  Marker<T> point;                    // P
  std::vector<FrameIndex> nodes;      // of a closed cable, the last one is not listed again
  std::vector<int> slope_q, slope_u;  // of a cable, by node
  std::vector<T> stations;            // s of the nodes, m; one more than there are elements
  bool is_closed = false;
  int up = 2;     // of a cable: axis of the ground, 0, 1 or 2
  int place = 0;  // of s, among the parameters of curves
  int first_row = 0, first_pair = 0, first_term = 0;

  static constexpr int kRows = 2;
  bool is_cable() const { return !slope_q.empty(); }
  int elements() const { return static_cast<int>(stations.size()) - 1; }
};

// The weights of (1) and of its derivatives with respect to s, in an element or beyond an end.
template <class T>
struct BeamPlace {
  std::size_t a = 0, b = 0;  // its nodes
  std::array<T, 4> S{}, first{}, second{};
  T x{};  // from 0 at a to 1 at b
};

template <class T>
BeamPlace<T> find_beam_place(const PointOnBeam<T>& on, const T& s) {
  const T length = on.stations.back();
  T at = s;
  if (on.is_closed) at -= T(std::floor(value_of(s) / value_of(length))) * length;
  std::size_t k = 0;
  while (k + 2 < on.stations.size() && value_of(at) >= value_of(on.stations[k + 1])) ++k;
  const T h = on.stations[k + 1] - on.stations[k];
  BeamPlace<T> place;
  place.a = k, place.b = (k + 1) % on.nodes.size();
  place.x = (at - on.stations[k]) / h;
  if (value_of(place.x) < 0.0) {
    place.S = {T(1), place.x * h, T(0), T(0)}, place.first = {T(0), T(1), T(0), T(0)};
  } else if (value_of(place.x) > 1.0) {
    place.S = {T(0), T(0), T(1), (place.x - T(1)) * h}, place.first = {T(0), T(0), T(0), T(1)};
  } else {
    place.S = cable_element::shapes(place.x, h);
    place.first = cable_element::first_derivatives(place.x, h);
    place.second = cable_element::second_derivatives(place.x, h);
  }
  return place;
}

// Positions and slopes of all nodes, or their rates.
template <class T>
class BeamNodes {
 public:
  BeamNodes(const PointOnBeam<T>& on, const T* q, const T* u, const FrameMotion<T>* frames)
      : on_(on), q_(q), u_(u), frames_(frames) {}

  const FrameMotion<T>& frame(std::size_t k) const { return frames_[on_.nodes[k].value()]; }
  const Vec3<T>& position(std::size_t k) const { return frame(k).X_WB.p; }
  const Vec3<T>& velocity(std::size_t k) const { return frame(k).V_WB.v; }
  Vec3<T> slope(std::size_t k) const {
    return on_.is_cable() ? three(q_ + on_.slope_q[k]) : frame(k).X_WB.R.column(0);
  }
  Vec3<T> slope_rate(std::size_t k) const {
    return on_.is_cable() ? three(u_ + on_.slope_u[k]) : cross(frame(k).V_WB.w, slope(k));
  }
  // Returns the acceleration of the slope for udot = 0.
  Vec3<T> slope_bias(std::size_t k) const {
    return on_.is_cable() ? Vec3<T>{} : cross(frame(k).V_WB.w, slope_rate(k));
  }
  CableNodes<T> shape(const BeamPlace<T>& at) const {
    return {position(at.a), slope(at.a), position(at.b), slope(at.b)};
  }
  CableNodes<T> rates(const BeamPlace<T>& at) const {
    return {velocity(at.a), slope_rate(at.a), velocity(at.b), slope_rate(at.b)};
  }
  CurvePoint<T> point(const T& s) const {
    const BeamPlace<T> at = find_beam_place(on_, s);
    const CableNodes<T> e = shape(at);
    return {cable_element::interpolate(at.S, e), cable_element::interpolate(at.first, e),
            cable_element::interpolate(at.second, e)};
  }

 private:
  static Vec3<T> three(const T* x) { return {x[0], x[1], x[2]}; }

  const PointOnBeam<T>& on_;
  const T *q_, *u_;
  const FrameMotion<T>* frames_;
};

// The directions n_1 and n_2 at a place, ground axes.
template <class T>
std::array<Vec3<T>, 2> find_beam_normals(const PointOnBeam<T>& on, const BeamNodes<T>& nodes,
                                         const BeamPlace<T>& at, const Vec3<T>& slope) {
  std::array<Vec3<T>, 2> normals;
  const Vec3<T> tangent = (T(1) / norm(slope)) * slope;
  if (on.is_cable()) {
    find_curve_normals(tangent, on.up, normals[0], normals[1]);
    return normals;
  }
  const Vec3<T> up =
      (T(1) - at.x) * nodes.frame(at.a).X_WB.R.column(2) + at.x * nodes.frame(at.b).X_WB.R.column(2);
  const Vec3<T> sideways = cross(up, tangent);
  normals[0] = (T(1) / norm(sideways)) * sideways;
  normals[1] = cross(tangent, normals[0]);
  return normals;
}

// Adds the parts of a row that act on the nodes: the force -S n on each, and the part of its slope.
template <class T>
void set_beam_side(const PointOnBeam<T>& on, const BeamNodes<T>& nodes, const BeamPlace<T>& at, int i,
                   const Vec3<T>& n, ConstraintRow<T>& row, FramePair<T>* pairs, SpeedTerm<T>* terms) {
  const int count = static_cast<int>(on.nodes.size());
  row.first_pair = on.first_pair + i * count, row.pairs = count;
  row.first_term = on.first_term + 3 * i * count, row.terms = on.is_cable() ? 3 * count : 0;
  for (std::size_t k = 0; k < on.nodes.size(); ++k) {
    const bool is_a = k == at.a, is_b = k == at.b;
    const T of_position = is_a ? at.S[0] : is_b ? at.S[2] : T(0);
    const T of_slope = is_a ? at.S[1] : is_b ? at.S[3] : T(0);
    FramePair<T>& pair = pairs[row.first_pair + static_cast<int>(k)];
    pair.a = FrameIndex(0), pair.b = on.nodes[k];
    pair.arm_a = nodes.position(k), pair.arm_b = {};
    pair.force = {{}, -(of_position * n)};
    if (on.is_cable()) {
      for (int x = 0; x < 3; ++x) {
        terms[row.first_term + 3 * static_cast<int>(k) + x] = {on.slope_u[k] + x, -(of_slope * n[x])};
      }
    } else {
      pair.force.torque = -(of_slope * cross(nodes.slope(k), n));
    }
  }
}

// Fills two rows, their pairs and terms. s: on entry the value of the last accepted step, on return the
// present one.
template <class T>
void update_point_on_beam(const PointOnBeam<T>& on, const T* q, const T* u, const FrameMotion<T>* frames,
                          T& s, ConstraintRow<T>* rows, FramePair<T>* pairs, SpeedTerm<T>* terms) {
  const BeamNodes<T> nodes(on, q, u, frames);
  const MarkerMotion<T> moving = marker_motion(frames, on.point);
  const Vec3<T>&p = moving.position, &w = frames[on.point.frame.value()].V_WB.w;
  const CurvePoint<T> point = find_closest_point(
      p, [&](const T& at) { return nodes.point(at); }, s);
  const BeamPlace<T> at = find_beam_place(on, s);
  const CableNodes<T> rates = nodes.rates(at);
  const Vec3<T> v = moving.velocity - cable_element::interpolate(at.S, rates);
  const T s_rate = dot(v, point.by_s) / dot(point.by_s, point.by_s);
  const Vec3<T> turning = at.S[1] * nodes.slope_bias(at.a) + at.S[3] * nodes.slope_bias(at.b);
  const Vec3<T> of_turning = cross(w, cross(w, moving.arm)) - turning;
  const Vec3<T> of_sliding =
      s_rate * (T(2) * cable_element::interpolate(at.first, rates) + s_rate * point.by_ss);
  const std::array<Vec3<T>, 2> normals = find_beam_normals(on, nodes, at, point.by_s);
  for (int i = 0; i < PointOnBeam<T>::kRows; ++i) {
    const Vec3<T>& n = normals[static_cast<std::size_t>(i)];
    ConstraintRow<T>& row = rows[i];
    row.a = FrameIndex(0), row.b = on.point.frame;
    row.force = {{}, n};
    row.arm_a = p, row.arm_b = moving.arm;
    set_beam_side(on, nodes, at, i, n, row, pairs, terms);
    row.error = dot(n, p - point.c);             // (3)
    row.velocity = dot(n, v);                    // (4)
    row.bias = dot(n, of_turning - of_sliding);  // (5)
  }
}

}  // namespace sestina
