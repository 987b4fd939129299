// Equilibria, linearisation and modes of sestina.Model, including loops and constraints.
#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <complex>
#include <numbers>

#include "arrays.h"
#include "bind.h"
#include "frozen_model.h"
#include "sestina/base/error.h"
#include "sestina/dynamics/assembly.h"
#include "sestina/dynamics/equilibrium.h"
#include "sestina/dynamics/input_response.h"
#include "sestina/dynamics/linearized_motion.h"
#include "sestina/workspace/contact_step.h"
#include "sestina/workspace/linear_system.h"

namespace sestina::python {
namespace {

template <class... Parts>
nb::object named_tuple(const char* type, Parts&&... parts) {
  return nb::module_::import_("sestina.tuples").attr(type)(std::forward<Parts>(parts)...);
}

// The model's initial state with closed loops, or the state given by the arguments.
State<double> make_state(const FrozenModel& self, nb::handle q, nb::handle u, double t,
                         nb::handle x = nb::none()) {
  State<double> state = calc_assembled_state(self.model(), self.properties());
  state.t = t;
  if (!q.is_none()) state.q = Vector("q", q, self.model().nq()).copy();
  normalize_q<double>(self.model(), state.q);
  if (u.is_none()) {
    std::fill(state.u.begin(), state.u.end(), 0.0);
  } else {
    state.u = Vector("u", u, self.model().nu()).copy();
  }
  if (!x.is_none()) state.x = Vector("x", x, self.model().nx()).copy();
  return state;
}

nb::object matrix(const Eigen::MatrixXd& values) {
  Results results({values.rows(), values.cols()}, {});
  Eigen::Map<Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(results.data(), values.rows(), values.cols()) =
      values;
  return results.release();
}

nb::object vector(const Eigen::VectorXd& values) {
  return new_array({values.data(), static_cast<std::size_t>(values.size())});
}

// Tangents at a state, with its accelerations and multipliers.
MotionTangents tangents_at(const FrozenModel& self, const State<double>& state) {
  MotionTangents tangents(self.model(), self.properties());
  ForwardDynamics dynamics(self.shared_model(), self.properties(), "recursive");
  std::vector<double> udot(state.u.size());
  dynamics.calc_udot(state, udot);
  Eigen::VectorXd lambda(self.model().constraint_rows());
  if (const ConstrainedDynamics* constrained = dynamics.constrained()) {
    std::ranges::copy(constrained->lambda(), lambda.begin());
  }
  tangents.update_tangents(state, udot, lambda, true);
  return tangents;
}

nb::object find_equilibrium(const FrozenModel& self, nb::handle q, double load, nb::handle x) {
  State<double> state = make_state(self, q, nb::none(), 0.0, x);
  Equilibrium equilibrium(self.model(), self.properties());
  if (const Equilibrium::Search search = equilibrium.find_in_parts(0.0, load, state); !search.is_found) {
    throw ComputationError(0.0, search.describe());
  }
  return named_tuple("Equilibrium", new_array(state.q), vector(equilibrium.lambda()), equilibrium.is_stable(),
                     new_array(state.x));
}

nb::object linearize(const FrozenModel& self, nb::handle q, nb::handle u, double t,
                     const std::optional<std::vector<std::string>>& inputs,
                     const std::vector<std::string>& outputs, nb::handle x) {
  const State<double> state = make_state(self, q, u, t, x);
  if (inputs || !outputs.empty()) {
    const LinearSystem system = linearize_system(self.shared_model(), self.properties(), state,
                                                 inputs.value_or(std::vector<std::string>()), outputs);
    return named_tuple("LinearMotion", matrix(system.A), matrix(system.B), matrix(system.basis),
                       matrix(system.C), matrix(system.D));
  }
  const LinearizedMotion motion = linearize_motion(self.model(), tangents_at(self, state), state);
  return named_tuple("LinearMotion", matrix(motion.A), matrix(motion.B), matrix(motion.basis));
}

nb::object frequency_response(const FrozenModel& self, const std::string& input, nb::handle frequencies,
                              nb::handle q, nb::handle u, double t, nb::handle x) {
  const State<double> state = make_state(self, q, u, t, x);
  const std::vector<double> hertz = Vector("frequencies", frequencies).copy();
  const MotionTangents tangents = tangents_at(self, state);
  std::vector<double> udot(state.u.size());
  ForwardDynamics dynamics(self.shared_model(), self.properties(), "recursive");
  dynamics.calc_udot(state, udot);
  Eigen::VectorXd lambda = Eigen::VectorXd::Zero(self.model().constraint_rows());
  if (const ConstrainedDynamics* constrained = dynamics.constrained()) {
    std::ranges::copy(constrained->lambda(), lambda.begin());
  }
  const InputResponse response(
      self.model(), tangents, state,
      calc_input_tangent(self.model(), self.properties(), state, udot, lambda, input));
  const auto count = static_cast<Eigen::Index>(hertz.size());
  Eigen::MatrixXd real(count, self.model().nu()), imag(count, self.model().nu());
  for (Eigen::Index i = 0; i < count; ++i) {
    const double f = hertz[static_cast<std::size_t>(i)];
    if (!(f >= 0.0)) throw InputError(fmt::format("frequencies[{}]: {} is not zero or more", i, f));
    const SmallResponse found = response.calc(2.0 * std::numbers::pi * f);
    real.row(i) = found.dq.real(), imag.row(i) = found.dq.imag();
  }
  const nb::object unit = nb::module_::import_("builtins").attr("complex")(0.0, 1.0);
  return matrix(real) + unit * matrix(imag);
}

nb::object modes(const FrozenModel& self, nb::handle q, nb::handle u, double t, nb::handle x) {
  const State<double> state = make_state(self, q, u, t, x);
  const std::vector<VibrationMode> found = calc_modes(self.model(), tangents_at(self, state), state);
  const auto count = static_cast<Eigen::Index>(found.size());
  Eigen::VectorXd real(count), imag(count);
  Eigen::MatrixXd shape_real(count, self.model().nu()), shape_imag(count, self.model().nu());
  Eigen::MatrixXd states_real(count, self.model().nx()), states_imag(count, self.model().nx());
  for (Eigen::Index i = 0; i < count; ++i) {
    const VibrationMode& mode = found[static_cast<std::size_t>(i)];
    real[i] = mode.eigenvalue.real(), imag[i] = mode.eigenvalue.imag();
    shape_real.row(i) = mode.shape.real(), shape_imag.row(i) = mode.shape.imag();
    states_real.row(i) = mode.states.real(), states_imag.row(i) = mode.states.imag();
  }
  const nb::object unit = nb::module_::import_("builtins").attr("complex")(0.0, 1.0);
  return named_tuple("Modes", vector(real) + unit * vector(imag),
                     matrix(shape_real) + unit * matrix(shape_imag),
                     matrix(states_real) + unit * matrix(states_imag));
}

nb::object contact_step(const FrozenModel& self, double dt, nb::handle q, nb::handle u, double t,
                        nb::handle tau, double smoothing, const std::vector<std::string>& parameters) {
  State<double> state = make_state(self, q, u, t);
  if (u.is_none()) state.u = calc_assembled_state(self.model(), self.properties()).u;
  ContactStepOptions options{.dt = dt, .smoothing = smoothing, .parameters = parameters};
  if (!tau.is_none()) options.tau = Vector("tau", tau, self.model().nu()).copy();
  const ContactStep step = calc_contact_step(self.shared_model(), self.properties(), state, options);
  return named_tuple("ContactStep", new_array(step.end.q), new_array(step.end.u), matrix(step.by_q),
                     matrix(step.by_u), matrix(step.by_tau), matrix(step.by_parameters));
}

void bind_contact_step(nb::class_<FrozenModel>& model) {
  model.def(
      "contact_step", contact_step, nb::arg("dt"), nb::arg("q") = nb::none(), nb::arg("u") = nb::none(),
      nb::kw_only(), nb::arg("t") = 0.0, nb::arg("tau") = nb::none(), nb::arg("smoothing") = 1e-6,
      nb::arg("parameters") = std::vector<std::string>(),
      nb::sig("def contact_step(self, dt: float, q: numpy.typing.ArrayLike | None = None, u: "
              "numpy.typing.ArrayLike | None = None, *, t: float = 0.0, tau: numpy.typing.ArrayLike | "
              "None = None, smoothing: float = 1e-6, parameters: collections.abc.Sequence[str] = ()) -> "
              "sestina.tuples.ContactStep"),
      "A step of dt (s) from q (nq) and u (nu), or the initial ones, with contacts that are smoothed, "
      "and its\n"
      "derivatives, by the implicit function theorem. tau (nu): generalised forces (N m, N), or none.\n"
      "\n"
      "smoothing: J. A contact at the distance g acts with about smoothing/g (N) before it touches.\n"
      "parameters: names of free parameters, by which derivatives are computed too.\n"
      "Raises InputError for models with loops, constraints, states with a rate, or a restitution that "
      "is not 0;\n"
      "ComputationError where points of contact come or go. Source: Howell et al., arXiv 2203.00806.");
}

}  // namespace

void bind_small_motions(nb::module_& module) {
  nb::class_<FrozenModel> model = nb::borrow<nb::class_<FrozenModel>>(module.attr("Model"));
  bind_contact_step(model);
  model
      .def(
          "find_equilibrium", find_equilibrium, nb::arg("q") = nb::none(), nb::kw_only(),
          nb::arg("load") = 1.0, nb::arg("x") = nb::none(),
          nb::sig("def find_equilibrium(self, q: numpy.typing.ArrayLike | None = None, *, load: float = 1.0, "
                  "x: numpy.typing.ArrayLike | None = None) -> sestina.tuples.Equilibrium"),
          "The equilibrium near q (nq) and x (nx), or near the initial ones, at t = 0: all forces "
          "balance,\n"
          "all loops are closed and the rates of all states are zero. load multiplies gravity and the "
          "forces\n"
          "that are given by value.\n"
          "\n"
          "If none is found, raises ComputationError, which names the joint out of balance. Contacts and "
          "enforced\n"
          "limits raise InputError, here and in linearize, modes and frequency_response.")
      .def("linearize", linearize, nb::arg("q") = nb::none(), nb::arg("u") = nb::none(), nb::kw_only(),
           nb::arg("t") = 0.0, nb::arg("inputs") = nb::none(),
           nb::arg("outputs") = std::vector<std::string>(), nb::arg("x") = nb::none(),
           nb::sig("def linearize(self, q: numpy.typing.ArrayLike | None = None, u: numpy.typing.ArrayLike | "
                   "None = None, *, t: float = 0.0, inputs: collections.abc.Sequence[str] | None = None, "
                   "outputs: collections.abc.Sequence[str] = (), x: numpy.typing.ArrayLike | None = None) -> "
                   "sestina.tuples.LinearMotion"),
           "Linear equations of small deviations from the motion through a state: q (nq) or the initial "
           "one, u (nu) or\n"
           "rest, x (nx) of states with a rate or the initial ones. Loops, constraints and all forces "
           "are included.\n"
           "\n"
           "inputs: names of free parameters, instead of forces along the speeds.\n"
           "outputs: names of columns of results, for C and D; these are central differences (about "
           "1e-9).\n"
           "Raises InputError for other names and for a parameter that moves a constraint.")
      .def("frequency_response", frequency_response, nb::arg("input"), nb::arg("frequencies"),
           nb::arg("q") = nb::none(), nb::arg("u") = nb::none(), nb::kw_only(), nb::arg("t") = 0.0,
           nb::arg("x") = nb::none(),
           nb::sig(
               "def frequency_response(self, input: str, frequencies: numpy.typing.ArrayLike, q: "
               "numpy.typing.ArrayLike | None = None, u: numpy.typing.ArrayLike | None = None, *, t: float "
               "= 0.0, x: numpy.typing.ArrayLike | None = None) -> numpy.typing.NDArray[numpy.complex128]"),
           "Deviations (k, nu), complex, of the coordinates about a state while a free parameter "
           "oscillates\n"
           "with the amplitude 1: real part of dq exp(2 pi i f t).\n"
           "\n"
           "frequencies: f (k) in Hz. q (nq) or the initial one, u (nu) or rest, x (nx) or the initial "
           "one.\n"
           "Raises ComputationError at an undamped resonance.")
      .def("modes", modes, nb::arg("q") = nb::none(), nb::arg("u") = nb::none(), nb::kw_only(),
           nb::arg("t") = 0.0, nb::arg("x") = nb::none(),
           nb::sig(
               "def modes(self, q: numpy.typing.ArrayLike | None = None, u: numpy.typing.ArrayLike | None "
               "= None, *, t: float = 0.0, x: numpy.typing.ArrayLike | None = None) -> sestina.tuples.Modes"),
           "Eigenvalues and shapes of small oscillations about a state: q (nq) or the initial one, u (nu) or "
           "rest,\nx (nx) of states with a rate or the initial ones.\n"
           "Sorted by magnitude; find_equilibrium() gives a q at rest.");
}

}  // namespace sestina::python
