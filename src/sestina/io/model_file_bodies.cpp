// Bodies: inertia, points and shapes.
#include "sestina/io/model_file_parts.h"

namespace sestina {
namespace {

void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, InertiaSpec& out) {
  const MapReader map(context, node, path, keys_of("inertia"));
  out.mark = node.mark;
  map.read("xx", out.xx);
  map.read("yy", out.yy);
  map.read("zz", out.zz);
  map.read("xy", out.xy);
  map.read("xz", out.xz);
  map.read("yz", out.yz);
}

void read_inertia_check(ReadContext& context, const MapReader& map, bool& out) {
  Name word = "full";
  map.read("inertia_check", word);
  check_word(context, word, map.path_of("inertia_check"), "inertia_check", {"full", "none"});
  out = !(word == "none");
}

void read_shape(ReadContext& context, const YamlNode& node, const NodePath& path,
                std::vector<ShapeSpec>& shapes) {
  const MapReader map(context, node, path, keys_of("shape", type_of(node)));
  ShapeSpec& shape = shapes.emplace_back();
  shape.mark = node.mark;
  map.read("name", shape.name);
  map.read("type", shape.type);
  check_word(context, shape.type, map.path_of("type"), "shape", types_of("shape"));
  map.read("radius", shape.radius);
  map.read("length", shape.length);
  map.read("size", shape.size);
  map.read("file", shape.file);
  map.read("scale", shape.scale);
  map.read("position", shape.position);
  map.read("axes", shape.axes);
}

}  // namespace

void read_shapes(ReadContext& context, const MapReader& map, const char* key,
                 std::vector<ShapeSpec>& shapes) {
  const YamlNode* node = map.find(key);
  if (!node) return;
  const NodePath path = map.path_of(key);
  const auto read_one = [&](const YamlNode& item, const NodePath& item_path) {
    read_shape(context, item, item_path, shapes);
  };
  if (node->is_list()) {
    for_each_item(context, *node, path, read_one);
  } else {
    read_one(*node, path);
  }
}

void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, BodySpec& out) {
  const std::string type = type_of(node);
  const MapReader map(context, node, path, keys_of("body", type.empty() ? "rigid" : type));
  out.mark = node.mark;
  map.read("name", out.name);
  map.read("type", out.type);
  map.read("original_name", out.original_name);
  if (type == "beam") {
    read_beam(context, map, out);
    return;
  }
  if (type == "reduced") {
    read_reduced(context, map, out);
    return;
  }
  map.read("mass", out.mass);
  map.read("center_of_mass", out.center_of_mass);
  if (const YamlNode* inertia = map.find("inertia")) {
    read_value(context, *inertia, map.path_of("inertia"), out.inertia);
  }
  read_inertia_check(context, map, out.inertia_check);
  map.read("points", out.points);
  read_shapes(context, map, "shape", out.shapes);
  read_shapes(context, map, "shapes", out.shapes);
}

}  // namespace sestina
