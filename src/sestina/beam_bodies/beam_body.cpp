#include "sestina/beam_bodies/beam_body.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "sestina/base/error.h"

namespace sestina {

namespace {

Vec6<double> in_axes(const Rotation<double>& R, const SpatialMotion<double>& V) {
  return make_vec6(transpose_times(R, V.w), transpose_times(R, V.v));
}

class BeamForce : public UserForce {
 public:
  BeamForce(BeamBody beam, BeamMesh mesh, double damping)
      : beam_(std::move(beam)), mesh_(std::move(mesh)), damping_(damping) {}

  void prepare(std::span<const std::string> body_names) override {
    index_.clear();
    for (int k = 0; k < beam_.nodes; ++k) {
      const auto found = std::find(body_names.begin(), body_names.end(), beam_.body(k));
      index_.push_back(static_cast<std::size_t>(found - body_names.begin()));
    }
  }

  void add_force(double, std::span<const BodyMotion<double>> bodies,
                 std::span<SpatialForce<double>> forces) const override {
    for_each_element(bodies, [&](const BeamElement<double>& element, const Ends& ends, std::size_t k) {
      Vec6<double> wrench = element.lambda();
      if (damping_ > 0.0) {
        wrench = wrench + element.damping_wrench(element.twist_rate(ends.V_a, ends.V_b), damping_);
      }
      const BeamElementForces<double> f = element.forces(wrench);
      // The ends have to be given f, so the beam pulls with -f.
      forces[index_[k]] -= {ends.X_a.R * angular(f.a), ends.X_a.R * linear(f.a)};
      forces[index_[k + 1]] -= {ends.X_b.R * angular(f.b), ends.X_b.R * linear(f.b)};
    });
  }

  double potential_energy(double, std::span<const BodyMotion<double>> bodies) const override {
    double sum = 0.0;
    for_each_element(bodies, [&](const BeamElement<double>& element, const Ends&, std::size_t k) {
      sum += element.energy(mesh_.pieces[k].segment);
    });
    return sum;
  }

  double conservative_power(double, std::span<const BodyMotion<double>> bodies) const override {
    double sum = 0.0;
    for_each_element(bodies, [&](const BeamElement<double>& element, const Ends& ends, std::size_t) {
      sum -= dot(element.lambda(), element.twist_rate(ends.V_a, ends.V_b));
    });
    return sum;
  }

 private:
  // Sections at the ends of an element, and their velocities in their own axes.
  struct Ends {
    Pose<double> X_a, X_b;
    Vec6<double> V_a, V_b;
  };

  template <class Visit>
  void for_each_element(std::span<const BodyMotion<double>> bodies, Visit&& visit) const {
    BeamElement<double> element;
    for (std::size_t k = 0; k < mesh_.pieces.size(); ++k) {
      const BeamPiece& piece = mesh_.pieces[k];
      const BodyMotion<double>&a = bodies[index_[k]], &b = bodies[index_[k + 1]];
      Ends ends{a.X_WB, b.X_WB, {}, {}};
      if (piece.turns) ends.X_a.R = ends.X_a.R * piece.R_a, ends.X_b.R = ends.X_b.R * piece.R_b;
      ends.V_a = in_axes(ends.X_a.R, a.V_WB), ends.V_b = in_axes(ends.X_b.R, b.V_WB);
      const BeamRelaxation result = element.relax(piece.segment, ends.X_a, ends.X_b);
      // Ends that no strains join: a force that is not a number, which the run reports with the force's name.
      if (result == BeamRelaxation::stalled)
        ends.V_a[0] = ends.X_a.R.xx = std::numeric_limits<double>::quiet_NaN();
      visit(element, ends, k);
    }
  }

  BeamBody beam_;
  BeamMesh mesh_;
  double damping_;
  std::vector<std::size_t> index_;  // of nodes among the bodies
};

// Mass and rotary inertia of the halves of the elements that meet at a node, in its axes.
struct Lump {
  double mass = 0.0;
  SymMat3<double> inertia;

  void add_half(const BeamPiece& piece, const Rotation<double>& R) {
    const double half = 0.5 * piece.segment.length;
    mass += half * piece.section.mass;
    SymMat3<double> J = rotate(R, piece.section.inertia);
    inertia += {half * J.xx, half * J.yy, half * J.zz, half * J.xy, half * J.xz, half * J.yz};
  }
};

}  // namespace

BeamBody add_beam(System& system, const std::string& name, const BeamMesh& mesh, double damping,
                  int first_free) {
  if (!(damping >= 0.0)) throw InputError(fmt::format("{}: the damping {} is negative", name, damping));
  for (const BeamPiece& piece : mesh.pieces) {
    if (!(piece.section.mass > 0.0)) throw InputError(fmt::format("{}: its section has no mass", name));
  }
  BeamBody beam{name, static_cast<int>(mesh.nodes.size())};
  for (int k = 0; k < beam.nodes; ++k) {
    const auto i = static_cast<std::size_t>(k);
    Lump lump;
    if (k > 0) lump.add_half(mesh.pieces[i - 1], mesh.pieces[i - 1].R_b);
    if (k + 1 < beam.nodes) lump.add_half(mesh.pieces[i], mesh.pieces[i].R_a);
    BodySpec& body = system.add_body(beam.body(k), lump.mass);
    const SymMat3<double>& J = lump.inertia;
    body.inertia = {J.xx, J.yy, J.zz, J.xy, J.xz, J.yz};
    if (k < first_free) continue;
    const BeamNode& node = mesh.nodes[i];
    JointSpec& joint = system.add_joint(beam.body(k) + "_free", "free", "ground.origin", beam.point(k));
    joint.q = Numbers{node.p.x, node.p.y, node.p.z, node.e[0], node.e[1], node.e[2], node.e[3]};
  }
  system.add_user_force(name, std::make_shared<BeamForce>(beam, mesh, damping));
  return beam;
}

}  // namespace sestina
