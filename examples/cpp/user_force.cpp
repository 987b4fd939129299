// A force of one's own: two stars and a planet under Newton's law of gravitation.
//
// A UserForce reads the motion of all bodies and adds a force on each. With a potential, and the power that
// goes into it, the run's balance of energy covers it too.
#include <cmath>
#include <cstdio>

#include "sestina/sestina.h"

namespace {

using namespace sestina;

class Gravitation : public UserForce {
 public:
  explicit Gravitation(const System& system) : system_(system) {}

  // The order of bodies in a model is not that of the description.
  void prepare(std::span<const std::string> body_names) override {
    gm_.assign(body_names.size(), 0.0);  // "ground" attracts nobody
    for (std::size_t b = 1; b < body_names.size(); ++b) gm_[b] = system_.body(body_names[b]).mass->value();
  }

  void add_force(double, std::span<const BodyMotion<double>> bodies,
                 std::span<SpatialForce<double>> forces) const override {
    for_each_pair(bodies, [&](std::size_t a, std::size_t b, const Vec3<double>& d, double r) {
      const Vec3<double> force = gm_[a] * gm_[b] / (r * r * r) * d;
      forces[a].force += force;
      forces[b].force -= force;
    });
  }
  double potential_energy(double, std::span<const BodyMotion<double>> bodies) const override {
    double sum = 0.0;
    for_each_pair(bodies, [&](std::size_t a, std::size_t b, const Vec3<double>&, double r) {
      sum -= gm_[a] * gm_[b] / r;
    });
    return sum;
  }
  double conservative_power(double t, std::span<const BodyMotion<double>> bodies) const override {
    std::vector<SpatialForce<double>> forces(bodies.size());
    add_force(t, bodies, forces);
    double power = 0.0;
    for (std::size_t b = 0; b < bodies.size(); ++b) power += dot(bodies[b].V_WB, forces[b]);
    return power;
  }

 private:
  // f(a, b, vector from a to b, distance)
  template <class F>
  void for_each_pair(std::span<const BodyMotion<double>> bodies, F&& f) const {
    for (std::size_t a = 1; a < bodies.size(); ++a) {
      for (std::size_t b = a + 1; b < bodies.size(); ++b) {
        const Vec3<double> d = bodies[b].X_WB.p - bodies[a].X_WB.p;
        f(a, b, d, norm(d));
      }
    }
  }

  System system_;
  std::vector<double> gm_;  // by BodyIndex: mass, in units where the constant of gravitation is 1
};

}  // namespace

int main() {
  System system;
  system.name = "two stars and a planet";
  for (const char* name : {"star", "companion", "planet"}) {
    const bool is_planet = std::string_view(name) == "planet";
    system.add_particle(name, is_planet ? 1e-3 : 0.5);
    system.add_joint(std::string(name) + "_path", "xyz", "ground.origin", std::string(name) + ".origin");
  }
  // The stars circle each other at a distance of 1 with the angular velocity 1; the planet is far out.
  system.joint("star_path").q = {0.5, 0, 0}, system.joint("star_path").u = {0, 0.5, 0};
  system.joint("companion_path").q = {-0.5, 0, 0}, system.joint("companion_path").u = {0, -0.5, 0};
  system.joint("planet_path").q = {4, 0, 0}, system.joint("planet_path").u = {0, 0.5, 0};
  system.add_user_force("gravitation", std::make_shared<Gravitation>(system));
  system.analysis.duration = 100;

  const RunReport report = Workspace(system).run("three_bodies.csv");
  std::printf("%ld steps; energy drift %.1e of %.2f J\n", report.steps.steps, report.energy_drift,
              report.kinetic_energy);
  return report.status == RunStatus::kComplete && report.energy_drift < 1e-6 ? 0 : 1;
}
