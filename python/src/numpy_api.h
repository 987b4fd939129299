// numpy's C interface, for files that hold arrays. One file of the extension (arrays.cpp) defines
// SESTINA_NUMPY_HERE before it includes this and imports it.
#pragma once

#include <nanobind/nanobind.h>

#ifndef SESTINA_NUMPY_HERE
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>
