// The plan of a sweep, checked before it is executed.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <unordered_map>

#include "sestina/sweep/sweep.h"

namespace sestina {

class SweepPlan {
 public:
  // Throws InputError for axes or values with which no run could begin, and for unknown columns to record.
  SweepPlan(const ModelTree& model, const std::vector<SweepAxis>& axes, const SweepOptions& options);

  // True if it was interrupted before all values were checked: then nothing else may be used.
  bool is_interrupted() const { return is_interrupted_; }
  const SweepHeader& header() const { return header_; }
  // Returns a run that is ready to begin; throws InputError. At most one call for each run, in any thread.
  std::unique_ptr<Workspace> make_workspace(std::size_t run);

 private:
  // Data of a run that must be known beforehand: its columns and the instants of its rows.
  struct Outline {
    std::vector<Column> columns;
    double duration = 0.0, every = 0.0;  // s
  };

  System make_system(std::size_t run) const;
  std::unique_ptr<Workspace> share_model(std::size_t run) const;
  std::unique_ptr<Workspace> begin(std::size_t run) const;
  Outline outline_of(std::size_t run);
  void check_files(const System& system) const;  // the result may not be one of the inputs of a run
  void keep(std::size_t run, std::unique_ptr<Workspace> workspace);
  std::size_t run_at(const std::vector<std::size_t>& index) const;
  void check_paths() const;
  void check_values();
  bool wants_end();
  // True if the run, or any other with this value of the axis, can begin; adds the faults of the run.
  bool can_begin(std::size_t axis, std::size_t value, FaultList& faults);
  bool another_can_begin(std::size_t axis, std::size_t value);
  void add(std::size_t axis, const Outline& outline);
  void choose_series(const SweepOptions& options);

  ModelTree model_;
  std::filesystem::path out_;
  bool reactions_;
  const std::atomic<bool>* interrupt_;
  bool is_interrupted_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  SweepHeader header_;
  int searches_left_ = 1000;  // models that may be tried to find a valid one
  // Workspaces of checks of single axes, kept for the runs, with up to kMostKeptBodies bodies in total.
  std::unordered_map<std::size_t, std::unique_ptr<Workspace>> checked_;  // by run
  static constexpr int kMostKeptBodies = 20000;
  int kept_bodies_ = 0;
  // The model in its original form, if axes vary only parameters: its runs then share the frozen model.
  std::unique_ptr<const Workspace> base_;
  std::size_t most_rows_ = 0;
  double longest_ = 0.0, shortest_ = 0.0;  // s, of durations and of row intervals
  std::optional<Outline> first_;
  std::set<std::size_t> timing_axes_;  // axes that change duration or interval
};

// Returns the number of rows of a run.
std::size_t count_rows(double duration, double every);

}  // namespace sestina
