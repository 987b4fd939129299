// The frames of a derivation: a forest of orientations and a graph of angular velocities.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sestina/symbolic/vector.h"

namespace sestina::symbolic {

class FrameTree {
 public:
  explicit FrameTree(Mechanics& mechanics) : mechanics_(mechanics) {}

  FrameIndex add(std::string_view name);
  // Removes the last frame, to which nothing refers yet.
  void remove_last() { frames_.pop_back(); }
  std::optional<FrameIndex> find(std::string_view name) const;
  const std::string& name(FrameIndex frame) const { return frames_[frame].name; }

  // v_parent = R v_child. Throws InputError if the frames are connected already and R differs.
  void orient(FrameIndex parent, FrameIndex child, const Matrix3& R);
  bool are_connected(FrameIndex a, FrameIndex b) const { return root_of(a) == root_of(b); }
  // Returns the path from a to b, including both. Throws InputError if they are not connected.
  std::vector<FrameIndex> path(FrameIndex a, FrameIndex b) const;
  // Returns R with v_a = R v_b.
  const Matrix3& dcm(FrameIndex a, FrameIndex b);
  // Returns the sum of all parts in the axes of one frame.
  Triple express(std::span<const Vector::Part> parts, FrameIndex to);

  void set_angular_velocity(FrameIndex of, FrameIndex in, const Vector& value, bool is_derived);
  Vector angular_velocity(FrameIndex of, FrameIndex in);
  // Returns the angular velocity of frame `of` in `in`, in the axes of `of`.
  const Triple& own_angular_velocity(FrameIndex of, FrameIndex in);
  void set_angular_acceleration(FrameIndex of, FrameIndex in, const Vector& value);
  Vector angular_acceleration(FrameIndex of, FrameIndex in);

 private:
  static constexpr FrameIndex kNone = 0xffffffffu;
  struct Frame {
    std::string name;
    FrameIndex parent = kNone;
    Matrix3 R;                                                      // v_parent = R v_this
    std::vector<std::pair<FrameIndex, Vector>> angular_velocities;  // of this frame in others, and back
  };
  static std::uint64_t key(FrameIndex a, FrameIndex b) { return (std::uint64_t{a} << 32) | b; }

  FrameIndex root_of(FrameIndex frame) const;
  void make_root(FrameIndex frame);
  // Returns R v for neighbours: v_to = R v_from.
  Triple turn(FrameIndex from, FrameIndex to, const Triple& v) const;
  void check_loop(FrameIndex parent, FrameIndex child, const Matrix3& R);
  bool contradicts(FrameIndex of, FrameIndex in, const Vector& value);
  void forget();

  Mechanics& mechanics_;
  std::vector<Frame> frames_;
  std::unordered_map<std::uint64_t, Matrix3> dcms_;
  std::unordered_map<std::uint64_t, Triple> own_angular_velocities_;
  std::unordered_map<std::uint64_t, Vector> angular_accelerations_;
};

}  // namespace sestina::symbolic
