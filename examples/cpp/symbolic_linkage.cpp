// A four-bar linkage, derived with symbols by Kane's method and run like a model from a file: three bars hang
// one behind the other, and the end of the last is pinned. Prints how well the loop stays closed and the
// energy the same; with a folder as argument, writes linkage.csv and linkage.svg there.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "sestina/io/plot.h"
#include "sestina/io/result_file.h"
#include "sestina/simulation/symbolic_system.h"
#include "sestina/symbolic/kane.h"
#include "sestina/symbolic/mechanics.h"

using namespace sestina::symbolic;

namespace {

struct Linkage {
  ReferenceFrame N;
  std::vector<Body> bars;
  KanesMethod kane;
};

Linkage derive(Mechanics& mechanics) {
  const auto q = mechanics.dynamicsymbols<3>("q1 q2 q3"), u = mechanics.dynamicsymbols<3>("u1 u2 u3");
  const auto [a, b, c, d, g, rho] = mechanics.symbols<6>("a b c d g rho");  // m, m/s^2, kg/m
  const sestina::Expression lengths[] = {a, b, c};

  const ReferenceFrame N = mechanics.frame("N");
  const Point O = mechanics.point("O");
  O.set_vel(N, Vector());
  Point joint = O;
  std::vector<Body> bars;
  std::vector<sestina::Expression> kinematics;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& l = lengths[i];
    const std::string number = std::to_string(i + 1);
    const ReferenceFrame A = N.orientnew("A" + number, q[i], N.z());
    A.set_ang_vel(N, u[i] * N.z());
    const Point centre = joint.locatenew("C" + number, l / 2 * A.x());
    const Point end = joint.locatenew("P" + number, l * A.x());
    centre.v2pt_theory(joint, N, A);
    end.v2pt_theory(joint, N, A);
    bars.emplace_back(RigidBody{"bar " + number, centre, A, rho * l, inertia(A, 0, 0, rho * l * l * l / 12),
                                centre, rho * l * g * dot(centre.pos_from(O), N.y())});
    kinematics.push_back(mechanics.rate(q[i]) - u[i]);
    joint = end;
  }
  const Vector gap = joint.pos_from(O) - d * N.x();
  const KanesMethod kane(N,
                         {.q_ind = {q[0]},
                          .u_ind = {u[0]},
                          .kd_eqs = kinematics,
                          .q_dependent = {q[1], q[2]},
                          .configuration_constraints = {dot(gap, N.x()), dot(gap, N.y())},
                          .u_dependent = {u[1], u[2]},
                          .velocity_constraints = {dot(joint.vel(N), N.x()), dot(joint.vel(N), N.y())}},
                         bars, gravity(-g * N.y(), bars));
  return {N, bars, kane};
}

// The crank's angle and speed are given; for the others, where the search begins.
void set_numbers(Mechanics& mechanics, SymbolicSystem& system) {
  const auto [a, b, c, d, g, rho] = mechanics.symbols<6>("a b c d g rho");
  const auto [q1, q2, q3, u1] = mechanics.dynamicsymbols<4>("q1 q2 q3 u1");
  system.set({{a, 0.2}, {b, 0.5}, {c, 0.4}, {d, 0.5}, {g, 9.81}, {rho, 3.0}});
  system.set_initial({{q1, 1.0}, {u1, 12.0}, {q2, 0.3}, {q3, -1.5}});
}

}  // namespace

int main(int argc, char** argv) {
  Mechanics mechanics;
  const Linkage linkage = derive(mechanics);
  SymbolicSystem system(linkage.kane);
  set_numbers(mechanics, system);
  system.add_energies(linkage.N, linkage.bars);
  SimulationOptions options{.duration = 5.0, .output_every = 0.01};
  options.step.rtol = options.step.atol = 1e-10;

  sestina::MemoryRecorder memory;
  const SimulationReport report = system.run(options, memory);
  if (!report.is_complete) {
    std::printf("%s\n", report.failure.c_str());
    return 1;
  }
  const std::vector<double> energy = memory.table().column("energy.total");
  const auto [least, most] = std::minmax_element(energy.begin(), energy.end());
  std::printf("%ld steps to %g s; the crank turned by %g rad\n", report.steps.steps, report.t,
              memory.table().column("q1").back() - 1.0);
  std::printf("loop open by %.1e m, speeds off by %.1e m/s, energy by %.1e of %g J\n",
              report.configuration_residual, report.velocity_residual, *most - *least, energy.front());

  if (argc > 1) {
    const std::filesystem::path folder = argv[1];
    system.run(options, folder / "linkage.csv");
    sestina::plot_result(
        sestina::read_result(folder / "linkage.csv"),
        {.columns = {"u*", "energy.*"}, .title = "Four-bar linkage", .output = folder / "linkage.svg"});
  }
  return report.configuration_residual < 1e-14 && *most - *least < 1e-6 ? 0 : 1;
}
