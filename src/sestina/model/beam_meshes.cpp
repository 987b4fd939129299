#include "sestina/model/beam_meshes.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <Eigen/LU>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include "sestina/base/error.h"
#include "sestina/constraints/point_on_curve.h"
#include "sestina/model/beam_sections.h"

namespace sestina {
namespace {

// Tolerance within which the parameter of a curve must be its arc length.
constexpr double kUnitSpeed = 1e-6;
// The shortest element, relative to the beam's length.
constexpr double kShortestElement = 1e-6;
// A curve that jumps by more than this, over its length, is refused; the place is found to kJumpPlace of it.
constexpr double kSmallestJump = 1e-6, kJumpPlace = 1e-9;
// Largest distance between the ends of a closed centerline, relative to its length, and difference of the
// tangents there.
constexpr double kSmallestGap = 1e-6, kSmallestKink = 1e-3;

Vec3<double> vector_at(std::span<const double> numbers, int first) {
  const double* const x = numbers.data() + first;
  return {x[0], x[1], x[2]};
}

// The smooth curve through points: a cubic spline in the chord length, with natural ends (zero second
// derivative), and its arc length.
class Spline {
 public:
  explicit Spline(std::vector<Vec3<double>> points) : points_(std::move(points)) {
    chord_.push_back(0.0);
    for (std::size_t i = 1; i < points_.size(); ++i) {
      const double length = norm(points_[i] - points_[i - 1]);
      if (!(length > 0.0)) {
        throw InputError(fmt::format("points {} and {} of the beam's centerline coincide", i - 1, i));
      }
      chord_.push_back(chord_.back() + length);
    }
    find_second_derivatives();
    check_turns();
    find_arc_lengths();
  }

  double length() const { return arc_.back(); }
  // Position and derivative with respect to the chord length, at arc length s.
  std::pair<Vec3<double>, Vec3<double>> at(double s) const {
    std::size_t i = 0;
    while (i + 2 < points_.size() && arc_[i + 1] < s) ++i;
    // Finds the chord length at this arc length by Newton's method.
    const double h = chord_[i + 1] - chord_[i];
    double x = h * (s - arc_[i]) / (arc_[i + 1] - arc_[i]);
    for (int k = 0; k < 30; ++k) {
      const double step = (arc_[i] + arc_within(i, x) - s) / norm(derivative(i, x));
      x -= step;
      if (std::abs(step) < 1e-15 * chord_.back()) break;
    }
    return {position(i, x), derivative(i, x)};
  }

 private:
  // x is the chord length from the beginning of piece i.
  Vec3<double> position(std::size_t i, double x) const {
    const double h = chord_[i + 1] - chord_[i], b = x / h, a = 1.0 - b;
    return a * points_[i] + b * points_[i + 1] +
           (h * h / 6.0) * ((a * a * a - a) * second_[i] + (b * b * b - b) * second_[i + 1]);
  }
  Vec3<double> derivative(std::size_t i, double x) const {
    const double h = chord_[i + 1] - chord_[i], b = x / h, a = 1.0 - b;
    return (1.0 / h) * (points_[i + 1] - points_[i]) +
           (h / 6.0) * ((3.0 * b * b - 1.0) * second_[i + 1] - (3.0 * a * a - 1.0) * second_[i]);
  }
  // The arc length from the beginning of piece i, by five-point Gauss quadrature on eight parts.
  double arc_within(std::size_t i, double x) const {
    constexpr int kParts = 8;
    constexpr double kNodes[] = {0.0, 0.5384693101056831, 0.9061798459386640};
    constexpr double kWeights[] = {0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
    const double half = 0.5 * x / kParts;
    double sum = 0.0;
    for (int part = 0; part < kParts; ++part) {
      const double middle = (2 * part + 1) * half;
      sum += kWeights[0] * norm(derivative(i, middle));
      for (int k = 1; k < 3; ++k) {
        sum += kWeights[k] * (norm(derivative(i, middle - kNodes[k] * half)) +
                              norm(derivative(i, middle + kNodes[k] * half)));
      }
    }
    return half * sum;
  }
  void find_second_derivatives() {
    const auto n = static_cast<Eigen::Index>(points_.size());
    Eigen::MatrixXd A = Eigen::MatrixXd::Identity(n, n), rhs = Eigen::MatrixXd::Zero(n, 3);
    for (Eigen::Index i = 1; i + 1 < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const double before = chord_[k] - chord_[k - 1], after = chord_[k + 1] - chord_[k];
      A(i, i - 1) = before / 6.0, A(i, i) = (before + after) / 3.0, A(i, i + 1) = after / 6.0;
      const Vec3<double> d =
          (1.0 / after) * (points_[k + 1] - points_[k]) - (1.0 / before) * (points_[k] - points_[k - 1]);
      for (int j = 0; j < 3; ++j) rhs(i, j) = d[j];
    }
    const Eigen::MatrixXd x = A.partialPivLu().solve(rhs);
    for (Eigen::Index i = 0; i < n; ++i) second_.push_back({x(i, 0), x(i, 1), x(i, 2)});
  }
  // The curve has no tangent where it turns back on itself.
  void check_turns() const {
    constexpr int kParts = 32;
    for (std::size_t i = 0; i + 1 < points_.size(); ++i) {
      const double h = chord_[i + 1] - chord_[i];
      for (int k = 0; k < kParts; ++k) {
        if (dot(derivative(i, h * k / kParts), derivative(i, h * (k + 1) / kParts)) > 0.0) continue;
        throw InputError(
            fmt::format("the beam's centerline turns back on itself between points {} and {}", i, i + 1));
      }
    }
  }
  void find_arc_lengths() {
    arc_.push_back(0.0);
    for (std::size_t i = 0; i + 1 < points_.size(); ++i) {
      arc_.push_back(arc_.back() + arc_within(i, chord_[i + 1] - chord_[i]));
    }
  }

  std::vector<Vec3<double>> points_, second_;
  std::vector<double> chord_, arc_;
};

class MeshMaker {
 public:
  MeshMaker(const Model& model, const BeamPlan& plan, std::span<const double> numbers,
            std::span<const double> parameters)
      : model_(model),
        plan_(plan),
        numbers_(numbers),
        parameters_(parameters),
        sections_(model, plan, numbers, parameters) {}

  double find_length() const { return find_axis().length; }

  BeamMesh make() const {
    check_stations();
    const Axis axis = find_axis();
    const Vec3<double> up = vector_at(numbers_, plan_.up.first);
    const BeamFrames frames =
        twisted(axis.is_straight ? straight_frames(axis.position(0.0), axis.position(axis.length), up)
                                 : curve_frames(axis.position, axis.tangent, up));
    std::vector<double> stations;
    for (const double station : plan_.stations) stations.push_back(axis.length * station);
    if (plan_.grading < 0) return make_beam_mesh(frames, stations, sections_.find(0.0));
    std::vector<BeamSection> sections;
    for (std::size_t k = 0; k + 1 < stations.size(); ++k) {
      sections.push_back(sections_.find_between(stations[k], stations[k + 1]));
    }
    return make_beam_mesh(frames, stations, sections);
  }

  CableMesh make_cable() const {
    check_stations();
    const Axis axis = find_axis();
    CableMesh mesh;
    for (const double station : plan_.stations) {
      const Vec3<double> tangent = axis.tangent(station * axis.length);
      mesh.positions.push_back(axis.position(station * axis.length));
      mesh.slopes.push_back((1.0 / norm(tangent)) * tangent);
    }
    mesh.is_closed = plan_.is_closed;
    if (mesh.is_closed) close(axis.length, mesh);
    const double pretension = numbers_[static_cast<std::size_t>(plan_.pretension.first)];
    for (std::size_t k = 0; k + 1 < plan_.stations.size(); ++k) {
      CableSegment<double> segment =
          find_cable_section(plan_.stations[k] * axis.length, plan_.stations[k + 1] * axis.length);
      if (!(std::abs(pretension) < segment.EA)) {
        throw InputError(
            fmt::format("the pretension {:.6g} N leaves no natural length: allowed are values between -EA "
                        "and EA, {:.6g} N",
                        pretension, segment.EA));
      }
      segment.length = (plan_.stations[k + 1] - plan_.stations[k]) * axis.length;
      const CableNodes<double> e{mesh.positions[k], mesh.slopes[k], mesh.positions[k + 1],
                                 mesh.slopes[k + 1]};
      set_natural_shape(segment, e, plan_.is_precurved, pretension / segment.EA);
      mesh.segments.push_back(segment);
    }
    check_plane_of_bends(mesh.segments);
    return mesh;
  }

 private:
  // The natural curvature of a cable is fixed in the ground (flexible/cable_element.h).
  static void check_plane_of_bends(const std::vector<CableSegment<double>>& segments) {
    constexpr double kFlat = 1e-6;
    Vec3<double> greatest;
    for (const CableSegment<double>& segment : segments) {
      for (const Vec3<double>& k : segment.k0) greatest = norm(k) > norm(greatest) ? k : greatest;
    }
    double out = 0.0;
    for (const CableSegment<double>& segment : segments) {
      for (const Vec3<double>& k : segment.k0) out = std::max(out, norm(cross(k, greatest)));
    }
    if (out <= kFlat * dot(greatest, greatest)) return;
    throw InputError(fmt::format(
        "a precurved cable has to lie in a plane, and this one bends out of the plane of its sharpest "
        "bend by a curvature of {:.3g}/m; a beam of formulation geometrically_exact does not have to",
        out / norm(greatest)));
  }

  struct Axis {
    std::function<Vec3<double>(double)> position,
        tangent;  // by arc length; only the direction of a tangent matters
    double length = 0.0;
    bool is_straight = false;
  };

  Axis find_axis() const {
    if (plan_.axis == BeamPlan::Axis::kCurve) {
      check_speed();
      check_jumps();
      const auto part = [this](int first) {
        return [this, first](double s) { return vector_at(calc_curve(s), first); };
      };
      return {part(0), part(3), numbers_[static_cast<std::size_t>(plan_.length.first)]};
    }
    std::vector<Vec3<double>> points;
    for (int i = 0; i < plan_.point_count; ++i) {
      points.push_back(vector_at(numbers_, plan_.points.first + 3 * i));
    }
    if (points.size() == 2) {
      const Vec3<double> way = points[1] - points[0], from = points[0], to = points[1];
      const double length = norm(way);
      if (!(length > 0.0)) throw InputError("the beam's axis has no length");
      const auto position = [from, to, way, length](double s) {
        return s == length ? to : from + (s / length) * way;
      };
      return {position, [way](double) { return way; }, length, true};
    }
    const auto spline = std::make_shared<const Spline>(std::move(points));
    return {[spline](double s) { return spline->at(s).first; },
            [spline](double s) { return spline->at(s).second; }, spline->length()};
  }

  // Joins the end to the start if the ends meet with the same tangent.
  static void close(double length, CableMesh& mesh) {
    const double gap = norm(mesh.positions.back() - mesh.positions.front());
    if (!(gap <= kSmallestGap * length)) {
      throw InputError(
          fmt::format("the centerline of the closed cable does not close: its ends are {:.6g} m apart", gap));
    }
    const double kink = norm(mesh.slopes.back() - mesh.slopes.front());
    if (!(kink <= kSmallestKink)) {
      throw InputError(fmt::format(
          "the centerline of the closed cable has a corner of {:.6g} rad where its ends meet", kink));
    }
    mesh.positions.back() = mesh.positions.front(), mesh.slopes.back() = mesh.slopes.front();
  }

  std::vector<double> calc_curve(double s) const {
    return calc_along(model_.beam_curves()[static_cast<std::size_t>(plan_.curve)], s, parameters_);
  }
  BeamFrames twisted(BeamFrames frames) const {
    if (plan_.twist < 0) return frames;
    const BeamCurve& twist = model_.beam_curves()[static_cast<std::size_t>(plan_.twist)];
    return [this, &twist, frames = std::move(frames)](double s) {
      Pose<double> X = frames(s);
      X.R = X.R * axis_rotation(Vec3<double>{1, 0, 0}, calc_checked(twist, s, parameters_)[0]);
      return X;
    };
  }
  void check_stations() const {
    for (std::size_t k = 0; k + 1 < plan_.stations.size(); ++k) {
      const double part = plan_.stations[k + 1] - plan_.stations[k];
      if (part >= kShortestElement) continue;
      throw InputError(
          fmt::format("two points of the beam at {:.9g} of its length are {:.3g} of it apart: put "
                      "them at the same place, or at least {} of it apart",
                      plan_.stations[k], part, kShortestElement));
    }
  }
  void check_speed() const {
    const double length = numbers_[static_cast<std::size_t>(plan_.length.first)];
    for (const double station : plan_.stations) {
      const double speed = norm(vector_at(calc_curve(station * length), 3));
      if (std::abs(speed - 1.0) <= kUnitSpeed) continue;
      if (!std::isfinite(speed)) {
        throw InputError(fmt::format("the beam's curve is not finite at s = {}", station * length));
      }
      throw InputError(
          fmt::format("s of the beam's curve is not its arc length: at s = {} the curve advances by {} for "
                      "each unit of s",
                      station * length, speed));
    }
  }

  // Between neighbouring stations the tangent, integrated by the trapezoidal rule, leads from position to
  // position. Where it does not, the interval is halved until it does; it never does where the curve jumps.
  void check_jumps() const {
    const double length = numbers_[static_cast<std::size_t>(plan_.length.first)];
    for (std::size_t k = 0; k + 1 < plan_.stations.size(); ++k) {
      const double a = plan_.stations[k] * length, b = plan_.stations[k + 1] * length;
      check_jump(a, calc_curve(a), b, calc_curve(b), length);
    }
  }
  void check_jump(double a, const std::vector<double>& at_a, double b, const std::vector<double>& at_b,
                  double length) const {
    const Vec3<double> way = vector_at(at_b, 0) - vector_at(at_a, 0);
    const Vec3<double> expected = (0.5 * (b - a)) * (vector_at(at_a, 3) + vector_at(at_b, 3));
    if (!(norm(way - expected) > kSmallestJump * length)) return;
    const double middle = 0.5 * (a + b);
    if (b - a < kJumpPlace * length) {
      throw InputError(fmt::format("the beam's curve jumps by {:.6g} m at s = {:.6g} m", norm(way), middle));
    }
    const std::vector<double> at_middle = calc_curve(middle);
    check_jump(a, at_a, middle, at_middle, length);
    check_jump(middle, at_middle, b, at_b, length);
  }

  // Stiffnesses, mass and damping of the element from a to b (m).
  CableSegment<double> find_cable_section(double a, double b) const {
    CableSegment<double> segment;
    segment.damping = numbers_[static_cast<std::size_t>(plan_.damping.first)];
    const BeamSection section = sections_.find_between(a, b);
    segment.EA = section.stiffness.m[3][3], segment.EI = section.stiffness.m[1][1];
    segment.mass = section.mass;
    return segment;
  }

  const Model& model_;
  const BeamPlan& plan_;
  std::span<const double> numbers_, parameters_;
  SectionMaker sections_;
};

// Returns what `make` makes. If it throws because the numbers break rules, the faults have their places.
template <class Make>
auto with_places(const Model& model, std::span<const double> numbers, const Make& make) {
  try {
    return make();
  } catch (const InputError&) {
    FaultList faults;
    for (const ValueRule& rule : model.value_rules()) {
      const std::string fault = find_fault(rule, numbers);
      if (!fault.empty()) faults.add(rule.place, fault);
    }
    faults.throw_if_any();
    throw;
  }
}

}  // namespace

BeamMesh calc_beam_mesh(const Model& model, const BeamPlan& plan, std::span<const double> numbers,
                        std::span<const double> parameters) {
  return with_places(model, numbers, [&] { return MeshMaker(model, plan, numbers, parameters).make(); });
}

double calc_beam_length(const Model& model, const BeamPlan& plan, std::span<const double> numbers,
                        std::span<const double> parameters) {
  return MeshMaker(model, plan, numbers, parameters).find_length();
}

CableMesh calc_cable_mesh(const Model& model, const BeamPlan& plan, std::span<const double> numbers,
                          std::span<const double> parameters) {
  return with_places(model, numbers,
                     [&] { return MeshMaker(model, plan, numbers, parameters).make_cable(); });
}

int find_up_axis(const CableMesh& mesh) {
  double largest[3] = {};
  for (const Vec3<double>& slope : mesh.slopes) {
    for (int i = 0; i < 3; ++i) largest[i] = std::max(largest[i], std::abs(slope[i]));
  }
  return find_up_axis(largest);
}

CableNodeInertia calc_cable_node_inertia(const CableMesh& mesh, std::size_t k) {
  const CableMass& unit = CableMass::get();
  CableNodeInertia node;
  const auto add_end = [&](const CableSegment<double>& segment, std::size_t end) {
    const double mass = segment.mass * segment.length;
    node.mass += mass * unit.diagonal[2 * end];
    node.slope += mass * segment.length * segment.length * unit.diagonal[2 * end + 1];
  };
  if (k > 0) add_end(mesh.segments[k - 1], 1);
  if (k < mesh.segments.size()) add_end(mesh.segments[k], 0);
  if (mesh.is_closed && k == 0) add_end(mesh.segments.back(), 1);
  if (mesh.is_closed && k == mesh.segments.size()) add_end(mesh.segments.front(), 0);
  return node;
}

}  // namespace sestina
