#include "studio/run_thread.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/dynamics/cartesian_coordinates.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/workspace/analysis_run.h"
#include "sestina/workspace/integrator_options.h"
#include "sestina/workspace/result_row.h"
#include "sestina/workspace/simulator.h"
#include "sestina/workspace/system_equations.h"

namespace sestina::studio {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kFrame = 1.0 / 60.0;   // s of wall time between two rows of a live run
constexpr int kPullParts = 4;           // of a row, in each of which the pulling force is constant
constexpr double kPullFrequency = 8.0;  // rad/s, of the mass that the point feels on the spring that pulls

// The generalised forces of a spring and damper that pull a point of a body: J^T F. The spring suits the mass
// that the point feels, 1/(J M^-1 J^T) along the axis in which it is least.
class PullForce {
 public:
  PullForce(ForwardDynamics& dynamics)
      : dynamics_(dynamics),
        kinematics_(dynamics.model()),
        tau_(static_cast<std::size_t>(dynamics.model().nu())),
        none_(tau_),
        udot_(tau_),
        free_udot_(tau_) {}

  std::span<const double> calc(const Pull& pull, const State<double>& state) {
    const Properties<double>& properties = dynamics_.properties();
    update_kinematics(dynamics_.model(), properties, state, kinematics_);
    const BodyIndex body(pull.body);
    const Pose<double> X_WB = calc_body_pose(properties, kinematics_, body);
    const Vec3<double> at = X_WB * pull.point;
    const SpatialMotion<double> V = calc_body_velocity(properties, kinematics_, body);
    const Vec3<double> velocity = V.v + cross(V.w, at - X_WB.p);
    const double mass = calc_mass(body, at, state);
    set_tau(body, at, mass * kPullFrequency * (kPullFrequency * (pull.target - at) - velocity));
    return tau_;
  }

 private:
  // Calls f(i, J_i) for each speed that moves the point.
  template <class F>
  void for_each_column(BodyIndex body, const Vec3<double>& at, F&& f) const {
    const Model& model = dynamics_.model();
    for (BodyIndex b = body; b.value() > 0; b = model.bodies()[b].parent) {
      const BodyInfo& info = model.bodies()[b];
      const Vec3<double> arm = at - kinematics_.motion[static_cast<std::size_t>(b.value())].X_WB.p;
      for (int i = info.u_start; i < info.u_start + info.nu; ++i) {
        const SpatialMotion<double>& H = kinematics_.H[static_cast<std::size_t>(i)];
        f(static_cast<std::size_t>(i), H.v + cross(H.w, arm));
      }
    }
  }
  void set_tau(BodyIndex body, const Vec3<double>& at, const Vec3<double>& F) {
    std::ranges::fill(tau_, 0.0);
    for_each_column(body, at, [&](std::size_t i, const Vec3<double>& J_i) { tau_[i] = dot(J_i, F); });
  }
  double calc_mass(BodyIndex body, const Vec3<double>& at, const State<double>& state) {
    dynamics_.calc_udot(state, free_udot_, none_);
    double largest = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
      Vec3<double> unit;
      unit[axis] = 1.0;
      set_tau(body, at, unit);
      dynamics_.calc_udot(state, udot_, tau_);
      double a = 0.0;
      for_each_column(body, at, [&](std::size_t i, const Vec3<double>& J_i) {
        a += J_i[axis] * (udot_[i] - free_udot_[i]);
      });
      largest = std::max(largest, a);
    }
    return largest > 0.0 ? 1.0 / largest : 0.0;  // a point that nothing moves is not pulled
  }

  ForwardDynamics& dynamics_;
  Kinematics<double> kinematics_;
  std::vector<double> tau_, none_, udot_, free_udot_;
};

// The rule of the model's analysis with its tolerances, or with its steps, as many as a row at the speed 1
// needs.
SimulatorOptions live_options(const Workspace& workspace) {
  const Analysis& analysis = workspace.analysis();
  SimulatorOptions options{.solver = analysis.solver, .rule = rule_options(analysis)};
  const StepOptions steps = step_options(analysis);
  if (steps.driver == "fixed") {
    options.substeps = static_cast<int>(std::clamp(std::ceil(kFrame / steps.dt - 1e-9), 1.0, 1e9));
  } else {
    options.tolerances = tolerances_of(steps);
  }
  return options;
}

// The coordinates and speeds of a row are those of joints, with all their turns.
void begin_at(const LiveStart& start, const Workspace& workspace, Simulator& simulator) {
  State<double> state = simulator.state();
  state.q = start.q, state.u = start.u, state.h = start.h;
  if (workspace.model().is_cartesian()) {
    State<double> relative = state;
    relative.d = start.d, relative.x = start.x;
    CartesianCoordinates(workspace.model(), workspace.properties().parameters).to_cartesian(relative, state);
  }
  simulator.reset(start.t, state.q, state.u, start.d, start.x);
  Simulator::Snapshot snapshot = simulator.save();
  const auto take = [](std::vector<double>& to, const std::vector<double>& from) {
    if (to.size() == from.size()) to = from;  // or the model has other columns now
  };
  take(snapshot.state.z, start.z);
  take(snapshot.state.h, state.h);
  simulator.restore(snapshot);
}

// How fast the motion is, told where that is slower than wanted.
class Pace {
 public:
  void restart(double t) { begin_ = Clock::now(), t_ = t; }
  // Returns what to tell, once a second.
  std::optional<std::string> see(double t, double speed) {
    const double wall = std::chrono::duration<double>(Clock::now() - begin_).count();
    if (wall < 1.0) return std::nullopt;
    const double pace = (t - t_) / wall;
    restart(t);
    return pace < 0.9 * speed ? fmt::format("{:.2g} times as fast as the clock", pace) : "";
  }

 private:
  Clock::time_point begin_ = Clock::now();
  double t_ = 0.0;
};

}  // namespace

class RunThread::Observer final : public Recorder {
 public:
  Observer(RunThread& owner, std::size_t stride) : owner_(owner), stride_(stride) {}
  void begin(const ResultHeader& /*header*/) override {}
  bool keeps_origin() const override { return false; }
  void record(std::span<const double> row) override {
    if (count_++ % stride_ == 0) owner_.add_row(row, row[0]);
  }
  void record_between(std::span<const double> row) override { owner_.add_row(row, row[0]); }
  void flush() override {}
  void end() override {}

 private:
  RunThread& owner_;
  std::size_t stride_, count_ = 0;
};

RunThread::RunThread(std::unique_ptr<Workspace> workspace, bool reactions, std::size_t stride)
    : workspace_(std::move(workspace)), is_live_(false) {
  columns_ = run_columns(workspace_->model(), workspace_->analysis(), reactions);
  if (reactions) workspace_->record_reactions();
  state_.is_running = true;
  thread_ = std::thread([this, stride] { run_whole(stride); });
}

RunThread::RunThread(std::unique_ptr<Workspace> workspace, std::optional<LiveStart> start, double speed)
    : workspace_(std::move(workspace)), is_live_(true), speed_(speed) {
  columns_ = result_columns(workspace_->model(), false);
  state_.is_running = true;
  thread_ = std::thread([this, start = std::move(start)] { run_live(start); });
}

RunThread::~RunThread() {
  stops_ = true;
  thread_.join();
}

void RunThread::pull(std::optional<Pull> pull) {
  const std::lock_guard lock(mutex_);
  pull_ = pull;
}

std::optional<Pull> RunThread::current_pull() const {
  const std::lock_guard lock(mutex_);
  return pull_;
}

RunState RunThread::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void RunThread::take_rows(std::vector<double>& rows) {
  const std::lock_guard lock(mutex_);
  rows.insert(rows.end(), rows_.begin(), rows_.end());
  rows_.clear();
}

void RunThread::add_row(std::span<const double> row, double t) {
  const std::lock_guard lock(mutex_);
  rows_.insert(rows_.end(), row.begin(), row.end());
  state_.t = t;
}

void RunThread::tell(std::string message) {
  const std::lock_guard lock(mutex_);
  state_.message = std::move(message);
}

void RunThread::finish(bool has_failed, std::string message) {
  const std::lock_guard lock(mutex_);
  state_.is_running = false;
  state_.has_failed = has_failed;
  state_.message = std::move(message);
}

// A run that takes its time tells how short its steps are.
void RunThread::show_progress(const RunProgress& progress) {
  constexpr double kPatience = 3.0;  // s
  const std::lock_guard lock(mutex_);
  state_.t = progress.t;
  if (workspace_->analysis().type != "dynamics" || progress.steps == 0 || progress.wall_seconds < kPatience)
    return;
  const double left = progress.wall_seconds * (progress.duration / std::max(progress.t, 1e-12) - 1.0);
  state_.message = fmt::format("steps of {:.1g} s, {:.0f} s to go",
                               progress.t / static_cast<double>(progress.steps), left);
}

void RunThread::run_whole(std::size_t stride) {
  try {
    workspace_->add_recorder(std::make_unique<Observer>(*this, stride));
    workspace_->set_interrupt(&stops_);
    workspace_->on_progress([this](const RunProgress& progress) { show_progress(progress); });
    const RunReport report = workspace_->run();
    {
      const std::lock_guard lock(mutex_);
      state_.wall_seconds = report.wall_seconds;
    }
    if (report.status == RunStatus::kFailed) return finish(true, report.failure);
    std::string text = report.status == RunStatus::kInterrupted ? "stopped" : "";
    for (const std::string& change : report.assembly)
      text += fmt::format("{}{}", text.empty() ? "" : "; ", change);
    for (const std::string& remark : report.remarks)
      text += fmt::format("{}{}", text.empty() ? "" : "; ", remark);
    finish(false, std::move(text));
  } catch (const std::exception& error) {
    finish(true, error.what());
  }
}

void RunThread::run_live(const std::optional<LiveStart>& start) {
  try {
    const Model& model = workspace_->model();
    const Properties<double>& properties = workspace_->properties();
    const SimulatorOptions options = live_options(*workspace_);
    Simulator simulator(workspace_->shared_model(), properties, options);
    ForwardDynamics dynamics(workspace_->shared_model(), properties, options.solver);
    if (start) begin_at(*start, *workspace_, simulator);
    PullForce force(dynamics);
    ResultRow row(model, properties.parameters, false);
    SystemEquations equations(dynamics);
    row.set_contacts(&equations);
    const std::vector<double> none(static_cast<std::size_t>(model.nu()), 0.0);
    if (!start) add_row(row.calc(simulator.state(), dynamics), simulator.t());
    auto next = Clock::now();
    Pace pace;
    pace.restart(simulator.t());
    while (!stops_ && simulator.ended_by().empty()) {
      next += std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(kFrame));
      std::this_thread::sleep_until(next);
      if (Clock::now() - next > std::chrono::milliseconds(250)) next = Clock::now();  // late: no waiting
      if (is_paused_) pace.restart(simulator.t());
      if (is_paused_ && single_steps_ == 0) continue;
      if (single_steps_ > 0) --single_steps_;
      const double speed = speed_;
      const int parts = std::max(current_pull() ? kPullParts : 1, static_cast<int>(std::ceil(speed)));
      for (int part = 0; part < parts && !stops_ && simulator.ended_by().empty(); ++part) {
        const std::optional<Pull> pull = current_pull();
        simulator.set_tau(pull ? force.calc(*pull, simulator.state()) : std::span<const double>(none));
        simulator.step(kFrame * speed / parts);
      }
      if (const std::optional<std::string> told = pace.see(simulator.t(), speed)) tell(*told);
      add_row(row.calc(simulator.state(), dynamics), simulator.t());
    }
    const std::string& event = simulator.ended_by();
    finish(false, event.empty() ? "stopped" : fmt::format("ended by the event {}", event));
  } catch (const std::exception& error) {
    finish(true, error.what());
  }
}

}  // namespace sestina::studio
