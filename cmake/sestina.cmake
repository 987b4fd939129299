# Helpers that keep each folder's CMakeLists.txt to a few lines.

# The compiler cache takes what was compiled with a precompiled header only if it may overlook when and with which macros
# that header was made.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
endif()

# Without its time stamp a precompiled header is the same each time that it is made, so that the compiler cache recognises
# what was compiled with it.
function(sestina_drop_time_of_precompiled name)
  target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
endfunction()

# The tests share one precompiled header of what most of them include from outside the project, which halves the time to
# compile them. With SESTINA_PRECOMPILE so does the library. This is for clang (g++ 12 then warns of its own headers) and
# not the default: the compiler cache could not use its objects in the other folder where the Python package is built.
# Sources still include what they use: the preset lint precompiles nothing.
function(sestina_precompile_tests name)
  if(name STREQUAL test_base)
    target_precompile_headers(test_base PRIVATE <algorithm> <array> <cmath> <filesystem> <fstream> <functional> <map>
      <memory> <numbers> <numeric> <optional> <random> <span> <sstream> <string> <string_view> <unordered_map> <vector>
      <Eigen/Dense> <fmt/format.h> <gmock/gmock.h> <gtest/gtest.h>)
  else()
    target_precompile_headers(${name} REUSE_FROM test_base)
  endif()
  sestina_drop_time_of_precompiled(${name})
endfunction()

# Flags that every target of the project takes. Of these, who uses an installed Sestina gets only those that
# its objects need to link.
add_library(sestina_flags INTERFACE)
target_include_directories(sestina_flags INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(sestina_flags INTERFACE cxx_std_20)
# errno of sqrt and friends is never read. Contraction to fused multiply-adds is off so that every
# compiler gives the same bits (docs/decisions/floating-point.md).
target_compile_options(sestina_flags INTERFACE
  $<BUILD_INTERFACE:-Wall;-Wextra;-Wshadow;-Wnon-virtual-dtor;-Woverloaded-virtual>
  $<BUILD_INTERFACE:-fno-math-errno;-ffp-contract=off>)
# g++ 12 sees overlapping copies where texts are joined (GCC bug 105651, fixed in 13).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(sestina_flags INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
endif()
# g++ notes that vectors of four doubles are passed otherwise since its version 4.6; all such functions are inlined.
# It also warns of members that a list with named members leaves to their defaults; clang does not.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(sestina_flags INTERFACE $<BUILD_INTERFACE:-Wno-psabi;-Wno-missing-field-initializers>)
endif()
if(SESTINA_WERROR)
  target_compile_options(sestina_flags INTERFACE $<BUILD_INTERFACE:-Werror>)
endif()
# Of sources that are compiled together one hides another's local names, and g++ takes local classes for those of a header.
if(NOT SESTINA_UNITY STREQUAL "")
  target_compile_options(sestina_flags INTERFACE
    $<BUILD_INTERFACE:-Wno-shadow> $<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>>)
endif()
if(SESTINA_NATIVE)
  target_compile_options(sestina_flags INTERFACE $<BUILD_INTERFACE:-march=native>)
endif()
if(SESTINA_SANITIZE)
  target_compile_options(sestina_flags INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
    $<$<CXX_COMPILER_ID:Clang>:-fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/cmake/sanitizers.ignore>)
  target_link_options(sestina_flags INTERFACE -fsanitize=address,undefined)
endif()
if(SESTINA_FUZZ)
  target_compile_options(sestina_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "${SESTINA_OPTIMIZE} -DNDEBUG")

add_custom_target(sestina_libraries)  # all of src/sestina

if(SESTINA_PRECOMPILE)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled.cpp CONTENT "")
  add_library(sestina_precompiled OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
  target_link_libraries(sestina_precompiled PRIVATE sestina_flags fmt::fmt Eigen3::Eigen)
  target_precompile_headers(sestina_precompiled PRIVATE <algorithm> <array> <cmath> <functional> <map> <memory> <optional>
    <span> <string> <string_view> <unordered_map> <vector> <Eigen/Dense> <fmt/format.h>)
  sestina_drop_time_of_precompiled(sestina_precompiled)
endif()

# sestina_precompile(NAME)
# For a library that compiles with the flags of sestina_flags and no others (a program is compiled with -fPIE). The
# macros must agree too, hence fmt's.
function(sestina_precompile name)
  if(SESTINA_PRECOMPILE)
    target_link_libraries(${name} PRIVATE fmt::fmt)
    target_precompile_headers(${name} REUSE_FROM sestina_precompiled)
    sestina_drop_time_of_precompiled(${name})
  endif()
endfunction()

# sestina_unity(NAME SOURCES...)
# With SESTINA_UNITY the sources of a target are compiled together, so many at a time, which saves a third to a half of
# the time; SOURCES, whose local names other sources of the folder bear too, are compiled alone.
function(sestina_unity name)
  if(NOT SESTINA_UNITY STREQUAL "")
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${SESTINA_UNITY})
    set_property(SOURCE ${ARGN} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# sestina_library(NAME [DEPENDS folder...] [EXTERNAL target...] [APART source...] [TOGETHER source...])
# One library from all .cpp files of the current folder; header-only folders become interface targets.
# DEPENDS names other folders and is the architecture: a folder links only what stands below it. APART: see sestina_unity.
# TOGETHER: sources that include headers which few others do, so that an edit of these compiles few groups of sources.
function(sestina_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;EXTERNAL;APART;TOGETHER" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(TRANSFORM ARG_TOGETHER PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(REMOVE_ITEM sources ${ARG_TOGETHER})
  list(PREPEND sources ${ARG_TOGETHER})
  list(TRANSFORM ARG_DEPENDS PREPEND sestina_)
  if(sources)
    add_library(sestina_${name} STATIC ${sources})
    target_link_libraries(sestina_${name} PUBLIC sestina_flags ${ARG_DEPENDS} PRIVATE ${ARG_EXTERNAL})
    sestina_precompile(sestina_${name})
    sestina_unity(sestina_${name} ${ARG_APART})
    sestina_installable(sestina_${name})
  else()
    add_library(sestina_${name} INTERFACE)
    target_link_libraries(sestina_${name} INTERFACE sestina_flags ${ARG_DEPENDS} ${ARG_EXTERNAL})
  endif()
  add_library(sestina::${name} ALIAS sestina_${name})
  set_target_properties(sestina_${name} PROPERTIES EXPORT_NAME ${name})
  add_dependencies(sestina_libraries sestina_${name})
  install(TARGETS sestina_${name} EXPORT sestina)
endfunction()

# sestina_tests(FOLDER [DEPENDS folder...] [EXTERNAL target...])
# One program from tests/FOLDER/*.cpp. Files named *_slow_test.cpp make a second one, labelled slow, which
# only `./dev test --all` runs. The tests bear the folder's name as a label, and the target tests_of_FOLDER builds what
# they need: `./dev test --folders` selects by both.
function(sestina_tests folder)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  set(slow_sources ${sources})
  list(FILTER slow_sources INCLUDE REGEX "_slow_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_slow_test\\.cpp$")
  set(timeout 300)
  if(CMAKE_CROSSCOMPILING)
    set(timeout 3000)  # an emulator takes 20 to 50 times as long
  endif()
  sestina_test_program(test_${folder} SOURCES ${sources} PROPERTIES TIMEOUT ${timeout} LABELS ${folder} ${ARGN})
  sestina_test_program(test_${folder}_slow SOURCES ${slow_sources} PROPERTIES TIMEOUT 1800 LABELS slow ${ARGN})
  add_custom_target(tests_of_${folder} DEPENDS test_${folder})
endfunction()

function(sestina_test_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PROPERTIES;DEPENDS;EXTERNAL" ${ARGN})
  if(NOT ARG_SOURCES)
    return()
  endif()
  list(TRANSFORM ARG_DEPENDS PREPEND sestina_)
  add_executable(${name} ${ARG_SOURCES})
  # Tests spend their time in the library. Not optimised, they compile in half the time and run as fast.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O0>)
  target_link_libraries(${name} PRIVATE
    sestina_test_repository sestina_flags ${ARG_DEPENDS} ${ARG_EXTERNAL} Eigen3::Eigen fmt::fmt GTest::gmock GTest::gtest_main)
  sestina_precompile_tests(${name})
  sestina_unity(${name})
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    NO_PRETTY_VALUES PROPERTIES ${ARG_PROPERTIES})
endfunction()

# sestina_python_test(NAME SCRIPT [ARGS arg...] [PACKAGES package...] [LABELS label...])
# A test written in Python. Where one of the PACKAGES is not installed (see tests/run_python.sh) it is skipped.
function(sestina_python_test name script)
  cmake_parse_arguments(ARG "" "" "ARGS;PACKAGES;LABELS" ${ARGN})
  set(packages -)
  if(ARG_PACKAGES)
    list(JOIN ARG_PACKAGES "," packages)
  endif()
  cmake_path(ABSOLUTE_PATH script BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  add_test(NAME ${name} COMMAND ${PROJECT_SOURCE_DIR}/tests/run_python.sh ${packages} ${script} ${ARG_ARGS})
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME folder)
  set_tests_properties(${name} PROPERTIES LABELS "python;${folder};${ARG_LABELS}" TIMEOUT 600 SKIP_RETURN_CODE 77)
endfunction()
