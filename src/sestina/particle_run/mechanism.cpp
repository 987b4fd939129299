#include "sestina/particle_run/mechanism.h"

#include <fmt/format.h>

#include <algorithm>

#include "sestina/base/error.h"
#include "sestina/base/suggest.h"
#include "sestina/dynamics/marker_jacobian.h"
#include "sestina/particle_run/particle_file.h"
#include "sestina/workspace/checkpoint.h"
#include "sestina/workspace/integrator_options.h"
#include "sestina/workspace/result_row.h"

namespace sestina {
namespace {

FrozenSystem frozen(const System& system) {
  FrozenSystem made = freeze_with_analysis(system);
  FaultList faults;
  for (std::size_t e = 0; e < system.events.size(); ++e) {
    if (!system.events[e].terminal) continue;
    faults.add({system.events[e].mark, fmt::format("events[{}].terminal", e)},
               "an event of bodies cannot end a run of particles");
  }
  if (made.analysis.coordinates != "relative") {
    faults.add({system.analysis.coordinates.mark, "analysis.coordinates"},
               fmt::format("'{}' does not fit particles; bodies beside them have relative coordinates",
                           made.analysis.coordinates));
  }
  faults.throw_if_any();
  return made;
}

SimulatorOptions options_of(const System& system, const Analysis& analysis) {
  SimulatorOptions options;
  options.solver = analysis.solver;
  if (system.analysis.integrator.name.empty()) {
    options.rule.name = "";
  } else {
    options.rule = rule_options(analysis);
  }
  return options;
}

BodyIndex find_body(const Model& model, const std::string& name) {
  std::vector<std::string> names;
  for (int b = 0; b < static_cast<int>(model.bodies().size()); ++b) {
    const BodyInfo& body = model.bodies()[BodyIndex(b)];
    if (body.name == name && b > 0) return BodyIndex(b);
    if (b > 0 && body.position >= 0) names.push_back(body.name);
  }
  throw InputError(fmt::format("there is no body '{}' that could carry a wall or a tether{}", name,
                               suggestion(name, names)));
}

Vector3d to_array(const Vec3<double>& a) { return {a.x, a.y, a.z}; }
Vec3<double> to_vec(const Vector3d& a) { return {a[0], a[1], a[2]}; }

}  // namespace

Mechanism::Mechanism(const System& system, const std::vector<std::string>& carriers)
    : Mechanism(frozen(system), system, carriers) {}

Mechanism::Mechanism(const FrozenSystem& made, const System& system, const std::vector<std::string>& carriers)
    : simulator_(made.model, options_of(system, made.analysis)),
      kinematics_(*made.model),
      motions_(carriers.size()),
      tau_(static_cast<std::size_t>(simulator_.model().nu())),
      dynamics_(made.model, simulator_.properties(), simulator_.options().solver),
      equations_(dynamics_),
      udot_(tau_) {
  const Model& model = simulator_.model();
  for (const std::string& name : carriers) bodies_.push_back(find_body(model, name));
  row_ = std::make_unique<ResultRow>(model, simulator_.properties().parameters, false);
  row_->set_contacts(&equations_);
  row_->set_tau(tau_);
  equations_.set_tau(tau_);
  update();
}

Mechanism::~Mechanism() = default;

void Mechanism::update() {
  const Properties<double>& properties = simulator_.properties();
  update_kinematics(simulator_.model(), properties, simulator_.state(), kinematics_);
  for (std::size_t c = 0; c < bodies_.size(); ++c) {
    const Pose<double> pose = calc_body_pose(properties, kinematics_, bodies_[c]);
    const SpatialMotion<double> velocity = calc_body_velocity(properties, kinematics_, bodies_[c]);
    const Mat3<double>& R = pose.R;
    motions_[c] = {to_array(pose.p),
                   {R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz},
                   to_array(velocity.v),
                   to_array(velocity.w)};
  }
}

// tau = factor times the generalised forces of the wrenches.
void Mechanism::calc_tau(double factor, std::span<const CarrierWrench> wrenches) {
  std::ranges::fill(tau_, 0.0);
  for (std::size_t c = 0; c < bodies_.size(); ++c) {
    const Marker<double> marker{FrameIndex(bodies_[c].value()),
                                simulator_.properties().bodies[bodies_[c]].X_MB};
    add_generalized_force<double>(simulator_.model(), kinematics_, marker,
                                  {factor * to_vec(wrenches[c].torque), factor * to_vec(wrenches[c].force)},
                                  tau_);
  }
}

double Mechanism::kick(double h, std::span<const CarrierWrench> wrenches) {
  calc_tau(h, wrenches);
  const double work = simulator_.push(tau_);
  update();
  return work;
}

void Mechanism::advance_to(double t) {
  simulator_.advance_to(t);
  update();
}

std::span<const Column> Mechanism::columns() const { return std::span(row_->columns()).subspan(1); }

// In a row, the forces of constraints and contacts include the effect of the particles' load.
std::span<const double> Mechanism::calc_row(std::span<const CarrierWrench> wrenches) {
  calc_tau(1.0, wrenches);
  return row_->calc(simulator_.state(), dynamics_).subspan(1);
}

std::unique_ptr<Mechanism> make_mechanism(const ParticleRunSpec& spec) {
  return spec.bodies ? std::make_unique<Mechanism>(*spec.bodies, spec.model.carriers) : nullptr;
}

double Mechanism::energy_balance() const { return row_->energy_balance(); }

std::string Mechanism::save() {
  const Simulator::Snapshot snapshot = simulator_.save();
  Checkpoint checkpoint;
  checkpoint.step.state = snapshot.state;
  checkpoint.step.control = snapshot.control;
  checkpoint.events = snapshot.events;
  return to_text(checkpoint);
}

void Mechanism::restore(const std::string& saved) {
  const Checkpoint checkpoint = parse_checkpoint(saved, "the bodies of the checkpoint");
  Simulator::Snapshot snapshot = simulator_.save();
  snapshot.state = checkpoint.step.state;
  snapshot.control = checkpoint.step.control;
  snapshot.events = checkpoint.events;
  simulator_.restore(snapshot);
  update();
}

}  // namespace sestina
