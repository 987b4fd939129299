// The lanes of one thread and the runs in them: rows are gathered and evaluated in lanes as well.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "sestina/workspace/lane_run.h"

namespace sestina {

// A run that somebody wants to have done; see RunSource.
struct EnsembleRun {
  virtual ~EnsembleRun() = default;

  std::size_t number = 0;
  std::unique_ptr<Workspace> workspace;
  std::unique_ptr<LaneRun> lane_run;  // where it can be computed in a lane
  double seconds = 0.0;               // of its thread, that it has taken: its share beside others
  double in_lanes = 0.0;              // s of wall time, since it came into its lane
};

class LaneGroup {
 public:
  using RunPointer = std::unique_ptr<EnsembleRun>;
  // A run has ended: with its report, or, where it has to be computed by itself to learn why it fails, null.
  using Ended = std::function<void(RunPointer run, const RunReport* report)>;

  // All its runs have the signature of this one. Where it is interrupted, step() ends early; what its runs
  // have then is of no use.
  LaneGroup(const LaneRun& run, InstructionSet instruction_set, std::function<bool()> is_interrupted);

  int lanes() const { return integrator_.lanes(); }
  int under_way() const { return under_way_; }
  bool has_room() const { return under_way_ < lanes(); }
  // Where there is room.
  void start(RunPointer run, const Ended& ended);
  // One step of every run.
  void step(const Ended& ended);
  // The time since the last of these calls belongs to the runs under way, in equal shares; or to none.
  void charge_time();
  void skip_time() { charged_until_ = Clock::now(); }
  // Of the durations of the runs under way, the sum of the parts that are done.
  double fraction() const;

 private:
  static constexpr int kMostRows = 32;          // of a lane, before they are evaluated
  static constexpr int kRowsBetweenLooks = 64;  // of a lane within one step, at what the user wants

  struct Lane {
    RunPointer run;
    int rows = 0;  // that wait
  };

  using Clock = std::chrono::steady_clock;

  bool has_failed(int l) { return (failed_ >> l & 1U) != 0 || lane(l).run->lane_run->has_failed(); }
  Lane& lane(int l) { return lanes_[static_cast<std::size_t>(l)]; }
  void add_rows(unsigned accepted);
  void add_row(int l, double t, const double* states);
  // At least the rows of lane l, and as many of the others.
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
