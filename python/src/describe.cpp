#include "describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "casters.h"
#include "sestina/base/error.h"
#include "sestina/base/suggest.h"

namespace sestina::python {

void refuse(const std::string& place, nb::handle given, const std::string& allowed) {
  throw InputError({{{.mark = {}, .path = place},
                     fmt::format("{} is not {}", nb::cast<std::string>(nb::repr(given)), allowed)}});
}

bool is_mapping(nb::handle given) {
  return nb::isinstance<nb::dict>(given) || (PyMapping_Check(given.ptr()) && nb::hasattr(given, "keys"));
}

nb::dict to_dictionary(const std::string& place, nb::handle given, const std::string& allowed) {
  if (nb::isinstance<nb::dict>(given)) return nb::borrow<nb::dict>(given);
  if (!is_mapping(given)) refuse(place, given, allowed);
  nb::dict dictionary;
  if (PyDict_Update(dictionary.ptr(), given.ptr()) != 0) throw nb::python_error();
  return dictionary;
}

namespace {

using Matrix = std::array<Triple, 3>;

// The keys of a dictionary, each with the function that takes its value.
using Keys =
    std::vector<std::pair<std::string, std::function<void(const std::string& place, nb::handle value)>>>;

void read_keys(const std::string& place, nb::handle given, const std::string& allowed, const Keys& keys) {
  for (const auto& [key, value] : to_dictionary(place, given, allowed)) {
    const auto name = convert<std::string>(place, key, "text, the name of a key");
    const auto found = std::find_if(keys.begin(), keys.end(), [&](const auto& k) { return k.first == name; });
    if (found == keys.end()) {
      std::vector<std::string> names;
      for (const auto& k : keys) names.push_back(k.first);
      throw InputError({{{.mark = {}, .path = place},
                         fmt::format("there is no key '{}'{}", name, suggestion(name, names))}});
    }
    found->second(place + "." + name, value);
  }
}

auto number_into(Number& number) {
  return [&number](const std::string& place, nb::handle value) {
    number = convert<Number>(place, value, "a number or an expression");
  };
}
auto number_into(std::optional<Number>& number) {
  return [&number](const std::string& place, nb::handle value) {
    number = convert<Number>(place, value, "a number or an expression");
  };
}
auto triple_into(Triple& triple) {
  return [&triple](const std::string& place, nb::handle value) {
    triple = convert<Triple>(place, value, "three numbers or expressions");
  };
}
auto name_into(Name& name) {
  return [&name](const std::string& place, nb::handle value) { name = convert<Name>(place, value, "text"); };
}

void put(nb::dict& dictionary, const char* key, const std::optional<Number>& number) {
  if (number) dictionary[key] = nb::cast(*number);
}

bool is_zero(const Number& number) { return !number.is_expression() && number.value() == 0.0; }

}  // namespace

RotationSpec to_rotation(const std::string& place, nb::handle given) {
  const std::string allowed =
      "a rotation: {'rpy': ..}, {'axis': .., 'angle': ..}, {'matrix': ..}, {'euler_parameters': ..} or a "
      "3x3 matrix";
  if (Matrix rows; !is_mapping(given) && nb::try_cast(given, rows)) return RotationSpec::matrix(rows);
  std::optional<RotationSpec> rotation;
  std::optional<Triple> axis;
  std::optional<Number> angle;
  int forms = 0;
  read_keys(place, given, allowed,
            {{"rpy",
              [&](const std::string& at, nb::handle value) {
                const auto rpy = convert<Triple>(at, value, "three angles");
                rotation = RotationSpec::rpy(rpy[0], rpy[1], rpy[2]), ++forms;
              }},
             {"axis",
              [&](const std::string& at, nb::handle value) { axis = convert<Triple>(at, value, "an axis"); }},
             {"angle", [&](const std::string& at,
                           nb::handle value) { angle = convert<Number>(at, value, "an angle"); }},
             {"matrix",
              [&](const std::string& at, nb::handle value) {
                rotation = RotationSpec::matrix(convert<Matrix>(at, value, "a 3x3 matrix")), ++forms;
              }},
             {"euler_parameters", [&](const std::string& at, nb::handle value) {
                const auto e = convert<std::array<Number, 4>>(at, value, "four Euler parameters");
                rotation = RotationSpec::euler_parameters(e[0], e[1], e[2], e[3]), ++forms;
              }}});
  if (axis && angle) rotation = RotationSpec::axis_angle(*axis, *angle), ++forms;
  if (forms != 1 || axis.has_value() != angle.has_value()) refuse(place, given, allowed);
  return *rotation;
}

nb::object from_rotation(const RotationSpec& rotation) {
  const std::vector<Number>& n = rotation.numbers;
  const auto part = [&](std::size_t first, std::size_t count) {
    nb::list list;
    for (std::size_t i = first; i < first + count; ++i) list.append(nb::cast(n[i]));
    return list;
  };
  nb::dict dictionary;
  switch (rotation.kind) {
    case RotationSpec::Kind::kEulerParameters:
      dictionary["euler_parameters"] = part(0, 4);
      break;
    case RotationSpec::Kind::kAxisAngle:
      dictionary["axis"] = part(0, 3);
      dictionary["angle"] = nb::cast(n[3]);
      break;
    case RotationSpec::Kind::kRpy:
      dictionary["rpy"] = part(0, 3);
      break;
    case RotationSpec::Kind::kMatrix: {
      nb::list rows;
      for (const std::size_t first : {0, 3, 6}) rows.append(part(first, 3));
      dictionary["matrix"] = rows;
      break;
    }
  }
  return dictionary;
}

PointSpec to_point(const std::string& place, const std::string& name, nb::handle given) {
  PointSpec point;
  point.name = name;
  if (!is_mapping(given) && nb::try_cast(given, point.position)) return point;
  read_keys(
      place, given, "a position (x, y, z), or {'position': .., 'axes': ..}; of a beam {'at': ..}",
      {{"position", triple_into(point.position)},
       {"at", number_into(point.at)},
       {"axes", [&](const std::string& at, nb::handle value) { point.axes = to_rotation(at, value); }}});
  return point;
}

nb::object from_point(const PointSpec& point) {
  if (point.at) {
    nb::dict place;
    put(place, "at", point.at);
    return place;
  }
  nb::object position = nb::cast(point.position);
  if (!point.axes) return position;
  nb::dict dictionary;
  dictionary["position"] = position;
  dictionary["axes"] = from_rotation(*point.axes);
  return dictionary;
}

std::vector<PointSpec> to_points(const std::string& place, nb::handle given) {
  std::vector<PointSpec> points;
  for (const auto& [key, value] : to_dictionary(place, given, "a dictionary of names and positions")) {
    const auto name = convert<std::string>(place, key, "text, the name of a point");
    points.push_back(to_point(place + "." + name, name, value));
  }
  return points;
}

nb::object from_points(const std::vector<PointSpec>& points) {
  nb::dict dictionary;
  for (const PointSpec& point : points) dictionary[point.name.text.c_str()] = from_point(point);
  return dictionary;
}

std::string point_of(const std::string& owner, const std::vector<PointSpec>& points,
                     const std::string& name) {
  std::vector<std::string> names{"origin"};
  for (const PointSpec& point : points) names.push_back(point.name.text);
  return point_of(owner, names, name);
}

std::string point_of(const std::string& owner, const std::vector<std::string>& names,
                     const std::string& name) {
  if (std::find(names.begin(), names.end(), name) != names.end()) return owner + "." + name;
  throw InputError({{{.mark = {}, .path = owner},
                     fmt::format("there is no point '{}'{}", name, suggestion(name, names))}});
}

std::string set_point(const std::string& place, const std::string& owner, std::vector<PointSpec>& points,
                      const std::string& name, nb::handle position, nb::handle axes) {
  const std::string here = place + ".points." + name;
  PointSpec point = to_point(here, name, position);
  if (!axes.is_none()) point.axes = to_rotation(here, axes);
  const auto found =
      std::find_if(points.begin(), points.end(), [&](const PointSpec& p) { return p.name == name; });
  if (found == points.end()) {
    points.push_back(std::move(point));
  } else {
    *found = std::move(point);
  }
  return owner + "." + name;
}

InertiaSpec to_inertia(const std::string& place, nb::handle given) {
  InertiaSpec inertia;
  if (Matrix m; !is_mapping(given) && nb::try_cast(given, m)) {
    const auto same = [](const Number& a, const Number& b) {
      return a.is_expression() == b.is_expression() && a.value() == b.value() &&
             a.expression() == b.expression();
    };
    if (!same(m[0][1], m[1][0]) || !same(m[0][2], m[2][0]) || !same(m[1][2], m[2][1])) {
      refuse(place, given, "symmetric");
    }
    inertia.xx = m[0][0], inertia.yy = m[1][1], inertia.zz = m[2][2];
    inertia.xy = m[0][1], inertia.xz = m[0][2], inertia.yz = m[1][2];
    return inertia;
  }
  read_keys(place, given, "a dictionary with xx, yy, zz, xy, xz, yz, or a 3x3 matrix",
            {{"xx", number_into(inertia.xx)},
             {"yy", number_into(inertia.yy)},
             {"zz", number_into(inertia.zz)},
             {"xy", number_into(inertia.xy)},
             {"xz", number_into(inertia.xz)},
             {"yz", number_into(inertia.yz)}});
  return inertia;
}

nb::object from_inertia(const InertiaSpec& inertia) {
  nb::dict dictionary;
  dictionary["xx"] = nb::cast(inertia.xx);
  dictionary["yy"] = nb::cast(inertia.yy);
  dictionary["zz"] = nb::cast(inertia.zz);
  dictionary["xy"] = nb::cast(inertia.xy);
  dictionary["xz"] = nb::cast(inertia.xz);
  dictionary["yz"] = nb::cast(inertia.yz);
  return dictionary;
}

std::vector<ShapeSpec> to_shapes(const std::string& place, nb::handle given) {
  std::vector<ShapeSpec> shapes;
  if (given.is_none()) return shapes;
  if (!is_mapping(given)) {
    if (!nb::isinstance<nb::sequence>(given) || nb::isinstance<nb::str>(given)) {
      refuse(place, given, "a shape or a list of shapes");
    }
    for (nb::handle one : nb::borrow<nb::sequence>(given)) {
      const auto more = to_shapes(fmt::format("{}[{}]", place, shapes.size()), one);
      shapes.insert(shapes.end(), more.begin(), more.end());
    }
    return shapes;
  }
  ShapeSpec& shape = shapes.emplace_back();
  read_keys(
      place, given, "a shape",
      {{"name", name_into(shape.name)},
       {"type", name_into(shape.type)},
       {"radius", number_into(shape.radius)},
       {"length", number_into(shape.length)},
       {"size", triple_into(shape.size)},
       {"file", name_into(shape.file)},
       {"scale", triple_into(shape.scale)},
       {"position", triple_into(shape.position)},
       {"axes", [&](const std::string& at, nb::handle value) { shape.axes = to_rotation(at, value); }}});
  return shapes;
}

nb::object from_shapes(const std::vector<ShapeSpec>& shapes) {
  nb::list list;
  for (const ShapeSpec& shape : shapes) {
    nb::dict dictionary;
    if (!shape.name.empty()) dictionary["name"] = nb::cast(shape.name);
    dictionary["type"] = nb::cast(shape.type);
    if (!is_zero(shape.radius)) dictionary["radius"] = nb::cast(shape.radius);
    if (!is_zero(shape.length)) dictionary["length"] = nb::cast(shape.length);
    const bool has_size = !std::all_of(shape.size.begin(), shape.size.end(), is_zero);
    if (shape.type == "box" || has_size) dictionary["size"] = nb::cast(shape.size);
    if (!shape.file.empty()) {
      dictionary["file"] = nb::cast(shape.file);
      dictionary["scale"] = nb::cast(shape.scale);
    }
    dictionary["position"] = nb::cast(shape.position);
    if (shape.axes) dictionary["axes"] = from_rotation(*shape.axes);
    list.append(dictionary);
  }
  return list;
}

CenterlineSpec to_centerline(const std::string& place, nb::handle given) {
  CenterlineSpec line;
  const auto end = [](std::optional<Triple>& into) {
    return [&into](const std::string& at, nb::handle value) {
      into = convert<Triple>(at, value, "three numbers or expressions");
    };
  };
  read_keys(place, given, "a dictionary with from and to, with points, or with curve and length",
            {{"from", end(line.from)},
             {"to", end(line.to)},
             {"points",
              [&](const std::string& at, nb::handle value) {
                line.points = convert<std::vector<Triple>>(at, value, "a list of places (x, y, z)");
              }},
             {"curve",
              [&](const std::string& at, nb::handle value) {
                line.curve = convert<Numbers>(at, value, "three expressions of s");
              }},
             {"length", number_into(line.length)}});
  return line;
}

nb::object from_centerline(const CenterlineSpec& line) {
  nb::dict dictionary;
  if (line.from) dictionary["from"] = nb::cast(*line.from);
  if (line.to) dictionary["to"] = nb::cast(*line.to);
  if (!line.points.empty()) dictionary["points"] = nb::cast(line.points);
  if (!line.curve.empty()) dictionary["curve"] = nb::cast(line.curve);
  put(dictionary, "length", line.length);
  return dictionary;
}

std::vector<Numbers> rows_of_six(const Numbers& numbers) {
  std::vector<Numbers> rows;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i % 6 == 0) rows.emplace_back();
    rows.back().push_back(numbers[i]);
  }
  return rows;
}

BeamSectionSpec to_section(const std::string& place, nb::handle given) {
  BeamSectionSpec section;
  const auto numbers = [](Numbers& into) {
    return [&into](const std::string& at, nb::handle value) {
      into = convert<Numbers>(at, value, "a number, or two");
    };
  };
  read_keys(place, given,
            "a dictionary with rectangle, circle, tube, or stiffnesses and masses of the "
            "section",
            {{"rectangle", numbers(section.rectangle)},
             {"circle", numbers(section.circle)},
             {"tube", numbers(section.tube)},
             {"EA", number_into(section.EA)},
             {"GAy", number_into(section.GAy)},
             {"GAz", number_into(section.GAz)},
             {"GJ", number_into(section.GJ)},
             {"EIy", number_into(section.EIy)},
             {"EIz", number_into(section.EIz)},
             {"EI", number_into(section.EI)},
             {"stiffness",
              [&](const std::string& at, nb::handle value) {
                const auto rows = convert<std::vector<Numbers>>(at, value, "six rows of six numbers");
                section.stiffness.clear();
                for (const Numbers& row : rows) {
                  section.stiffness.insert(section.stiffness.end(), row.begin(), row.end());
                }
                const auto is_row = [](const Numbers& row) { return row.size() == 6; };
                if (rows.size() != 6 || !std::ranges::all_of(rows, is_row)) {
                  throw InputError({{{{}, at}, "expected six rows of six numbers"}});
                }
              }},
             {"mass", number_into(section.mass)},
             {"Ixx", number_into(section.Ixx)},
             {"Iyy", number_into(section.Iyy)},
             {"Izz", number_into(section.Izz)}});
  return section;
}

nb::object from_section(const BeamSectionSpec& section) {
  nb::dict dictionary;
  if (!section.rectangle.empty()) dictionary["rectangle"] = nb::cast(section.rectangle);
  if (!section.circle.empty()) dictionary["circle"] = nb::cast(section.circle);
  if (!section.tube.empty()) dictionary["tube"] = nb::cast(section.tube);
  put(dictionary, "EA", section.EA), put(dictionary, "GAy", section.GAy);
  put(dictionary, "GAz", section.GAz), put(dictionary, "GJ", section.GJ);
  put(dictionary, "EIy", section.EIy), put(dictionary, "EIz", section.EIz);
  put(dictionary, "EI", section.EI);
  if (!section.stiffness.empty()) dictionary["stiffness"] = nb::cast(rows_of_six(section.stiffness));
  put(dictionary, "mass", section.mass), put(dictionary, "Ixx", section.Ixx);
  put(dictionary, "Iyy", section.Iyy), put(dictionary, "Izz", section.Izz);
  return dictionary;
}

BeamMaterialSpec to_material(const std::string& place, nb::handle given) {
  BeamMaterialSpec material;
  if (given.is_none()) return material;
  read_keys(place, given, "a dictionary with E, nu, density, damping, shear",
            {{"E", number_into(material.E)},
             {"nu", number_into(material.nu)},
             {"density", number_into(material.density)},
             {"damping", number_into(material.damping)},
             {"shear", [&](const std::string& at, nb::handle value) {
                material.shear = convert<Numbers>(at, value, "two numbers");
              }}});
  return material;
}

nb::object from_material(const BeamMaterialSpec& material) {
  nb::dict dictionary;
  put(dictionary, "E", material.E), put(dictionary, "nu", material.nu);
  put(dictionary, "density", material.density);
  if (!is_zero(material.damping)) dictionary["damping"] = nb::cast(material.damping);
  if (!material.shear.empty()) dictionary["shear"] = nb::cast(material.shear);
  return dictionary;
}

std::optional<LimitsSpec> to_limits(const std::string& place, nb::handle given) {
  if (given.is_none()) return std::nullopt;
  LimitsSpec limits;
  read_keys(
      place, given, "a dictionary with lower, upper, velocity, effort",
      {{"lower", number_into(limits.lower)},
       {"upper", number_into(limits.upper)},
       {"velocity", number_into(limits.velocity)},
       {"effort", number_into(limits.effort)},
       {"enforced", [&](const std::string& at,
                        nb::handle value) { limits.enforced = convert<bool>(at, value, "True or False"); }},
       {"restitution", number_into(limits.restitution)},
       {"stiffness", number_into(limits.stiffness)},
       {"damping", number_into(limits.damping)}});
  return limits;
}

nb::object from_limits(const std::optional<LimitsSpec>& limits) {
  if (!limits) return nb::none();
  nb::dict dictionary;
  put(dictionary, "lower", limits->lower);
  put(dictionary, "upper", limits->upper);
  put(dictionary, "velocity", limits->velocity);
  put(dictionary, "effort", limits->effort);
  if (limits->enforced) dictionary["enforced"] = true;
  if (!is_zero(limits->restitution)) dictionary["restitution"] = nb::cast(limits->restitution);
  if (!is_zero(limits->stiffness)) dictionary["stiffness"] = nb::cast(limits->stiffness);
  if (!is_zero(limits->damping)) dictionary["damping"] = nb::cast(limits->damping);
  return dictionary;
}

std::optional<TableSpec> to_table(const std::string& place, nb::handle given,
                                  const std::optional<TableSpec>& before, const char* key) {
  if (given.is_none()) return std::nullopt;
  TableSpec table;
  const auto numbers = [](const std::string& at, nb::handle value) {
    return convert<std::vector<double>>(at, value, "a list of numbers");
  };
  read_keys(
      place, given, fmt::format("a dictionary with {}, columns, interpolation", key),
      {{key, [&](const std::string& at, nb::handle value) { table.time = numbers(at, value); }},
       {"columns",
        [&](const std::string& at, nb::handle value) {
          for (const auto& [name, column] : to_dictionary(at, value, "a dictionary of names and values")) {
            table.columns.emplace_back(convert<std::string>(at, name, "the name of a column"));
            table.values.push_back(numbers(at + "." + table.columns.back().text, column));
          }
        }},
       {"interpolation", name_into(table.interpolation)}});
  const auto same_names = [](const std::vector<Name>& a, const std::vector<Name>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Name& x, const Name& y) { return x.text == y.text; });
  };
  if (before && before->time == table.time && before->values == table.values &&
      same_names(before->columns, table.columns)) {
    table.file = before->file;
    table.mark = before->mark;
  }
  return table;
}

nb::object from_table(const std::optional<TableSpec>& table, const char* key) {
  if (!table) return nb::none();
  nb::dict dictionary, columns;
  for (std::size_t i = 0; i < table->columns.size(); ++i) {
    columns[table->columns[i].text.c_str()] = nb::cast(table->values[i]);
  }
  dictionary[key] = nb::cast(table->time);
  dictionary["columns"] = columns;
  dictionary["interpolation"] = nb::cast(table->interpolation);
  return dictionary;
}

std::vector<AssignmentSpec> to_assignments(const std::string& place, nb::handle given) {
  std::vector<AssignmentSpec> assignments;
  if (given.is_none()) return assignments;
  for (const auto& [target, value] :
       to_dictionary(place, given, "a dictionary of what is set and its value")) {
    AssignmentSpec& assignment = assignments.emplace_back();
    assignment.target = convert<Name>(place, target, "the name of what is set");
    assignment.value =
        convert<Number>(place + "." + assignment.target.text, value, "a number or an expression");
  }
  return assignments;
}

nb::object from_assignments(const std::vector<AssignmentSpec>& assignments) {
  nb::dict dictionary;
  for (const AssignmentSpec& one : assignments) dictionary[one.target.text.c_str()] = nb::cast(one.value);
  return dictionary;
}

std::vector<ColumnSpec> to_columns(const std::string& place, nb::handle given) {
  std::vector<ColumnSpec> columns;
  if (given.is_none()) return columns;
  for (const auto& [name, value] : to_dictionary(place, given, "a dictionary of names and expressions")) {
    ColumnSpec& column = columns.emplace_back();
    column.name = convert<Name>(place, name, "text, the name of a column");
    const std::string here = place + "." + column.name.text;
    if (!is_mapping(value)) {
      column.value = convert<Number>(here, value, "a number, an expression or a dictionary");
      continue;
    }
    read_keys(here, value, "a column",
              {{"value", number_into(column.value)},
               {"unit", name_into(column.unit)},
               {"integrate", [&](const std::string& at, nb::handle one) {
                  column.integrate = convert<bool>(at, one, "True or False");
                }}});
  }
  return columns;
}

nb::object from_columns(const std::vector<ColumnSpec>& columns) {
  nb::dict dictionary;
  for (const ColumnSpec& column : columns) {
    nb::object value = nb::cast(column.value);
    if (!column.unit.empty() || column.integrate) {
      nb::dict keys;
      keys["value"] = value;
      if (!column.unit.empty()) keys["unit"] = nb::cast(column.unit);
      if (column.integrate) keys["integrate"] = true;
      value = keys;
    }
    dictionary[column.name.text.c_str()] = value;
  }
  return dictionary;
}

}  // namespace sestina::python
