// The parts of the extension module sestina._core. Each function binds the contents of one file.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

namespace sestina {
class System;
}

namespace sestina::python {

namespace nb = nanobind;

void bind_errors(nb::module_& module);
void bind_views(nb::module_& module);
void bind_parts(nb::module_& module);  // bodies, joints, forces, events
void bind_constraint(nb::module_& module);
void bind_constraints_of_system(nb::class_<System>& system);
void bind_contact(nb::module_& module);
void bind_contacts_of_system(nb::class_<System>& system);
void bind_reduced_bodies(nb::module_& module);
void bind_reduced_bodies_of_system(nb::class_<System>& system);
void bind_analysis(nb::module_& module);
void bind_system(nb::module_& module);         // System, load
void bind_model(nb::module_& module);          // Model: names and sizes
void bind_kernels(nb::module_& module);        // dynamics, kinematics, energies
void bind_derivatives(nb::module_& module);    // and coordinates
void bind_small_motions(nb::module_& module);  // rest, linearisation, modes
void bind_simulate(nb::module_& module);       // Result, simulate
void bind_simulator(nb::module_& module);      // Simulator, Model.step
void bind_sweep(nb::module_& module);
void bind_ensemble(nb::module_& module);
void bind_sensitivities(nb::module_& module);
void bind_mesh_folders(nb::module_& module);  // for pictures
void bind_robots(nb::module_& module);        // load_urdf
void bind_show(nb::module_& module);          // pages, the studio
void bind_python_force(nb::module_& module);
void bind_python_constraint(nb::module_& module);
void bind_symbolic(nb::module_& module);  // expressions, frames, methods
void bind_particles(nb::module_& module);
void bind_timing(nb::module_& module);  // for the benchmark

}  // namespace sestina::python
