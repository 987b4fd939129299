// The contacts, stops and sticking frictions of joints of a model as seen by the integrators, and their
// columns in results. Contacts that are force elements (contact/compliant_contact.h) are not included.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sestina/contact/broad_phase.h"
#include "sestina/contact/contact_points.h"
#include "sestina/dynamics/branch_mass_matrix.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/integrate/equations_of_motion.h"
#include "sestina/model/output_columns.h"

namespace sestina {

class FrictionSolver;

// The force at a contact point that carries load.
struct ContactForce {
  int contact = 0;     // in Model::contacts()
  FrameIndex a, b;     // frames that carry the shapes
  Vec3<double> p;      // m, ground axes
  Vec3<double> force;  // N, ground axes, on the second shape
};

class ContactSystem final : public ContactFace {
 public:
  // All arguments must outlive this object. The last two are the quadratures of supplied and dissipated work.
  ContactSystem(const Model& model, const Properties<double>& properties, int supplied, int dissipated);
  ~ContactSystem() override;

  void update_contacts(const State<double>& state) override;
  std::span<const Contact> contacts() const override { return contacts_; }
  bool may_pass(const State<double>& from, const State<double>& to) override;
  std::span<const double> contact_rows(int contact) override;
  Rows short_rows(int contact) override;
  std::span<const double> short_jumps() override;
  std::span<const int> order_of_speeds() override { return mass_matrix().speeds(); }
  std::uint64_t key_of_contact(int contact) const override {
    return places_[static_cast<std::size_t>(contact)].key;
  }
  int quadrature_of_contacts() const override { return dissipated_; }
  int quadrature_of_motions() const override;
  const std::string& name_of_contact(int contact) const override;

  // NAME.normal_force, NAME.friction_force (sums of magnitudes over the points, N), NAME.gap (the smallest,
  // m) and NAME.slip (the largest speed along the surface where there is contact, m/s) of each contact of the
  // model, at a state with its udot without contacts. Forces belong to the next instant: friction_solver.h
  // computes them for the closed contacts, for the speeds after a step of kInstant. The columns of
  // joint_contact_columns() follow. Returns the forces; valid until the next call.
  const AddedForces& calc_columns(const State<double>& state, std::span<const double> udot,
                                  ImpulseFace& impulses, EquationsOfMotion& equations,
                                  std::span<double> columns);
  // Returns the forces at the points for which the last calc_columns() computed columns; joints have none.
  std::span<const ContactForce> forces() const { return forces_; }

 private:
  // The frames between which a contact acts.
  struct Place {
    int of = 0;       // index in Model::contacts(), followed by the stops and the frictions of coordinates
    FrameIndex a, b;  // frames that carry the shapes
    ContactPoint point;
    int speed = -1;         // for a stop or the friction of a joint
    double sign = 1.0;      // for a stop: of the speed that opens it
    std::size_t row = 0;    // of C: 0 for a stop, 1 for friction
    std::uint64_t key = 0;  // key_of_contact()
  };

  void add_pair(int pair);
  BranchMassMatrix& mass_matrix();
  void add_rows(const Place& place, FrameIndex frame, double sign, const BranchMassMatrix::Tree& tree,
                double* rows, std::size_t size) const;
  void add_stop(int stop, double q);
  void add_joint_friction(std::size_t friction);
  // Fills the forms of all shapes, and their poses in the ground.
  void update_shapes(const Kinematics<double>& kinematics, std::vector<Pose<double>>& poses);
  double smallest_gap(int contact, const std::vector<BoundingBox>& boxes);
  bool may_pass(int one, int other);
  struct Closed {
    int contact = 0;
    double slip = 0.0;  // m/s
  };
  std::vector<Closed> find_closed(const State<double>& state);
  void calc_gaps(std::span<double> columns);
  std::size_t column_of(const Place& place) const;
  void add_force(const Place& place, const Vec3<double>& force);

  const Model& model_;
  const Properties<double>& properties_;
  int supplied_, dissipated_;
  Kinematics<double> kinematics_, before_;
  // A pair of shapes of a contact.
  struct Pair {
    int contact, one, other;
  };
  std::vector<Pair> pairs_;
  std::unique_ptr<BroadPhase> broad_phase_;  // of these pairs
  std::vector<Shape> shapes_;
  std::vector<Pose<double>> poses_, poses_before_;
  JointContactColumns joint_columns_;
  std::vector<Contact> contacts_;
  std::vector<Place> places_;
  std::vector<ContactPoint> points_;  // contact points of one pair
  std::vector<double> rows_;          // (3 x nu) of one contact
  std::unique_ptr<BranchMassMatrix> mass_matrix_;
  double t_ = 0.0;                               // s, of the last update
  bool is_factored_ = false;                     // since then
  std::array<BranchMassMatrix::Tree, 2> trees_;  // of the last short_rows()
  std::vector<double> short_rows_, short_jumps_;
  std::vector<ContactForce> forces_;
  std::unique_ptr<FrictionSolver> solver_;
  AddedForces added_;
};

}  // namespace sestina
