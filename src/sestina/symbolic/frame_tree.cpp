#include "sestina/symbolic/frame_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "sestina/base/error.h"
#include "sestina/symbolic/frame.h"
#include "sestina/symbolic/mechanics.h"

namespace sestina::symbolic {

FrameIndex FrameTree::add(std::string_view name) {
  frames_.emplace_back();
  frames_.back().name = name;
  return static_cast<FrameIndex>(frames_.size() - 1);
}

std::optional<FrameIndex> FrameTree::find(std::string_view name) const {
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    if (frames_[i].name == name) return static_cast<FrameIndex>(i);
  }
  return std::nullopt;
}

FrameIndex FrameTree::root_of(FrameIndex frame) const {
  while (frames_[frame].parent != kNone) frame = frames_[frame].parent;
  return frame;
}

// Reverses the edges between a frame and the root of its tree.
void FrameTree::make_root(FrameIndex frame) {
  FrameIndex below = kNone;
  Matrix3 R_below;
  while (frame != kNone) {
    const FrameIndex above = frames_[frame].parent;
    const Matrix3 R = frames_[frame].R;
    frames_[frame].parent = below;
    if (below != kNone) frames_[frame].R = transpose(R_below);
    R_below = R;
    below = frame;
    frame = above;
  }
}

void FrameTree::orient(FrameIndex parent, FrameIndex child, const Matrix3& R) {
  if (parent == child) throw InputError(fmt::format("frame {} is oriented in itself", name(child)));
  if (are_connected(parent, child)) return check_loop(parent, child, R);
  make_root(child);
  frames_[child].parent = parent;
  frames_[child].R = R;
  forget();
}

// If it cannot be decided symbolically whether both paths agree, values at random points decide.
void FrameTree::check_loop(FrameIndex parent, FrameIndex child, const Matrix3& R) {
  const Matrix3 known = dcm(parent, child);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      Graph& graph = mechanics_.graph();
      if (!mechanics_.identities().differ(known[i][j].in(graph), R[i][j].in(graph))) continue;
      throw InputError(fmt::format("the orientation of frame {} in {} is known already, and another one",
                                   name(child), name(parent)));
    }
  }
}

std::vector<FrameIndex> FrameTree::path(FrameIndex a, FrameIndex b) const {
  std::vector<FrameIndex> up = {a}, down = {b};
  while (frames_[up.back()].parent != kNone) up.push_back(frames_[up.back()].parent);
  while (frames_[down.back()].parent != kNone) down.push_back(frames_[down.back()].parent);
  if (up.back() != down.back()) {
    throw InputError(
        fmt::format("frames {} and {} are not oriented relative to each other", name(a), name(b)));
  }
  while (up.size() > 1 && down.size() > 1 && up[up.size() - 2] == down[down.size() - 2]) {
    up.pop_back();
    down.pop_back();
  }
  up.insert(up.end(), down.rbegin() + 1, down.rend());
  return up;
}

const Matrix3& FrameTree::dcm(FrameIndex a, FrameIndex b) {
  const auto found = dcms_.find(key(a, b));
  if (found != dcms_.end()) return found->second;
  Matrix3 R = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const std::vector<FrameIndex> way = path(a, b);
  for (std::size_t i = 1; i < way.size(); ++i) {
    const Frame& from = frames_[way[i]];
    const Matrix3 step = from.parent == way[i - 1] ? from.R : transpose(frames_[way[i - 1]].R);
    R = i == 1 ? step : multiply(R, step);
  }
  dcms_[key(b, a)] = transpose(R);
  return dcms_[key(a, b)] = R;
}

Triple FrameTree::turn(FrameIndex from, FrameIndex to, const Triple& v) const {
  if (frames_[from].parent == to) return multiply(frames_[from].R, v);
  return multiply_transposed(frames_[to].R, v);
}

// Starts at the farthest frame, so that parts are added as soon as their paths meet.
Triple FrameTree::express(std::span<const Vector::Part> parts, FrameIndex to) {
  std::unordered_map<FrameIndex, Triple> at;
  std::vector<std::pair<std::size_t, std::pair<FrameIndex, FrameIndex>>>
      steps;  // distance, frame, next frame
  for (const Vector::Part& part : parts) {
    const std::vector<FrameIndex> way = path(part.frame, to);
    for (std::size_t i = 0; i + 1 < way.size(); ++i) steps.push_back({way.size() - i, {way[i], way[i + 1]}});
    at[part.frame] = part.xyz;
  }
  std::sort(steps.begin(), steps.end(), std::greater<>());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  for (const auto& [distance, step] : steps) {
    const Triple turned = turn(step.first, step.second, at[step.first]);
    Triple& next = at[step.second];
    next = symbolic::add(next, turned);
  }
  return at[to];
}

// A loop is closed on purpose when generalised speeds replace rates of coordinates; otherwise both paths must
// agree.
bool FrameTree::contradicts(FrameIndex of, FrameIndex in, const Vector& value) {
  Vector known;
  try {
    known = angular_velocity(of, in);
  } catch (const InputError&) {
    return false;  // not known yet
  }
  Graph& graph = mechanics_.graph();
  const TimeVariables& variables = mechanics_.variables();
  bool differs = false;
  for (const Expression& component : express((value - known).parts(), of)) {
    const Expr expr = component.in(graph);
    if (mechanics_.identities().is_zero(expr)) continue;
    for (const Expr symbol : graph.free_symbols(expr)) {
      if (variables.is_variable(symbol) && variables.order(symbol) > 0) return false;
    }
    differs = differs || mechanics_.identities().differ(expr, graph.fraction(0));
  }
  return differs;
}

void FrameTree::set_angular_velocity(FrameIndex of, FrameIndex in, const Vector& value, bool is_derived) {
  const auto set = [&](FrameIndex a, FrameIndex b, const Vector& w) {
    auto& known = frames_[a].angular_velocities;
    const auto at =
        std::find_if(known.begin(), known.end(), [b](const auto& entry) { return entry.first == b; });
    if (at == known.end()) {
      known.emplace_back(b, w);
    } else {
      at->second = w;
    }
  };
  if (!is_derived && contradicts(of, in, value)) {
    throw InputError(fmt::format("the angular velocity of frame {} in {} is known already, and another one",
                                 name(of), name(in)));
  }
  set(of, in, value);
  set(in, of, -value);
  forget();
}

// Returns the sum along the path over the fewest frames.
Vector FrameTree::angular_velocity(FrameIndex of, FrameIndex in) {
  std::vector<FrameIndex> before(frames_.size(), kNone);
  std::deque<FrameIndex> open = {of};
  before[of] = of;
  while (!open.empty() && before[in] == kNone) {
    for (const auto& [next, w] : frames_[open.front()].angular_velocities) {
      if (before[next] != kNone) continue;
      before[next] = open.front();
      open.push_back(next);
    }
    open.pop_front();
  }
  if (before[in] == kNone) {
    throw InputError(fmt::format("the angular velocity of frame {} in {} is not known", name(of), name(in)));
  }
  Vector total;
  for (FrameIndex at = in; at != of; at = before[at]) {
    for (const auto& [next, w] : frames_[before[at]].angular_velocities) {
      if (next == at) total += w;
    }
  }
  return total;
}

const Triple& FrameTree::own_angular_velocity(FrameIndex of, FrameIndex in) {
  const auto found = own_angular_velocities_.find(key(of, in));
  if (found != own_angular_velocities_.end()) return found->second;
  const Triple w = express(angular_velocity(of, in).parts(), of);
  return own_angular_velocities_[key(of, in)] = w;
}

void FrameTree::set_angular_acceleration(FrameIndex of, FrameIndex in, const Vector& value) {
  angular_accelerations_[key(of, in)] = value;
  angular_accelerations_[key(in, of)] = -value;
}

Vector FrameTree::angular_acceleration(FrameIndex of, FrameIndex in) {
  const auto found = angular_accelerations_.find(key(of, in));
  if (found != angular_accelerations_.end()) return found->second;
  return angular_velocity(of, in).dt({mechanics_, in});
}

void FrameTree::forget() {
  dcms_.clear();
  own_angular_velocities_.clear();
}

}  // namespace sestina::symbolic
