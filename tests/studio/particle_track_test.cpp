#include "studio/particle_track.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sestina::studio {
namespace {

using testing::ElementsAre;

constexpr std::size_t kWidth = 2, kParticles = 3;
constexpr std::size_t kRowBytes = kWidth * sizeof(double) + 3 * kParticles * sizeof(float);

// The row i of a run: all its numbers tell i.
struct Batch {
  std::vector<double> values;
  std::vector<float> positions;
  void add(int i) {
    values.insert(values.end(), kWidth, i);
    positions.insert(positions.end(), 3 * kParticles, static_cast<float>(i));
  }
};

// A client, which knows changes and new rows alone.
struct Client {
  std::vector<double> rows;
  void take(const ParticleTrack& track, const ParticleTrack::Change& change) {
    std::vector<double> kept;
    for (std::size_t i = 0; i < std::min(change.rows, rows.size()); i += change.stride) {
      kept.push_back(rows[i]);
    }
    ASSERT_EQ(kept.size(), change.first);
    const Motion part = track.part(change.first, track.motion().rows - change.first);
    for (std::size_t i = 0; i < part.rows; ++i) kept.push_back(part.values[i * kWidth]);
    rows = kept;
  }
};

std::vector<double> rows_of(const ParticleTrack& track) {
  const Motion& motion = track.motion();
  std::vector<double> rows;
  for (std::size_t i = 0; i < motion.rows; ++i) {
    rows.push_back(motion.values[i * kWidth]);
    EXPECT_EQ(motion.values[i * kWidth + 1], rows.back());
    for (std::size_t k = 0; k < 3 * kParticles; ++k) {
      EXPECT_EQ(motion.poses[i * 3 * kParticles + k], static_cast<float>(rows.back()));
    }
  }
  EXPECT_EQ(motion.poses.size(), motion.rows * 3 * kParticles);
  EXPECT_EQ(motion.values.size(), motion.rows * kWidth);
  return rows;
}

TEST(ParticleTrackTest, KeepsEveryRowWhileTheyFitAndThenEverySecond) {
  ParticleTrack track({{"t", "s"}, {"x", ""}}, 3 * kParticles, 4 * kRowBytes);
  EXPECT_EQ(track.bytes_per_row(), kRowBytes);
  Batch batch;
  for (int i = 0; i < 4; ++i) batch.add(i);
  track.add(batch.values, batch.positions);
  EXPECT_THAT(rows_of(track), ElementsAre(0, 1, 2, 3));
  Batch next;
  next.add(4);
  const ParticleTrack::Change change = track.add(next.values, next.positions);
  EXPECT_THAT(rows_of(track), ElementsAre(0, 2, 4));
  EXPECT_EQ(change.rows, 4u);
  EXPECT_EQ(change.stride, 2u);
  EXPECT_FALSE(change.is_passing);
  Batch passing;
  passing.add(5);
  EXPECT_TRUE(track.add(passing.values, passing.positions).is_passing);
  EXPECT_THAT(rows_of(track), ElementsAre(0, 2, 4, 5));
}

// Whatever batches the rows come in: a client that follows the changes, and may miss those that pass, has the
// rows of the track, which are those of the stride and the last one, and not more than fit.
TEST(ParticleTrackTest, ClientsThatFollowTheChangesHaveItsRows) {
  constexpr std::size_t kMost = 7;
  for (const int size : {1, 2, 3, 5, 16, 100}) {
    ParticleTrack track({{"t", "s"}, {"x", ""}}, 3 * kParticles, kMost * kRowBytes);
    Client all, slow;
    int row = 0;
    for (int batches = 0; batches < 60; ++batches) {
      Batch batch;
      for (int k = 0; k < 1 + (batches * 7) % size; ++k) batch.add(row++);
      const ParticleTrack::Change change = track.add(batch.values, batch.positions);
      all.take(track, change);
      if (!change.is_passing || batches % 3 == 0) slow.take(track, change);
      const std::vector<double> rows = rows_of(track);
      EXPECT_EQ(all.rows, rows);
      if (!change.is_passing) {
        EXPECT_EQ(slow.rows, rows);
      }
      EXPECT_LE(rows.size(), kMost + 1);
      EXPECT_EQ(rows.back(), row - 1);
      for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
        EXPECT_EQ(rows[i], static_cast<double>(i * track.motion().stride));
      }
    }
    EXPECT_GT(track.motion().stride, 1u);
  }
}

}  // namespace
}  // namespace sestina::studio
