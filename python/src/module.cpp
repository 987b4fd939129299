// The extension module sestina._core, which the package sestina makes public.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bind.h"
#include "sestina/base/version.h"

NB_MODULE(_core, module) {
  using namespace sestina::python;
  module.doc() = "The compiled part of sestina.";
  // The function of a PythonForce that refers to its own system keeps both until the process ends, as
  // Python's garbage collector does not see through a description.
  nb::set_leak_warnings(false);
  module.def("_version", sestina::version);
  module.def("build_description", sestina::build_description,
             "How the compiled part was built, for a report of a fault: 'clang 14.0.6, release'.");
  bind_errors(module);
  bind_views(module);
  bind_mesh_folders(module);
  bind_reduced_bodies(module);
  bind_python_force(module);
  bind_python_constraint(module);
  bind_parts(module);
  bind_constraint(module);
  bind_contact(module);
  bind_analysis(module);
  bind_model(module);
  bind_kernels(module);
  bind_derivatives(module);
  bind_small_motions(module);
  bind_system(module);
  bind_robots(module);
  bind_simulate(module);
  bind_simulator(module);
  bind_sweep(module);
  bind_ensemble(module);
  bind_sensitivities(module);
  bind_show(module);
  bind_symbolic(module);
  bind_particles(module);
  bind_timing(module);
}
