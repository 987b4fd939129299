// LAMMPS with fix sestina: takes the same options and input scripts as `lmp`.
#include <mpi.h>

#include <cstdio>
#include <exception>

#include "input.h"
#include "register_fix.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    LAMMPS_NS::LAMMPS lammps(argc, argv, MPI_COMM_WORLD);
    sestina::lammps::register_fix(lammps);
    lammps.input->file();
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "lmp_sestina: %s\n", failure.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
