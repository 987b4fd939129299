// The bodies of a model that also has particles: they carry walls and tethers, through which particles act on
// them.
//
//   Mechanism mechanism(system, spec.model.carriers);
//   ParticleSystem particles(spec.model, executor, default_instruction_set(), &mechanism);
//
// Each step of the particles is one step of the bodies between two impulses J^T F h/2 of the forces F that
// walls and tethers exert (Strang's splitting): of order 2, reversible, and conserving momentum, since the
// particles receive the opposite impulses at the same instants.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sestina/model/freeze.h"
#include "sestina/model/system.h"
#include "sestina/particles/carriers.h"
#include "sestina/workspace/simulator.h"

namespace sestina {

class ResultRow;
struct Column;
struct ParticleRunSpec;

class Mechanism final : public Carriers {
 public:
  // `carriers` are names of bodies. Throws InputError with all faults of the system, for a terminal event,
  // and for a name that no rigid body has.
  Mechanism(const System& system, const std::vector<std::string>& carriers);
  ~Mechanism() override;

  std::span<const CarrierMotion> motions() const override { return motions_; }
  double kick(double h, std::span<const CarrierWrench> wrenches) override;
  void advance_to(double t) override;

  // The columns of the bodies' results (docs/columns.md), without t, and their values at the present time
  // with these wrenches, valid until the next call.
  std::span<const Column> columns() const;
  std::span<const double> calc_row(std::span<const CarrierWrench> wrenches);
  double energy_balance() const;  // J, of the last row: constant for the exact motion

  std::string save() override;
  void restore(const std::string& saved) override;

 private:
  Mechanism(const FrozenSystem& made, const System& system, const std::vector<std::string>& carriers);
  void update();
  void calc_tau(double factor, std::span<const CarrierWrench> wrenches);

  Simulator simulator_;
  Kinematics<double> kinematics_;
  std::vector<BodyIndex> bodies_;  // of the carriers
  std::vector<CarrierMotion> motions_;
  std::vector<double> tau_;  // (nu)
  // Members used for rows only.
  ForwardDynamics dynamics_;
  SystemEquations equations_;
  std::vector<double> udot_;  // (nu)
  std::unique_ptr<ResultRow> row_;
};

// Returns null for a model without bodies.
std::unique_ptr<Mechanism> make_mechanism(const ParticleRunSpec& spec);

}  // namespace sestina
