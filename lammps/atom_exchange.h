// Vectors of numbers of atoms between the ranks that hold the atoms and those that own their molecules.
//
// LAMMPS moves atoms from rank to rank as they move in space; a molecule stays with its owner. Holders tell
// the owners once which atoms they have (connect), and from then on both send numbers alone, in that order.
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

namespace sestina::lammps {

class AtomExchange {
 public:
  explicit AtomExchange(MPI_Comm ranks);

  // An atom that this rank holds.
  struct Held {
    int local = 0;  // among the atoms of this rank
    int owner = 0;  // rank
    int slot = 0;   // among the atoms that the owner owns
  };

  // All ranks together. False if one of the `slots` of this rank is not held by exactly one rank.
  bool connect(std::vector<Held> held, int slots);

  // In the order in which their numbers are exchanged.
  const std::vector<Held>& held() const { return held_; }
  int slots() const { return static_cast<int>(slot_.size()); }

  // `width` numbers for each atom: `of_held` in the order of held(), `of_slots` by slot. All ranks together.
  void to_owners(int width, std::span<const double> of_held, std::span<double> of_slots);
  void to_holders(int width, std::span<const double> of_slots, std::span<double> of_held);

 private:
  struct Counts {
    std::vector<int> count, begin;  // by rank, of atoms
    void set_begins();
  };

  void exchange(int width, const Counts& from, const double* sent, const Counts& to, double* received);

  MPI_Comm ranks_;
  int size_ = 1, rank_ = 0;
  std::vector<Held> held_;
  std::vector<int> slot_;  // of atoms as they arrive
  Counts sent_, received_;
  std::vector<double> buffer_;
  std::vector<MPI_Request> requests_;
};

}  // namespace sestina::lammps
