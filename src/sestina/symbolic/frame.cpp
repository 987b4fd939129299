#include "sestina/symbolic/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "sestina/base/error.h"
#include "sestina/symbolic/frame_tree.h"
#include "sestina/symbolic/mechanics.h"

namespace sestina::symbolic {
namespace {

// Returns R with v_parent = R v_child for a rotation about one of the three axes.
Matrix3 simple_rotation(std::size_t axis, const Expression& angle) {
  const std::size_t j = (axis + 1) % 3, k = (axis + 2) % 3;
  const Expression s = sin(angle), c = cos(angle);
  Matrix3 R;
  R[axis][axis] = 1;
  R[j][j] = c;
  R[k][k] = c;
  R[j][k] = -s;
  R[k][j] = s;
  return R;
}

// Rodrigues' formula about a unit vector: 1 + sin [a]x + (1 - cos) [a]x^2.
Matrix3 general_rotation(const Triple& a, const Expression& angle) {
  const Expression s = sin(angle), c = cos(angle);
  Matrix3 R;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    R[i][i] = c + (1 - c) * a[i] * a[i];
    R[i][j] = (1 - c) * a[i] * a[j] - s * a[k];
    R[j][i] = (1 - c) * a[i] * a[j] + s * a[k];
  }
  return R;
}

std::array<std::size_t, 3> read_order(std::string_view order) {
  std::array<std::size_t, 3> axes{};
  bool is_good = order.size() == 3;
  for (std::size_t i = 0; is_good && i < 3; ++i) {
    const std::size_t at = std::string_view("123xyzXYZ").find(order[i]);
    is_good = at != std::string_view::npos && (i == 0 || axes[i - 1] != at % 3);
    axes[i] = at % 3;
  }
  if (!is_good) {
    throw InputError(
        fmt::format("'{}' is not an order of rotations; allowed are three axes such as 123 or ZXZ, no two "
                    "neighbours alike",
                    order));
  }
  return axes;
}

Triple kept_exact(Mechanics& mechanics, const Triple& angles) {
  return {mechanics.keep_exact(angles[0]), mechanics.keep_exact(angles[1]), mechanics.keep_exact(angles[2])};
}

// Returns the angular velocity of a body-fixed sequence in the axes of the last frame.
Triple sequence_velocity(Mechanics& mechanics, const Triple& angles, const std::array<std::size_t, 3>& axes) {
  Triple w;
  for (std::size_t i = 0; i < 3; ++i) {
    if (i > 0) w = multiply_transposed(simple_rotation(axes[i], angles[i]), w);
    w[axes[i]] += mechanics.rate(angles[i]);
  }
  return w;
}

// Returns the value of a constant; only the user knows relations between symbols.
std::optional<double> number_of(Mechanics& mechanics, const Expression& e) {
  return mechanics.graph().constant_value(e.in(mechanics.graph()));
}
constexpr double kRoundOff = 1e-9;

void check_rotation(Mechanics& mechanics, const std::string& frame, const Matrix3& R) {
  std::array<std::array<double, 3>, 3> n{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const auto number = number_of(mechanics, R[i][j]);
      if (!number) return;
      n[i][j] = *number;
    }
  }
  // The third column is the cross product of the other two, and rows have the products of unit vectors.
  double apart = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    apart = std::max(apart, std::abs(n[j][0] * n[k][1] - n[k][0] * n[j][1] - n[i][2]));
    for (std::size_t m = 0; m < 3; ++m) {
      const double product = n[i][0] * n[m][0] + n[i][1] * n[m][1] + n[i][2] * n[m][2];
      apart = std::max(apart, std::abs(product - (i == m ? 1.0 : 0.0)));
    }
  }
  if (apart <= kRoundOff) return;
  throw InputError(fmt::format(
      "the direction cosines of frame {} are not a rotation: allowed are orthogonal unit columns, "
      "right-handed (they are off by {:.1e})",
      frame, apart));
}

void check_norm(Mechanics& mechanics, const std::string& frame, const std::array<Expression, 4>& e) {
  double norm2 = 0.0;
  for (const Expression& part : e) {
    const auto number = number_of(mechanics, part);
    if (!number) return;
    norm2 += *number * *number;
  }
  if (std::abs(norm2 - 1.0) <= kRoundOff) return;
  throw InputError(fmt::format("the Euler parameters of frame {} have the norm {:.6g}, which must be 1",
                               frame, std::sqrt(norm2)));
}

// Rotations about fixed axes are those about moving axes in the opposite order.
Triple reversed(const Triple& angles) { return {angles[2], angles[1], angles[0]}; }
std::string reversed(std::string_view order) { return {order.rbegin(), order.rend()}; }

}  // namespace

const std::string& ReferenceFrame::name() const { return mechanics_->frames().name(index_); }

void ReferenceFrame::orient_axis(const ReferenceFrame& parent, const Vector& axis,
                                 const Expression& given_angle) const {
  const Expression angle = mechanics_->keep_exact(given_angle);
  // An axis written in this frame has the same measure numbers in the parent.
  const bool is_own = axis.parts().size() == 1 && axis.parts()[0].frame == index_;
  const Triple a = is_own ? axis.parts()[0].xyz : axis.to_matrix(parent);
  const auto filled = std::count_if(a.begin(), a.end(), [](const Expression& e) { return !e.is_zero(); });
  if (filled == 0) throw InputError(fmt::format("the axis about which frame {} turns is zero", name()));
  for (const Expression& e : a) {
    if (mechanics_->rate(e).is_zero()) continue;
    throw InputError(
        fmt::format("the axis about which frame {} turns is not fixed in frame {}", name(), parent.name()));
  }
  Triple unit = a;
  FrameTree& frames = mechanics_->frames();
  if (filled == 1) {
    std::size_t i = 0;
    while (a[i].is_zero()) ++i;
    const bool is_negative = a[i] == Expression(-1);
    if (!is_negative && !a[i].is_one())
      throw InputError("an axis along a coordinate axis is the unit vector there");
    frames.orient(parent.index_, index_, simple_rotation(i, is_negative ? -angle : angle));
  } else {
    // Keeps the root of a number as a root.
    Graph& graph = mechanics_->graph();
    unit = scale(a, 1 / sqrt(mechanics_->wrap(symbolic::dot(a, a).in(graph))));
    frames.orient(parent.index_, index_, general_rotation(unit, angle));
  }
  frames.set_angular_velocity(index_, parent.index_, Vector(parent, scale(unit, mechanics_->rate(angle))),
                              true);
}

void ReferenceFrame::orient_body_fixed(const ReferenceFrame& parent, const Triple& given_angles,
                                       std::string_view order) const {
  const auto axes = read_order(order);
  const Triple angles = kept_exact(*mechanics_, given_angles);
  const Matrix3 first = multiply(simple_rotation(axes[0], angles[0]), simple_rotation(axes[1], angles[1]));
  mechanics_->frames().orient(parent.index_, index_, multiply(first, simple_rotation(axes[2], angles[2])));
  const Vector w(*this, sequence_velocity(*mechanics_, angles, axes));
  mechanics_->frames().set_angular_velocity(index_, parent.index_, w, true);
}

void ReferenceFrame::orient_space_fixed(const ReferenceFrame& parent, const Triple& angles,
                                        std::string_view order) const {
  orient_body_fixed(parent, reversed(angles), reversed(order));
}

void ReferenceFrame::orient_quaternion(const ReferenceFrame& parent,
                                       const std::array<Expression, 4>& e) const {
  const auto& [e0, e1, e2, e3] = e;
  check_norm(*mechanics_, name(), e);
  const Matrix3 R = {
      {{e0 * e0 + e1 * e1 - e2 * e2 - e3 * e3, 2 * (e1 * e2 - e0 * e3), 2 * (e0 * e2 + e1 * e3)},
       {2 * (e1 * e2 + e0 * e3), e0 * e0 - e1 * e1 + e2 * e2 - e3 * e3, 2 * (e2 * e3 - e0 * e1)},
       {2 * (e1 * e3 - e0 * e2), 2 * (e0 * e1 + e2 * e3), e0 * e0 - e1 * e1 - e2 * e2 + e3 * e3}}};
  mechanics_->frames().orient(parent.index_, index_, R);
  // w = 2 (e0 e' - e0' e - e x e') in the axes of this frame
  const Triple v = {e1, e2, e3};
  const Triple rate = {mechanics_->rate(e1), mechanics_->rate(e2), mechanics_->rate(e3)};
  const Triple turned = scale(symbolic::cross(v, rate), -1);
  const Triple half = add(add(scale(rate, e0), scale(v, -mechanics_->rate(e0))), turned);
  mechanics_->frames().set_angular_velocity(index_, parent.index_, Vector(*this, scale(half, 2)), true);
}

void ReferenceFrame::orient_explicit(const ReferenceFrame& parent, const Matrix3& dcm) const {
  check_rotation(*mechanics_, name(), dcm);
  mechanics_->frames().orient(parent.index_, index_, dcm);
  // [w]x = R^T R' in the axes of this frame
  Matrix3 rate;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) rate[i][j] = mechanics_->rate(dcm[i][j]);
  }
  const Matrix3 W = multiply(transpose(dcm), rate);
  mechanics_->frames().set_angular_velocity(index_, parent.index_, Vector(*this, {W[2][1], W[0][2], W[1][0]}),
                                            true);
}

ReferenceFrame ReferenceFrame::orientnew(std::string_view name, const Expression& angle,
                                         const Vector& axis) const {
  const ReferenceFrame frame = mechanics_->frame(name);
  try {
    frame.orient_axis(*this, axis, angle);
  } catch (...) {
    mechanics_->frames().remove_last();  // so that the name stays free
    throw;
  }
  return frame;
}

Matrix3 ReferenceFrame::dcm(const ReferenceFrame& other) const {
  return mechanics_->frames().dcm(index_, other.index_);
}

Vector ReferenceFrame::ang_vel_in(const ReferenceFrame& other) const {
  return mechanics_->frames().angular_velocity(index_, other.index_);
}

void ReferenceFrame::set_ang_vel(const ReferenceFrame& other, const Vector& value) const {
  mechanics_->frames().set_angular_velocity(index_, other.index_, value, false);
}

Vector ReferenceFrame::ang_acc_in(const ReferenceFrame& other) const {
  return mechanics_->frames().angular_acceleration(index_, other.index_);
}

void ReferenceFrame::set_ang_acc(const ReferenceFrame& other, const Vector& value) const {
  mechanics_->frames().set_angular_acceleration(index_, other.index_, value);
}

std::vector<Vector> ReferenceFrame::partial_velocity(const ReferenceFrame& other,
                                                     std::span<const Expression> speeds) const {
  const Vector w = ang_vel_in(other);
  std::vector<Vector> partials;
  for (const Expression& u : speeds) partials.push_back(w.diff(u, other));
  return partials;
}

Triple kinematic_equations_body(Mechanics& mechanics, const Triple& speeds, const Triple& angles,
                                std::string_view order) {
  const Triple w = sequence_velocity(mechanics, kept_exact(mechanics, angles), read_order(order));
  return {w[0] - speeds[0], w[1] - speeds[1], w[2] - speeds[2]};
}

Triple kinematic_equations_space(Mechanics& mechanics, const Triple& speeds, const Triple& angles,
                                 std::string_view order) {
  return kinematic_equations_body(mechanics, speeds, reversed(angles), reversed(order));
}

std::array<Expression, 4> kinematic_equations_quaternion(Mechanics& mechanics, const Triple& speeds,
                                                         const std::array<Expression, 4>& e) {
  const Triple v = {e[1], e[2], e[3]};
  const Triple rate = add(scale(speeds, e[0]), symbolic::cross(v, speeds));
  const Expression half = fraction(1, 2);
  return {mechanics.rate(e[0]) + half * symbolic::dot(v, speeds), mechanics.rate(e[1]) - half * rate[0],
          mechanics.rate(e[2]) - half * rate[1], mechanics.rate(e[3]) - half * rate[2]};
}

}  // namespace sestina::symbolic
