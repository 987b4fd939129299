// The contacts and stops of a model as seen by the integrators, and their columns in results.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sestina/contact/broad_phase.h"
#include "sestina/contact/contact_points.h"
#include "sestina/dynamics/kinematics.h"
#include "sestina/integrate/equations_of_motion.h"

namespace sestina {

class FrictionSolver;

class ContactSystem final : public ContactFace {
 public:
  // All arguments must outlive this object. `dissipated`: the quadrature of dissipated work.
  ContactSystem(const Model& model, const Properties<double>& properties, int dissipated);
  ~ContactSystem() override;

  void update_contacts(const State<double>& state) override;
  std::span<const Contact> contacts() const override { return contacts_; }
  bool may_pass(const State<double>& from, const State<double>& to) override;
  std::span<const double> contact_rows(int contact) override;
  int quadrature_of_contacts() const override { return dissipated_; }
  const std::string& name_of_contact(int contact) const override;

  // NAME.normal_force, NAME.friction_force (sums of magnitudes over the points, N), NAME.gap (the smallest,
  // m) and NAME.slip (the largest speed along the surface where there is contact, m/s) of each contact of the
  // model, at a state with its udot without contacts. Forces belong to the next instant: friction_solver.h
  // computes them for the closed contacts, for the speeds after a step of kInstant.
  void calc_columns(const State<double>& state, std::span<const double> udot, ImpulseFace& impulses,
                    EquationsOfMotion& equations, std::span<double> columns);

 private:
  // The frames between which a contact acts.
  struct Place {
    int of = 0;       // index in Model::contacts(), followed by the stops
    FrameIndex a, b;  // frames that carry the shapes
    ContactPoint point;
    int speed = -1;     // for a stop
    double sign = 1.0;  // for a stop: of the speed that opens it
  };

  void add_pair(int contact, int one, int other);
  void add_stop(int stop, double q);
  // Of all shapes: their forms, and their poses in the ground.
  void update_shapes(const Kinematics<double>& kinematics, std::vector<Pose<double>>& poses);
  double smallest_gap(int contact);
  bool may_pass(int one, int other);
  std::vector<int> find_closed(const State<double>& state);

  const Model& model_;
  const Properties<double>& properties_;
  int dissipated_;
  Kinematics<double> kinematics_, before_;
  // A pair of shapes of a contact.
  struct Pair {
    int contact, one, other;
  };
  std::vector<Pair> pairs_;
  std::unique_ptr<BroadPhase> broad_phase_;  // of these pairs
  std::vector<Shape> shapes_;
  std::vector<Pose<double>> poses_, poses_before_;
  std::vector<Contact> contacts_;
  std::vector<Place> places_;
  std::vector<ContactPoint> points_;  // contact points of one pair
  std::vector<double> rows_;          // (3 x nu) of one contact
  std::unique_ptr<FrictionSolver> solver_;
};

}  // namespace sestina
