// One run: the parts that it is made of, and the report as it grows.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "sestina/base/trace.h"
#include "sestina/io/checksum.h"
#include "sestina/workspace/checkpoint.h"
#include "sestina/workspace/event_loop.h"
#include "sestina/workspace/pacer.h"
#include "sestina/workspace/result_row.h"
#include "sestina/workspace/stall_watch.h"
#include "sestina/workspace/system_equations.h"
#include "sestina/workspace/workspace.h"

namespace sestina {

class Workspace::Run {
 public:
  // Throws InputError for what is wrong with the options; nothing has been written then.
  explicit Run(Workspace& workspace);

  RunReport start();
  RunReport resume(const Checkpoint& checkpoint);

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double kProgressPeriod = 0.1;  // s of wall time

  void prepare_checkpoints(const CheckpointOptions& options);
  void check_fit(const Checkpoint& checkpoint);
  void check_numbers(const Checkpoint& checkpoint);
  void restore(const Checkpoint& checkpoint);
  // Does the work, which ends in advance(), and makes the report.
  RunReport go(const std::function<void()>& work);
  // Steps and records to the end of the duration, or until it is interrupted.
  void advance();
  // Steps to t, or beyond, or to where the run ends.
  void step_to(double t);
  enum class RowKind { kRegular, kBetween };  // at k every and at the end, or elsewhere
  void record(const State<double>& state, RowKind kind = RowKind::kRegular, int event = 0);
  // The rows before and after events.
  void record_event(const State<double>& state, int event);
  void wait_until(double t);
  // What happens every so often by the wall clock: progress and checkpoints.
  void look_at_clock();
  void write_checkpoint();
  void finish();
  void finish_state();
  // The first failure of a run is the one that is reported.
  void keep_failure(const std::function<void()>& work);

  bool is_interrupted() const;
  double wall_seconds() const;
  Trace* trace() { return workspace_.trace_wanted_ ? &trace_ : nullptr; }

  void look_for_stall();

  Workspace& workspace_;
  const Analysis& analysis_;
  ForwardDynamics dynamics_;
  SystemEquations equations_;
  std::unique_ptr<IntegrationRule> rule_;
  std::unique_ptr<StepDriver> driver_;
  EventLoop events_;
  StallWatch stall_;
  ResultRow row_;
  ResultHeader header_;
  Trace trace_;
  std::optional<Pacer> pacer_;
  std::optional<CheckpointFile> checkpoint_file_;
  Checkpoint checkpoint_;  // the next one; what it says of the run itself stays

  Clock::time_point start_;
  double wall_before_ = 0.0;                                        // s, of the processes before
  double next_progress_ = kProgressPeriod, next_checkpoint_ = 0.0;  // s, as wall_seconds() tells
  long next_row_ = 0;
  RowChecksum rows_checksum_;              // of the rows that were recorded
  double last_recorded_ = -1.0;            // s
  std::optional<double> initial_balance_;  // J
  bool is_started_ = false;                // the driver
  bool is_done_ = false;
  RunReport report_;
};

}  // namespace sestina
