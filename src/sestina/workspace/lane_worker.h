// Computes runs of a source on one thread: in lanes if possible, otherwise one by one.
#pragma once

#include <optional>
#include <vector>

#include "sestina/workspace/lane_group.h"

namespace sestina {

// Supplies runs and receives their reports. Called by several threads at once, each with its number.
class RunSource {
 public:
  virtual ~RunSource() = default;

  // The next run, or null if none is left.
  virtual std::unique_ptr<EnsembleRun> take(int thread) = 0;
  // The run is complete, has failed, or was interrupted.
  virtual void finish(int thread, EnsembleRun& run, const RunReport& report) = 0;
  // Called now and then with the sum of the completed fractions of the thread's runs.
  virtual void show_progress(int thread, double fraction) = 0;
  // Runs in lanes end if this is true; others have the interrupt of their workspace.
  virtual bool is_interrupted() const = 0;
};

class LaneWorker {
 public:
  // Without an instruction set, every run is computed by itself. The result of a run depends on this and on
  // nothing else: neither on the thread nor on the other runs.
  LaneWorker(RunSource& source, int thread, std::optional<InstructionSet> instruction_set)
      : source_(source), thread_(thread), instruction_set_(instruction_set) {}

  // Works until no run is left, or the source is interrupted.
  void work();

 private:
  using RunPointer = LaneGroup::RunPointer;

  // Runs of one signature that wait for lanes.
  struct Queue {
    std::string signature;
    std::vector<RunPointer> runs;
  };
  static constexpr std::size_t kMostWaiting = 64;  // runs, of all signatures
  static constexpr int kStepsBetweenLooks = 64;    // between checks of the clock

  RunPointer take();
  // The next run with this signature; runs with others that come before it wait.
  RunPointer take_alike(const std::string& signature);
  RunPointer take_waiting(const std::string& signature);
  void let_wait(RunPointer run);
  std::vector<Queue>::iterator find_queue(const std::string& signature);
  void compute_alone(EnsembleRun& run);
  // Computes runs with the signature, until none is left or too many others wait.
  void compute_in_lanes(const std::string& signature);

  RunSource& source_;
  int thread_;
  std::optional<InstructionSet> instruction_set_;
  std::vector<Queue> queues_;  // none is empty
  std::size_t waiting_ = 0;    // runs in them
  bool is_exhausted_ = false;
};

}  // namespace sestina
