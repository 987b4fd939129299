#include "atom_exchange.h"

#include <algorithm>

namespace sestina::lammps {

AtomExchange::AtomExchange(MPI_Comm ranks) : ranks_(ranks) {
  MPI_Comm_size(ranks_, &size_);
  MPI_Comm_rank(ranks_, &rank_);
}

void AtomExchange::Counts::set_begins() {
  begin.assign(count.size(), 0);
  for (std::size_t rank = 1; rank < count.size(); ++rank) begin[rank] = begin[rank - 1] + count[rank - 1];
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

// Only ranks that have atoms for each other exchange messages.
void AtomExchange::exchange(int width, const Counts& from, const double* sent, const Counts& to,
                            double* received) {
  constexpr int kTag = 7;
  requests_.clear();
  requests_.reserve(2 * to.count.size());  // so that none moves
  const auto place = [width](const Counts& counts, std::size_t rank) {
    return static_cast<std::ptrdiff_t>(counts.begin[rank]) * width;
  };
  for (std::size_t rank = 0; rank < to.count.size(); ++rank) {
    if (to.count[rank] == 0 || static_cast<int>(rank) == rank_) continue;
    MPI_Irecv(received + place(to, rank), to.count[rank] * width, MPI_DOUBLE, static_cast<int>(rank), kTag,
              ranks_, &requests_.emplace_back());
  }
  for (std::size_t rank = 0; rank < from.count.size(); ++rank) {
    if (from.count[rank] == 0) continue;
    if (static_cast<int>(rank) == rank_) {
      std::copy_n(sent + place(from, rank), from.count[rank] * width, received + place(to, rank));
      continue;
    }
    MPI_Isend(sent + place(from, rank), from.count[rank] * width, MPI_DOUBLE, static_cast<int>(rank), kTag,
              ranks_, &requests_.emplace_back());
  }
  MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
}

void AtomExchange::to_owners(int width, std::span<const double> of_held, std::span<double> of_slots) {
  buffer_.resize(slot_.size() * static_cast<std::size_t>(width));
  exchange(width, sent_, of_held.data(), received_, buffer_.data());
  for (std::size_t i = 0; i < slot_.size(); ++i) {
    std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(i) * width, width,
                of_slots.begin() + slot_[i] * width);
  }
}

void AtomExchange::to_holders(int width, std::span<const double> of_slots, std::span<double> of_held) {
  buffer_.resize(slot_.size() * static_cast<std::size_t>(width));
  for (std::size_t i = 0; i < slot_.size(); ++i) {
    std::copy_n(of_slots.begin() + slot_[i] * width, width,
                buffer_.begin() + static_cast<std::ptrdiff_t>(i) * width);
  }
  exchange(width, received_, buffer_.data(), sent_, of_held.data());
}

}  // namespace sestina::lammps
