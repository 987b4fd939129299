#include "sestina/dynamics/tree_layout.h"

#include <algorithm>
#include <numeric>

namespace sestina {

namespace {

std::vector<int> all_bodies(const TreeLayout& tree) {
  std::vector<int> bodies(tree.links.size() - 1);
  std::iota(bodies.begin(), bodies.end(), 1);
  return bodies;
}

}  // namespace

TreeLayout::TreeLayout(const Model& model) : links(static_cast<std::size_t>(model.bodies().size())) {
  for (std::size_t i = 1; i < links.size(); ++i) {
    const BodyInfo& body = model.bodies()[BodyIndex(static_cast<int>(i))];
    BodyLink& link = links[i];
    link.parent = body.parent.value();
    link.q_start = body.q_start;
    link.u_start = body.u_start;
    link.nu = static_cast<std::int16_t>(body.nu);
    link.is_revolute = body.joint_type == JointType::kRevolute;
    link.is_spherical = body.joint_type == JointType::kSpherical;
    link.is_free_on_ground = body.joint_type == JointType::kFree && link.parent == 0;
    if (link.is_spherical || link.is_free_on_ground) link.block = num_blocks++;
  }
  angles = find_angles(all_bodies(*this));
}

std::vector<std::size_t> find_subtree_ends(const Model& model) {
  std::vector<std::size_t> ends(static_cast<std::size_t>(model.bodies().size()));
  std::iota(ends.begin(), ends.end(), std::size_t{1});
  for (std::size_t i = ends.size(); i-- > 1;) {
    const BodyIndex parent = model.bodies()[BodyIndex(static_cast<int>(i))].parent;
    std::size_t& end = ends[static_cast<std::size_t>(parent.value())];
    end = std::max(end, ends[i]);
  }
  return ends;
}

std::vector<TreeLayout::Angles> TreeLayout::find_angles(std::span<const int> bodies) const {
  std::vector<Angles> runs;
  for (const int body : bodies) {
    const BodyLink& link = links[static_cast<std::size_t>(body)];
    if (!link.is_revolute) continue;
    if (runs.empty() || runs.back().q_start + runs.back().count != link.q_start) {
      runs.push_back({link.q_start, 0});
    }
    ++runs.back().count;
  }
  return runs;
}

Walk::Walk(const TreeLayout& tree, std::span<const int> bodies) : steps(bodies.size()) {
  std::vector<int> step_of(tree.links.size(), -1);
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    WalkStep& step = steps[k];
    step.body = bodies[k];
    step_of[static_cast<std::size_t>(step.body)] = static_cast<int>(k);
    const int parent = tree.links[static_cast<std::size_t>(step.body)].parent;
    step.hangs_on_base = step_of[static_cast<std::size_t>(parent)] < 0;
    step.gives_carry = k > 0 && parent == bodies[k - 1];
    if (step.gives_carry) steps[k - 1].takes_carry = true;
  }
  for (std::size_t k = bodies.size(); k-- > 0;) {
    WalkStep& step = steps[k];
    if (step.hangs_on_base || step.gives_carry) continue;
    const int parent = tree.links[static_cast<std::size_t>(step.body)].parent;
    WalkStep& inner = steps[static_cast<std::size_t>(step_of[static_cast<std::size_t>(parent)])];
    step.begins_sum = inner.own_sum < 0;
    if (step.begins_sum) inner.own_sum = num_sums++;
    step.parent_sum = inner.own_sum;
  }
}

Walk Walk::over_all(const TreeLayout& tree) { return Walk(tree, all_bodies(tree)); }

}  // namespace sestina
