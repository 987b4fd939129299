#include "sestina/workspace/ensemble.h"

#include "sestina/base/error.h"
#include "sestina/parallel/executor.h"
#include "sestina/workspace/lane_worker.h"

namespace sestina {
namespace {

class Members final : public RunSource {
 public:
  Members(const Workspace& base, std::span<const EnsembleMember> members, const EnsembleOptions& options)
      : base_(base), members_(members), options_(options), reports_(members.size()) {
    for (RunReport& report : reports_) report.status = RunStatus::kInterrupted;
  }

  std::unique_ptr<EnsembleRun> take(int) override {
    for (;;) {
      const std::size_t number = next_.fetch_add(1);
      if (number >= members_.size()) return nullptr;
      auto run = std::make_unique<EnsembleRun>();
      run->number = number;
      try {
        run->workspace = make_workspace(members_[number]);
      } catch (const InputError& error) {
        reports_[number].status = RunStatus::kFailed;
        reports_[number].failure = error.what();
        count();
        continue;
      }
      if (options_.make_recorder) run->workspace->add_recorder(options_.make_recorder(number));
      return run;
    }
  }

  void finish(int, EnsembleRun& run, const RunReport& report) override {
    reports_[run.number] = report;
    count();
  }
  void show_progress(int, double) override {}
  bool is_interrupted() const override { return options_.interrupt != nullptr && options_.interrupt->load(); }

  std::vector<RunReport> take_reports() { return std::move(reports_); }

 private:
  void count() {
    if (options_.ended != nullptr) ++*options_.ended;
  }
  std::unique_ptr<Workspace> make_workspace(const EnsembleMember& member) const {
    std::unique_ptr<Workspace> workspace = base_.with_parameters(member.parameters);
    if (member.duration) workspace->set_duration(*member.duration);
    if (!member.q.empty() || !member.u.empty()) workspace->set_initial_state(member.q, member.u);
    workspace->set_threads(1);
    workspace->set_limits(options_.limits);
    workspace->set_interrupt(options_.interrupt);
    return workspace;
  }

  const Workspace& base_;
  std::span<const EnsembleMember> members_;
  const EnsembleOptions& options_;
  std::vector<RunReport> reports_;
  std::atomic<std::size_t> next_{0};
};

}  // namespace

std::vector<RunReport> Workspace::run_ensemble(std::span<const EnsembleMember> members,
                                               const EnsembleOptions& options) const {
  check_run_limits(options.limits);
  Members source(*this, members, options);
  std::optional<InstructionSet> lanes;
  if (options.lanes) lanes = options.instruction_set;
  Executor executor(options.threads == 0 ? default_thread_count() : options.threads);
  executor.parallel_for(executor.threads(), 1, [&](int begin, int end) {
    for (int thread = begin; thread < end; ++thread) LaneWorker(source, thread, lanes).work();
  });
  return source.take_reports();
}

std::vector<RunReport> Workspace::run_ensemble(std::span<const EnsembleMember> members) const {
  return run_ensemble(members, EnsembleOptions{});
}

}  // namespace sestina
