// Contacts.
#include "sestina/io/model_file_parts.h"

namespace sestina {

void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, ContactSpec& out) {
  const MapReader map(context, node, path, keys_of("contact"));
  out.mark = node.mark;
  map.read("name", out.name);
  if (const YamlNode* between = map.find("between")) {
    for_each_item(context, *between, map.path_of("between"),
                  [&](const YamlNode& item, const NodePath& item_path) {
                    read_value(context, item, item_path, out.between.emplace_back());
                  });
  }
  map.read("friction", out.friction);
  map.read("restitution", out.restitution);
  map.read("stiffness", out.stiffness);
  map.read("damping", out.damping);
  map.read("law", out.law);
  map.read("exponent", out.exponent);
  map.read("dissipation", out.dissipation);
  map.read("impact_speed", out.impact_speed);
  map.read("creep_speed", out.creep_speed);
  map.read("bristle_stiffness", out.bristle_stiffness);
  map.read("bristle_damping", out.bristle_damping);
  map.read("static_friction", out.static_friction);
  map.read("stribeck_speed", out.stribeck_speed);
  map.read("young", out.young);
  map.read("poisson", out.poisson);
}

}  // namespace sestina
