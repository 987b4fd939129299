// What a sweep will do, checked before it does it.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <unordered_map>

#include "sestina/sweep/sweep.h"

namespace sestina {

class SweepPlan {
 public:
  // Throws InputError for axes or values that no run could begin with, and for unknown columns to record.
  SweepPlan(const ModelTree& model, const std::vector<SweepAxis>& axes, const SweepOptions& options);

  // Ended before all values were checked: nothing else is of use then.
  bool is_interrupted() const { return is_interrupted_; }
  const SweepHeader& header() const { return header_; }
  // A run, ready to begin; throws InputError. Each is asked for once at most, by whatever thread.
  std::unique_ptr<Workspace> make_workspace(std::size_t run);

 private:
  // What must be known of a run beforehand: its columns and when it has rows.
  struct Outline {
    std::vector<Column> columns;
    double duration = 0.0, every = 0.0;  // s
  };

  System make_system(std::size_t run) const;
  std::unique_ptr<Workspace> share_model(std::size_t run) const;
  std::unique_ptr<Workspace> begin(std::size_t run) const;
  Outline outline_of(std::size_t run);
  void check_files(const System& system) const;  // that the result is none of those that the run reads
  void keep(std::size_t run, std::unique_ptr<Workspace> workspace);
  std::size_t run_at(const std::vector<std::size_t>& index) const;
  void check_paths() const;
  void check_values();
  bool wants_end();
  // Whether the run, or else any other that has the axis' value, can begin; notes the faults of the run.
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
  int searches_left_ = 1000;  // models that may be tried to find one that can begin
  // What the check of a single axis has made, and the runs would make again; so many bodies in all.
  std::unordered_map<std::size_t, std::unique_ptr<Workspace>> checked_;  // by run
  static constexpr int kMostKeptBodies = 20000;
  int kept_bodies_ = 0;
  // The model as it is, where axes vary nothing but parameters: its runs then share what is frozen.
  std::unique_ptr<const Workspace> base_;
  std::size_t most_rows_ = 0;
  double longest_ = 0.0, shortest_ = 0.0;  // s, of the durations and of the intervals of rows
  std::optional<Outline> first_;
  std::set<std::size_t> timing_axes_;  // those that change duration or interval
};

// How many rows a run has.
std::size_t count_rows(double duration, double every);

}  // namespace sestina
