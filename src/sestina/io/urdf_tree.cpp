#include "sestina/io/urdf_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sestina/base/suggest.h"

namespace sestina {
namespace {

const std::vector<std::string> kJointTypes{"revolute", "continuous", "prismatic",
                                           "fixed",    "floating",   "planar"};

using LinkIndices = std::map<std::string, std::size_t, std::less<>>;

class TreeReader {
 public:
  explicit TreeReader(const std::vector<XmlElement>& outline) : outline_(outline) {}

  UrdfTree read() {
    const XmlElement& robot = outline_.front();
    if (robot.tag != "robot") {
      faults_.add({robot.mark, {}}, fmt::format("the root element is <{}> instead of <robot>", robot.tag));
      faults_.throw_if_any();
    }
    if (const XmlAttribute* name = robot.find("name")) {
      tree_.robot = name->value;
    } else {
      faults_.add({robot.mark, {}}, "<robot> has no name");
    }
    read_elements();
    faults_.throw_if_any();  // the rest needs names
    check_references();
    faults_.throw_if_any();
    check_tree();
    faults_.throw_if_any();
    return std::move(tree_);
  }

 private:
  void read_elements() {
    for (std::size_t i = 1; i < outline_.size(); ++i) {
      const XmlElement& element = outline_[i];
      if (element.tag.rfind("xacro:", 0) == 0) {
        faults_.add({element.mark, {}},
                    fmt::format("<{}> is a macro: expand the file with xacro first", element.tag));
        return;
      }
      if (element.depth == 1) {
        in_link_ = element.tag == "link";
        in_joint_ = element.tag == "joint";
        if (in_link_) add_link(element);
        if (in_joint_) add_joint(element);
        if (!in_link_ && !in_joint_ && element.tag != "material") ++tree_.other_tags[element.tag];
      } else if (in_link_) {
        tree_.links.back().has_collision |= element.tag == "collision";
      } else if (in_joint_) {
        add_to_joint(tree_.joints.back(), element);
      }
    }
    if (tree_.links.empty()) faults_.add({outline_.front().mark, {}}, "the robot has no link");
  }

  std::string read_name(const XmlElement& element) {
    const XmlAttribute* name = element.find("name");
    if (!name || name->value.empty()) {
      faults_.add({element.mark, {}}, fmt::format("a {} without a name", element.tag));
      return {};
    }
    tree_.marks.try_emplace(name->value, element.mark);
    return name->value;
  }

  void add_link(const XmlElement& element) { tree_.links.push_back({read_name(element), element.mark}); }

  void add_joint(const XmlElement& element) {
    UrdfJoint joint;
    joint.name = read_name(element);
    joint.mark = element.mark;
    joint.parent.mark = joint.child.mark = element.mark;
    const XmlAttribute* type = element.find("type");
    if (!type) {
      faults_.add(place(joint), "the type is missing; allowed are " + join_words(kJointTypes));
    } else if (std::find(kJointTypes.begin(), kJointTypes.end(), type->value) == kJointTypes.end()) {
      faults_.add({type->mark, path(joint)},
                  fmt::format("unknown type '{}'", type->value) + suggestion(type->value, kJointTypes));
    } else {
      joint.type = type->value;
    }
    tree_.joints.push_back(std::move(joint));
  }

  static void add_to_joint(UrdfJoint& joint, const XmlElement& element) {
    if (element.tag == "mimic" && !joint.mimic) {
      const XmlAttribute* leader = element.find("joint");
      joint.mimic = leader ? *leader : XmlAttribute{};  // urdfdom reports that it is missing
    }
    joint.has_safety |= element.tag == "safety_controller";
    joint.has_calibration |= element.tag == "calibration";
    const XmlAttribute* link = element.find("link");
    if (!link) return;
    if (element.tag == "parent" && joint.parent.value.empty()) joint.parent = *link;
    if (element.tag == "child" && joint.child.value.empty()) joint.child = *link;
  }

  static std::string path(const UrdfJoint& joint) { return fmt::format("joint '{}'", joint.name); }
  static Place place(const UrdfJoint& joint) { return {joint.mark, path(joint)}; }

  template <class Things>
  void check_unique(const Things& things, const char* kind) {
    std::map<std::string_view, int> lines;
    for (const auto& thing : things) {
      const auto [first, is_new] = lines.try_emplace(thing.name, thing.mark.line);
      if (is_new) continue;
      faults_.add({thing.mark, fmt::format("{} '{}'", kind, thing.name)},
                  fmt::format("the name is taken by the {} in line {}", kind, first->second));
    }
  }

  void check_references() {
    check_unique(tree_.links, "link");
    check_unique(tree_.joints, "joint");
    for (std::size_t i = 0; i < tree_.links.size(); ++i) indices_.try_emplace(tree_.links[i].name, i);
    for (const UrdfJoint& joint : tree_.joints) {
      check_link(joint, joint.parent, "parent");
      check_link(joint, joint.child, "child");
    }
    check_mimics();
  }

  void check_mimics() {
    std::map<std::string_view, std::size_t> joints;
    for (std::size_t i = 0; i < tree_.joints.size(); ++i) joints.try_emplace(tree_.joints[i].name, i);
    std::vector<std::size_t> seen_from(tree_.joints.size(), tree_.joints.size());
    for (std::size_t start = 0; start < tree_.joints.size(); ++start) {
      std::size_t i = start;
      while (seen_from[i] == tree_.joints.size()) {
        seen_from[i] = start;
        if (!tree_.joints[i].mimic) break;
        const auto leader = joints.find(tree_.joints[i].mimic->value);
        if (leader == joints.end()) break;
        i = leader->second;
        if (seen_from[i] == start)
          faults_.add(place(tree_.joints[i]), "mimics itself, in a circle of joints");
      }
    }
  }

  void check_link(const UrdfJoint& joint, const XmlAttribute& link, const char* role) {
    if (link.value.empty()) {
      faults_.add(place(joint), fmt::format("the {} link is missing", role));
    } else if (indices_.count(link.value) == 0) {
      faults_.add(
          {link.mark, path(joint)},
          fmt::format("the {} link '{}' is not in the file", role, link.value) + near_link(link.value));
    }
  }

  // A comparison with every link takes time in proportion to their number, so that a file full of wrong names
  // gets only a few suggestions.
  std::string near_link(const std::string& name) {
    if (++suggestions_ > 10) return {};
    std::vector<std::string> names;
    for (const UrdfLink& link : tree_.links) names.push_back(link.name);
    const std::string_view near = nearest_word(name, names);
    return near.empty() ? std::string{} : fmt::format(" (did you mean '{}'?)", near);
  }

  void check_tree() {
    constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    std::vector<std::size_t> parent_joint(tree_.links.size(), kNone);
    std::vector<std::vector<std::size_t>> children(tree_.links.size());
    for (std::size_t j = 0; j < tree_.joints.size(); ++j) {
      const UrdfJoint& joint = tree_.joints[j];
      const std::size_t child = indices_.find(joint.child.value)->second;
      if (parent_joint[child] != kNone) {
        faults_.add({joint.child.mark, path(joint)},
                    fmt::format("link '{}' is already the child of joint '{}': loops are not supported",
                                joint.child.value, tree_.joints[parent_joint[child]].name));
        continue;
      }
      parent_joint[child] = j;
      children[indices_.find(joint.parent.value)->second].push_back(child);
    }
    std::vector<std::size_t> stack;
    for (std::size_t i = 0; i < tree_.links.size(); ++i) {
      if (parent_joint[i] != kNone) continue;
      if (stack.empty()) {
        tree_.root = i;
        stack.push_back(i);
      } else {
        faults_.add({tree_.links[i].mark, fmt::format("link '{}'", tree_.links[i].name)},
                    fmt::format("a second root: no joint leads to this link nor to '{}'",
                                tree_.links[tree_.root].name));
      }
    }
    if (!faults_.empty()) return;  // reachable from elsewhere
    std::vector<bool> is_reached(tree_.links.size(), false);
    while (!stack.empty()) {
      const std::size_t i = stack.back();
      stack.pop_back();
      is_reached[i] = true;
      stack.insert(stack.end(), children[i].begin(), children[i].end());
    }
    for (const UrdfJoint& joint : tree_.joints) {
      if (!is_reached[indices_.find(joint.child.value)->second]) {
        faults_.add(place(joint), "is part of a circle of joints, or hangs on one");
      }
    }
  }

  const std::vector<XmlElement>& outline_;
  UrdfTree tree_;
  FaultList faults_;
  LinkIndices indices_;
  bool in_link_ = false, in_joint_ = false;
  int suggestions_ = 0;
};

}  // namespace

UrdfTree read_urdf_tree(const std::vector<XmlElement>& outline) { return TreeReader(outline).read(); }

}  // namespace sestina
