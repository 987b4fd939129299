#include "sestina/io/urdf_mimic.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string_view>

#include "sestina/base/suggest.h"
#include "sestina/io/urdf_convert.h"
#include "sestina/spatial/rotation.h"

namespace sestina {
namespace {

using Vec = Vec3<double>;
using Mat = Mat3<double>;

constexpr const char* kLeaderIsWelded = "mimics a joint that is welded here";

Vec vec_of(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }
Pose<double> pose_of(const urdf::Pose& pose) {
  const urdf::Rotation& r = pose.rotation;
  const double e[4]{r.w, r.x, r.y, r.z};
  return {euler_parameter_rotation(e), vec_of(pose.position)};
}

bool has_coordinate(const UrdfJoint& joint) {
  return joint.type == "revolute" || joint.type == "continuous" || joint.type == "prismatic";
}

// Mass, its first moment and its inertia about the origin of the root link, in the axes of the root link.
struct Moments {
  double mass = 0.0;
  Vec first;
  SymMat3<double> inertia;

  void add(const Moments& other) {
    mass += other.mass;
    first += other.first;
    inertia += other.inertia;
  }
};

// Returns the inertia about the axis through `p` along the unit vector `a`: a . I a shifted to p.
double inertia_about(const Moments& m, const Vec& p, const Vec& a) {
  const Vec arm = p - dot(a, p) * a, first = m.first - dot(a, m.first) * a;
  return dot(a, m.inertia * a) - 2.0 * dot(arm, first) + m.mass * dot(arm, arm);
}

class FollowerFinder {
 public:
  FollowerFinder(const urdf::ModelInterface& model, const UrdfTree& tree, const UrdfOptions& options,
                 ImportNotes& notes)
      : model_(model), tree_(tree), options_(options), notes_(notes), followers_(tree.joints.size()) {
    for (std::size_t i = 0; i < tree.joints.size(); ++i) joints_.emplace(tree.joints[i].name, i);
  }

  std::vector<std::optional<UrdfFollower>> find() {
    std::vector<std::string> fixed;
    for (std::size_t i = 0; i < tree_.joints.size(); ++i) {
      if (!tree_.joints[i].mimic) continue;
      if (has_coordinate(tree_.joints[i])) {
        follow(i);
      } else {
        fixed.push_back(tree_.joints[i].name);
      }
    }
    if (options_.mimic == UrdfMimic::kForce) set_gains();
    if (options_.mimic == UrdfMimic::kCouple) weld_followers_of_welded();
    if (!fixed.empty())
      notes_.push_back({{}, "joints without an axis cannot mimic others: " + join_words(fixed)});
    tell_what_becomes();
    return std::move(followers_);
  }

 private:
  const urdf::Joint& joint(std::size_t i) const {
    return *model_.getJoint(hide_percent(tree_.joints[i].name));
  }

  // Handles the joint's leaders first, since its position depends on theirs; they form no cycle.
  void follow(std::size_t start) {
    std::vector<std::size_t> waiting{start};
    while (!waiting.empty()) {
      const std::size_t i = waiting.back();
      const auto leader = joints_.find(tree_.joints[i].mimic->value);
      const bool has_leader = leader != joints_.end() && has_coordinate(tree_.joints[leader->second]);
      const bool waits = has_leader && tree_.joints[leader->second].mimic && !followers_[leader->second];
      if (waits) {
        waiting.push_back(leader->second);
        continue;
      }
      waiting.pop_back();
      set_follower(i, has_leader ? std::optional(leader->second) : std::nullopt);
    }
  }

  void set_follower(std::size_t i, std::optional<std::size_t> leader) {
    const urdf::JointMimic& mimic = *joint(i).mimic;
    order_.push_back(i);
    UrdfFollower& follower = followers_[i].emplace();
    follower.becomes = options_.mimic;
    follower.multiplier = mimic.multiplier;
    follower.offset = follower.position = mimic.offset;
    if (leader) {
      follower.leader = *leader;
      if (followers_[*leader]) follower.position += mimic.multiplier * followers_[*leader]->position;
      return;
    }
    const bool needs_leader = options_.mimic == UrdfMimic::kForce || options_.mimic == UrdfMimic::kCouple;
    if (needs_leader) follower.becomes = UrdfMimic::kWeld;
    const std::string& name = tree_.joints[i].mimic->value;
    note(i, fmt::format("mimics '{}', which {}", name,
                        joints_.contains(name) ? "has no coordinate of its own" : "is not in the file"));
  }

  // Leaders come before their followers.
  void set_gains() {
    const std::vector<Moments> carried = calc_carried();
    for (const std::size_t i : order_) {
      UrdfFollower& follower = *followers_[i];
      if (follower.becomes != UrdfMimic::kForce) continue;
      set_gains(i, carried[links_.at(tree_.joints[i].child.value)], follower);
      const bool has_gains = follower.stiffness > 0.0 && std::isfinite(follower.stiffness);
      if (is_leader_welded(follower)) {
        weld(i, kLeaderIsWelded);
      } else if (!has_gains) {
        weld(i, "mimics another, but carries nothing that a spring could move");
      }
    }
  }

  void weld_followers_of_welded() {
    for (const std::size_t i : order_) {
      const UrdfFollower& follower = *followers_[i];
      if (follower.becomes == UrdfMimic::kCouple && is_leader_welded(follower)) weld(i, kLeaderIsWelded);
    }
  }

  bool is_leader_welded(const UrdfFollower& follower) const {
    const auto& leader = followers_[follower.leader];
    return leader && leader->becomes == UrdfMimic::kWeld;
  }

  void weld(std::size_t i, const char* why) {
    followers_[i]->becomes = UrdfMimic::kWeld;
    note(i, why);
  }

  void set_gains(std::size_t i, const Moments& carried, UrdfFollower& follower) const {
    const Pose<double>& X = poses_[links_.at(tree_.joints[i].child.value)];
    const Vec axis = vec_of(joint(i).axis);
    const bool slides = tree_.joints[i].type == "prismatic";
    const double inertia =
        slides ? carried.mass : inertia_about(carried, X.p, X.R * ((1.0 / norm(axis)) * axis));
    follower.stiffness = options_.mimic_frequency * options_.mimic_frequency * inertia;
    follower.damping = 2.0 * options_.mimic_frequency * inertia;
  }

  // Returns, by link, the moments of the link and all links outboard with all joints at zero. Fills the
  // poses.
  std::vector<Moments> calc_carried() {
    const std::size_t n = tree_.links.size();
    for (std::size_t i = 0; i < n; ++i) links_.emplace(tree_.links[i].name, i);
    std::vector<std::vector<std::size_t>> joints_of(n);
    for (std::size_t j = 0; j < tree_.joints.size(); ++j) {
      joints_of[links_.at(tree_.joints[j].parent.value)].push_back(j);
    }
    poses_.assign(n, {Mat::identity(), {}});
    std::vector<std::size_t> order{tree_.root}, parents(n, n);
    for (std::size_t k = 0; k < order.size(); ++k) {
      for (const std::size_t j : joints_of[order[k]]) {
        const std::size_t child = links_.at(tree_.joints[j].child.value);
        poses_[child] = poses_[order[k]] * pose_of(joint(j).parent_to_joint_origin_transform);
        parents[child] = order[k];
        order.push_back(child);
      }
    }
    std::vector<Moments> moments(n);
    for (std::size_t k = order.size(); k-- > 0;) {
      const std::size_t i = order[k];
      moments[i].add(moments_of(i));
      if (parents[i] < n) moments[parents[i]].add(moments[i]);
    }
    return moments;
  }

  Moments moments_of(std::size_t link) const {
    const urdf::LinkConstSharedPtr body = model_.getLink(hide_percent(tree_.links[link].name));
    if (!body->inertial) return {};
    const urdf::Inertial& given = *body->inertial;
    const Pose<double> X = poses_[link] * pose_of(given.origin);
    const SymMat3<double> I{given.ixx, given.iyy, given.izz, given.ixy, given.ixz, given.iyz};
    return {given.mass, given.mass * X.p, rotate(X.R, I) + point_inertia(given.mass, X.p)};
  }

  void note(std::size_t i, std::string message) {
    const UrdfJoint& outline = tree_.joints[i];
    notes_.push_back({{outline.mark, fmt::format("joint '{}'", outline.name)}, std::move(message), true});
  }

  void tell(const std::string& what, const std::vector<std::string>& names) {
    if (!names.empty()) notes_.push_back({{}, what + ": " + join_words(names), true});
  }

  void tell_what_becomes() {
    std::map<UrdfMimic, std::vector<std::string>> names;
    for (std::size_t i = 0; i < followers_.size(); ++i) {
      if (followers_[i]) names[followers_[i]->becomes].push_back(tree_.joints[i].name);
    }
    tell(
        "joints that mimic others move by themselves (the option mimic: couple makes them follow, weld holds "
        "them, force pulls them by springs)",
        names[UrdfMimic::kFree]);
    tell("joints that mimic others are welded at their offsets", names[UrdfMimic::kWeld]);
    tell(fmt::format("joints that mimic others are pulled to their places by springs and dampers of {} rad/s",
                     options_.mimic_frequency),
         names[UrdfMimic::kForce]);
    if (names[UrdfMimic::kCouple].empty()) return;
    notes_.push_back(
        {{}, "joints that mimic others are coupled to them: " + join_words(names[UrdfMimic::kCouple])});
  }

  const urdf::ModelInterface& model_;
  const UrdfTree& tree_;
  const UrdfOptions& options_;
  ImportNotes& notes_;
  std::vector<std::optional<UrdfFollower>> followers_;
  std::vector<std::size_t> order_;  // leaders first
  std::map<std::string_view, std::size_t> joints_, links_;
  std::vector<Pose<double>> poses_;  // relative to the root link
};

}  // namespace

std::vector<std::optional<UrdfFollower>> find_followers(const urdf::ModelInterface& model,
                                                        const UrdfTree& tree, const UrdfOptions& options,
                                                        ImportNotes& notes) {
  return FollowerFinder(model, tree, options, notes).find();
}

}  // namespace sestina
