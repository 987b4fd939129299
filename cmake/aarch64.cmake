# Toolchain file: compiles for AArch64 with Debian's cross compiler and the libraries that tools/aarch64_sysroot.sh has
# unpacked into build/aarch64-sysroot; programs run under qemu.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH source_folder)
set(CMAKE_SYSROOT ${source_folder}/build/aarch64-sysroot)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)
set(HDF5_C_COMPILER_EXECUTABLE ${CMAKE_SYSROOT}/h5cc CACHE FILEPATH "Tells where HDF5 is")
# Tools that join the kernels on lanes.
set(SESTINA_LD /usr/bin/aarch64-linux-gnu-ld.bfd CACHE FILEPATH "GNU ld")
set(SESTINA_OBJCOPY /usr/bin/aarch64-linux-gnu-objcopy CACHE FILEPATH "GNU objcopy")

set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${CMAKE_SYSROOT})
