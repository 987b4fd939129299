#include "sestina/integrate/cvode_solver.h"

#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <limits>
#include <new>

#include "sestina/base/error.h"
#include "sestina/integrate/integration_rule.h"
#include "sestina/integrate/newton_matrix.h"

namespace sestina {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kShortestStep = 16.0 * kEpsilon;  // relative to the time
// A step fails when it is too short to advance the time, not after a number of attempts: each attempt at
// least halves the step.
constexpr int kMostAttempts = 30;
// Near a state without computable accelerations, steps fail only now and then.
constexpr int kStepsNearAnObstacle = 20;

std::span<double> span_of(N_Vector v) {
  return {N_VGetArrayPointer(v), static_cast<std::size_t>(N_VGetLength(v))};
}

// Replaces CVODE's weighted root mean square norm.
double largest_weighted(N_Vector x, N_Vector weights) {
  double largest = 0.0;
  const std::span<const double> values = span_of(x), w = span_of(weights);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = std::abs(values[i] * w[i]);
    if (!(value < std::numeric_limits<double>::infinity())) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, value);
  }
  return largest;
}

void check(int flag, const char* what) {
  if (flag < 0) throw std::runtime_error(fmt::format("{} of SUNDIALS fails with {}", what, flag));
}

template <class Handle>
Handle checked(Handle handle) {
  if (handle == nullptr) throw std::bad_alloc();
  return handle;
}

}  // namespace

struct CvodeSolver::Handles {
  SUNContext context = nullptr;
  N_Vector y = nullptr, scratch = nullptr, weights = nullptr;
  void* cvode = nullptr;
  SUNNonlinearSolver iteration = nullptr;
  SUNLinearSolver linear_solver = nullptr;
  SUNMatrix matrix = nullptr;  // a placeholder for `newton`

  NewtonMatrix newton;
  std::vector<double> increments;  // (nq + nu + nx), for differences
  State<double> at;                // state at which the rates were last evaluated
  State<double> projected;
  std::vector<double> zdot;  // (nz) rates of z at that state

  // Results of the callbacks.
  std::string reason;            // why the accelerations could not be calculated
  int not_finite = -1;           // the derivative that is not finite, through [q, u, x, z]
  int steps_since_obstacle = 0;  // steps since one of the two above was set
  std::exception_ptr exception;  // any other exception
  std::string message;           // of CVODE

  Handles() = default;
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  ~Handles() {
    CVodeFree(&cvode);
    if (iteration != nullptr) SUNNonlinSolFree(iteration);
    if (linear_solver != nullptr) SUNLinSolFreeEmpty(linear_solver);
    if (matrix != nullptr) SUNMatFreeEmpty(matrix);
    for (N_Vector v : {y, scratch, weights}) {
      if (v != nullptr) N_VDestroy(v);
    }
    SUNContext_Free(&context);
  }

  void set_state(double t, N_Vector values) {
    at.t = t;
    auto from = span_of(values).begin();
    for (std::vector<double>* part : {&at.q, &at.u, &at.x, &at.z}) {
      std::copy_n(from, part->size(), part->begin());
      from += static_cast<std::ptrdiff_t>(part->size());
    }
  }
  // The same increments as in CVODE's own difference quotients: so large that rounding errors of the rates
  // stay small compared with I in I - gamma J.
  void update_increments(N_Vector at_y, N_Vector rate, double gamma) {
    const std::span<const double> values = span_of(at_y), w = span_of(weights);
    check(CVodeGetErrWeights(cvode, weights), "CVodeGetErrWeights");
    const auto n = static_cast<double>(values.size());
    const double size = largest_weighted(rate, weights);
    const double least = size == 0.0 ? 1.0 : 1000.0 * std::abs(gamma) * kEpsilon * n * size;
    for (std::size_t i = 0; i < increments.size(); ++i) {
      increments[i] = std::max(std::sqrt(kEpsilon) * std::abs(values[i]), least / w[i]);
    }
  }

  int look_for_not_finite(int bad) {
    if (bad < 0) return 0;
    not_finite = bad;
    reason.clear();
    steps_since_obstacle = 0;
    return 1;
  }
  void begin_step() {
    message.clear();
    exception = nullptr;
    if (++steps_since_obstacle <= kStepsNearAnObstacle) return;
    reason.clear();
    not_finite = -1;
  }
};

// `self` is the CvodeSolver. Returns CVODE's codes: 0, 1 if a shorter step may succeed, -1 otherwise.
struct CvodeSolver::Callbacks {
  template <class Work>
  static int guarded(void* self, Work&& work) {
    auto& solver = *static_cast<CvodeSolver*>(self);
    try {
      return work(solver, *solver.handles_);
    } catch (const ComputationError& error) {
      solver.handles_->reason = error.reason();
      solver.handles_->steps_since_obstacle = 0;
      return 1;
    } catch (...) {
      solver.handles_->exception = std::current_exception();
      return -1;
    }
  }

  static int calc_rate(double t, N_Vector y, N_Vector rate, void* self) {
    return guarded(self, [&](CvodeSolver& s, Handles& h) {
      h.set_state(t, y);
      const std::span<double> rates = span_of(rate);
      const std::size_t nq = h.at.q.size(), nu = h.at.u.size(), nx = h.at.x.size();
      const StateRates parts{rates.subspan(nq, nu), rates.subspan(nq + nu, nx), rates.subspan(nq + nu + nx)};
      s.equations_->calc_q_dot(h.at.q, h.at.u, rates.first(nq));
      s.equations_->calc_derivatives(h.at, parts);
      std::ranges::copy(parts.zdot, h.zdot.begin());
      return h.look_for_not_finite(first_not_finite(rates));
    });
  }

  static int calc_weights(N_Vector y, N_Vector weights, void* self) {
    const auto& s = *static_cast<CvodeSolver*>(self);
    const std::span<const double> values = span_of(y);
    const std::span<double> w = span_of(weights);
    const auto controlled = static_cast<std::size_t>(s.sizes_.controlled());
    for (std::size_t i = 0; i < controlled; ++i) w[i] = 1.0 / s.tolerances_.of(values[i]);
    std::fill(w.begin() + static_cast<long>(controlled), w.end(), 0.0);
    return 0;
  }

  static int update_matrix(double t, N_Vector y, N_Vector rate, SUNMatrix, booleantype is_jacobian_good,
                           booleantype* is_jacobian_new, double gamma, void* self, N_Vector, N_Vector,
                           N_Vector) {
    return guarded(self, [&](CvodeSolver& s, Handles& h) {
      *is_jacobian_new = is_jacobian_good ? SUNFALSE : SUNTRUE;
      if (!is_jacobian_good) {
        if (h.newton.needs_increments()) h.update_increments(y, rate, gamma);
        h.set_state(t, y);
        const int bad = h.newton.update_derivatives(*s.equations_, h.at, span_of(rate), h.increments);
        if (h.look_for_not_finite(bad) != 0) return 1;
      }
      return h.newton.factorize(*s.equations_, gamma) ? 0 : 1;
    });
  }

  static int solve(SUNLinearSolver solver, SUNMatrix, N_Vector x, N_Vector b, double) {
    return guarded(solver->content, [&](CvodeSolver& s, Handles& h) {
      double gamma = 0.0;
      check(CVodeGetCurrentGamma(h.cvode, &gamma), "CVodeGetCurrentGamma");
      h.newton.solve(*s.equations_, h.at, h.zdot, gamma, span_of(b), span_of(x));
      // CVODE scales the solution if gamma has changed since the matrix was factorised; this undoes the
      // scaling for the quadratures, which do not need it.
      const double scale = 2.0 / (1.0 + gamma / h.newton.gamma());
      const std::span<double> z = span_of(x).subspan(static_cast<std::size_t>(s.sizes_.controlled()));
      for (double& value : z) value /= scale;
      return 0;
    });
  }

  // The correction that moves y onto the conditions. CVODE adds it to all columns of its history, whatever
  // the step: a correction that jumps at the tolerance of a projection would be an error that short steps do
  // not reduce.
  static int project(double t, N_Vector y, N_Vector correction, double, N_Vector, void* self) {
    return guarded(self, [&](CvodeSolver& s, Handles& h) {
      h.set_state(t, y);
      h.projected = h.at;
      s.equations_->project(h.projected, Projection::smooth);
      const std::span<double> to = span_of(correction);
      const std::size_t nq = h.at.q.size();
      std::ranges::fill(to, 0.0);
      std::ranges::transform(h.projected.q, h.at.q, to.begin(), std::minus<>());
      std::ranges::transform(h.projected.u, h.at.u, to.subspan(nq).begin(), std::minus<>());
      return 0;
    });
  }

  static SUNLinearSolver_Type type_of_solver(SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; }
  static SUNMatrix_ID type_of_matrix(SUNMatrix) { return SUNMATRIX_CUSTOM; }

  static void keep_message(int, const char*, const char*, char* message, void* self) {
    static_cast<CvodeSolver*>(self)->handles_->message = message;
  }
};

CvodeSolver::CvodeSolver(CvodeMethod method, EquationsOfMotion& equations)
    : handles_(std::make_unique<Handles>()), equations_(&equations), sizes_(equations.sizes()) {
  create(method);
}

CvodeSolver::~CvodeSolver() = default;

void CvodeSolver::create(CvodeMethod method) {
  Handles& h = *handles_;
  const bool is_bdf = method == CvodeMethod::kBdf;
  h.at.q.resize(static_cast<std::size_t>(sizes_.nq));
  h.at.u.resize(static_cast<std::size_t>(sizes_.nu));
  h.at.x.resize(static_cast<std::size_t>(sizes_.nx));
  h.at.z.resize(static_cast<std::size_t>(sizes_.nz));
  h.zdot.resize(h.at.z.size());
  check(SUNContext_Create(nullptr, &h.context), "SUNContext_Create");
  h.y = checked(N_VNew_Serial(static_cast<sunindextype>(sizes_.integrated()), h.context));
  h.y->ops->nvwrmsnorm = largest_weighted;  // clones inherit this function
  h.scratch = checked(N_VClone(h.y));
  h.weights = checked(N_VClone(h.y));
  N_VConst(0.0, h.y);
  h.cvode = checked(CVodeCreate(is_bdf ? CV_BDF : CV_ADAMS, h.context));
  check(CVodeSetErrHandlerFn(h.cvode, Callbacks::keep_message, this), "CVodeSetErrHandlerFn");
  check(CVodeInit(h.cvode, Callbacks::calc_rate, 0.0, h.y), "CVodeInit");
  check(CVodeSetUserData(h.cvode, this), "CVodeSetUserData");
  check(CVodeWFtolerances(h.cvode, Callbacks::calc_weights), "CVodeWFtolerances");
  check(CVodeSetMaxErrTestFails(h.cvode, kMostAttempts), "CVodeSetMaxErrTestFails");
  check(CVodeSetMaxConvFails(h.cvode, kMostAttempts), "CVodeSetMaxConvFails");
  check(CVodeSetMaxHnilWarns(h.cvode, -1), "CVodeSetMaxHnilWarns");
  if (is_bdf) {
    create_newton();
    if (equations_->is_constrained()) {
      check(CVodeSetProjFn(h.cvode, Callbacks::project), "CVodeSetProjFn");
      check(CVodeSetProjErrEst(h.cvode, SUNFALSE), "CVodeSetProjErrEst");
      check(CVodeSetMaxNumProjFails(h.cvode, kMostAttempts), "CVodeSetMaxNumProjFails");
    }
  } else {
    h.iteration = checked(SUNNonlinSol_FixedPoint(h.y, 0, h.context));
    check(CVodeSetNonlinearSolver(h.cvode, h.iteration), "CVodeSetNonlinearSolver");
  }
}

void CvodeSolver::create_newton() {
  Handles& h = *handles_;
  h.newton.resize(*equations_);
  h.increments.assign(static_cast<std::size_t>(sizes_.controlled()), 0.0);
  h.iteration = checked(SUNNonlinSol_Newton(h.y, h.context));
  check(CVodeSetNonlinearSolver(h.cvode, h.iteration), "CVodeSetNonlinearSolver");
  h.linear_solver = checked(SUNLinSolNewEmpty(h.context));
  h.linear_solver->content = this;
  h.linear_solver->ops->gettype = Callbacks::type_of_solver;
  h.linear_solver->ops->solve = Callbacks::solve;
  h.matrix = checked(SUNMatNewEmpty(h.context));
  h.matrix->ops->getid = Callbacks::type_of_matrix;
  check(CVodeSetLinearSolver(h.cvode, h.linear_solver, h.matrix), "CVodeSetLinearSolver");
  check(CVodeSetLinSysFn(h.cvode, Callbacks::update_matrix), "CVodeSetLinSysFn");
}

void CvodeSolver::start(EquationsOfMotion& equations, const ErrorTolerances& tolerances, double t,
                        std::span<const double> y, std::span<const double> d,
                        std::span<const double> history) {
  Handles& h = *handles_;
  equations_ = &equations;
  tolerances_ = tolerances;
  t_ = t;
  std::ranges::copy(y, span_of(h.y).begin());
  check(CVodeReInit(h.cvode, t, h.y), "CVodeReInit");
  h.at.d.assign(d.begin(), d.end());
  h.at.h.assign(history.begin(), history.end());
  h.reason.clear();
  h.not_finite = -1;
  const bool has_longest = std::isfinite(tolerances.max_step);
  // If a coordinate passes zero, CVODE's guess for the first step can be too short to advance the time.
  const double shortest = std::min(2.0 * kShortestStep * std::abs(t), tolerances.max_step);
  check(CVodeSetMinStep(h.cvode, 0.0), "CVodeSetMinStep");
  check(CVodeSetMaxStep(h.cvode, has_longest ? tolerances.max_step : 0.0), "CVodeSetMaxStep");
  check(CVodeSetMinStep(h.cvode, shortest), "CVodeSetMinStep");
}

void CvodeSolver::step(double t_stop) {
  Handles& h = *handles_;
  h.begin_step();
  const double t_before = t_;
  check(CVodeSetStopTime(h.cvode, t_stop), "CVodeSetStopTime");
  const int flag = CVode(h.cvode, t_stop, h.y, &t_, CV_ONE_STEP);
  if (flag < 0) {
    t_ = t_before;
    double length = 0.0;
    check(CVodeGetCurrentStep(h.cvode, &length), "CVodeGetCurrentStep");
    fail(flag, std::abs(length));
  }
  if (!h.at.h.empty()) {
    h.set_state(t_, h.y);
    equations_->update_history(h.at, h.at);
  }
  const double length = std::abs(t_ - t_before);
  if (t_ != t_stop && length < kShortestStep * std::abs(t_)) fail(CV_ERR_FAILURE, length);
}

std::span<const double> CvodeSolver::values() const { return span_of(handles_->y); }

std::span<const double> CvodeSolver::history() const { return handles_->at.h; }

void CvodeSolver::interpolate(double t, std::span<double> y) const {
  check(CVodeGetDky(handles_->cvode, t, 0, handles_->scratch), "CVodeGetDky");
  std::ranges::copy(span_of(handles_->scratch), y.begin());
}

int CvodeSolver::calc_derivatives(std::span<double> columns) const {
  int order = 0;
  check(CVodeGetLastOrder(handles_->cvode, &order), "CVodeGetLastOrder");
  const auto n = static_cast<std::size_t>(sizes_.integrated());
  for (int k = 0; k <= order; ++k) {
    check(CVodeGetDky(handles_->cvode, t_, k, handles_->scratch), "CVodeGetDky");
    std::ranges::copy(span_of(handles_->scratch), columns.subspan(static_cast<std::size_t>(k) * n).begin());
  }
  return order;
}

long CvodeSolver::rejected() const {
  long errors = 0, failures = 0;
  check(CVodeGetNumErrTestFails(handles_->cvode, &errors), "CVodeGetNumErrTestFails");
  check(CVodeGetNumStepSolveFails(handles_->cvode, &failures), "CVodeGetNumStepSolveFails");
  return errors + failures;
}

void CvodeSolver::fail(int flag, double length) {
  Handles& h = *handles_;
  if (h.exception) std::rethrow_exception(h.exception);
  const std::string reason = explain(flag);
  if (flag == CV_FIRST_RHSFUNC_ERR || flag == CV_TOO_MUCH_ACC) throw ComputationError(t_, reason);
  throw ComputationError(
      t_, fmt::format("the step fell to {:.3g} s, too short to advance the time: {}", length, reason));
}

std::string CvodeSolver::explain(int flag) {
  const Handles& h = *handles_;
  double error = 0.0;
  const std::string worst = name_of_worst(error);
  if (flag == CV_TOO_MUCH_ACC) return "step.rtol and step.atol require more digits than double precision has";
  if (!h.reason.empty()) return h.reason;
  if (h.not_finite >= 0) return describe({StepStatus::kNotFinite, h.not_finite}, *equations_);
  if (flag == CV_ERR_FAILURE) {
    if (error <= 1.0) return fmt::format("the tolerance of {} requires it", worst);
    return fmt::format("the largest error is in {}, {:.3g} times its tolerance", worst, error);
  }
  if (flag == CV_CONV_FAILURE) {
    return fmt::format("the implicit equations of the rule do not converge (worst in {})", worst);
  }
  return h.message;
}

// Describes the coordinate or speed with the largest estimated error in the last attempt at a step.
std::string CvodeSolver::name_of_worst(double& error) {
  const Handles& h = *handles_;
  check(CVodeGetErrWeights(h.cvode, h.weights), "CVodeGetErrWeights");
  check(CVodeGetEstLocalErrors(h.cvode, h.scratch), "CVodeGetEstLocalErrors");
  const std::span<const double> errors = span_of(h.scratch), weights = span_of(h.weights);
  std::size_t worst = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(sizes_.controlled()); ++i) {
    if (const double e = std::abs(errors[i] * weights[i]); e > error) worst = i, error = e;
  }
  return name_of_integrated(*equations_, static_cast<int>(worst));
}

}  // namespace sestina
