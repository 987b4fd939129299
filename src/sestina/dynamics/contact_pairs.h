// The pairs of shapes that the contacts of a model name, with their distances at a state.
#pragma once

#include <string>
#include <vector>

#include "sestina/model/model.h"
#include "sestina/model/properties.h"

namespace sestina {

struct ContactPair {
  int contact = 0;            // in Model::contacts()
  std::string first, second;  // names of the shapes
  ShapeType first_type = ShapeType::kSphere, second_type = ShapeType::kSphere;
  double gap = 0.0;  // m, the smallest of the contact points; negative where the shapes overlap

  // Whether the shapes touch without more overlap than round-off of their poses.
  bool is_closed() const { return gap <= kTouching && gap >= -kTouching; }
  bool is_overlap() const { return gap < -kTouching; }

  static constexpr double kTouching = 1e-9;  // m
};

// In the order of the contacts, and within a contact in that of its names in `between`.
std::vector<ContactPair> list_contact_pairs(const Model& model, const Properties<double>& properties,
                                            const State<double>& state);

}  // namespace sestina
