// One run among those that are computed in lanes: its beginning, its rows, and its report. The steps are the
// LaneIntegrator's affair.
#pragma once

#include <string>

#include "sestina/ensemble/lane_integrator.h"
#include "sestina/model/properties.h"
#include "sestina/run/row_log.h"
#include "sestina/workspace/energy_log.h"
#include "sestina/workspace/workspace.h"

namespace sestina {

// Why the run of this workspace has to be computed by itself ("the model has events"), or an empty text: it
// can be computed in a lane.
std::string explain_no_lanes(const Workspace& workspace);

class LaneRun {
 public:
  // The workspace must outlive this, and have no reason against lanes.
  explicit LaneRun(Workspace& workspace);

  // What runs have in common that can be computed side by side: lane signature and rule.
  const std::string& signature() const { return signature_; }
  LaneIntegrator make_integrator(InstructionSet instruction_set) const;

  // Starts in the lane and tells the recorders. Throws ComputationError where the first step has no length,
  // and what a recorder throws that cannot begin.
  void start(LaneIntegrator& integrator, int lane);

  // Rows that the run has yet to come by: when the next one is due (s), until there are no more.
  bool has_more_rows() const { return has_more_rows_; }
  double next_row() const { return rows_.stop(next_row_).t; }
  void count_row();

  // A row is ready; rows come in their order.
  void record(const State<double>& state, const Observables& observables);
  // Whether the run has met a limit, by the steps of its lane and its time in lanes (s): then it has failed
  // with that reason, and finish() is next.
  bool stops_at_limit(const LaneIntegrator& integrator, int lane, double wall_time);
  // A recorder has.
  bool has_failed() const { return has_failed_; }

  const State<double>& initial() const { return initial_; }
  const Model& model() const { return workspace_.model(); }
  double duration() const { return analysis_.duration; }
  // After the last row of a run that is done or has met a limit.
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
  RowLog log_;
  EnergyLog energy_;
  long next_row_ = 1;
  bool has_more_rows_ = true;
  bool has_failed_ = false;
  RunReport report_;
};

}  // namespace sestina
