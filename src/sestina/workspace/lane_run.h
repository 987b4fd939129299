// One run among those that are computed in lanes: its start, its rows, and its report. The steps are taken by
// LaneIntegrator.
#pragma once

#include <string>

#include "sestina/ensemble/lane_integrator.h"
#include "sestina/model/properties.h"
#include "sestina/run/row_log.h"
#include "sestina/workspace/energy_log.h"
#include "sestina/workspace/stuck_coordinates.h"
#include "sestina/workspace/workspace.h"

namespace sestina {

// Explains why the run of this workspace must be computed separately ("the model has events"); empty if it
// can be computed in a lane.
std::string explain_no_lanes(const Workspace& workspace);

class LaneRun {
 public:
  // The workspace must outlive the run, and explain_no_lanes() must be empty.
  explicit LaneRun(Workspace& workspace);

  // Runs with the same signature (model structure and rule) can be computed side by side.
  const std::string& signature() const { return signature_; }
  LaneIntegrator make_integrator(InstructionSet instruction_set) const;

  // Starts in the lane and begins the recorders. Throws ComputationError if no first step can be chosen, and
  // the exceptions of recorders.
  void start(LaneIntegrator& integrator, int lane);

  // The rows still to come: when the next one is due (s), until there are none left.
  bool has_more_rows() const { return has_more_rows_; }
  double next_row() const { return rows_.stop(next_row_).t; }
  void count_row();

  // A row is ready; rows arrive in order.
  void record(const State<double>& state, const Observables& observables);
  // True if the run has reached a limit, according to the steps of its lane and its time in lanes (s): it has
  // then failed with that reason, and finish() must follow.
  bool stops_at_limit(const LaneIntegrator& integrator, int lane, double wall_time);
  // Whether a recorder has failed.
  bool has_failed() const { return has_failed_; }

  const State<double>& initial() const { return initial_; }
  const Model& model() const { return workspace_.model(); }
  double duration() const { return analysis_.duration; }
  // Call after the last row of a run that is complete or has reached a limit.
  RunReport finish(const LaneIntegrator& integrator, int lane);

 private:
  void record_last_state();

  Workspace& workspace_;
  const Analysis& analysis_;
  const Properties<double>& properties_;
  std::unique_ptr<TimeSwitches> switches_;
  std::string signature_;
  State<double> initial_;
  LimitWatch limits_;
  RowSchedule rows_;
  ResultRow row_;
  StuckCoordinates stuck_;
  RowLog log_;
  EnergyLog energy_;
  long next_row_ = 1;
  bool has_more_rows_ = true;
  bool has_failed_ = false;
  RunReport report_;
};

}  // namespace sestina
