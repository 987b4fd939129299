# `cmake --install` puts headers, libraries and the program in place; a project then says
#   find_package(sestina REQUIRED)
#   target_link_libraries(program PRIVATE sestina::sestina)
include(CMakePackageConfigHelpers)

install(TARGETS sestina_flags EXPORT sestina)
install(DIRECTORY src/sestina TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(FILES share/model.schema.json TYPE DATA RENAME sestina/model.schema.json)
install(FILES LICENSE TYPE DOC)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sestina)
install(EXPORT sestina NAMESPACE sestina:: DESTINATION ${package_dir} FILE sestinaTargets.cmake)
configure_package_config_file(cmake/sestinaConfig.cmake.in ${PROJECT_BINARY_DIR}/sestinaConfig.cmake
  INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change interfaces.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sestinaConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sestinaConfig.cmake ${PROJECT_BINARY_DIR}/sestinaConfigVersion.cmake
  cmake/FindCVODE.cmake cmake/FindMUMPS.cmake DESTINATION ${package_dir})
