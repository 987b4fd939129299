// The multistep rules of variable order of CVODE: BDF (order 1 to 5) for stiff systems, Adams-Moulton (order
// 1 to 12) for smooth ones.
//
// CVODE chooses its steps and controls their error itself. try_own_step takes one of them; try_step takes as
// many as it needs to end at t_end. The internal history of CVODE cannot be saved. The rule therefore
// restarts CVODE from the current state after every kStepsFromAStart of CVODE's steps, whether or not
// checkpoints are written. Its own memory is then the state at the last restart and the stop time of each
// step since: to continue a run, it starts there and repeats these steps, with the same result bit for bit.
// (On another processor or with another mathematics library the repeated steps may end elsewhere because of
// rounding; then CVODE restarts from the state that is to be continued.) CVODE cannot take back an attempt
// that was not accepted; the next attempt then restarts from the accepted state. docs/decisions/cvode.md
// discusses the cost.
//
// Euler parameters are integrated as coordinates. Their norm stays 1 up to the error of the steps,
// since qdot is orthogonal to q; states that are returned are normalised, and so is the state at a
// restart.
#pragma once

#include <memory>

#include "sestina/integrate/cvode_solver.h"
#include "sestina/integrate/integration_rule.h"

namespace sestina {

class CvodeRule final : public IntegrationRule {
 public:
  static constexpr int kStepsFromAStart = 500;

  explicit CvodeRule(CvodeMethod method) : method_(method) {}
  ~CvodeRule() override;

  const std::string& name() const override;
  int order() const override;  // the highest
  int error_order() const override { return 0; }
  bool has_dense_output() const override { return true; }
  bool projects() const override { return method_ == CvodeMethod::kBdf; }
  bool chooses_its_steps() const override { return true; }
  void set_tolerances(const ErrorTolerances& tolerances) override { tolerances_ = tolerances; }
  long rejected() const override { return rejected_; }
  std::span<const double> previous_memory() const override { return previous_memory_; }

 private:
  // A step of CVODE within one step of this rule, other than the last one; described by the derivatives at
  // its end.
  struct Piece {
    double end;  // s
    int order;
    std::size_t offset;  // of its derivatives, in derivatives_
  };

  void do_start(std::span<const double> memory) override;
  bool do_can_remember(std::span<const double> memory) const override;
  StepReport do_step(double t_end, State<double>& candidate) override;
  StepReport do_own_step(double t_limit, State<double>& candidate) override;
  void do_accept() override;
  void do_cut_step() override;
  StepReport do_interpolate(double t, State<double>& out) override;

  void begin_attempt();
  void take_step(double t_stop);
  bool continue_from(std::span<const double> memory);
  // y (nq + nu + nx + nz), h (nh)
  void start_at(double t, std::span<const double> y, std::span<const double> h);
  void write_start(double t, std::span<const double> y, std::span<const double> h,
                   std::vector<double>& memory) const;
  void keep_piece();
  [[noreturn]] void fail_with_many_pieces(double t_end) const;
  void evaluate_piece(const Piece& piece, double t, std::span<double> y) const;
  void copy_normalized(std::span<const double> y, State<double>& to) const;
  void flatten(const State<double>& from);  // into y_

  // [steps of CVODE since its start, time of the start, y (n) and h (nh) at the start, stop time of each
  // step]
  static constexpr std::size_t kSteps = 0, kTime = 1, kState = 2;
  std::size_t stops() const { return kState + y_.size() + at_.h.size(); }

  CvodeMethod method_;
  ErrorTolerances tolerances_;
  std::unique_ptr<CvodeSolver> solver_;
  std::vector<double> previous_memory_, memory_;  // at previous() and at state()
  std::vector<double> current_;                   // the state of the solver
  bool is_pending_ = false;                       // the solver is at a state that has not been accepted
  long rejected_ = 0, rejected_before_ = 0;
  std::vector<Piece> pieces_;
  std::vector<double> derivatives_;
  std::vector<double> y_;  // (n)
  State<double> at_;
};

}  // namespace sestina
