// Derivatives of the conditions (constraint_row.h) with respect to what each of them reads: the motions of
// the few bodies on which it acts and, where it has expressions, some coordinates and speeds.
//
// These are the sources of a condition. A body has twelve directions: the components, ground axes, of a
// rotation theta and a displacement p of its Mo, and of changes of its velocities w and v (MotionRates). A
// coordinate has one, along plus(), and a speed has one. The rows are evaluated on dual numbers once for each
// direction, for all sources at once of which no two are sources of the same row. So the cost does not grow
// with the bodies between those on which the conditions act, nor with the number of separate loops other than
// through the rows themselves.
#pragma once

#include <span>
#include <vector>

#include "sestina/dynamics/constraint_rows.h"
#include "sestina/dynamics/dual_forces.h"
#include "sestina/model/properties.h"

namespace sestina {

class ConditionSeeds {
 public:
  enum class Kind { kBody, kCoordinate, kSpeed };
  struct Source {
    Kind kind;
    std::size_t index;  // BodyIndex, or place in u
    std::size_t first;  // of its directions among those of all sources
  };
  static constexpr std::size_t kOfBody = 12;  // directions: theta, p, w, v
  static constexpr std::size_t kOfPose = 6;   // the first of them

  // False for models whose rows read more (beams, reduced bodies, the user's own constraints) or whose
  // expressions have cases, so that a source may take part at some states only.
  static bool take(const Model& model);
  // `parameters`: indices in Model::parameters(). The model must outlive this object.
  ConditionSeeds(const Model& model, const Properties<double>& properties, std::span<const int> parameters);

  const std::vector<Source>& sources() const { return sources_; }
  std::size_t directions() const { return directions_; }

  // Sets the state to which `kinematics` belongs.
  void set_state(const State<double>& state, const Kinematics<double>& kinematics);
  // Calls f(rows, r, direction) for each row r and each direction of its sources; the tangents in `rows` are
  // the derivatives. `of_poses_alone` omits changes of velocities.
  template <class F>
  void visit(bool of_poses_alone, F&& f);
  // The rows with derivatives by the k-th parameter, for motions of bodies that are held; null if none reads
  // it.
  const ConstraintRows<Dual>* update_by_parameter(std::size_t k);
  bool is_inertia(std::size_t row) const { return rows_.rows[row].is_inertia; }

 private:
  struct Group {
    Kind kind;
    std::vector<std::size_t> sources;
    std::vector<int> source_of;  // by row; -1: none
  };
  void find_sources();
  std::vector<char> find_readers(const Source& source);
  void add_source(Kind kind, std::size_t index);
  void find_parameters(const Properties<double>& properties, std::span<const int> parameters);
  void set_tangent(const Source& source, std::size_t direction, double d);
  void clear_tangent(const Source& source);
  void update_rows(const Properties<Dual>& properties) {
    update_constraint_rows(model_, properties, state_, kinematics_, rows_);
  }

  const Model& model_;
  Properties<Dual> properties_;
  State<double> at_;
  std::vector<BodyMotion<double>> motion_;  // by BodyIndex
  State<Dual> state_;
  Kinematics<Dual> kinematics_;  // only the motion is used
  ConstraintRows<Dual> rows_;
  std::vector<Source> sources_;
  std::size_t directions_ = 0;
  std::vector<Group> groups_;
  std::vector<std::optional<Properties<Dual>>> by_parameter_;
  std::vector<double> qdot_, unit_;  // (nq), (nu): scratch; zeros between uses
};

// The derivative of C_i x, (3) of constraint_row.h, for motions of bodies (by BodyIndex) and speeds (nu) that
// are held, along the tangents of the rows.
double calc_rate_change(const ConstraintRows<Dual>& rows, const ConstraintRow<Dual>& row,
                        std::span<const SpatialMotion<double>> motions, std::span<const double> speeds);

template <class F>
void ConditionSeeds::visit(bool of_poses_alone, F&& f) {
  for (const Group& group : groups_) {
    if (of_poses_alone && group.kind == Kind::kSpeed) continue;
    const std::size_t directions = group.kind != Kind::kBody ? 1 : of_poses_alone ? kOfPose : kOfBody;
    for (std::size_t direction = 0; direction < directions; ++direction) {
      for (const std::size_t source : group.sources) set_tangent(sources_[source], direction, 1.0);
      update_rows(properties_);
      for (std::size_t r = 0; r < rows_.rows.size(); ++r) {
        const int source = group.source_of[r];
        if (source >= 0) f(rows_, r, sources_[static_cast<std::size_t>(source)].first + direction);
      }
    }
    for (const std::size_t source : group.sources) clear_tangent(sources_[source]);
  }
}

}  // namespace sestina
