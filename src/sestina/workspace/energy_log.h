// What the report of a run says of its energies.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "sestina/workspace/result_row.h"

namespace sestina {

struct EnergyLog {
  // Of kinetic + potential - supplied + dissipated energy, which the exact motion keeps constant (J).
  std::optional<double> initial_balance;
  double drift = 0.0;    // largest deviation from it
  double kinetic = 0.0;  // largest

  // The row that has just been calculated.
  void add(const ResultRow& row) {
    if (!initial_balance) initial_balance = row.energy_balance();
    drift = std::max(drift, std::abs(row.energy_balance() - *initial_balance));
    kinetic = std::max(kinetic, row.energy().kinetic);
  }
};

}  // namespace sestina
