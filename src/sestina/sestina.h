// Everything that a program usually needs: describe a system or read one, run it, or take its equations
// apart.
//
//   find_package(sestina REQUIRED)
//   target_link_libraries(program PRIVATE sestina::sestina)
//
// examples/cpp has small programs.
#pragma once

#include "sestina/base/error.h"
#include "sestina/base/version.h"
#include "sestina/batch/batch_dynamics.h"
#include "sestina/dynamics/comparison.h"
#include "sestina/dynamics/compiled_dynamics.h"
#include "sestina/dynamics/divide_and_conquer_solver.h"
#include "sestina/dynamics/driving_forces.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/dynamics/forward_dynamics_derivatives.h"
#include "sestina/dynamics/kane_solver.h"
#include "sestina/dynamics/mass_matrix.h"
#include "sestina/dynamics/parameter_derivatives.h"
#include "sestina/dynamics/recursive_solver.h"
#include "sestina/io/model_file.h"
#include "sestina/io/plot.h"
#include "sestina/io/reduced_file.h"
#include "sestina/io/result_file.h"
#include "sestina/io/urdf.h"
#include "sestina/model/check.h"
#include "sestina/model/freeze.h"
#include "sestina/numerics/dual.h"
#include "sestina/state_time/state_time_solver.h"
#include "sestina/sweep/sweep.h"
#include "sestina/workspace/batch_simulator.h"
#include "sestina/workspace/batch_stepper.h"
#include "sestina/workspace/ensemble.h"
#include "sestina/workspace/run_gradient.h"
#include "sestina/workspace/run_sensitivities.h"
#include "sestina/workspace/simulator.h"
#include "sestina/workspace/workspace.h"
