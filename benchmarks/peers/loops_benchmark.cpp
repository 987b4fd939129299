// Closed loops: forward dynamics by Sestina and by Pinocchio on the same mechanisms and states, in turn, in
// one process, on one thread.
//
//   bench_peer_loops [--csv FILE] [--only MECHANISM] [--rounds N] [--states N] [--commit NAME]
//
// As in peers_benchmark.cpp, each engine evaluates 64 states one after the other. In all of them the loops
// are closed, positions and speeds. The errors of every routine are computed by loop_reference.h. The exit
// status is 1 when one of ours is larger than kLargestError.
#include <cstdio>
#include <exception>
#include <fstream>

#include "loop_engines.h"
#include "loop_reference.h"
#include "options.h"
#include "report.h"

namespace {

using namespace peers;

constexpr double kLargestError = 1e-11;

std::vector<LoopMechanism> make_mechanisms() {
  std::vector<LoopMechanism> list;
  for (const int n : {1, 10, 30}) list.push_back(make_four_bars(n, ClosureType::kPoint));
  for (const int n : {30, 100}) list.push_back(make_ring(n, ClosureType::kPoint));
  list.push_back(make_ring(30, ClosureType::kFrame));
  list.push_back(make_stewart_platform());
  list.push_back(make_humanoid_on_feet());
  for (const int n : {1, 10, 30}) list.push_back(make_four_bars(n, ClosureType::kHinge));
  for (const int n : {30, 100}) list.push_back(make_ring(n, ClosureType::kHinge));
  return list;
}

// One routine on one mechanism.
struct Line {
  Measurement measurement;
  LoopErrors errors;
};

struct Table {
  LoopMechanism mechanism;
  std::vector<Line> lines;  // ours first

  bool has_peer() const { return lines.size() > 1; }
  // The median of our rounds over those of the fastest peer, or of the fastest that iterates until its result
  // no longer changes.
  double ratio(bool is_converged) const {
    const Measurement *ours = &lines.front().measurement, *best = nullptr;
    for (const Line& line : lines) {
      const Measurement* m = &line.measurement;
      if (m == ours || (is_converged && m->method.find("one pass") != std::string::npos)) continue;
      if (best == nullptr || m->median < best->median) best = m;
    }
    std::vector<double> ratios;
    for (std::size_t i = 0; i < ours->rounds.size(); ++i) ratios.push_back(ours->rounds[i] / best->rounds[i]);
    return median(ratios);
  }
};

Table compare_engines(const LoopMechanism& mechanism, const Options& options) {
  const States states = make_loop_states(mechanism, options.num_states);
  std::vector<std::unique_ptr<Engine>> engines;
  engines.push_back(make_sestina_loops(mechanism, states));
#ifdef BENCH_PINOCCHIO
  engines.push_back(make_pinocchio_loops(mechanism, states));
#endif
  std::vector<Routine> routines;
  for (const auto& engine : engines) {
    if (engine == nullptr) continue;
    for (Routine& routine : engine->routines()) routines.push_back(std::move(routine));
  }
  std::vector<LoopErrors> errors(routines.size());
  LoopReference reference(mechanism);
  for (int k = 0; k < options.num_states; ++k) {
    reference.update(states[static_cast<std::size_t>(k)]);
    for (std::size_t i = 0; i < routines.size(); ++i) {
      errors[i].take_worse(reference.errors(routines[i].result(k)));
    }
  }
  Table table{mechanism, {}};
  std::vector<Measurement> measurements = time_in_turn(routines, options.num_states, options.measure);
  for (std::size_t i = 0; i < routines.size(); ++i) {
    table.lines.push_back({std::move(measurements[i]), errors[i]});
  }
  return table;
}

Provenance make_provenance(const Options& options) {
  Provenance provenance{
      {"processor", processor_name()},
      {"compiler", BENCH_COMPILER},
      {"flags of peers compiled here", BENCH_FLAGS},
      {"Sestina", sestina_version() + ", commit " + options.commit + ", " + BENCH_OUR_FLAGS}};
#ifdef BENCH_PINOCCHIO
  provenance.emplace_back("Pinocchio", pinocchio_version() + ", headers compiled here");
#endif
  provenance.emplace_back("states", std::to_string(options.num_states));
  provenance.emplace_back("rounds", std::to_string(options.measure.rounds));
  return provenance;
}

void print(const Table& table) {
  std::printf("\n%s: nu %d, conditions %d", table.mechanism.name.c_str(), table.mechanism.tree.nu,
              table.mechanism.rows());
  if (table.has_peer()) std::printf(", ratio %.2f (any: %.2f)", table.ratio(true), table.ratio(false));
  std::printf("\n");
  for (const Line& line : table.lines) {
    const Measurement& m = line.measurement;
    std::printf("  %-32s %9.4g (%9.4g)   %8.1e %8.1e %8.1e\n", (m.engine + " " + m.method).c_str(),
                1e6 * m.median, 1e6 * m.minimum, line.errors.condition, line.errors.motion, line.errors.udot);
  }
  std::fflush(stdout);
}

void write_loops_csv(const std::string& path, const Provenance& provenance,
                     const std::vector<Table>& tables) {
  std::ofstream csv(path);
  for (const auto& [name, value] : provenance) csv << "# " << name << ": " << value << '\n';
  csv << "mechanism,nu,conditions,engine,method,median_us,minimum_us,ratio_to_converged,ratio_to_any,"
         "condition_residual,"
         "motion_residual,udot_error\n";
  for (const Table& table : tables) {
    for (const Line& line : table.lines) {
      const Measurement& m = line.measurement;
      csv << '"' << table.mechanism.name << "\"," << table.mechanism.tree.nu << ',' << table.mechanism.rows()
          << ',' << m.engine << ",\"" << m.method << "\"," << 1e6 * m.median << ',' << 1e6 * m.minimum << ',';
      const bool has_ratio = &line == &table.lines.front() && table.has_peer();
      if (has_ratio) csv << table.ratio(true);
      csv << ',';
      if (has_ratio) csv << table.ratio(false);
      csv << ',' << line.errors.condition << ',' << line.errors.motion << ',' << line.errors.udot << '\n';
    }
  }
  csv.flush();
  if (!csv) throw std::runtime_error(path + " cannot be written");
}

int run(const Options& options) {
  const Provenance provenance = make_provenance(options);
  for (const auto& [name, value] : provenance) std::printf("%s: %s\n", name.c_str(), value.c_str());
  std::printf(
      "\nMicroseconds per evaluation, median (minimum) over the rounds; the largest relative residual of "
      "the\n"
      "conditions and of the equations of motion, and error of udot. Ratio: Sestina over the fastest peer "
      "that\n"
      "iterates to convergence (any: that makes one pass only, too).\n");
  std::vector<Table> tables;
  bool is_right = true;
  for (const LoopMechanism& mechanism : make_mechanisms()) {
    if (mechanism.name.find(options.only) == std::string::npos) continue;
    tables.push_back(compare_engines(mechanism, options));
    print(tables.back());
    const LoopErrors& errors = tables.back().lines.front().errors;
    is_right = is_right && errors.condition <= kLargestError && errors.motion <= kLargestError;
  }
  if (tables.empty()) fail_usage("no mechanism's name has '" + options.only + "'");
  if (!options.csv.empty()) write_loops_csv(options.csv, provenance, tables);
  return is_right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(parse_options(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_peer_loops: %s\n", error.what());
    return 1;
  }
}
