// The kinematic tree of a URDF file, read from its outline and checked with lines and columns. urdfdom checks
// less (it accepts two parents of a link, and cycles of links) and reports no places.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sestina/base/error.h"
#include "sestina/io/urdf_outline.h"

namespace sestina {

struct UrdfLink {
  std::string name;
  Mark mark;
  bool has_collision = false;
};

struct UrdfJoint {
  std::string name, type;
  XmlAttribute parent, child;  // names of links
  Mark mark;
  std::optional<XmlAttribute> mimic;  // the name of its leader
  bool has_safety = false;
  bool has_calibration = false;
};

// In the order of the file.
struct UrdfTree {
  std::string robot;
  std::vector<UrdfLink> links;
  std::vector<UrdfJoint> joints;
  std::size_t root = 0;  // index of the link that is not a joint's child
  std::map<std::string, int, std::less<>>
      other_tags;  // counts of elements other than link, joint and material

  std::map<std::string, Mark, std::less<>> marks;  // of links and joints, the first of each name
};

// Throws InputError with all faults: missing and duplicate names, unknown links and types, links with several
// parents, several roots, cycles of joints and of mimics.
UrdfTree read_urdf_tree(const std::vector<XmlElement>& outline);

// Depth of the elements that read_urdf_tree reads.
inline constexpr int kUrdfTreeDepth = 2;

}  // namespace sestina
