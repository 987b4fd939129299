// The functions of states of sestina.Model.
#include <algorithm>
#include <array>
#include <cmath>

#include "bind.h"
#include "casters.h"
#include "sestina/dynamics/constraint_rows.h"
#include "sestina/dynamics/marker_jacobian.h"
#include "sestina/model/analysis.h"
#include "sestina/workspace/column_inputs.h"
#include "states.h"

namespace sestina::python {

namespace {

std::array<double, 3> numbers(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
void put(const Vec3<double>& v, double* to) {
  const auto n = numbers(v);
  std::copy(n.begin(), n.end(), to);
}

nb::object named_tuple(const char* type, nb::object a, nb::object b) {
  return nb::module_::import_("sestina.tuples").attr(type)(a, b);
}
nb::object forward_dynamics(FrozenModel& self, nb::handle q, nb::handle u, nb::handle tau, nb::handle t,
                            nb::handle d, nb::handle x, const std::optional<std::string>& solver,
                            nb::handle out, bool check) {
  States states(self, q, u, t, d, x);
  states.add("tau", tau, true);
  states.broadcast();
  Results udot("out", out, states.arguments(), {self.model().nu()});
  const std::string chosen = solver.value_or("");
  const bool is_recursive = chosen.empty() || chosen == "recursive";
  // Lanes have no states with a rate.
  if (!states.is_single() && is_recursive && self.model().user_forces().empty() && self.model().nx() == 0) {
    Failures failures;
    {
      nb::gil_scoped_release release;
      auto batch = self.batch();
      StateArrays arrays = states.arrays();
      arrays.tau = states.extras();
      for (const StateFailure& failure : batch->dynamics.calc_udot(arrays, udot.values())) {
        failures.add(failure.state, failure.reason);
      }
    }
    failures.tell(states, check);
    return udot.release();
  }
  for_each_state(
      states, check,
      [&](Scratch& scratch, int k) {
        ForwardDynamics& dynamics = scratch.dynamics(chosen);
        states.load(k, scratch.state);
        dynamics.calc_udot(scratch.state, udot.row(k), states.extra(k));
      },
      [&](int k) { fill_with_nan(udot.row(k)); });
  return udot.release();
}

// Kinematics, forces and inverse dynamics of state k.
void update_inverse(const States& states, int k, Scratch& scratch, std::span<const double> udot) {
  states.load(k, scratch.state);
  scratch.recursive.update(scratch.state);
  update_inverse_dynamics<double>(*scratch.model, *scratch.properties, scratch.recursive.kinematics(),
                                  scratch.recursive.forces(), udot, scratch.inverse);
}

nb::object inverse_dynamics(FrozenModel& self, nb::handle q, nb::handle u, nb::handle udot, nb::handle t,
                            nb::handle d, nb::handle x, nb::handle out, bool check) {
  self.model().refuse_constraints("inverse dynamics");
  States states(self, q, u, t, d, x);
  states.add("udot", udot, false);
  states.broadcast();
  Results tau("out", out, states.arguments(), {self.model().nu()});
  if (!states.is_single() && self.model().user_forces().empty() && self.model().nx() == 0) {
    Failures failures;
    {
      nb::gil_scoped_release release;
      auto batch = self.batch();
      for (const StateFailure& failure :
           batch->dynamics.calc_tau(states.arrays(), states.extras(), tau.values())) {
        failures.add(failure.state, failure.reason);
      }
    }
    failures.tell(states, check);
    return tau.release();
  }
  for_each_state(
      states, check,
      [&](Scratch& scratch, int k) {
        update_inverse(states, k, scratch, states.extra(k));
        const std::vector<double>& residual = scratch.inverse.residual;
        if (!std::all_of(residual.begin(), residual.end(),
                         [](double value) { return std::isfinite(value); })) {
          AppliedForces<double> forces = scratch.recursive.forces();
          const std::string reason = explain_non_finite_force(
              *scratch.model, *scratch.properties, scratch.state, scratch.recursive.kinematics(), forces);
          throw ComputationError(scratch.state.t,
                                 reason.empty() ? "the state or udot is not finite" : reason);
        }
        std::copy(residual.begin(), residual.end(), tau.row(k).begin());
      },
      [&](int k) { fill_with_nan(tau.row(k)); });
  return tau.release();
}

nb::object driving_forces(FrozenModel& self, nb::handle q, nb::handle u, nb::handle udot,
                          const std::vector<std::string>& drives, nb::handle t, nb::handle d, nb::handle x,
                          nb::handle out, bool check) {
  States states(self, q, u, t, d, x);
  states.add("udot", udot, false);
  states.broadcast();
  const auto count = static_cast<int>(self.scratch()->driving_forces(drives).names().size());
  const auto given = outs<3>(out);
  Results forces("out[0]", given[0], states.arguments(), {count});
  Results multipliers("out[1]", given[1], states.arguments(), {self.model().constraint_rows()});
  Results tau("out[2]", given[2], states.arguments(), {self.model().nu()});
  for_each_state(
      states, check,
      [&](Scratch& scratch, int k) {
        states.load(k, scratch.state);
        DrivingForces& found = scratch.driving_forces(drives);
        found.update(scratch.state, states.extra(k));
        std::ranges::copy(found.forces(), forces.row(k).begin());
        std::ranges::copy(found.lambda(), multipliers.row(k).begin());
        std::ranges::copy(found.generalized_forces(), tau.row(k).begin());
      },
      [&](int k) {
        for (Results* results : {&forces, &multipliers, &tau}) fill_with_nan(results->row(k));
      });
  nb::tuple parts = nb::make_tuple(forces.release(), multipliers.release(), tau.release());
  return nb::module_::import_("sestina.tuples").attr("DrivingForces")(*parts);
}

nb::object x_dot(FrozenModel& self, nb::handle q, nb::handle u, nb::handle x, nb::handle t, nb::handle d,
                 nb::handle out, bool check) {
  States states(self, q, u, t, d, x);
  states.broadcast();
  Results rates("out", out, states.arguments(), {self.model().nx()});
  for_each_state(
      states, check,
      [&](Scratch& scratch, int k) {
        states.load(k, scratch.state);
        scratch.recursive.update(scratch.state);
        const std::vector<double>& found = scratch.recursive.forces().rates;
        for (std::size_t i = 0; i < found.size(); ++i) {
          if (std::isfinite(found[i])) continue;
          throw ComputationError(
              scratch.state.t,
              scratch.model->explain_rate(static_cast<int>(i), *scratch.properties, scratch.state));
        }
        std::ranges::copy(found, rates.row(k).begin());
      },
      [&](int k) { fill_with_nan(rates.row(k)); });
  return rates.release();
}

nb::object mass_matrix(FrozenModel& self, nb::handle q, nb::handle out) {
  States states(self, q);
  states.broadcast();
  const int nu = self.model().nu();
  Results matrix("out", out, states.arguments(), {nu, nu});
  for_each_state(
      states, true,
      [&](Scratch& scratch, int k) {
        states.load(k, scratch.state);
        update_kinematics<double>(*scratch.model, *scratch.properties, scratch.state, scratch.kinematics);
        MassMatrix<double>& composite = scratch.mass_matrix();
        composite.update(*scratch.properties, scratch.kinematics);
        double* const M = matrix.row(k).data();
        for (int i = 0; i < nu; ++i) {
          for (int j = 0; j <= i; ++j) M[i * nu + j] = M[j * nu + i] = composite.matrix()(i, j);
        }
        if (!scratch.model->has_inertia_rows()) return;
        ConstraintRows<double> rows(*scratch.model);
        update_constraint_rows(*scratch.model, *scratch.properties, scratch.state, scratch.kinematics, rows);
        add_inertia_of_rows(*scratch.model, scratch.kinematics, rows,
                            {M, static_cast<std::size_t>(nu) * static_cast<std::size_t>(nu)});
      },
      no_failure);
  return matrix.release();
}

nb::object kinematics(FrozenModel& self, nb::handle q, nb::handle u, nb::handle out) {
  const bool is_moving = !u.is_none();
  States states = is_moving ? States(self, q, u, nb::none(), nb::none()) : States(self, q);
  states.broadcast();
  const auto given = outs<4>(out);
  const int bodies = self.model().bodies().size();
  Results position("out[0]", given[0], states.arguments(), {bodies, 3});
  Results rotation("out[1]", given[1], states.arguments(), {bodies, 3, 3});
  Results velocity("out[2]", given[2], states.arguments(), {bodies, 3});
  Results angular("out[3]", given[3], states.arguments(), {bodies, 3});
  for_each_state(
      states, true,
      [&](Scratch& scratch, int k) {
        states.load(k, scratch.state);
        update_kinematics<double>(*scratch.model, *scratch.properties, scratch.state, scratch.kinematics);
        for (int b = 0; b < bodies; ++b) {
          const auto X = calc_body_pose(*scratch.properties, scratch.kinematics, BodyIndex(b));
          const auto V = calc_body_velocity(*scratch.properties, scratch.kinematics, BodyIndex(b));
          put(X.p, position.row(k).data() + 3 * b);
          put(V.v, velocity.row(k).data() + 3 * b);
          put(V.w, angular.row(k).data() + 3 * b);
          const std::array<double, 9> R{X.R.xx, X.R.xy, X.R.xz, X.R.yx, X.R.yy,
                                        X.R.yz, X.R.zx, X.R.zy, X.R.zz};
          std::copy(R.begin(), R.end(), rotation.row(k).data() + 9 * b);
        }
      },
      no_failure);
  nb::tuple parts =
      nb::make_tuple(position.release(), rotation.release(), velocity.release(), angular.release());
  return nb::module_::import_("sestina.tuples").attr("Kinematics")(*parts);
}

nb::object point_position(FrozenModel& self, const std::string& point, nb::handle q, nb::handle out) {
  States states(self, q);
  states.broadcast();
  const PointIndex index = self.model().point(point);
  Results position("out", out, states.arguments(), {3});
  for_each_state(
      states, true,
      [&](Scratch& scratch, int k) {
        states.load(k, scratch.state);
        update_kinematics<double>(*scratch.model, *scratch.properties, scratch.state, scratch.kinematics);
        put(calc_point_position(*scratch.properties, scratch.kinematics, index), position.row(k).data());
      },
      no_failure);
  return position.release();
}

nb::object point_jacobian(FrozenModel& self, const std::string& point, nb::handle q, nb::handle out) {
  States states(self, q);
  states.broadcast();
  const PointIndex index = self.model().point(point);
  const auto nu = static_cast<std::size_t>(self.model().nu());
  Results jacobian("out", out, states.arguments(), {6, self.model().nu()});
  for_each_state(
      states, true,
      [&](Scratch& scratch, int k) {
        states.load(k, scratch.state);
        update_kinematics<double>(*scratch.model, *scratch.properties, scratch.state, scratch.kinematics);
        calc_marker_jacobian<double>(*scratch.model, scratch.kinematics, scratch.properties->points[index],
                                     scratch.columns);
        double* const J = jacobian.row(k).data();
        for (std::size_t j = 0; j < nu; ++j) {
          for (int i = 0; i < 3; ++i) {
            J[static_cast<std::size_t>(i) * nu + j] = scratch.columns[j].w[i];
            J[static_cast<std::size_t>(i + 3) * nu + j] = scratch.columns[j].v[i];
          }
        }
      },
      no_failure);
  return jacobian.release();
}

nb::object reactions(FrozenModel& self, nb::handle q, nb::handle u, nb::handle tau, nb::handle t,
                     nb::handle d, nb::handle x, nb::handle out, bool check) {
  States states(self, q, u, t, d, x);
  states.add("tau", tau, true);
  states.broadcast();
  const std::vector<CutJointInfo>& cut = self.model().cut_joints();
  const int joints = self.model().bodies().size() - 1 + static_cast<int>(cut.size());
  Results forces("out", out, states.arguments(), {joints, 6});
  for_each_state(
      states, check,
      [&](Scratch& scratch, int k) {
        states.load(k, scratch.state);
        scratch.recursive.calc_udot(scratch.state, scratch.udot, states.extra(k));
        scratch.recursive.calc_reactions(scratch.udot, scratch.reactions);
        double* to = forces.row(k).data();
        for (std::size_t b = 1; b < scratch.reactions.size(); ++b, to += 6) {
          put(scratch.reactions[b].torque, to);
          put(scratch.reactions[b].force, to + 3);
        }
        for (std::size_t i = 0; i < cut.size(); ++i, to += 6) {
          const SpatialForce<double> reaction = reaction_of_cut_joint(scratch.recursive, i);
          put(reaction.torque, to);
          put(reaction.force, to + 3);
        }
      },
      [&](int k) { fill_with_nan(forces.row(k)); });
  return forces.release();
}

nb::object energy(FrozenModel& self, nb::handle q, nb::handle u, nb::handle t, nb::handle d, nb::handle x,
                  nb::handle out) {
  States states(self, q, u, t, d, x);
  states.broadcast();
  const auto given = outs<2>(out);
  Results kinetic("out[0]", given[0], states.arguments(), {});
  Results potential("out[1]", given[1], states.arguments(), {});
  for_each_state(
      states, true,
      [&](Scratch& scratch, int k) {
        states.load(k, scratch.state);
        scratch.recursive.update(scratch.state);
        const Energy<double> energy = scratch.recursive.energy(scratch.state);
        kinetic.row(k)[0] = energy.kinetic;
        potential.row(k)[0] = energy.potential;
      },
      no_failure);
  return named_tuple("Energy", kinetic.release(), potential.release());
}

nb::object momentum(FrozenModel& self, nb::handle q, nb::handle u, nb::handle out) {
  States states(self, q, u, nb::none(), nb::none());
  states.broadcast();
  const auto given = outs<2>(out);
  Results linear("out[0]", given[0], states.arguments(), {3});
  Results angular("out[1]", given[1], states.arguments(), {3});
  for_each_state(
      states, true,
      [&](Scratch& scratch, int k) {
        states.load(k, scratch.state);
        update_kinematics<double>(*scratch.model, *scratch.properties, scratch.state, scratch.kinematics);
        const Momentum<double> sum =
            calc_momentum(*scratch.model, *scratch.properties, scratch.state, scratch.kinematics);
        put(sum.linear, linear.row(k).data());
        put(sum.angular, angular.row(k).data());
      },
      no_failure);
  return named_tuple("Momentum", linear.release(), angular.release());
}

void bind_driving_forces(nb::class_<FrozenModel>& model) {
  model.def(
      "driving_forces", driving_forces, nb::arg("q"), nb::arg("u"), nb::arg("udot"), nb::arg("drives"),
      nb::kw_only(), nb::arg("t") = nb::none(), nb::arg("d") = nb::none(), nb::arg("x") = nb::none(),
      nb::arg("out") = nb::none(), nb::arg("check") = true,
      nb::sig("def driving_forces(self, q: numpy.typing.ArrayLike, u: numpy.typing.ArrayLike, udot: "
              "numpy.typing.ArrayLike, drives: collections.abc.Sequence[str], *, t: "
              "numpy.typing.ArrayLike = 0.0, d: numpy.typing.ArrayLike | None = None, x: "
              "numpy.typing.ArrayLike | None = None, out: tuple[numpy.typing.NDArray[numpy.float64], "
              "...] | None = None, check: bool = True) -> sestina.tuples.DrivingForces"),
      "Inverse dynamics of mechanisms with loops or constraints, and of trees in which not every "
      "joint is driven.\n"
      "\n"
      "drives: names of joints (all their speeds) or of speeds ('base.u[1]'); joints that close loops "
      "are allowed.\n"
      "Returns the forces (..., drives) along these speeds that udot (..., nu) requires in addition to "
      "the model's\n"
      "forces, N m or N; the multipliers (..., conditions) of loops and constraints, motions included; "
      "and the drives'\n"
      "generalised forces tau (..., nu), with which forward_dynamics gives udot again. Each has least "
      "norm, lengths\n"
      "measured in units of the mechanism's size, where it is not unique. A motion that does not "
      "satisfy the conditions, or\n"
      "that these drives cannot cause, raises ComputationError, which names the condition or the speed; "
      "with\n"
      "check=False its rows are NaN. InputError: an unknown name, or one given twice.");
}

void bind_dynamics(nb::class_<FrozenModel>& model) {
  model
      .def("forward_dynamics", forward_dynamics, nb::arg("q"), nb::arg("u"), nb::arg("tau") = nb::none(),
           nb::kw_only(), nb::arg("t") = nb::none(), nb::arg("d") = nb::none(), nb::arg("x") = nb::none(),
           nb::arg("solver") = nb::none(), nb::arg("out") = nb::none(), nb::arg("check") = true,
           nb::sig("def forward_dynamics(self, q: numpy.typing.ArrayLike, u: numpy.typing.ArrayLike, tau: "
                   "numpy.typing.ArrayLike | None = None, *, t: numpy.typing.ArrayLike = 0.0, d: "
                   "numpy.typing.ArrayLike | None = None, x: numpy.typing.ArrayLike | None = None, solver: "
                   "str | None = None, out: "
                   "numpy.typing.NDArray[numpy.float64] | None = None, check: bool = True) -> "
                   "numpy.typing.NDArray[numpy.float64]"),
           "udot (..., nu) of states q (..., nq), u (..., nu).\n"
           "\n"
           "tau (..., nu) is added to the generalised forces of the model (N m, N). t (...) in s; d "
           "(..., nd) discrete\n"
           "variables, x (..., nx) states with a rate; default the initial ones. solver: one of "
           "solver_names();\n"
           "default the recursive one, which computes many states in SIMD lanes. A state without "
           "accelerations (singular mass matrix, force\n"
           "that is not finite) raises ComputationError, which names it; with check=False its row is NaN.\n"
           "\n"
           "Contacts and enforced limits do not act: a Simulator, step() and simulate() know them.")
      .def("inverse_dynamics", inverse_dynamics, nb::arg("q"), nb::arg("u"), nb::arg("udot"), nb::kw_only(),
           nb::arg("t") = nb::none(), nb::arg("d") = nb::none(), nb::arg("x") = nb::none(),
           nb::arg("out") = nb::none(), nb::arg("check") = true,
           nb::sig("def inverse_dynamics(self, q: numpy.typing.ArrayLike, u: numpy.typing.ArrayLike, udot: "
                   "numpy.typing.ArrayLike, *, t: numpy.typing.ArrayLike = 0.0, d: numpy.typing.ArrayLike | "
                   "None = None, x: numpy.typing.ArrayLike | None = None, "
                   "out: numpy.typing.NDArray[numpy.float64] | None = None, check: bool = True) -> "
                   "numpy.typing.NDArray[numpy.float64]"),
           "tau (..., nu): the generalised forces (N m, N) that udot (..., nu) requires in addition to "
           "the model's forces.\n"
           "\n"
           "For mechanisms with loops or constraints: driving_forces.")
      .def("x_dot", x_dot, nb::arg("q"), nb::arg("u"), nb::arg("x"), nb::kw_only(), nb::arg("t") = nb::none(),
           nb::arg("d") = nb::none(), nb::arg("out") = nb::none(), nb::arg("check") = true,
           nb::sig("def x_dot(self, q: numpy.typing.ArrayLike, u: numpy.typing.ArrayLike, x: "
                   "numpy.typing.ArrayLike, *, t: numpy.typing.ArrayLike = 0.0, d: numpy.typing.ArrayLike | "
                   "None = None, out: numpy.typing.NDArray[numpy.float64] | None = None, check: bool = True) "
                   "-> numpy.typing.NDArray[numpy.float64]"),
           "(..., nx) The rates of the states x (..., nx) at q (..., nq), u (..., nu).")
      .def("mass_matrix", mass_matrix, nb::arg("q"), nb::kw_only(), nb::arg("out") = nb::none(),
           nb::sig("def mass_matrix(self, q: numpy.typing.ArrayLike, *, out: "
                   "numpy.typing.NDArray[numpy.float64] | None "
                   "= None) -> numpy.typing.NDArray[numpy.float64]"),
           "M (..., nu, nu), symmetric: kinetic energy is u M u/2. kg m^2, kg m, kg.")
      .def("reactions", reactions, nb::arg("q"), nb::arg("u"), nb::arg("tau") = nb::none(), nb::kw_only(),
           nb::arg("t") = nb::none(), nb::arg("d") = nb::none(), nb::arg("x") = nb::none(),
           nb::arg("out") = nb::none(), nb::arg("check") = true,
           nb::sig("def reactions(self, q: numpy.typing.ArrayLike, u: numpy.typing.ArrayLike, tau: "
                   "numpy.typing.ArrayLike | None = None, *, t: numpy.typing.ArrayLike = 0.0, d: "
                   "numpy.typing.ArrayLike | None = None, x: numpy.typing.ArrayLike | None = None, out: "
                   "numpy.typing.NDArray[numpy.float64] | None = "
                   "None, check: "
                   "bool = True) -> numpy.typing.NDArray[numpy.float64]"),
           "(..., joints, 6) [torque (N m); force (N)] that the parent exerts on the child through each "
           "joint,\n"
           "actuation included, at the origin of the child's joint frame, ground axes, for the "
           "accelerations\n"
           "of forward_dynamics. In the order of `joints`, and then of `cut_joints`.");
}

void bind_motion(nb::class_<FrozenModel>& model) {
  model
      .def("kinematics", kinematics, nb::arg("q"), nb::arg("u") = nb::none(), nb::kw_only(),
           nb::arg("out") = nb::none(),
           nb::sig(
               "def kinematics(self, q: numpy.typing.ArrayLike, u: numpy.typing.ArrayLike | None = None, *, "
               "out: "
               "tuple[numpy.typing.NDArray[numpy.float64], ...] | None = None) -> sestina.tuples.Kinematics"),
           "position (..., bodies, 3), rotation (..., bodies, 3, 3), velocity and angular_velocity (..., "
           "bodies, 3) of\n"
           "the frames of all bodies, ground axes; without u, at rest.")
      .def("point_position", point_position, nb::arg("point"), nb::arg("q"), nb::kw_only(),
           nb::arg("out") = nb::none(),
           nb::sig(
               "def point_position(self, point: str, q: numpy.typing.ArrayLike, *, out: "
               "numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]"),
           "(..., 3) m: position of the point 'link.tip' in the ground.")
      .def("point_jacobian", point_jacobian, nb::arg("point"), nb::arg("q"), nb::kw_only(),
           nb::arg("out") = nb::none(),
           nb::sig(
               "def point_jacobian(self, point: str, q: numpy.typing.ArrayLike, *, out: "
               "numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]"),
           "J (..., 6, nu): J u = [angular velocity (rad/s); velocity (m/s)] of the point's frame, ground "
           "axes.")
      .def("energy", energy, nb::arg("q"), nb::arg("u"), nb::kw_only(), nb::arg("t") = nb::none(),
           nb::arg("d") = nb::none(), nb::arg("x") = nb::none(), nb::arg("out") = nb::none(),
           nb::sig(
               "def energy(self, q: numpy.typing.ArrayLike, u: numpy.typing.ArrayLike, *, t: "
               "numpy.typing.ArrayLike = "
               "0.0, d: numpy.typing.ArrayLike | None = None, x: numpy.typing.ArrayLike | None = None, out: "
               "tuple[numpy.typing.NDArray[numpy.float64], ...] | "
               "None = None) -> sestina.tuples.Energy"),
           "kinetic (...) and potential (...) energy, J.")
      .def("momentum", momentum, nb::arg("q"), nb::arg("u"), nb::kw_only(), nb::arg("out") = nb::none(),
           nb::sig(
               "def momentum(self, q: numpy.typing.ArrayLike, u: numpy.typing.ArrayLike, *, out: "
               "tuple[numpy.typing.NDArray[numpy.float64], ...] | None = None) -> sestina.tuples.Momentum"),
           "linear (..., 3) kg m/s and angular (..., 3) kg m^2/s momentum about the ground's origin, ground "
           "axes.");
}

}  // namespace

void bind_kernels(nb::module_& module) {
  nb::class_<FrozenModel> model = nb::borrow<nb::class_<FrozenModel>>(module.attr("Model"));
  bind_dynamics(model);
  bind_driving_forces(model);
  bind_motion(model);
}

}  // namespace sestina::python
