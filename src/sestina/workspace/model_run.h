// One run of a model in time steps: the objects that it consists of, and its growing report.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "sestina/base/trace.h"
#include "sestina/io/checksum.h"
#include "sestina/run/row_log.h"
#include "sestina/run/run_loop.h"
#include "sestina/workspace/checkpoint.h"
#include "sestina/workspace/model_system.h"
#include "sestina/workspace/stall_watch.h"
#include "sestina/workspace/workspace.h"

namespace sestina {

class ModelRun final : private RunObserver, private RunControl {
 public:
  // Throws InputError for invalid options; no file has been written then.
  explicit ModelRun(Workspace& workspace);

  RunReport start();
  RunReport resume(const Checkpoint& checkpoint);

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double kProgressPeriod = 0.1;  // s of wall time

  void prepare_checkpoints(const CheckpointOptions& options);
  void check_fit(const Checkpoint& checkpoint);
  void check_numbers(const Checkpoint& checkpoint);
  void restore(const Checkpoint& checkpoint);
  // Executes `work`, which ends in the loop's advance(), and makes the report.
  RunReport go(const std::function<void()>& work);

  // Callbacks of the loop.
  void see_row(std::span<const double> row, RowKind kind) override;
  void see_step(const StepDriver& driver) override;  // to detect stalls
  bool goes_on(RunLoop& loop) override;              // work that is periodic in wall time, and interrupts

  void write_checkpoint();
  void finish();
  void finish_state();
  // Keeps the first failure of a run, which is reported.
  void keep_failure(const std::string& failure);

  bool is_interrupted() const;
  double wall_seconds() const;

  Workspace& workspace_;
  const RunSettings& settings_;
  const Analysis& analysis_;
  Trace trace_;
  ForwardDynamics dynamics_;
  ModelSystem system_;
  std::unique_ptr<IntegrationRule> rule_;
  std::unique_ptr<StepDriver> driver_;
  RowSchedule rows_;
  RunLoop loop_;
  RowLog log_;
  StallWatch stall_;
  ResultHeader header_;
  std::optional<Pacer> pacer_;
  std::optional<CheckpointFile> checkpoint_file_;
  Checkpoint checkpoint_;  // the next checkpoint; its data about the run itself do not change

  Clock::time_point start_;
  double wall_before_ = 0.0;                                        // s, of former processes
  double next_progress_ = kProgressPeriod, next_checkpoint_ = 0.0;  // s, as in wall_seconds()
  RowChecksum rows_checksum_;                                       // of the rows that were recorded
  RunReport report_;
};

}  // namespace sestina
