#include "studio/view_file.h"

#include <gtest/gtest.h>

#include "message_of.h"
#include "sestina/model/freeze.h"
#include "studio/page.h"
#include "studio/replay.h"

namespace sestina::studio {
namespace {

TEST(ViewPage, HoldsTheMotionAndNamesNoOtherHost) {
  if (page_text().empty()) GTEST_SKIP() << "built without the page";
  System system;
  system.name = "x</script><script>alert(1)//";
  system.add_particle("mass", 1.0);
  system.add_joint("rail", "prismatic", "ground.origin", "mass.origin").axis = {1, 0, 0};
  RunReport report;
  const Replay replay = run_replay(system, false, report);
  ASSERT_EQ(report.status, RunStatus::kComplete);
  const Scene scene = make_scene(replay);
  const std::string page = make_view_page(scene, make_motion(replay, scene, 1u << 20), {});
  EXPECT_NE(page.find("id=\"sestina-block\""), std::string::npos);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page.find("src=\"http"), std::string::npos);
  EXPECT_EQ(page.find("<!--@data@-->"), std::string::npos);
  // Three elements of scripts: header, block, page.
  std::size_t count = 0;
  for (std::size_t at = page.find("<script"); at != std::string::npos; at = page.find("<script", at + 1))
    ++count;
  EXPECT_EQ(count, 3u);
}

TEST(ViewPage, FitsTheSizeThatIsAskedFor) {
  System system;
  system.add_particle("mass", 1.0);
  system.add_joint("rail", "prismatic", "ground.origin", "mass.origin").axis = {1, 0, 0};
  system.output.every = 1e-4;
  RunReport report;
  const Replay replay = run_replay(system, false, report);
  const Scene scene = make_scene(replay);
  const std::size_t most = 100'000;
  const Motion motion = make_motion(replay, scene, most);
  EXPECT_GT(motion.stride, 1u);
  // The last row may be added to those that fit.
  EXPECT_LE(make_block(motion).size(), most + bytes_per_row(replay.table, replay.workspace->model()) + 8);
}

}  // namespace
}  // namespace sestina::studio
