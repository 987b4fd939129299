// The quantities in the laws of docs/state_time_scaling.md, and the speed-up by threads.
//
//   bench_state_time_scaling parts                  per element: microseconds of each part of an iteration
//   bench_state_time_scaling threads                a window by 1, 2, 4 threads, and 1 to 32 stretches
//   mpirun -n 2 bench_state_time_scaling messages   microseconds of a message from rank to rank, by its size
//   mpirun -n N bench_state_time_scaling interface  the equations between N ranks by the scan and by MUMPS
//
// Parts are timed by the processor time of one thread, so that others on the machine count little; threads
// and messages by the clock of the wall, the best of some rounds.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "sestina/parallel/executor.h"
#include "sestina/state_time/affine_chain.h"
#include "sestina/state_time/interface_map.h"
#include "sestina/state_time/state_time_solver.h"
#include "state_time/moved_element.h"

#ifdef SESTINA_MPI
#include "sestina/mpi/mpi_session.h"
#include "sestina/mpi/mumps_interface.h"
#endif

namespace sestina {
namespace {

constexpr int kRounds = 5;

struct Case {
  const char* name;
  System system;
  const char* pair;
  double duration;
};
std::vector<Case> cases() {
  return {{"double pendulum", test::double_pendulum(), "QC", 1.0},
          {"double pendulum", test::double_pendulum(), "P5P6", 1.0},
          {"chain of 16", test::spherical_chain(16), "QC", 0.5},
          {"chain of 16", test::spherical_chain(16), "P5P6", 0.5}};
}

double thread_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The time of one call, in microseconds: the best of several rounds that take some milliseconds each.
template <class F>
double microseconds_of(F&& work, double (*now)() = thread_seconds, int rounds = kRounds) {
  const double first = now();
  work();
  const int calls = std::max(1, static_cast<int>(5e-3 / std::max(now() - first, 1e-7)));
  double best = 1e300;
  for (int round = 0; round < rounds; ++round) {
    const double begin = now();
    for (int i = 0; i < calls; ++i) work();
    best = std::min(best, (now() - begin) / calls);
  }
  return 1e6 * best;
}

constexpr int kElements = 32;  // of a window

// The first guess of an element, of a window's.
double march_of_element(const test::MovedElement& element, const Case& c) {
  const ElementEquations& equations = element.equations();
  ForwardDynamics dynamics(element.model(), element.properties(), "recursive");
  InitialGuess guess(dynamics);
  const State<double> initial = calc_initial_state(*element.model());
  dynamics.update(initial);
  std::vector<double> start(static_cast<std::size_t>(equations.layout().start_size()));
  put_instants(dynamics.kinematics(), element.properties(), start, 0, ElementLayout::kEndNumbers, true);
  TimeTrajectory trajectory;
  trajectory.begin(0.0, start, initial.q);
  trajectory.append(std::make_shared<ElementForm>(ElementForm{equations.pair(), equations.layout()}),
                    std::vector<double>(kElements, c.duration / kElements));
  return microseconds_of([&] {
           State<double> state = initial;
           guess.march(state, trajectory, 0);
         }) /
         kElements;
}

StateTimeStatistics solve_once(const test::MovedElement& element, const Case& c) {
  StateTimeSolver solver(element.model(), element.properties(), {.elements = kElements, .pair = c.pair},
                         nullptr);
  solver.start(calc_initial_state(*element.model()), c.duration);
  solver.solve_window();
  return solver.statistics();
}

void measure_parts() {
  fmt::print(
      "system,pair,unknowns,m,iterations,tangents,march,residual,assemble,factor,pass,carry,maps,compose,"
      "apply\n");
  for (const Case& c : cases()) {
    test::MovedElement element(c.system, 1, TestFunctions::kNatural, c.pair);
    const ElementLayout& layout = element.equations().layout();
    const int m = 2 * element.model()->nu();
    constexpr int kSome = 4;
    TimeMatrix matrix(element.equations(), kSome, TimeMatrixKind::kTree, TangentPart::kWhole, nullptr);
    std::vector<std::vector<TangentEntry>> tangents(kSome);
    std::vector<double> residual;
    const double residual_alone = microseconds_of([&] { residual = element.residual(); });
    const double assemble = microseconds_of([&] {
      tangents[0].clear();
      residual = element.residual(tangents.data());
    });
    for (auto& tangent : tangents) tangent = tangents[0];
    const std::vector<double> lengths(kSome, test::MovedElement::kLength);
    const double factor = microseconds_of([&] { matrix.factor(lengths, tangents); }) / kSome;
    std::vector<double> residuals;
    for (int e = 0; e < kSome; ++e) residuals.insert(residuals.end(), residual.begin(), residual.end());
    std::vector<double> corrections(residuals.size()),
        start(static_cast<std::size_t>(layout.start_size()), 0.1);
    const double pass = microseconds_of([&] {
                          matrix.solve_stretch({0, kSome}, start, residuals, corrections);
                        }) /
                        kSome;
    std::vector<double> columns(start.size() * static_cast<std::size_t>(m), 0.1);
    const double carry = microseconds_of([&] {
                           std::fill(columns.begin(), columns.end(), 0.1);
                           matrix.carry({0, kSome}, m, columns);
                         }) /
                         kSome;
    EndToJoints to_joints(*element.model(), element.properties());
    JointsToStart to_start(*element.model(), element.properties());
    State<double> state = calc_initial_state(*element.model());
    to_start.put_state(state, start);
    to_joints.find_state(start, state);
    std::vector<double> displacement(static_cast<std::size_t>(m), 0.1), change(start.size());
    const double maps = m * microseconds_of([&] {
                          to_start.calc_change(displacement, change);
                          to_joints.calc_displacement(change, displacement);
                        });
    const AffineMap map{Eigen::MatrixXd::Random(m, m), Eigen::VectorXd::Random(m)};
    AffineMap both;
    const double composition = microseconds_of([&] { both = compose(map, map); });
    Eigen::VectorXd s = map.g;
    const double apply = microseconds_of([&] { s.noalias() = map.P * map.g; });
    const StateTimeStatistics statistics = solve_once(element, c);
    fmt::print("{},{},{},{},{},{},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g}\n", c.name,
               c.pair, layout.size(), m, statistics.iterations, statistics.factors,
               march_of_element(element, c), residual_alone, assemble, factor, pass, carry, maps, composition,
               apply);
  }
}

void measure_threads() {
  constexpr int kThreadRounds = 15;
  fmt::print("system,pair,stretches,order,threads,milliseconds\n");
  for (const Case& c : cases()) {
    const auto model = freeze(c.system);
    for (const int stretches : {1, 4, kElements}) {
      for (const ChainOrder order : {ChainOrder::kInTurn, ChainOrder::kTree}) {
        if (stretches == 1 && order == ChainOrder::kTree) continue;
        for (const int threads : {1, 2, 4}) {
          Executor executor(threads);
          StateTimeSolver solver(
              model, calc_properties(*model),
              {.elements = kElements, .pair = c.pair, .stretches = stretches, .order = order}, &executor);
          double best = 1e300;
          for (int round = 0; round < kThreadRounds; ++round) {
            const double begin = wall_seconds();
            solver.start(calc_initial_state(*model), c.duration);
            solver.solve_window();
            best = std::min(best, wall_seconds() - begin);
          }
          fmt::print("{},{},{},{},{},{:.4g}\n", c.name, c.pair, stretches,
                     order == ChainOrder::kTree ? "tree" : "in turn", threads, 1e3 * best);
          std::fflush(stdout);
        }
      }
    }
  }
}

#ifdef SESTINA_MPI

void measure_messages(Communicator& ranks) {
  const int other = 1 - ranks.rank();
  if (ranks.rank() == 0) fmt::print("numbers,microseconds\n");
  if (ranks.rank() > 1) return;
  for (std::size_t numbers = 1; numbers <= 1u << 18; numbers *= 4) {
    std::vector<double> message(numbers), received(numbers);
    double best = 1e300;
    for (int round = 0; round < 20; ++round) {
      constexpr int kTurns = 20;
      const double begin = wall_seconds();
      for (int turn = 0; turn < kTurns; ++turn) {
        // There and back.
        const bool is_sender = ranks.rank() == 0;
        ranks.exchange(message, is_sender ? other : kNoRank, received, is_sender ? kNoRank : other);
        ranks.exchange(message, is_sender ? kNoRank : other, received, is_sender ? other : kNoRank);
      }
      best = std::min(best, (wall_seconds() - begin) / (2 * kTurns));
    }
    if (ranks.rank() == 0) fmt::print("{},{:.4g}\n", numbers, 1e6 * best);
  }
}

void measure_interface(Communicator& ranks) {
  if (ranks.rank() == 0) fmt::print("ranks,m,scan,mumps\n");
  for (const int m : {4, 96}) {
    const AffineMap map{Eigen::MatrixXd::Random(m, m) / m, Eigen::VectorXd::Random(m)};
    const AffineMap first{{}, map.g};
    std::vector<double> before(static_cast<std::size_t>(m));
    double microseconds[3] = {};
    ScanInterface scan;
    MumpsInterface mumps;
    InterfaceSolver* solvers[] = {&scan, &mumps};
    for (int i = 0; i < 2; ++i) {
      double best = 1e300;
      for (int round = 0; round < 20; ++round) {
        ranks.take_largest({&microseconds[2], 1});  // all begin together
        const double begin = wall_seconds();
        solvers[i]->solve(ranks, ranks.rank() == 0 ? first : map, before);
        best = std::min(best, wall_seconds() - begin);
      }
      microseconds[i] = 1e6 * best;
    }
    ranks.take_largest(microseconds);  // of all ranks
    if (ranks.rank() == 0) {
      fmt::print("{},{},{:.4g},{:.4g}\n", ranks.size(), m, microseconds[0], microseconds[1]);
    }
  }
}

int measure_ranks(const std::string& what) {
  MpiSession session;
  if (what == "messages") measure_messages(session.communicator());
  if (what == "interface") measure_interface(session.communicator());
  return session.await_end(0) ? 0 : 1;
}

#else

int measure_ranks(const std::string&) {
  fmt::print(stderr, "built without MPI\n");
  return 2;
}

#endif

}  // namespace
}  // namespace sestina

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "parts") return sestina::measure_parts(), 0;
  if (what == "threads") return sestina::measure_threads(), 0;
  if (what == "messages" || what == "interface") return sestina::measure_ranks(what);
  fmt::print(stderr, "usage: bench_state_time_scaling parts|threads|messages|interface\n");
  return 2;
}
