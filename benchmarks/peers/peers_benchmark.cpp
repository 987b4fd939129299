// Sestina and other engines on the same mechanisms and states, in turn, in one process, on one thread.
//
//   bench_peers [--csv FILE] [--only MECHANISM] [--rounds N] [--states N] [--commit NAME]
//
// Each engine evaluates 64 states one after the other, so that no branch predictor learns a state. First
// every peer's result is compared with ours for every state (4 states where nu > 300): what differs is named,
// and the exit status is 1 when less than half of the engines agree with ours. Then the routines are timed in
// turn. Ratios are ours over the best peer's, below one where we are faster.
#include <cstdio>
#include <exception>

#include "options.h"
#include "report.h"

namespace {

using namespace peers;

std::vector<Mechanism> make_mechanisms() {
  std::vector<Mechanism> list;
  for (const int n : {1, 7, 10, 30, 100, 1000}) list.push_back(make_chain(n, Joint::kRevolute));
  list.push_back(make_binary_tree(31));
  for (const int n : {7, 16, 100}) list.push_back(make_chain(n, Joint::kSpherical));
  list.push_back(make_arm());
  list.push_back(make_skew_arm());
  list.push_back(make_humanoid());
  return list;
}

// The mechanisms whose name contains the text, or the one whose name equals it.
std::vector<Mechanism> choose_mechanisms(const std::string& text) {
  std::vector<Mechanism> chosen;
  for (Mechanism& mechanism : make_mechanisms()) {
    if (mechanism.name == text) return {mechanism};
    if (mechanism.name.find(text) != std::string::npos) chosen.push_back(std::move(mechanism));
  }
  if (chosen.empty()) fail_usage("no mechanism's name has '" + text + "'");
  return chosen;
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
#ifdef BENCH_MUJOCO
  provenance.emplace_back("MuJoCo", mujoco_version() + ", library of the Python package");
#endif
#ifdef BENCH_SIMBODY
  provenance.emplace_back("Simbody", simbody_version() + ", library of the distribution");
#endif
  provenance.emplace_back("states", std::to_string(options.num_states));
  provenance.emplace_back("rounds", std::to_string(options.measure.rounds));
  return provenance;
}

std::vector<Comparison> compare_engines(const Mechanism& mechanism, const Options& options) {
  const States states = make_states(mechanism, options.num_states);
  std::vector<std::unique_ptr<Engine>> engines;
  engines.push_back(make_sestina_engine(mechanism, states));
#ifdef BENCH_PINOCCHIO
  engines.push_back(make_pinocchio_engine(mechanism, states));
#endif
#ifdef BENCH_MUJOCO
  engines.push_back(make_mujoco_engine(mechanism, states));
#endif
#ifdef BENCH_SIMBODY
  engines.push_back(make_simbody_engine(mechanism, states));
#endif
  std::vector<Comparison> comparisons;
  for (const Kernel kernel : kKernels) {
    std::vector<Routine> routines;
    for (const auto& engine : engines) {
      const bool is_ours = engine == engines.front();
      for (Routine& routine : engine->routines()) {
        if (routine.kernel == (is_ours ? kernel : of_one_state(kernel)))
          routines.push_back(std::move(routine));
      }
    }
    if (!routines.empty() && (kernel == of_one_state(kernel) || routines.front().kernel == kernel)) {
      comparisons.push_back(compare(mechanism, kernel, routines, *engines.front(), states, options.measure));
    }
  }
  return comparisons;
}

int run(const Options& options) {
  const Provenance provenance = make_provenance(options);
  for (const auto& [name, value] : provenance) std::printf("%s: %s\n", name.c_str(), value.c_str());
  std::vector<Comparison> comparisons;
  for (const Mechanism& mechanism : choose_mechanisms(options.only)) {
    std::fprintf(stderr, "-- %s\n", mechanism.name.c_str());
    for (Comparison& comparison : compare_engines(mechanism, options)) {
      comparisons.push_back(std::move(comparison));
    }
  }
  std::printf(
      "\nMicroseconds per evaluation, median (minimum) over the rounds; ratio: Sestina / best peer;\n"
      "error: the largest relative difference of a peer's result to ours; ! marks a result that is wrong.\n");
  bool is_confirmed = true;
  for (const Kernel kernel : kKernels) print_table(kernel, comparisons);
  for (const Comparison& comparison : comparisons) is_confirmed = is_confirmed && comparison.is_confirmed();
  print_disagreements(comparisons);
  if (!options.csv.empty()) write_csv(options.csv, provenance, comparisons);
  return is_confirmed ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(parse_options(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_peers: %s\n", error.what());
    return 1;
  }
}
