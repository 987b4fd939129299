#include "sestina/particles/fast_multipole.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "fields.h"
#include "message_of.h"
#include "sestina/base/error.h"
#include "sestina/parallel/executor.h"
#include "test_models.h"

namespace sestina {
namespace {

using namespace testing_support;

struct Points {
  std::vector<double> x, y, z, q;
  int size() const { return static_cast<int>(x.size()); }
};

enum class Charges { kEqual, kBothSigns };

// In the unit cube.
Points make_uniform(int n, Charges charges, std::uint32_t seed = 11) {
  const auto noise = testing_support::make_noise(3 * n, seed);
  Points p;
  for (int i = 0; i < n; ++i) {
    p.x.push_back(0.5 + 0.5 * noise[3 * i]);
    p.y.push_back(0.5 + 0.5 * noise[3 * i + 1]);
    p.z.push_back(0.5 + 0.5 * noise[3 * i + 2]);
    p.q.push_back(charges == Charges::kEqual || i % 2 == 0 ? 1.0 : -1.0);
  }
  return p;
}

// Small clumps of different density, and a thin line: boxes of many levels beside each other.
Points make_clumps(int n) {
  const auto noise = testing_support::make_noise(3 * n, 23);
  Points p;
  for (int i = 0; i < n; ++i) {
    const double size = std::pow(0.1, i % 5), turn = i % 5;
    const bool on_line = i % 7 == 0;
    p.x.push_back(std::cos(turn) + (on_line ? 3.0 : size) * noise[3 * i]);
    p.y.push_back(std::sin(turn) + (on_line ? 0.0 : size) * noise[3 * i + 1]);
    p.z.push_back(0.3 * turn + (on_line ? 1e-3 : size) * noise[3 * i + 2]);
    p.q.push_back(i % 2 == 0 ? 1.0 : -0.7);
  }
  return p;
}

Field calc_directly(const Points& p) {
  Executor executor(2);
  Field f(p.size());
  calc_direct_sum(p.x, p.y, p.z, p.q, f.u, f.gx, f.gy, f.gz, executor);
  return f;
}

Field calc_fast(const Points& p, FastMultipole& method) {
  Field f(p.size());
  method.calc(p.x, p.y, p.z, p.q, f.u, f.gx, f.gy, f.gz);
  return f;
}

TEST(FastMultipole, HasAnErrorBelowTheToleranceInUniformPoints) {
  Executor executor(2);
  for (const Charges charges : {Charges::kBothSigns, Charges::kEqual}) {
    const Points points = make_uniform(4000, charges);
    const Field exact = calc_directly(points);
    for (const double tolerance : {1e-2, 1e-3, 1e-6, 1e-9, 1e-12}) {
      MultipoleOptions options{.tolerance = tolerance};
      options.most_in_leaf = 30;  // so that few points have three levels
      FastMultipole method(options, executor);
      const Errors errors = compare(calc_fast(points, method), exact);
      EXPECT_GE(method.tree().levels(), 4);
      EXPECT_LT(errors.potential, tolerance) << method.order();
      EXPECT_LT(errors.gradient, tolerance) << method.order();
      EXPECT_GT(errors.potential, 0.0);  // it is not the direct sum
    }
  }
}

TEST(FastMultipole, HasAnErrorBelowTheToleranceInClumps) {
  Executor executor(2);
  const Points points = make_clumps(5000);
  const Field exact = calc_directly(points);
  for (const InstructionSet set : available_instruction_sets()) {
    for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
      MultipoleOptions options{.tolerance = tolerance};
      options.most_in_leaf = 20;
      FastMultipole method(options, executor, set);
      const Errors errors = compare(calc_fast(points, method), exact);
      EXPECT_LT(errors.potential, tolerance);
      EXPECT_LT(errors.gradient, tolerance);
      long w = 0, x = 0;
      for (int i = 0; i < static_cast<int>(method.tree().nodes().size()); ++i) {
        w += static_cast<long>(method.tree().w(i).size());
        x += static_cast<long>(method.tree().x(i).size());
      }
      EXPECT_GT(w, 100);
      EXPECT_EQ(w, x);
    }
  }
}

// What Mukherjee, Crozier, Plimpton and Anderson show of POEMS: 5 terms, 3 levels. A fast multipole method on
// a uniform octree with exact translations, degree 5, finest level 3, has for 1,000 unit charges in the unit
// cube the mean error 1.1e-2, the largest 0.11 and the relative error 8.3e-6; with both signs 1.1e-2,
// 0.12, 3.7e-4.
TEST(FastMultipole, HasTheErrorOfFiveTermsAndThreeLevels) {
  Executor executor(1);
  for (const Charges charges : {Charges::kEqual, Charges::kBothSigns}) {
    const Points points = make_uniform(1000, charges);
    const Field exact = calc_directly(points);
    FastMultipole method({.order = 5, .levels = 3}, executor);
    const Field f = calc_fast(points, method);
    EXPECT_EQ(method.tree().levels(), 4);  // 0 to 3
    double mean = 0.0, largest = 0.0;
    for (int i = 0; i < points.size(); ++i) {
      const double error = std::fabs(f.u[i] - exact.u[i]);
      mean += error / points.size(), largest = std::max(largest, error);
    }
    // Other random points: within a factor of two.
    EXPECT_GT(mean, 0.5e-2);
    EXPECT_LT(mean, 2.2e-2);
    EXPECT_GT(largest, 0.05);
    EXPECT_LT(largest, 0.24);
    const double expected = charges == Charges::kEqual ? 8.3e-6 : 3.7e-4;
    const Errors errors = compare(f, exact);
    EXPECT_GT(errors.potential, 0.5 * expected);
    EXPECT_LT(errors.potential, 2.0 * expected);
  }
}

TEST(FastMultipole, HasTheSameBitsForAnyNumberOfThreads) {
  const Points points = make_clumps(3000);
  std::vector<Field> fields;
  for (const int threads : {1, 2, 3}) {
    Executor executor(threads);
    FastMultipole method({.tolerance = 1e-4, .most_in_leaf = 20}, executor);
    fields.push_back(calc_fast(points, method));
  }
  for (const Field& f : fields) {
    EXPECT_EQ(f.u, fields[0].u);
    EXPECT_EQ(f.gx, fields[0].gx);
    EXPECT_EQ(f.gz, fields[0].gz);
  }
}

TEST(FastMultipole, TakesFewPointsAndPointsAtOnePlace) {
  Executor executor(1);
  FastMultipole method({.tolerance = 1e-6, .most_in_leaf = 4}, executor);
  Points one{{0.3}, {0.4}, {0.5}, {2.0}};
  EXPECT_EQ(calc_fast(one, method).u[0], 0.0);
  Points same = make_uniform(50, Charges::kEqual);
  for (int i = 10; i < 30; ++i) same.x[i] = same.x[10], same.y[i] = same.y[10], same.z[i] = same.z[10];
  const Errors errors = compare(calc_fast(same, method), calc_directly(same));
  EXPECT_LT(errors.potential, 1e-6);
}

TEST(FastMultipole, RefusesOptionsOutOfRange) {
  Executor executor(1);
  using testing_support::message_of;
  EXPECT_THAT(message_of([&] { FastMultipole({.tolerance = 0.0}, executor); }),
              testing::HasSubstr("from 1e-12"));
  EXPECT_THAT(message_of([&] { FastMultipole({.order = 99}, executor); }), testing::HasSubstr("order 99"));
}

// Every pair of points is in exactly one of the lists U, V, W, X of the boxes that hold them.
// Whatever their number, points that fill a cube evenly come to about a third of the most in a leaf.
TEST(Octree, HasLeavesOfOneSizeForAnyNumberOfPoints) {
  for (const int n : {2000, 3000, 5000, 9000, 16000}) {
    std::vector<double> x, y, z;
    for (int i = 0; i < n; ++i) {
      const auto u = calc_uniform(5, RandomUse::kWalk, 0, static_cast<std::uint32_t>(i));
      x.push_back(u[0]), y.push_back(u[1]), z.push_back(u[2]);
    }
    Octree tree;
    tree.build(n, x.data(), y.data(), z.data(), 100);
    double mean = 0.0;  // over the points, of how many are in their leaf
    for (const Octree::Node& node : tree.nodes()) {
      const double count = node.end - node.begin;
      if (node.is_leaf()) mean += count * count / n;
    }
    EXPECT_GT(mean, 22.0) << n;
    EXPECT_LT(mean, 60.0) << n;
  }
}

// In a periodic cube each pair with each of 27 images.
TEST(Octree, SplitsAllPairsAmongItsLists) {
  for (const bool is_periodic : {false, true}) {
    const Points p = make_clumps(700);
    Octree tree;
    if (is_periodic) {
      tree.build_periodic({-4, -4, -4}, 8.0, p.size(), p.x.data(), p.y.data(), p.z.data(), 5);
    } else {
      tree.build(p.size(), p.x.data(), p.y.data(), p.z.data(), 5);
    }
    std::vector<int> seen(static_cast<std::size_t>(p.size()) * p.size(), 0);
    const auto add = [&](int target, int source) {
      const Octree::Node &a = tree.nodes()[target], &b = tree.nodes()[source];
      for (int i = a.begin; i < a.end; ++i) {
        for (int j = b.begin; j < b.end; ++j) ++seen[i * p.size() + j];
      }
    };
    for (int i = 0; i < static_cast<int>(tree.nodes().size()); ++i) {
      for (const Octree::Near& near : tree.u(i)) add(i, near.node);
      for (const Octree::Near& near : tree.w(i)) add(i, near.node);
      for (const Octree::Near& near : tree.x(i)) add(i, near.node);
      for (const auto& far : tree.v(i)) add(i, far.source);
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), is_periodic ? 27 : 1), static_cast<long>(seen.size()));
    EXPECT_GT(tree.levels(), 5);
  }
}

}  // namespace
}  // namespace sestina
