// Joints of a URDF file that follow others (<mimic>): what becomes of each; the rules stand in urdf.h.
#pragma once

#include <urdf_model/model.h>

#include <optional>
#include <vector>

#include "sestina/io/urdf.h"
#include "sestina/io/urdf_tree.h"

namespace sestina {

struct UrdfFollower {
  UrdfMimic becomes = UrdfMimic::kFree;
  double position = 0.0;                  // rad or m, its place where all leaders are at zero
  std::size_t leader = 0;                 // of kForce: in the tree's joints
  double multiplier = 1.0, offset = 0.0;  // rad or m
  double stiffness = 0.0, damping = 0.0;  // of kForce: N m/rad and N m s/rad, or N/m and N s/m
};

// For each joint of the tree; nothing for those that follow none. Notes tell which joints they are.
std::vector<std::optional<UrdfFollower>> find_followers(const urdf::ModelInterface& model,
                                                        const UrdfTree& tree, const UrdfOptions& options,
                                                        ImportNotes& notes);

}  // namespace sestina
