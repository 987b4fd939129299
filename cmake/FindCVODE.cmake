# CVODE of SUNDIALS as the target CVODE::cvode. The package configuration that SUNDIALS installs brings all its
# parts, with MPI, OpenMP and PETSc; this one library stands on none of them.
find_path(CVODE_INCLUDE_DIR cvode/cvode.h)
find_library(CVODE_LIBRARY sundials_cvode)
mark_as_advanced(CVODE_INCLUDE_DIR CVODE_LIBRARY)
if(CVODE_INCLUDE_DIR)
  file(STRINGS ${CVODE_INCLUDE_DIR}/sundials/sundials_config.h CVODE_VERSION REGEX "define SUNDIALS_VERSION ")
  string(REGEX REPLACE ".*\"(.*)\".*" "\\1" CVODE_VERSION "${CVODE_VERSION}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CVODE REQUIRED_VARS CVODE_LIBRARY CVODE_INCLUDE_DIR VERSION_VAR CVODE_VERSION)
if(CVODE_FOUND AND NOT TARGET CVODE::cvode)
  add_library(CVODE::cvode UNKNOWN IMPORTED)
  set_target_properties(CVODE::cvode PROPERTIES
    IMPORTED_LOCATION ${CVODE_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${CVODE_INCLUDE_DIR})
endif()
