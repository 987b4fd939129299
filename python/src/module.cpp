// The extension module sestina._core, which the package sestina makes public.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "arrays.h"
#include "bind.h"
#include "sestina/base/version.h"

NB_MODULE(_core, module) {
  using namespace sestina::python;
  module.doc() = "The compiled part of sestina.";
  import_numpy();
  module.def("_version", sestina::version);
  bind_errors(module);
  bind_parts(module);
  bind_model(module);
  bind_kernels(module);
  bind_derivatives(module);
  bind_system(module);
  bind_simulate(module);
  bind_sweep(module);
  bind_timing(module);
}
