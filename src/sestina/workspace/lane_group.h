// The lanes of one thread and the runs in them: rows are collected and also evaluated in lanes.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "sestina/workspace/lane_run.h"

namespace sestina {

// A run of a RunSource.
struct EnsembleRun {
  virtual ~EnsembleRun() = default;

  std::size_t number = 0;
  std::unique_ptr<Workspace> workspace;
  std::unique_ptr<LaneRun> lane_run;  // where it can be computed in a lane
  double seconds = 0.0;               // of thread time used by it: its share among others
  double in_lanes = 0.0;              // s of wall time in its lane
};

class LaneGroup {
 public:
  using RunPointer = std::unique_ptr<EnsembleRun>;
  // Called when a run has ended, with its report, or with null if it must be computed separately to find the
  // reason.
  using Ended = std::function<void(RunPointer run, const RunReport* report)>;

  // All runs must have the signature of this one. If interrupted, step() ends early, and the data of its runs
  // are then invalid.
  LaneGroup(const LaneRun& run, InstructionSet instruction_set, std::function<bool()> is_interrupted);

  int lanes() const { return integrator_.lanes(); }
  int under_way() const { return under_way_; }
  bool has_room() const { return under_way_ < lanes(); }
  // Requires a free lane.
  void start(RunPointer run, const Ended& ended);
  // Takes one step of every run.
  void step(const Ended& ended);
  // Charges the time since the last call to the current runs, in equal shares, or to none.
  void charge_time();
  void skip_time() { charged_until_ = Clock::now(); }
  // The sum, over the runs under way, of the completed fractions of their durations.
  double fraction() const;

 private:
  static constexpr int kMostRows = 32;          // per lane, before they are evaluated
  static constexpr int kRowsBetweenLooks = 64;  // of a lane within one step, between checks for interrupts

  struct Lane {
    RunPointer run;
    int rows = 0;  // waiting to be evaluated
  };

  using Clock = std::chrono::steady_clock;

  bool has_failed(int l) { return (failed_ >> l & 1U) != 0 || lane(l).run->lane_run->has_failed(); }
  Lane& lane(int l) { return lanes_[static_cast<std::size_t>(l)]; }
  void add_rows(unsigned accepted);
  void add_row(int l, double t, const double* states);
  // Evaluates at least the rows of lane l, and as many of the others.
  void evaluate_rows(int l);
  void load_rows(int k);
  void record(int l, int k);
  void end(int l, const Ended& ended);

  LaneIntegrator integrator_;
  std::function<bool()> is_interrupted_;
  std::vector<Lane> lanes_;
  int under_way_ = 0;
  Clock::time_point charged_until_ = Clock::now();
  unsigned failed_ = 0;  // lanes

  int nq_, bodies_;
  std::vector<double> rows_;  // (lanes x kMostRows x (1 + size))
  LaneArray t_, x_;           // (lanes), (size x lanes) of the rows to evaluate
  LaneArray wanted_;          // (lanes) s
  LaneArray origins_, energies_, momentum_;
  State<double> state_;
  Observables observables_;
};

}  // namespace sestina
