// The energies in the report of a run.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "sestina/workspace/result_row.h"

namespace sestina {

struct EnergyLog {
  // Initial kinetic + potential - supplied + dissipated energy, constant for the exact motion (J).
  std::optional<double> initial_balance;
  double drift = 0.0;    // largest deviation from it
  double kinetic = 0.0;  // largest

  // Adds the row that has just been calculated.
  void add(const ResultRow& row) {
    if (!initial_balance) initial_balance = row.energy_balance();
    drift = std::max(drift, std::abs(row.energy_balance() - *initial_balance));
    kinetic = std::max(kinetic, row.energy().kinetic);
  }
};

}  // namespace sestina
