// Adapts a frozen model to the run loop: its equations, events and rows.
#pragma once

#include "sestina/run/run_loop.h"
#include "sestina/workspace/energy_log.h"
#include "sestina/workspace/result_row.h"
#include "sestina/workspace/stuck_coordinates.h"
#include "sestina/workspace/system_events.h"

namespace sestina {

class ModelSystem final : public RunSystem {
 public:
  // The dynamics must outlive the system. With `reactions`, rows contain the joints' reactions.
  ModelSystem(ForwardDynamics& dynamics, bool reactions)
      : dynamics_(dynamics),
        equations_(dynamics),
        events_(dynamics, equations_),
        row_(dynamics.model(), dynamics.properties().parameters, reactions),
        stuck_(dynamics.model()) {
    row_.set_contacts(&equations_);
  }

  EquationsOfMotion& equations() override { return equations_; }
  RunEvents* events() override { return &events_; }
  std::span<const double> observe(const State<double>& state, int event) override {
    const std::span<const double> row = row_.calc(state, dynamics_, event);
    energy_.add(row_);
    return row;
  }
  void check_step(const State<double>& state) override { stuck_.check(state); }
  const std::vector<Column>& columns() const { return row_.columns(); }
  EnergyLog& energy() { return energy_; }

 private:
  ForwardDynamics& dynamics_;
  SystemEquations equations_;
  SystemEvents events_;
  ResultRow row_;
  StuckCoordinates stuck_;
  EnergyLog energy_;
};

}  // namespace sestina
