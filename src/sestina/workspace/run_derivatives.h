// The common part of derivatives of runs, integrated forward (run_sensitivities.h) or, for a gradient,
// backward (run_gradient.h): the quantities that are differentiated, and those with respect to which they are
// differentiated.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sestina/workspace/result_row.h"
#include "sestina/workspace/workspace.h"

namespace sestina {

// Width of central differences of columns: relative to its scale for a parameter, absolute for a displacement
// (rad, m) and for a speed.
inline constexpr double kColumnWidth = 1e-5;

// Displacements of states with a rate and of integrals are relative to this: the values may be pressures of
// 1e7 Pa.
inline double size_of_state(double value) { return std::max(1.0, std::abs(value)); }

// Throws InputError if runs have no derivatives: for analyses other than dynamics, state-time and cartesian
// coordinates, beams, contacts, events, user forces and user constraints.
void refuse_run_derivatives(const Workspace& workspace);

// A parameter, or the initial value of a coordinate or a speed.
struct DerivativeBy {
  std::string parameter = {};  // empty: an initial value
  int place = -1;              // index of the parameter in the properties
  int initial = -1;            // index of q's displacement, or nu + the index of u
  double scale = 1.0;          // |p|, or 1 if p is zero
};

// Throws InputError for an unknown name, for a single Euler parameter, and for a parameter on which the time
// of a force's jump depends: the derivatives jump there too.
DerivativeBy find_derivative_by(const Workspace& workspace, const std::string& name);
// The derivative [displacement of q; u; x] (2 nu + nx) of the initial state with respect to the initial
// value, or to p / scale. For a mechanism with loops or constraints it is that of the assembled state
// (assembly.h), by central differences. Throws InputError for the initial value of a joint that the assembly
// moves freely.
std::vector<double> calc_initial_derivative(const Workspace& workspace, EquationsOfMotion& equations,
                                            const State<double>& start, const DerivativeBy& by);

// A column of the result and where its derivative comes from.
struct DerivativeOf {
  Column column;
  std::size_t place = 0;  // index in the row
  int u = -1;             // the speed whose value it is
  int displacement = -1;  // for a coordinate, the speed that displaces it

  // True if it is neither a coordinate, nor a speed, nor the time.
  bool needs_row() const { return u < 0 && displacement < 0 && column.name != "t"; }
};

// Throws InputError for an unknown name.
DerivativeOf find_derivative_of(const Model& model, const std::string& name, const std::vector<Column>& all);

// Evaluates rows of the model for other values of the parameters.
class RowsAt {
 public:
  RowsAt(const Workspace& workspace, const std::vector<double>& parameters);
  std::span<const double> calc(const State<double>& state) { return row_.calc(state, dynamics_); }
  const std::vector<Column>& columns() const { return row_.columns(); }

 private:
  ForwardDynamics dynamics_;
  ResultRow row_;
};

// With the parameter moved by `width` times its scale.
std::unique_ptr<RowsAt> make_moved_rows(const Workspace& workspace, const DerivativeBy& by, double width);

// Whether one of the columns contains an integral over time.
bool have_integrals(RowsAt& rows, const State<double>& state, std::span<const DerivativeOf> columns);

}  // namespace sestina
