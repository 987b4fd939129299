#include "atom_exchange.h"

#include <algorithm>

namespace sestina::lammps {

AtomExchange::AtomExchange(MPI_Comm ranks) : ranks_(ranks) { MPI_Comm_size(ranks_, &size_); }

void AtomExchange::Counts::set_begins() {
  begin.assign(count.size(), 0);
  for (std::size_t rank = 1; rank < count.size(); ++rank) begin[rank] = begin[rank - 1] + count[rank - 1];
}

AtomExchange::Counts AtomExchange::Counts::times(int width) const {
  Counts made = *this;
  for (int& value : made.count) value *= width;
  for (int& value : made.begin) value *= width;
  return made;
}

bool AtomExchange::connect(std::vector<Held> held, int slots) {
  std::ranges::stable_sort(held, {}, &Held::owner);
  held_ = std::move(held);
  sent_.count.assign(static_cast<std::size_t>(size_), 0), received_.count = sent_.count;
  std::vector<int> slots_of_held;
  for (const Held& atom : held_) {
    ++sent_.count[static_cast<std::size_t>(atom.owner)];
    slots_of_held.push_back(atom.slot);
  }
  MPI_Alltoall(sent_.count.data(), 1, MPI_INT, received_.count.data(), 1, MPI_INT, ranks_);
  sent_.set_begins(), received_.set_begins();
  slot_.resize(static_cast<std::size_t>(received_.begin.back() + received_.count.back()));
  MPI_Alltoallv(slots_of_held.data(), sent_.count.data(), sent_.begin.data(), MPI_INT, slot_.data(),
                received_.count.data(), received_.begin.data(), MPI_INT, ranks_);
  std::vector<int> times(static_cast<std::size_t>(slots), 0);
  for (const int slot : slot_) {
    if (slot >= 0 && slot < slots) ++times[static_cast<std::size_t>(slot)];
  }
  return std::ranges::all_of(times, [](int n) { return n == 1; });
}

void AtomExchange::to_owners(int width, std::span<const double> of_held, std::span<double> of_slots) {
  const Counts from = sent_.times(width), to = received_.times(width);
  buffer_.resize(slot_.size() * static_cast<std::size_t>(width));
  MPI_Alltoallv(of_held.data(), from.count.data(), from.begin.data(), MPI_DOUBLE, buffer_.data(),
                to.count.data(), to.begin.data(), MPI_DOUBLE, ranks_);
  for (std::size_t i = 0; i < slot_.size(); ++i) {
    std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(i) * width, width,
                of_slots.begin() + slot_[i] * width);
  }
}

void AtomExchange::to_holders(int width, std::span<const double> of_slots, std::span<double> of_held) {
  const Counts from = received_.times(width), to = sent_.times(width);
  buffer_.resize(slot_.size() * static_cast<std::size_t>(width));
  for (std::size_t i = 0; i < slot_.size(); ++i) {
    std::copy_n(of_slots.begin() + slot_[i] * width, width,
                buffer_.begin() + static_cast<std::ptrdiff_t>(i) * width);
  }
  MPI_Alltoallv(buffer_.data(), from.count.data(), from.begin.data(), MPI_DOUBLE, of_held.data(),
                to.count.data(), to.begin.data(), MPI_DOUBLE, ranks_);
}

}  // namespace sestina::lammps
