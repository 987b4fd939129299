// Functions of states of sestina.Model: derivatives, and the coordinates themselves.
#include <algorithm>

#include "bind.h"
#include "casters.h"
#include "states.h"

namespace sestina::python {

namespace {

void copy(const MatrixBlock& block, int nu, double* to) {
  for (int i = 0; i < nu; ++i, to += nu) std::copy(block.row(i), block.row(i) + nu, to);
}

template <class Report>
void check_report(const Report& report, const Scratch& scratch) {
  if (any(report.is_singular)) {
    throw ComputationError(scratch.state.t, explain_singular_mass_matrix(*scratch.model, *scratch.properties,
                                                                         report.singular_speed));
  }
}

nb::object forward_derivatives(FrozenModel& self, nb::handle q, nb::handle u, nb::handle tau, nb::handle t,
                               nb::handle d, nb::handle x, nb::handle out, bool check) {
  States states(self, q, u, t, d, x);
  states.add("tau", tau, true);
  states.broadcast();
  const auto given = outs<3>(out);
  const int nu = self.model().nu();
  Results by_q("out[0]", given[0], states.arguments(), {nu, nu});
  Results by_u("out[1]", given[1], states.arguments(), {nu, nu});
  Results by_tau("out[2]", given[2], states.arguments(), {nu, nu});
  for_each_state(
      states, check,
      [&](Scratch& scratch, int k) {
        states.load(k, scratch.state);
        scratch.recursive.calc_udot(scratch.state, scratch.udot, states.extra(k));
        ForwardDynamicsDerivatives& derivatives = scratch.forward_derivatives();
        check_report(derivatives.update(scratch.state, scratch.recursive.kinematics(),
                                        scratch.recursive.forces(), scratch.udot),
                     scratch);
        copy(derivatives.by_q(), nu, by_q.row(k).data());
        copy(derivatives.by_u(), nu, by_u.row(k).data());
        copy(derivatives.by_tau(), nu, by_tau.row(k).data());
      },
      [&](int k) {
        for (Results* results : {&by_q, &by_u, &by_tau}) fill_with_nan(results->row(k));
      });
  return nb::module_::import_("sestina.tuples")
      .attr("ForwardDerivatives")(by_q.release(), by_u.release(), by_tau.release());
}

nb::object inverse_derivatives(FrozenModel& self, nb::handle q, nb::handle u, nb::handle udot, nb::handle t,
                               nb::handle d, nb::handle x, nb::handle out) {
  States states(self, q, u, t, d, x);
  states.add("udot", udot, false);
  states.broadcast();
  const auto given = outs<3>(out);
  const int nu = self.model().nu();
  Results by_q("out[0]", given[0], states.arguments(), {nu, nu});
  Results by_u("out[1]", given[1], states.arguments(), {nu, nu});
  Results by_udot("out[2]", given[2], states.arguments(), {nu, nu});
  for_each_state(
      states, true,
      [&](Scratch& scratch, int k) {
        states.load(k, scratch.state);
        scratch.recursive.update(scratch.state);
        InverseDynamicsDerivatives& derivatives = scratch.inverse_derivatives();
        derivatives.update(scratch.state, scratch.recursive.kinematics(), scratch.recursive.forces(),
                           states.extra(k));
        copy(derivatives.by_q(), nu, by_q.row(k).data());
        copy(derivatives.by_u(), nu, by_u.row(k).data());
        double* const M = by_udot.row(k).data();
        for (int i = 0; i < nu; ++i) {
          for (int j = 0; j < nu; ++j) M[i * nu + j] = derivatives.mass_matrix()(i, j);
        }
      },
      no_failure);
  return nb::module_::import_("sestina.tuples")
      .attr("InverseDerivatives")(by_q.release(), by_u.release(), by_udot.release());
}

nb::object forward_by_parameters(FrozenModel& self, nb::handle q, nb::handle u, nb::handle t, nb::handle d,
                                 nb::handle x, nb::handle out, bool check) {
  States states(self, q, u, t, d, x);
  states.broadcast();
  const int nu = self.model().nu(), parameters = static_cast<int>(self.model().parameters().size());
  Results by_parameter("out", out, states.arguments(), {parameters, nu});
  for_each_state(
      states, check,
      [&](Scratch& scratch, int k) {
        states.load(k, scratch.state);
        ParameterDerivatives& derivatives = scratch.parameter_derivatives();
        check_report(derivatives.update(scratch.state), scratch);
        double* to = by_parameter.row(k).data();
        for (int i = 0; i < parameters; ++i, to += nu) {
          const std::span<const double> row = derivatives.udot_by(i);
          std::copy(row.begin(), row.end(), to);
        }
      },
      [&](int k) { fill_with_nan(by_parameter.row(k)); });
  return by_parameter.release();
}

nb::object inverse_by_parameters(FrozenModel& self, nb::handle q, nb::handle u, nb::handle udot, nb::handle t,
                                 nb::handle d, nb::handle x, nb::handle out) {
  States states(self, q, u, t, d, x);
  states.add("udot", udot, false);
  states.broadcast();
  const int nu = self.model().nu(), parameters = static_cast<int>(self.model().parameters().size());
  Results by_parameter("out", out, states.arguments(), {parameters, nu});
  for_each_state(
      states, true,
      [&](Scratch& scratch, int k) {
        states.load(k, scratch.state);
        ParameterDerivatives& derivatives = scratch.parameter_derivatives();
        derivatives.update_inverse(scratch.state, states.extra(k));
        double* to = by_parameter.row(k).data();
        for (int i = 0; i < parameters; ++i, to += nu) {
          const std::span<const double> row = derivatives.residual_by(i);
          std::copy(row.begin(), row.end(), to);
        }
      },
      no_failure);
  return by_parameter.release();
}

nb::object q_dot(FrozenModel& self, nb::handle q, nb::handle u, nb::handle out) {
  StateArguments given;
  const int at_q = given.add("q", q, self.model().nq());
  const int at_u = given.add("u", u, self.model().nu());
  given.broadcast();
  Results rates("out", out, given, {self.model().nq()});
  for (int k = 0; k < given.count(); ++k) {
    calc_q_dot<double>(self.model(), given.row(at_q, k), given.row(at_u, k), rates.row(k));
  }
  return rates.release();
}

nb::object plus(FrozenModel& self, nb::handle q, nb::handle displacement, nb::handle out) {
  StateArguments given;
  const int at_q = given.add("q", q, self.model().nq());
  const int at_d = given.add("displacement", displacement, self.model().nu());
  given.broadcast();
  Results moved("out", out, given, {self.model().nq()});
  for (int k = 0; k < given.count(); ++k) {
    plus_q<double>(self.model(), given.row(at_q, k), given.row(at_d, k), moved.row(k));
  }
  return moved.release();
}

nb::object minus(FrozenModel& self, nb::handle q_b, nb::handle q_a, nb::handle out) {
  StateArguments given;
  const int at_b = given.add("q_b", q_b, self.model().nq());
  const int at_a = given.add("q_a", q_a, self.model().nq());
  given.broadcast();
  Results displacement("out", out, given, {self.model().nu()});
  for (int k = 0; k < given.count(); ++k) {
    minus_q<double>(self.model(), given.row(at_b, k), given.row(at_a, k), displacement.row(k));
  }
  return displacement.release();
}

nb::object normalize(FrozenModel& self, nb::handle q, nb::handle out) {
  StateArguments given;
  const int at_q = given.add("q", q, self.model().nq());
  given.broadcast();
  Results normal("out", out, given, {self.model().nq()});
  for (int k = 0; k < given.count(); ++k) {
    const std::span<const double> row = given.row(at_q, k);
    std::copy(row.begin(), row.end(), normal.row(k).begin());
    normalize_q<double>(self.model(), normal.row(k));
  }
  return normal.release();
}

void bind_by_state(nb::class_<FrozenModel>& model) {
  model
      .def("forward_dynamics_derivatives", forward_derivatives, nb::arg("q"), nb::arg("u"),
           nb::arg("tau") = nb::none(), nb::kw_only(), nb::arg("t") = nb::none(), nb::arg("d") = nb::none(),
           nb::arg("x") = nb::none(), nb::arg("out") = nb::none(), nb::arg("check") = true,
           nb::sig(
               "def forward_dynamics_derivatives(self, q: numpy.typing.ArrayLike, u: numpy.typing.ArrayLike, "
               "tau: numpy.typing.ArrayLike | None = None, *, t: numpy.typing.ArrayLike = 0.0, d: "
               "numpy.typing.ArrayLike | None = None, x: numpy.typing.ArrayLike | None = None, out: "
               "tuple[numpy.typing.NDArray[numpy.float64], ...] | "
               "None = None, check: bool = True) -> sestina.tuples.ForwardDerivatives"),
           "by_q, by_u and by_tau (..., nu, nu) of udot: row i, column j is dudot_i by j. By q means along "
           "the\n"
           "tangent of plus(), and so has nu directions where Euler parameters are among q. Analytical.")
      .def(
          "inverse_dynamics_derivatives", inverse_derivatives, nb::arg("q"), nb::arg("u"), nb::arg("udot"),
          nb::kw_only(), nb::arg("t") = nb::none(), nb::arg("d") = nb::none(), nb::arg("x") = nb::none(),
          nb::arg("out") = nb::none(),
          nb::sig(
              "def inverse_dynamics_derivatives(self, q: numpy.typing.ArrayLike, u: numpy.typing.ArrayLike, "
              "udot: numpy.typing.ArrayLike, *, t: numpy.typing.ArrayLike = 0.0, d: numpy.typing.ArrayLike | "
              "None = None, x: numpy.typing.ArrayLike | None = None, out: "
              "tuple[numpy.typing.NDArray[numpy.float64], ...] | None = None) -> "
              "sestina.tuples.InverseDerivatives"),
          "by_q, by_u and by_udot (..., nu, nu) of the generalised forces; by_udot is the mass matrix.")
      .def("forward_dynamics_by_parameters", forward_by_parameters, nb::arg("q"), nb::arg("u"), nb::kw_only(),
           nb::arg("t") = nb::none(), nb::arg("d") = nb::none(), nb::arg("x") = nb::none(),
           nb::arg("out") = nb::none(), nb::arg("check") = true,
           nb::sig("def forward_dynamics_by_parameters(self, q: numpy.typing.ArrayLike, u: "
                   "numpy.typing.ArrayLike, *, t: numpy.typing.ArrayLike = 0.0, d: numpy.typing.ArrayLike | "
                   "None = "
                   "None, x: numpy.typing.ArrayLike | None = None, out: numpy.typing.NDArray[numpy.float64] "
                   "| None = None, check: bool = True) -> "
                   "numpy.typing.NDArray[numpy.float64]"),
           "(..., parameters, nu) dudot by each of model.parameters, in their order; without further tau.")
      .def("inverse_dynamics_by_parameters", inverse_by_parameters, nb::arg("q"), nb::arg("u"),
           nb::arg("udot"), nb::kw_only(), nb::arg("t") = nb::none(), nb::arg("d") = nb::none(),
           nb::arg("x") = nb::none(), nb::arg("out") = nb::none(),
           nb::sig(
               "def inverse_dynamics_by_parameters(self, q: numpy.typing.ArrayLike, u: "
               "numpy.typing.ArrayLike, udot: numpy.typing.ArrayLike, *, t: numpy.typing.ArrayLike = 0.0, d: "
               "numpy.typing.ArrayLike | None = None, x: numpy.typing.ArrayLike | None = None, out: "
               "numpy.typing.NDArray[numpy.float64] | None = None) "
               "-> numpy.typing.NDArray[numpy.float64]"),
           "(..., parameters, nu) dtau of inverse dynamics by each of model.parameters, in their order.");
}

void bind_coordinates(nb::class_<FrozenModel>& model) {
  model
      .def("q_dot", q_dot, nb::arg("q"), nb::arg("u"), nb::kw_only(), nb::arg("out") = nb::none(),
           nb::sig(
               "def q_dot(self, q: numpy.typing.ArrayLike, u: numpy.typing.ArrayLike, *, out: "
               "numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]"),
           "(..., nq) The rates of q at speeds u.")
      .def("plus", plus, nb::arg("q"), nb::arg("displacement"), nb::kw_only(), nb::arg("out") = nb::none(),
           nb::sig(
               "def plus(self, q: numpy.typing.ArrayLike, displacement: numpy.typing.ArrayLike, *, out: "
               "numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]"),
           "(..., nq) q moved by a displacement (..., nu) along the generalised speeds: q + "
           "displacement, except that\n"
           "Euler parameters are turned by a rotation vector.")
      .def("minus", minus, nb::arg("q_b"), nb::arg("q_a"), nb::kw_only(), nb::arg("out") = nb::none(),
           nb::sig(
               "def minus(self, q_b: numpy.typing.ArrayLike, q_a: numpy.typing.ArrayLike, *, out: "
               "numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]"),
           "(..., nu) The displacement that plus() needs to go from q_a to q_b.")
      .def("normalize", normalize, nb::arg("q"), nb::kw_only(), nb::arg("out") = nb::none(),
           nb::sig(
               "def normalize(self, q: numpy.typing.ArrayLike, *, out: numpy.typing.NDArray[numpy.float64] | "
               "None = None) -> numpy.typing.NDArray[numpy.float64]"),
           "(..., nq) q with all Euler parameters normalised.");
}

}  // namespace

void bind_derivatives(nb::module_& module) {
  nb::class_<FrozenModel> model = nb::borrow<nb::class_<FrozenModel>>(module.attr("Model"));
  bind_by_state(model);
  bind_coordinates(model);
}

}  // namespace sestina::python
