// Conditions computed by the user's code (UserConstraint): their numbers at a state, and the comparison of
// their derivatives with differences.
#pragma once

#include <vector>

#include "sestina/base/error.h"
#include "sestina/dynamics/kinematics.h"

namespace sestina {

// Evaluates the user constraints of a model. Forces on bodies become generalised forces: each row then
// consists of coefficients of all speeds.
class UserConstraints {
 public:
  explicit UserConstraints(const Model& model);

  // The numbers of one user constraint at a state, by rows.
  struct Numbers {
    std::vector<double> error, time_rate, velocity, bias;  // (count) g, r, g_t = J u + r, and g_tt - J udot
    std::vector<double> jacobian;                          // (count x nu), forces on bodies included
    std::vector<double> generalized;                       // (count x nu), without them
    std::vector<SpatialForce<double>> bodies;              // (count x bodies) those, about Mo, ground axes
  };
  // Computes the numbers of the i-th user constraint for the state to which `kinematics` belongs; valid until
  // the next call.
  const Numbers& update(std::size_t i, const Properties<double>& properties, const State<double>& state,
                        const Kinematics<double>& kinematics);

  // tau (nu) and body (by BodyIndex, about Mo) += the forces of all user constraints for the multipliers of
  // all rows of the model, at the state of the last update().
  void add_forces(std::span<const double> lambda, std::span<double> tau,
                  std::span<SpatialForce<double>> body) const;
  // True if a row of the model belongs to a user constraint.
  bool has_row(std::size_t row) const { return is_row_[row]; }

  // Throws InputError that lists every derivative that disagrees with differences: Jacobian, time_rate and
  // bias of each user constraint at the state, for the speeds of the state and for other speeds.
  void check(const Properties<double>& properties, const State<double>& state);

 private:
  bool call(std::size_t i, const Properties<double>& properties, const State<double>& state,
            const Kinematics<double>& kinematics, Numbers& numbers);
  // Evaluates at another state, whose kinematics are computed too.
  const Numbers& call_at(std::size_t i, const Properties<double>& properties, const State<double>& state);
  void move(const State<double>& from, double dt, State<double>& to);
  void find_bias(std::size_t i, const Properties<double>& properties, const State<double>& state,
                 std::vector<double>& bias);
  void check_jacobian(std::size_t i, const Properties<double>& properties, const State<double>& state,
                      FaultList& faults);
  void check_rates(std::size_t i, const Properties<double>& properties, const State<double>& state,
                   FaultList& faults);

  const Model* model_;
  std::vector<Numbers> numbers_;  // by user constraint
  std::vector<bool> is_row_;      // by row of the model
  Numbers moved_;                 // scratch: at a nearby state
  Kinematics<double> kinematics_;
  State<double> state_;
  std::vector<double> displacement_;               // (nu)
  std::vector<FrameMotion<double>> motion_;        // by BodyIndex: the bodies' own frames
  std::vector<SpatialForce<double>> body_forces_;  // (count x bodies)
};

}  // namespace sestina
