// The treatment of joints in a URDF file that follow others (<mimic>); urdf.h describes the rules.
#pragma once

#include <urdf_model/model.h>

#include <optional>
#include <vector>

#include "sestina/io/urdf.h"
#include "sestina/io/urdf_tree.h"

namespace sestina {

struct UrdfFollower {
  UrdfMimic becomes = UrdfMimic::kFree;
  double position = 0.0;                  // rad or m, for all leaders at zero
  std::size_t leader = 0;                 // for kForce and kCouple: in the tree's joints
  double multiplier = 1.0, offset = 0.0;  // rad or m
  double stiffness = 0.0, damping = 0.0;  // for kForce: N m/rad and N m s/rad, or N/m and N s/m
};

// Returns a follower for each joint of the tree, nothing for joints that follow none. Adds notes about them.
std::vector<std::optional<UrdfFollower>> find_followers(const urdf::ModelInterface& model,
                                                        const UrdfTree& tree, const UrdfOptions& options,
                                                        ImportNotes& notes);

}  // namespace sestina
