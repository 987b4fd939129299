# The target `installable` builds all that `cmake --install` puts in place, and not the tests. What
# is not built is reported before anything is written; hence this precedes the folders, whose files
# are installed in their order.
add_custom_target(installable)
set(files $<TARGET_GENEX_EVAL:installable,$<TARGET_PROPERTY:installable,SESTINA_FILES>>)
install(CODE "set(sestina_files \"${files}\")\nset(sestina_build \"${PROJECT_BINARY_DIR}\")")
install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/check_built.cmake)

# sestina_installable(TARGET): a library or program that is installed.
function(sestina_installable target)
  add_dependencies(installable ${target})
  set_property(TARGET installable APPEND PROPERTY SESTINA_FILES $<TARGET_FILE:${target}>)
endfunction()
