# The parallel sparse direct solver MUMPS in double precision as the target MUMPS::dmumps. It stands on the MPI that it
# was built with.
find_path(MUMPS_INCLUDE_DIR dmumps_c.h)
find_library(MUMPS_LIBRARY dmumps)
mark_as_advanced(MUMPS_INCLUDE_DIR MUMPS_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MUMPS REQUIRED_VARS MUMPS_LIBRARY MUMPS_INCLUDE_DIR)
if(MUMPS_FOUND AND NOT TARGET MUMPS::dmumps)
  add_library(MUMPS::dmumps UNKNOWN IMPORTED)
  set_target_properties(MUMPS::dmumps PROPERTIES
    IMPORTED_LOCATION ${MUMPS_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${MUMPS_INCLUDE_DIR})
endif()
