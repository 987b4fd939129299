#include "sestina/state_time/memory_estimate.h"

#include <gtest/gtest.h>

#include "sestina/dynamics/assembly.h"
#include "state_time/loop_systems.h"
#include "state_time/state_time_systems.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace sestina::test {
namespace {

TEST(MemoryEstimate, FindsTheFewestWindowsThatFit) {
  const StateTimeMemory memory{.of_run = 2.0, .of_window = 7.0};
  for (const double bytes : {207.0, 250.0, 500.0, 899.0, 900.0}) {
    const int windows = windows_within(memory, 100, bytes);
    ASSERT_GE(windows, 1) << bytes;
    EXPECT_LE(memory.total(100, windows), bytes);
    if (windows > 1) {
      EXPECT_GT(memory.total(100, windows - 1), bytes);
    }
  }
  EXPECT_EQ(windows_within(memory, 100, 206.0), 0);
  EXPECT_EQ(windows_within(memory, 100, 10.0), 0);
}

#ifdef __GLIBC__

double bytes_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

TEST(MemoryEstimate, IsNearWhatASolutionTakes) {
  {
    const double before = bytes_in_use();
    const auto some = std::make_unique<std::vector<double>>(100'000);
    if (bytes_in_use() - before < 8e5) GTEST_SKIP() << "another allocator counts";
  }
  struct Case {
    const char* name;
    System system;
    StateTimeOptions options;
  };
  const Case cases[] = {
      {"pendulum, LQ", double_pendulum(), {.elements = 64, .pair = "LQ"}},
      {"pendulum, P5P6", double_pendulum(), {.elements = 64, .pair = "P5P6", .windows = 4}},
      {"chain", spherical_chain(6), {.elements = 64, .pair = "QC"}},
      {"loop", bricard_linkage(), {.elements = 64, .pair = "QC", .windows = 4}},
      {"constraints", driven_gear(), {.elements = 64, .pair = "QC", .windows = 4}},
      {"springs", sprung_chain(6), {.elements = 64, .pair = "QC", .windows = 2}},
      {"reduced", branched_tree(), {.elements = 64, .scheme = StateTimeScheme::kLinearQuadratic}}};
  for (const Case& c : cases) {
    const std::shared_ptr<const Model> model = freeze(c.system);
    const Properties<double> properties = calc_properties(*model);
    const double expected =
        estimate_memory(*model, properties, c.options).total(c.options.elements, c.options.windows);
    const double before = bytes_in_use();
    StateTimeSolver solver(model, properties, c.options, nullptr);
    solver.start(calc_assembled_state(*model, properties), 0.5);
    while (!solver.is_complete()) solver.solve_window();
    const double taken = bytes_in_use() - before;
    EXPECT_GT(expected, 0.8 * taken) << c.name;
    EXPECT_LT(expected, 1.6 * taken) << c.name;
  }
}

#endif

}  // namespace
}  // namespace sestina::test
