#include "sestina/run/run_loop.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "integrate/test_systems.h"
#include "sestina/base/error.h"
#include "sestina/integrate/rule_list.h"
#include "sestina/integrate/step_options.h"
#include "sestina/run/row_log.h"

namespace sestina::test {
namespace {

// q'' = -q, with an event where q = `height`, which takes a tenth off the speed.
class Oscillator final : public RunSystem, private RunEvents {
 public:
  EquationsOfMotion& equations() override { return oscillator_; }
  RunEvents* events() override { return height_ ? this : nullptr; }
  std::span<const double> observe(const State<double>& state, int event) override {
    row_ = {state.t, state.q[0], state.u[0], static_cast<double>(event)};
    if (!std::isfinite(row_[1])) throw ComputationError(state.t, "q is not finite");
    return row_;
  }

  std::optional<double> height_;
  bool ends_ = false;

 private:
  int size() const override { return 1; }
  void calc(const State<double>& state, std::span<double> values) override { values[0] = calc_one(state, 0); }
  double calc_one(const State<double>& state, int) override { return state.q[0] - *height_; }
  void calc_rates(const State<double>& state, std::span<double> rates) override { rates[0] = state.u[0]; }
  std::string explain(const State<double>&, int) override { return "?"; }
  std::vector<EventWatch> watches() const override { return {{CrossingDirection::kFalling, 0.0}}; }
  const std::string& name(int) const override {
    static const std::string kName = "falls";
    return kName;
  }
  bool is_terminal(int) const override { return ends_; }
  void apply(int, State<double>& state) override { state.u[0] *= 0.9; }

  PlainSystem oscillator_ = make_oscillator();
  std::array<double, 4> row_{};
};

struct Rows final : RunObserver {
  void see_row(std::span<const double> row, RowKind kind) override {
    rows.emplace_back(row.begin(), row.end());
    kinds.push_back(kind);
  }
  void see_step(const StepDriver&) override { ++steps; }
  std::vector<std::vector<double>> rows;
  std::vector<RowKind> kinds;
  long steps = 0;
};

struct Control final : RunControl {
  explicit Control(std::function<bool(RunLoop&)> given) : decide(std::move(given)) {}
  bool goes_on(RunLoop& loop) override { return decide(loop); }
  std::function<bool(RunLoop&)> decide;
};

struct LoopRun {
  explicit LoopRun(RowSchedule rows, const std::string& rule_name = "dormand_prince_54")
      : rule(make_integration_rule(rule_name)), schedule(std::move(rows)) {}
  void make() {
    driver = make_step_driver({});
    loop.emplace(system, *rule, *driver, schedule);
    loop->add_observer(seen);
  }
  void go(RunControl* control = nullptr) {
    make();
    if (control != nullptr) loop->set_control(*control);
    loop->start({.q = {1.0}, .u = {0.0}});
    loop->advance();
  }
  Oscillator system;
  std::unique_ptr<IntegrationRule> rule;
  std::unique_ptr<StepDriver> driver;
  RowSchedule schedule;
  Rows seen;
  std::optional<RunLoop> loop;
};

TEST(RowSchedule, HasTheStartTheMultiplesAndTheEnd) {
  const RowSchedule rows(2.0, 3.0, 0.4);
  EXPECT_EQ(rows.stop(0).t, 2.0);
  EXPECT_EQ(rows.stop(2).t, 2.0 + 2 * 0.4);
  EXPECT_FALSE(rows.stop(2).is_last);
  EXPECT_EQ(rows.stop(3).t, 3.0);
  EXPECT_TRUE(rows.stop(3).is_last);
  // A row nearer to the end than 1e-6 of the interval is at the end.
  EXPECT_TRUE(RowSchedule(0.0, 1.0, 1.0 / 3.0).stop(3).is_last);
  EXPECT_TRUE(RowSchedule(0.0, 0.0, 0.1).stop(0).is_last);
  EXPECT_TRUE(RowSchedule(0.0, 5.0, 0.0).stop(1).is_last);
}

TEST(RowSchedule, OfTimesMayLackTheStartAndTheEnd) {
  const RowSchedule rows(0.0, 3.0, std::vector<double>{0.5, 2.0});
  EXPECT_FALSE(rows.stop(0).is_row);
  EXPECT_EQ(rows.stop(1).t, 0.5);
  EXPECT_EQ(rows.stop(2).t, 2.0);
  EXPECT_EQ(rows.stop(3).t, 3.0);
  EXPECT_FALSE(rows.stop(3).is_row);
  EXPECT_TRUE(rows.stop(3).is_last);
  EXPECT_TRUE(RowSchedule(0.0, 2.0, std::vector<double>{0.0, 2.0}).stop(1).is_last);
}

TEST(RunLoop, RecordsEveryRowOfTheSchedule) {
  LoopRun run(RowSchedule(0.0, 2.0, 0.5));
  run.go();
  ASSERT_EQ(run.seen.rows.size(), 5U);
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_EQ(run.seen.rows[k][0], 0.5 * static_cast<double>(k));
    EXPECT_NEAR(run.seen.rows[k][1], std::cos(0.5 * static_cast<double>(k)), 1e-7);
  }
  EXPECT_EQ(run.seen.steps, run.driver->statistics().steps);
  EXPECT_TRUE(run.loop->is_done());
}

TEST(RunLoop, RecordsBeforeAndAfterAnEvent) {
  LoopRun run(RowSchedule(0.0, 2.0, 2.0));
  run.system.height_ = 0.0;
  run.go();
  ASSERT_EQ(run.seen.rows.size(), 4U);
  EXPECT_NEAR(run.seen.rows[1][0], std::numbers::pi / 2, 1e-7);
  EXPECT_EQ(run.seen.rows[1][3], 0.0);
  EXPECT_EQ(run.seen.rows[2][3], 1.0);
  EXPECT_DOUBLE_EQ(run.seen.rows[2][2], 0.9 * run.seen.rows[1][2]);
  EXPECT_EQ(run.seen.kinds[2], RowKind::kBetween);
  EXPECT_EQ(run.loop->events().counts(), std::vector<double>{1.0});
}

TEST(RunLoop, EndsWithATerminalEvent) {
  LoopRun run(RowSchedule(0.0, 20.0, 0.1));
  run.system.height_ = 0.0, run.system.ends_ = true;
  run.go();
  EXPECT_EQ(run.loop->events().ended_by(), 0);
  EXPECT_NEAR(run.loop->t(), std::numbers::pi / 2, 1e-7);
}

// A command between two steps: the speed is doubled once, and the motion continues exactly from
// there.
TEST(RunLoop, GoesOnFromWhatAControlMakesOfTheState) {
  std::optional<State<double>> kicked;
  Control control([&](RunLoop& loop) {
    if (!kicked && loop.t() > 1.0) {
      kicked = loop.driver().state();
      kicked->u[0] *= 2.0;
      loop.set_state(*kicked);
    }
    return true;
  });
  for (const char* rule : {"dormand_prince_54", "adams_bashforth_moulton", "cvode_bdf"}) {
    SCOPED_TRACE(rule);
    kicked.reset();
    LoopRun run(RowSchedule(0.0, 4.0, 4.0), rule);
    run.go(&control);
    ASSERT_TRUE(kicked);
    const double t = 4.0 - kicked->t;
    EXPECT_NEAR(run.seen.rows.back()[1], kicked->q[0] * std::cos(t) + kicked->u[0] * std::sin(t), 1e-5);
  }
}

// A jump to the other side of an event's zero is not a crossing; what follows is.
TEST(RunLoop, EventsGoOnFromAChangedState) {
  bool is_changed = false;
  Control control([&](RunLoop& loop) {
    if (!is_changed && loop.t() > 0.5) {
      State<double> state = loop.driver().state();
      state.q[0] = -1.0, state.u[0] = 0.0;
      loop.set_state(state);
      is_changed = true;
    }
    return true;
  });
  LoopRun run(RowSchedule(0.0, 6.0, 6.0));
  run.system.height_ = 0.0;
  run.go(&control);
  // From -1 at rest q rises through zero and falls through it half a period later.
  EXPECT_EQ(run.loop->events().counts(), std::vector<double>{1.0});
}

TEST(RunLoop, IsInterruptedWhereTheControlSaysNo) {
  Control control([](RunLoop& loop) { return loop.t() < 1.0; });
  LoopRun run(RowSchedule(0.0, 4.0, 0.25));
  run.go(&control);
  EXPECT_TRUE(run.loop->is_interrupted());
  EXPECT_FALSE(run.loop->is_done());
  const std::size_t rows = run.seen.rows.size();
  run.loop->record_last_state();
  EXPECT_EQ(run.seen.rows.size(), rows + 1);
  EXPECT_EQ(run.seen.rows.back()[0], run.loop->t());
  run.loop->record_last_state();  // there is one already
  EXPECT_EQ(run.seen.rows.size(), rows + 1);
}

TEST(RunLoop, ResumesBitForBitFromItsMemory) {
  LoopRun whole(RowSchedule(0.0, 4.0, 0.25));
  whole.system.height_ = 0.3;
  whole.go();
  std::optional<RunLoop::Memory> memory;
  std::size_t rows = 0;
  LoopRun first(RowSchedule(0.0, 4.0, 0.25));
  Control control([&](RunLoop& loop) {
    if (loop.t() < 2.0) return true;
    memory = loop.memory();
    rows = first.seen.rows.size();
    return false;
  });
  first.system.height_ = 0.3;
  first.go(&control);
  ASSERT_TRUE(memory);
  LoopRun second(RowSchedule(0.0, 4.0, 0.25));
  second.system.height_ = 0.3;
  second.make();
  second.loop->resume(*memory);
  second.loop->advance();
  ASSERT_EQ(rows + second.seen.rows.size(), whole.seen.rows.size());
  for (std::size_t k = 0; k < second.seen.rows.size(); ++k)
    EXPECT_EQ(second.seen.rows[k], whole.seen.rows[rows + k]) << k;
}

}  // namespace
}  // namespace sestina::test
