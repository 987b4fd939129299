// The columns of a result: those of every model, and those that a model defines by expressions
// (output.columns).
//
// A row is [t, q, u, q and u of cut joints, d, event, origins of the bodies, energies, momenta,
// forces and errors of constraints, contacts, forces of limits and frictions of joints, beams, defined
// columns, reactions]. What an expression of a column may use is in one array, its inputs:
//
//   [positions of points (3 each), free parameters, row]
//
// so that a row is stored in the memory from which its own expressions are evaluated.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sestina/model/model.h"

namespace sestina {

// Indices of the parts of a row.
struct RowLayout {
  RowLayout() = default;
  // Numbers of the parts of a model.
  struct Counts {
    int nq = 0, nu = 0;
    int nd = 0;  // variables, and states with a rate
    bool has_events = false;
    int bodies = 0;          // without the ground
    int joints = 0;          // including cut joints, and floating bodies
    int cut_numbers = 0;     // their coordinates and speeds
    int of_constraints = 0;  // forces and errors
    int contacts = 0;
    int joint_contacts = 0;  // limits, and frictions that stick
    int of_flexible_bodies = 0;
    int defined = 0;
  };
  explicit RowLayout(const Counts& counts);

  int q = 0, u = 0, cut = 0, d = 0, event = 0, origins = 0, energy = 0, momentum = 0, constraints = 0,
      contacts = 0, joint_contacts = 0, flexible_bodies = 0, defined = 0, reactions = 0;
  int end = 0;                           // with the reactions
  static constexpr int kOfContact = 4;   // normal_force, friction_force, gap, slip
  static constexpr int kOfPoint = 7;     // of a flexible body: x, y, z, axes[0 .. 3]
  static constexpr int kOfSection = 12;  // force, moment, strain, curvature
  static constexpr int kOfStress = 3;    // max, min, mises; of a section whose shape is known
  static constexpr int kOfCablePoint = 6,
                       kOfCableSection = 8;   // position, slope; tension, strain, moment, curvature
  static constexpr int kOfBelt = 3;           // normal_force, torque, angle
  static constexpr int kOfReducedStress = 2;  // mises, node; of a reduced body whose file has stresses
  static constexpr int kOfSlidingForce = 2;   // force, speed
  static constexpr int kEnergies = 5;         // kinetic, potential, total, supplied, dissipated
};

// The columns of forces along speeds: JOINT.limit_force for each speed with limits that hold, FORCE.force for
// each friction that sticks (N or N m).
struct JointContactColumns {
  std::vector<RowColumn> columns;
  std::vector<int> of_stop;      // by the plan's stops
  std::vector<int> of_friction;  // by the plan's frictions of coordinates; negative for those that creep
};
JointContactColumns joint_contact_columns(const Model& model);

RowLayout row_layout(const Model& model);
// Returns the layout for the data of freeze() so far, without the columns that the model defines.
RowLayout row_layout(const ModelData& data);

// Returns names and units of a row, with the reactions if requested; Model::row_columns().
std::vector<RowColumn> row_columns(const ModelData& data, bool reactions);

// A column that a model defines.
struct DefinedColumn {
  std::string name;
  std::string unit;   // may be empty if unknown
  std::string value;  // as written in the description
  int integral = -1;  // its place among the integrals; negative: no integral
};

struct OutputColumns {
  std::vector<DefinedColumn> columns;
  std::vector<int> integrals;  // the columns that are integrals, in order
  // Inputs of the expressions besides the state, the parameters and the columns without reactions.
  std::vector<PointIndex> points;
  bool use_reactions = false;
  // Inputs of the rates of the integrals besides the state and the parameters.
  bool rates_use_origins = false, rates_use_energy = false, rates_use_momentum = false,
       rates_use_points = false;

  StateExpressions values;   // (columns); for an integral its own symbol
  StateExpressions rates;    // (integrals)
  std::vector<Expr> inputs;  // symbols; includes reactions only if they are used
  Tape value_tape, rate_tape;

  int num_integrals() const { return static_cast<int>(integrals.size()); }
};

// Returns the columns that a model defines, possibly none.
const OutputColumns& output_columns(const Model& model);

// Returns text such as "the rate of column work is not finite: division by zero in 1/hip.u".
std::string explain_column(const Model& model, int column, std::span<const double> inputs);
std::string explain_rate(const Model& model, int integral, std::span<const double> inputs);

}  // namespace sestina
