// The time of the C++ functions alone, with which python/benchmarks/overhead.py compares calls from
// Python.
#include <chrono>

#include "arrays.h"
#include "bind.h"
#include "frozen_model.h"
#include "result_memory.h"

namespace sestina::python {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double time_forward_dynamics(FrozenModel& self, nb::handle q, nb::handle u, int calls) {
  StateArguments given;
  const int at_q = given.add("q", q, self.model().nq()), at_u = given.add("u", u, self.model().nu());
  given.broadcast();
  auto scratch = self.scratch();
  scratch->state.q.assign(given.row(at_q, 0).begin(), given.row(at_q, 0).end());
  scratch->state.u.assign(given.row(at_u, 0).begin(), given.row(at_u, 0).end());
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < calls; ++i) scratch->recursive.calc_udot(scratch->state, scratch->udot);
  return seconds_since(begin) / calls;
}

double time_batch(FrozenModel& self, nb::handle q, nb::handle u, int calls) {
  StateArguments given;
  const int at_q = given.add("q", q, self.model().nq()), at_u = given.add("u", u, self.model().nu());
  given.broadcast();
  std::vector<double> udot(static_cast<std::size_t>(given.count()) *
                           static_cast<std::size_t>(self.model().nu()));
  StateArrays arrays;
  arrays.count = given.count();
  arrays.q = given[at_q], arrays.u = given[at_u];
  auto batch = self.batch();
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < calls; ++i) batch->dynamics.calc_udot(arrays, udot);
  return seconds_since(begin) / calls;
}

}  // namespace

void bind_timing(nb::module_& module) {
  module.def("_time_forward_dynamics", time_forward_dynamics, nb::arg("model"), nb::arg("q"), nb::arg("u"),
             nb::arg("calls"), "s of the C++ function for one state.");
  module.def("_time_batch", time_batch, nb::arg("model"), nb::arg("q"), nb::arg("u"), nb::arg("calls"),
             "s of the C++ function for all states.");
  module.def("_kept_result_memory", kept_result_memory, "Bytes that are kept for large results.");
}

}  // namespace sestina::python
