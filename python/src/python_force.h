// A force computed by Python: system.add_force("drive", sestina.PythonForce(lambda t, q, u: ...)); and a
// constraint computed by Python.
//
// The interpreter's lock is held only during the callback. An exception ends the computation: C++ receives a
// ComputationError, Python the exception itself with its own traceback.
#pragma once

#include <exception>
#include <functional>
#include <string>

#include "bind.h"
#include "sestina/constraints/user_constraint.h"
#include "sestina/forces/user_force.h"
#include "sestina/model/system.h"

namespace sestina::python {

// A Python function, which may be released without holding the interpreter's lock.
class HeldFunction {
 public:
  explicit HeldFunction(nb::object function) : function_(std::move(function)) {}
  ~HeldFunction();
  HeldFunction(const HeldFunction&) = delete;
  HeldFunction& operator=(const HeldFunction&) = delete;

  nb::handle function() const { return function_; }
  // Called by the garbage collector for a function that is no longer referred to from outside.
  void clear() { function_.reset(); }

 private:
  nb::object function_;
};

class PythonForce : public UserForce, public HeldFunction {
 public:
  using HeldFunction::HeldFunction;
  void add_forces(const UserForceInput& in, const UserForceOutput& out) const override;
};

class PythonConstraint : public UserConstraint, public HeldFunction {
 public:
  PythonConstraint(nb::object function, int count, bool is_on_position)
      : HeldFunction(std::move(function)), count_(count), is_on_position_(is_on_position) {}
  int count() const override { return count_; }
  bool is_on_position() const override { return is_on_position_; }
  bool calc(const UserConstraintInput& in, const UserConstraintOutput& out) const override;

 private:
  int count_;
  bool is_on_position_;
};

// Calls a Python function while holding the interpreter's lock. An exception it raises is kept and ends the
// computation: ComputationError at t (s); `what` names the source, "the callback of a PythonForce".
void call_back(double t, const std::string& what, const std::function<void()>& call);

// The error that a callback raised on this thread. No callback is called
// again until it is cleared.
void forget_callback_error();
// Returns the error and clears it; null if there is none.
std::exception_ptr take_callback_error();
// Clears the error and throws it as the Python exception. The interpreter's lock is held.
void throw_callback_error();
// Clears the error and returns the Python exception, or None.
nb::object take_callback_exception();

// A function may refer to the system that it belongs to. For the garbage collector to find such a ring, each
// System and Model that Python sees holds references of its own to its PythonForces and PythonConstraints,
// and shows them.
//
// Replaces callbacks that a copy shares with its original by its own. The interpreter's lock is held.
void own_callbacks(System& system);
void own_callbacks(ForceSpec& force);
void own_callbacks(ConstraintSpec& constraint);
System copy_with_callbacks(const System& system);
// For tp_traverse.
int visit_callbacks(const System& system, visitproc visit, void* arg);
int visit_callback(const ForceSpec& force, visitproc visit, void* arg);
int visit_callback(const ConstraintSpec& constraint, visitproc visit, void* arg);

}  // namespace sestina::python
