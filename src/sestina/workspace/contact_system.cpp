#include "sestina/workspace/contact_system.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sestina/contact/friction_solver.h"
#include "sestina/dynamics/marker_jacobian.h"
#include "sestina/model/properties.h"
#include "sestina/numerics/eigen_vectors.h"

namespace sestina {
namespace {

using Size = Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowsOf = Eigen::Map<const Eigen::Matrix<double, 3, -1, Eigen::RowMajor>>;

constexpr std::size_t kColumns = 4;  // of a contact
constexpr double kInstant = 1e-7;    // s, over which the forces of a row act
constexpr double kClosed = 1e-9;     // m or rad: a contact with a smaller gap carries load
constexpr double kAtRest = 1e-6;     // m/s or rad/s: a contact that closes faster will hit
constexpr int kBitsOfPoints = 10;    // of key_of_contact()
constexpr double kFixedForce = 1e8;  // compliance that fixes an impulse, relative to the impedance

ContactFace::Impact impact_of(const std::string& law) {
  if (law == "newton") return ContactFace::Impact::kNewton;
  return law == "poisson" ? ContactFace::Impact::kPoisson : ContactFace::Impact::kStronge;
}

ContactFace::Contact contact_of(const ContactLaw<double>& law, double gap, ContactFace::Impact impact) {
  return {gap, law.friction, law.stiffness, law.damping, law.restitution, impact, {}};
}

// Returns the normal and two directions perpendicular to it.
std::array<Vec3<double>, 3> axes_at(const Vec3<double>& n) {
  const Vec3<double> axis = std::abs(n.x) < 0.6 ? Vec3<double>{1.0, 0.0, 0.0} : Vec3<double>{0.0, 1.0, 0.0};
  const Vec3<double> across = cross(n, axis);
  const Vec3<double> t1 = (1.0 / norm(across)) * across;
  return {n, t1, cross(n, t1)};
}

}  // namespace

ContactSystem::ContactSystem(const Model& model, const Properties<double>& properties, int supplied,
                             int dissipated)
    : model_(model),
      properties_(properties),
      supplied_(supplied),
      dissipated_(dissipated),
      kinematics_(model),
      before_(model),
      joint_columns_(joint_contact_columns(model)),
      rows_(static_cast<std::size_t>(3 * model.nu())),
      solver_(std::make_unique<FrictionSolver>()) {
  const auto& contacts = model.plan().contacts;
  std::vector<std::pair<int, int>> of_shapes;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (contacts[i].is_force) continue;
    for (const auto& [one, other] : contacts[i].pairs) pairs_.push_back({static_cast<int>(i), one, other});
    of_shapes.insert(of_shapes.end(), contacts[i].pairs.begin(), contacts[i].pairs.end());
  }
  broad_phase_ = std::make_unique<BroadPhase>(of_shapes, static_cast<int>(properties.contacts.shapes.size()));
}

ContactSystem::~ContactSystem() = default;

int ContactSystem::quadrature_of_motions() const {
  return model_.constraint_expressions().empty() ? -1 : supplied_;
}

void ContactSystem::update_contacts(const State<double>& state) {
  is_factored_ = false;
  t_ = state.t;
  update_kinematics(model_, properties_, state, kinematics_);
  contacts_.clear();
  places_.clear();
  const PropertyPlan& plan = model_.plan();
  update_shapes(kinematics_, poses_);
  for (const int pair : broad_phase_->find_near(shapes_, poses_)) {
    add_pair(pair);
  }
  for (std::size_t i = 0; i < plan.stops.size(); ++i) {
    add_stop(static_cast<int>(i), state.q[static_cast<std::size_t>(plan.stops[i].q)]);
  }
  for (std::size_t i = 0; i < plan.connectors.coordinate_frictions.size(); ++i) add_joint_friction(i);
}

void ContactSystem::add_pair(int pair) {
  const auto& [contact, one, other] = pairs_[static_cast<std::size_t>(pair)];
  const auto at = static_cast<std::size_t>(contact);
  const auto& shapes = properties_.contacts.shapes;
  const auto &a = shapes[static_cast<std::size_t>(one)], &b = shapes[static_cast<std::size_t>(other)];
  points_.clear();
  add_contact_points(shapes_[static_cast<std::size_t>(one)], poses_[static_cast<std::size_t>(one)],
                     shapes_[static_cast<std::size_t>(other)], poses_[static_cast<std::size_t>(other)],
                     points_);
  const Impact impact = impact_of(model_.contacts()[at].law);
  std::uint64_t key = static_cast<std::uint64_t>(pair) << kBitsOfPoints;
  for (const ContactPoint& point : points_) {
    contacts_.push_back(contact_of(properties_.contacts.contacts[at], point.gap, impact));
    places_.push_back({contact, a.frame, b.frame, point, -1, 1.0, key++});
  }
}

void ContactSystem::update_shapes(const Kinematics<double>& kinematics, std::vector<Pose<double>>& poses) {
  shapes_.clear();
  poses.clear();
  for (const auto& placed : properties_.contacts.shapes) {
    shapes_.push_back({placed.type, placed.size, placed.surface});
    poses.push_back(kinematics.motion[static_cast<std::size_t>(placed.frame.value())].X_WB * placed.X_BS);
  }
}

// Pairs whose bounding boxes are farther apart than the smallest gap so far are skipped.
double ContactSystem::smallest_gap(int contact, const std::vector<BoundingBox>& boxes) {
  double smallest = std::numeric_limits<double>::max();
  for (const auto& [one, other] : model_.plan().contacts[static_cast<std::size_t>(contact)].pairs) {
    const auto a = static_cast<std::size_t>(one), b = static_cast<std::size_t>(other);
    if (distance(boxes[a], boxes[b]) > smallest) continue;
    points_.clear();
    add_contact_points(shapes_[a], poses_[a], shapes_[b], poses_[b], points_);
    for (const ContactPoint& point : points_) smallest = std::min(smallest, point.gap);
  }
  return smallest;
}

bool ContactSystem::may_pass(const State<double>& from, const State<double>& to) {
  is_factored_ = false;
  update_kinematics(model_, properties_, from, before_);
  update_kinematics(model_, properties_, to, kinematics_);
  update_shapes(before_, poses_before_);
  update_shapes(kinematics_, poses_);
  broad_phase_->begin_step(shapes_, poses_before_, poses_);
  return std::ranges::any_of(broad_phase_->near(), [this](int pair) {
    const auto& [contact, one, other] = pairs_[static_cast<std::size_t>(pair)];
    return may_pass(one, other);
  });
}

// Compares the motion of the second shape in the axes of the first with their gap and their thickness. The
// depth below a plane is limited too, because far below it round-off of the gap decides.
bool ContactSystem::may_pass(int one, int other) {
  const auto first = static_cast<std::size_t>(one), second = static_cast<std::size_t>(other);
  const Shape &a = shapes_[first], &b = shapes_[second];
  if (b.type == ShapeType::kPlane) return may_pass(other, one);
  const Pose<double>&X_a = poses_before_[first], &X_b = poses_before_[second];
  const Pose<double> before = inverse(X_a) * X_b;
  const Pose<double> after = inverse(poses_[first]) * poses_[second];
  double square = 0.0;  // of the chords by which three unit vectors turn
  for (int k = 0; k < 3; ++k) {
    const Vec3<double> turned = after.R.column(k) - before.R.column(k);
    square += dot(turned, turned);
  }
  const bool is_plane = a.type == ShapeType::kPlane;
  const double moved = is_plane ? before.p.z - after.p.z
                                : norm(after.p - before.p) + std::sqrt(0.5 * square) * outer_radius(b);
  const double allowed = is_plane ? inner_radius(b) : 0.5 * (inner_radius(a) + inner_radius(b));
  if (moved <= allowed) return false;
  points_.clear();
  add_contact_points(a, X_a, b, X_b, points_);
  double gap = std::numeric_limits<double>::max();
  for (const ContactPoint& point : points_) gap = std::min(gap, point.gap);
  return moved > std::max(gap, 0.0) + allowed;
}

void ContactSystem::add_stop(int stop, double q) {
  const auto at = static_cast<std::size_t>(stop);
  const StopPlan& plan = model_.plan().stops[at];
  const double bound = properties_.contacts.bounds[at];
  const double gap = plan.is_upper ? bound - q : q - bound;
  contacts_.push_back(contact_of(properties_.contacts.stops[at], gap, Impact::kNewton));
  Place place;
  place.of = static_cast<int>(model_.contacts().size()) + stop;
  place.speed = plan.u;
  place.sign = plan.is_upper ? -1.0 : 1.0;
  place.key = (pairs_.size() + at) << kBitsOfPoints;
  places_.push_back(place);
}

void ContactSystem::add_joint_friction(std::size_t friction) {
  const CoordinateFriction<double>& element = properties_.forces.connectors.coordinate_frictions[friction];
  if (!element.sticks) return;
  Contact contact;
  contact.friction = 1.0;
  contact.load = element.friction;
  contacts_.push_back(contact);
  const std::size_t stops = model_.plan().stops.size();
  Place place;
  place.of = static_cast<int>(model_.contacts().size() + stops + friction);
  place.speed = element.u;
  place.row = 1;
  place.key = (pairs_.size() + stops + friction) << kBitsOfPoints;
  places_.push_back(place);
}

const std::string& ContactSystem::name_of_contact(int contact) const {
  const auto of = static_cast<std::size_t>(places_[static_cast<std::size_t>(contact)].of);
  const std::size_t contacts = model_.contacts().size(), stops = model_.stop_names().size();
  if (of < contacts) return model_.contacts()[of].name;
  if (of < contacts + stops) return model_.stop_names()[of - contacts];
  const PropertyPlan& plan = model_.plan();
  return model_.forces()[plan.connectors.coordinate_frictions[of - contacts - stops].index].name;
}

// Row k is J_b^T e_k - J_a^T e_k for a force along e_k at the point.
std::span<const double> ContactSystem::contact_rows(int contact) {
  const Place& place = places_[static_cast<std::size_t>(contact)];
  const auto nu = static_cast<std::size_t>(model_.nu());
  std::ranges::fill(rows_, 0.0);
  if (place.speed >= 0) {
    rows_[place.row * nu + static_cast<std::size_t>(place.speed)] = place.sign;
    return rows_;
  }
  const std::array<Vec3<double>, 3> axes = axes_at(place.point.normal);
  const auto add = [&](FrameIndex frame, double sign) {
    if (frame.value() == 0) return;  // the ground
    const FrameMotion<double>& motion = kinematics_.motion[static_cast<std::size_t>(frame.value())];
    Marker<double> marker;
    marker.frame = frame;
    marker.X_BK.p = motion.X_WB.R.transpose() * (place.point.p - motion.X_WB.p);
    std::size_t k = 0;
    for (const Vec3<double>& direction : axes) {
      add_generalized_force<double>(model_, kinematics_, marker, {{}, sign * direction},
                                    std::span(rows_).subspan(k++ * nu, nu));
    }
  };
  add(place.b, 1.0);
  add(place.a, -1.0);
  return rows_;
}

BranchMassMatrix& ContactSystem::mass_matrix() {
  if (!mass_matrix_) mass_matrix_ = std::make_unique<BranchMassMatrix>(model_);
  return *mass_matrix_;
}

ContactFace::Rows ContactSystem::short_rows(int contact) {
  const BranchMassMatrix& M = mass_matrix();
  const Place& place = places_[static_cast<std::size_t>(contact)];
  using Tree = BranchMassMatrix::Tree;
  const bool is_of_joint = place.speed >= 0;
  const auto tree_of = [&](FrameIndex frame) { return M.tree_of(BodyIndex(frame.value())); };
  const Tree first = is_of_joint ? M.tree_of_speed(place.speed) : tree_of(place.a);
  Tree second = is_of_joint ? Tree() : tree_of(place.b);
  const bool is_one_tree = first.count > 0 && second.first == first.first;
  if (is_one_tree) second = {};
  const auto n = static_cast<std::size_t>(first.count), size = n + static_cast<std::size_t>(second.count);
  short_rows_.assign(3 * size, 0.0);
  if (is_of_joint) {
    const auto k = static_cast<std::size_t>(M.place_of_speed(place.speed) - first.first);
    short_rows_[place.row * size + k] = place.sign;
  } else {
    add_rows(place, place.a, -1.0, first, short_rows_.data(), size);
    if (is_one_tree) {
      if (place.b.value() != 0) add_rows(place, place.b, 1.0, first, short_rows_.data(), size);
    } else {
      add_rows(place, place.b, 1.0, second, short_rows_.data() + n, size);
    }
  }
  trees_ = {first, second};
  return {{{{first.first, first.count}, {second.first, second.count}}}, short_rows_};
}

std::span<const double> ContactSystem::short_jumps() {
  BranchMassMatrix& M = mass_matrix();
  if (!is_factored_ && !M.update(properties_, kinematics_)) {
    throw ComputationError(t_, "the mass matrix is singular");
  }
  is_factored_ = true;
  short_jumps_ = short_rows_;
  const std::size_t size = short_rows_.size() / 3;
  M.solve(trees_[0], short_jumps_.data(), size);
  M.solve(trees_[1], short_jumps_.data() + trees_[0].count, size);
  return short_jumps_;
}

// Adds the rows of a contact point on a body to those of its tree, which begin `size` numbers after each
// other.
void ContactSystem::add_rows(const Place& place, FrameIndex frame, double sign,
                             const BranchMassMatrix::Tree& tree, double* rows, std::size_t size) const {
  const std::array<Vec3<double>, 3> axes = axes_at(place.point.normal);
  for (int body = frame.value(); body != 0;) {
    const BodyLink& link = kinematics_.tree.links[static_cast<std::size_t>(body)];
    const Vec3<double> arm = place.point.p - kinematics_.motion[static_cast<std::size_t>(body)].X_WB.p;
    for (int speed = link.u_start; speed < link.u_start + link.nu; ++speed) {
      const SpatialMotion<double>& H = kinematics_.H[static_cast<std::size_t>(speed)];
      const Vec3<double> velocity = H.v + cross(H.w, arm);
      const auto k = static_cast<std::size_t>(mass_matrix_->place_of_speed(speed) - tree.first);
      for (std::size_t row = 0; row < 3; ++row) rows[row * size + k] += sign * dot(axes[row], velocity);
    }
    body = link.parent;
  }
}

std::vector<ContactSystem::Closed> ContactSystem::find_closed(const State<double>& state) {
  std::vector<Closed> closed;
  for (int i = 0; i < static_cast<int>(contacts_.size()); ++i) {
    const Contact& contact = contacts_[static_cast<std::size_t>(i)];
    if (contact.gap > kClosed) continue;
    const Eigen::Vector3d v = RowsOf(contact_rows(i).data(), 3, model_.nu()) * as_vector(state.u);
    if (contact.is_rigid() && std::abs(v[0]) > kAtRest) continue;
    closed.push_back({i, v.tail<2>().norm()});
  }
  return closed;
}

void ContactSystem::calc_gaps(std::span<double> columns) {
  std::vector<BoundingBox> boxes;
  for (std::size_t i = 0; i < shapes_.size(); ++i) boxes.push_back(box_of(shapes_[i], poses_[i]));
  for (std::size_t i = 0; i < model_.contacts().size(); ++i) {
    if (model_.contacts()[i].is_force) continue;
    columns[kColumns * i + 2] = smallest_gap(static_cast<int>(i), boxes);
  }
}

// The column of the force of a limit or a friction of a joint.
std::size_t ContactSystem::column_of(const Place& place) const {
  const auto contacts = model_.contacts().size(), stops = joint_columns_.of_stop.size();
  const auto of = static_cast<std::size_t>(place.of) - contacts;
  const int column = of < stops ? joint_columns_.of_stop[of] : joint_columns_.of_friction[of - stops];
  return kColumns * contacts + static_cast<std::size_t>(column);
}

// Adds a force, normal first, on the second body, and its reaction on the first.
void ContactSystem::add_force(const Place& place, const Vec3<double>& force) {
  if (place.speed >= 0) {
    added_.tau[static_cast<std::size_t>(place.speed)] += place.sign * (place.row == 0 ? force.x : force.y);
    return;
  }
  const auto [n, t1, t2] = axes_at(place.point.normal);
  const Vec3<double> f = force.x * n + force.y * t1 + force.z * t2;
  const auto add = [&](FrameIndex frame, double sign) {
    const auto at = static_cast<std::size_t>(frame.value());
    added_.frames[at] += shift_back({{}, sign * f}, place.point.p - kinematics_.motion[at].X_WB.p);
  };
  add(place.b, 1.0);
  add(place.a, -1.0);
  if (force.x > 0.0) forces_.push_back({place.of, place.a, place.b, place.point.p, f});
}

const AddedForces& ContactSystem::calc_columns(const State<double>& state, std::span<const double> udot,
                                               ImpulseFace& impulses, EquationsOfMotion& equations,
                                               std::span<double> columns) {
  std::ranges::fill(columns, 0.0);
  added_.tau.assign(state.u.size(), 0.0);
  added_.frames.assign(model_.num_frames(), {});
  forces_.clear();
  update_contacts(state);
  calc_gaps(columns);
  const std::vector<Closed> closed = find_closed(state);
  if (closed.empty()) return added_;
  // The speeds at the end of a short step without contacts, with the rows there.
  State<double> next = state;
  std::vector<double> displacement(state.u.size());
  for (std::size_t k = 0; k < displacement.size(); ++k) {
    next.u[k] += kInstant * udot[k];
    displacement[k] = 0.5 * kInstant * (state.u[k] + next.u[k]);
  }
  equations.plus(state.q, displacement, next.q);
  const std::vector<Contact> before = contacts_;
  update_contacts(next);
  if (contacts_.size() != before.size()) return added_;
  const auto n = static_cast<Size>(closed.size()), nu = static_cast<Size>(model_.nu());
  MatrixXd C(3 * n, nu), du = MatrixXd::Zero(nu, 3 * n);
  for (Size i = 0; i < n; ++i) {
    C.middleRows<3>(3 * i) = RowsOf(contact_rows(closed[static_cast<std::size_t>(i)].contact).data(), 3, nu);
  }
  for (Size k = 0; k < 3 * n; ++k) {
    if (C.row(k).isZero(0.0)) continue;
    const VectorXd impulse = C.row(k).transpose();
    impulses.calc_velocity_jump(next, std::span(impulse.data(), displacement.size()),
                                std::span(du.col(k).data(), displacement.size()));
  }
  const MatrixXd G = C * du;
  VectorXd b = C * as_vector(next.u), p = VectorXd::Zero(3 * n);
  std::vector<double> friction(closed.size()), compliance(closed.size());
  for (Size i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Contact& contact = before[static_cast<std::size_t>(closed[at].contact)];
    friction[at] = contact.friction;
    if (contact.is_rigid()) continue;
    const double force =
        contact.load.value_or(std::max(0.0, -contact.stiffness * contact.gap - contact.damping * b[3 * i]));
    compliance[at] = contact.load
                         ? contact.compliance_of_load(G(3 * i + 1, 3 * i + 1), b[3 * i + 1], kInstant)
                         : kFixedForce * G(3 * i, 3 * i);
    b[3 * i] = -compliance[at] * kInstant * force;
  }
  if (!solver_->solve(G, b, friction, compliance, p).is_solved) return added_;
  for (Size i = 0; i < n; ++i) {
    const Place& place = places_[static_cast<std::size_t>(closed[static_cast<std::size_t>(i)].contact)];
    add_force(place, (1.0 / kInstant) * Vec3<double>{p[3 * i], p[3 * i + 1], p[3 * i + 2]});
    if (place.speed >= 0) {
      columns[column_of(place)] += place.sign * p[3 * i + static_cast<Size>(place.row)] / kInstant;
      continue;
    }
    const std::span<double> own = columns.subspan(kColumns * static_cast<std::size_t>(place.of), kColumns);
    own[0] += p[3 * i] / kInstant;
    own[1] += p.segment<2>(3 * i + 1).norm() / kInstant;
    if (p[3 * i] > 0.0) own[3] = std::max(own[3], closed[static_cast<std::size_t>(i)].slip);
  }
  return added_;
}

}  // namespace sestina
