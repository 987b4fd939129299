# Before anything is installed: whether all of it is built. `sestina_files` are what the build makes of it, `sestina_build`
# is the folder of the build.
foreach(file IN LISTS sestina_files)
  if(NOT EXISTS ${file})
    message(FATAL_ERROR "Nothing is installed, because ${file} is not built.\n"
      "This builds all that is installed:\n  cmake --build ${sestina_build} --target installable\n"
      "`./dev install PREFIX` does both; `./dev demo` builds the program alone.")
  endif()
endforeach()
