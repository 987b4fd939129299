// A step of a model with contacts that is a differentiable function of the state, of generalised forces and
// of parameters: that of integrate/time_stepping.h, with contacts that are smoothed.
//
//   u_f = u + h udot(t, q, u, tau),  v = C u'
//   p   = the impulses of smooth_contacts.h for v, with w = v_n + g/h of rigid contacts               (1)
//   u'  = u_f + M^-1 C^T p,   q' = q moved by h u'                                                    (2)
//
// The derivatives follow from the implicit function theorem: with dv the change of v at fixed p, and F(q, u,
// tau, p) the speeds u' of (2),
//   dp = p_by_v dv,   du' = dF + M^-1 C^T dp                                                          (3)
// dv and dF, which do not depend on the solution of the contact problem, are central differences (error about
// 1e-9 of their size).
//
// The smoothing is kappa of smooth_contacts.h: a contact at the distance g acts with about kappa/g (N) before
// it touches. Without smoothing, the derivatives for a body in flight contain nothing about the floor below,
// and those of a sticking contact are zero.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sestina/dynamics/forward_dynamics.h"

namespace sestina {

struct ContactStepOptions {
  double dt = 0.0;                           // s
  double smoothing = 1e-6;                   // J
  std::vector<double> tau = {};              // (nu) N m, N; empty: zero
  std::vector<std::string> parameters = {};  // with respect to which derivatives are wanted
};

// The derivatives of [displacement of q' along Model::plus (nu); u' (nu)] with respect to displacements of q,
// to u and tau, and to the parameters.
struct ContactStep {
  State<double> end;
  Eigen::MatrixXd by_q, by_u, by_tau;  // (2 nu x nu)
  Eigen::MatrixXd by_parameters;       // (2 nu x parameters)
};

// Throws InputError for a model with loops, constraints, states with a rate, or a restitution that is not
// zero, none of which has these derivatives, and for invalid options; ComputationError if the contacts have
// no solution, or if points of contact appear or disappear at this state, as for two faces that lie exactly
// on each other.
ContactStep calc_contact_step(const std::shared_ptr<const Model>& model, const Properties<double>& properties,
                              const State<double>& state, const ContactStepOptions& options);

}  // namespace sestina
