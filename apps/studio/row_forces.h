// The forces in the rows of a motion, for arrows: at contact points, and of the force elements that act on
// bodies. Results hold at most their sizes; the forces are computed again from the states in the rows.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sestina/dynamics/applied_forces.h"
#include "sestina/scene/motion.h"
#include "sestina/workspace/workspace.h"

namespace sestina::studio {

// Whether the model has contacts or force elements with arrows.
bool has_row_forces(const Workspace& workspace);

class RowForces {
 public:
  // The scene is that of the workspace's model. The workspace must outlive this.
  RowForces(const Workspace& workspace, const Scene& scene);
  ~RowForces();

  // Fills force_starts and forces. Does nothing if the motion shows modes, or if its columns lack a part of
  // the state.
  void add_to(Motion& motion);

 private:
  struct Contacts;  // the equations that determine their forces

  // A hydraulic actuator: its force acts on a cut joint, and is a column.
  struct Actuator {
    std::string name;
    PointIndex from, to;
    std::uint32_t item;
    std::size_t column = 0;  // in a row
  };

  bool find_columns(const Motion& motion);
  void read_state(const double* row);
  void add_contacts(Motion& motion);
  void add_elements(Motion& motion);
  void add_actuators(Motion& motion, const double* row);

  const Workspace& workspace_;
  std::unique_ptr<Contacts> contacts_;  // nullptr: none
  Kinematics<double> kinematics_;
  AppliedForces<double> applied_;
  State<double> state_;
  // By contact, and by ForceIndex: their positions in Scene::items.
  std::vector<std::uint32_t> contact_items_, force_items_;
  std::vector<Actuator> actuators_;
  std::vector<std::size_t> q_, u_, d_, x_;  // positions in a row
  std::size_t t_ = 0;
  std::optional<std::size_t> load_;
};

}  // namespace sestina::studio
