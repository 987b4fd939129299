// Time of one forward dynamics by every formulation, over the number of bodies.
//
//   bench_formulations [--full] [--csv FILE]
//
// Chains and binary trees of revolute joints; n doubles from 1 to 1024 (--full: 16384; Kane to 2048).
// Kinematics and forces included. The formulations are timed in turn, several rounds, and the median is
// reported, so that other work on the machine hits all of them. Prints the times, the slopes of a fit of log
// time over log n (n >= 128), and for each thread count the length from which the hybrid beats the recursion.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mechanisms.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/model/freeze.h"

namespace {

using namespace sestina;
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 7;
constexpr double kRoundSeconds = 0.004;  // of each formulation in each round, at least one evaluation
constexpr int kLargestKane = 2048;
constexpr int kFitFrom = 128;

struct Contestant {
  std::string name;
  std::unique_ptr<Executor> executor;
  std::unique_ptr<ForwardDynamics> dynamics;
  std::vector<double> rounds;  // s per evaluation
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

void time_round(Contestant& contestant, const State<double>& state, std::vector<double>& udot) {
  int count = 0;
  const auto start = Clock::now();
  double seconds = 0.0;
  do {
    contestant.dynamics->calc_udot(state, udot);
    ++count;
    seconds = std::chrono::duration<double>(Clock::now() - start).count();
  } while (seconds < kRoundSeconds);
  contestant.rounds.push_back(seconds / count);
}

std::vector<Contestant> make_contestants(const std::shared_ptr<const Model>& model, int n) {
  std::vector<Contestant> contestants;
  const auto add = [&](std::string name, const char* solver, int threads) {
    Contestant contestant;
    contestant.name = std::move(name);
    if (threads > 0) contestant.executor = std::make_unique<Executor>(threads);
    contestant.dynamics =
        std::make_unique<ForwardDynamics>(model, calc_properties(*model), solver, contestant.executor.get());
    contestants.push_back(std::move(contestant));
  };
  add("recursive", "recursive", 0);
  if (n <= kLargestKane) add("kane", "kane", 0);
  for (int threads = 1; threads <= std::min(4, available_processors()); threads *= 2) {
    const std::string suffix = " on " + std::to_string(threads);
    add("divide_and_conquer" + suffix, "divide_and_conquer", threads);
    add("hybrid" + suffix, "hybrid", threads);
  }
  return contestants;
}

// Slope of log time over log n.
double fit_slope(const std::vector<std::pair<int, double>>& points) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0, count = 0;
  for (const auto& [n, seconds] : points) {
    if (n < kFitFrom) continue;
    const double x = std::log(n), y = std::log(seconds);
    sx += x, sy += y, sxx += x * x, sxy += x * y, count += 1;
  }
  return count < 2 ? std::nan("") : (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

using Times = std::map<std::string, std::vector<std::pair<int, double>>>;

Times sweep(const char* mechanism, int largest, std::ofstream& csv) {
  Times times;
  for (int n = 1; n <= largest; n *= 2) {
    const auto model = freeze(mechanism == std::string("chain") ? benchmarks::make_chain(n)
                                                                : benchmarks::make_binary_tree(n));
    const State<double> state = calc_initial_state(*model);
    std::vector<double> udot(static_cast<std::size_t>(model->nu()));
    std::vector<Contestant> contestants = make_contestants(model, n);
    for (int round = 0; round < kRounds; ++round) {
      for (Contestant& contestant : contestants) time_round(contestant, state, udot);
    }
    for (const Contestant& contestant : contestants) {
      const double seconds = median(contestant.rounds);
      times[contestant.name].emplace_back(n, seconds);
      if (csv.is_open()) csv << mechanism << ',' << contestant.name << ',' << n << ',' << seconds << '\n';
    }
  }
  return times;
}

void print(const char* mechanism, const Times& times) {
  std::printf("\n%s: microseconds per evaluation (ratio to recursive)\n%8s", mechanism, "n");
  for (const auto& [name, points] : times) std::printf("  %22s", name.c_str());
  const auto& reference = times.at("recursive");
  for (std::size_t i = 0; i < reference.size(); ++i) {
    std::printf("\n%8d", reference[i].first);
    for (const auto& [name, points] : times) {
      if (i < points.size()) {
        std::printf("  %13.2f (%6.2f)", 1e6 * points[i].second, points[i].second / reference[i].second);
      } else {
        std::printf("  %22s", "-");
      }
    }
  }
  std::printf("\n%8s", "slope");
  for (const auto& [name, points] : times) std::printf("  %22.2f", fit_slope(points));
  std::printf("\n");
  for (const auto& [name, points] : times) {
    if (name.rfind("hybrid", 0) != 0) continue;
    int break_even = 0;  // from which length on it stays ahead
    for (std::size_t i = points.size(); i-- > 0 && points[i].second < reference[i].second;)
      break_even = points[i].first;
    if (break_even > 0) {
      std::printf("%s threads beats recursive from n = %d\n", name.c_str(), break_even);
    } else {
      std::printf("%s threads does not beat recursive up to n = %d\n", name.c_str(), points.back().first);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  int largest = 1024;
  std::ofstream csv;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--full") == 0) largest = 16384;
    if (std::strcmp(argv[i], "--csv") == 0 && i + 1 < argc) csv.open(argv[++i]);
  }
  if (csv.is_open()) csv << "mechanism,formulation,n,seconds\n";
  for (const char* mechanism : {"chain", "binary tree"}) print(mechanism, sweep(mechanism, largest, csv));
}
