// Collects and checks the sections and materials of beams, and their twist.
//
// Numbers of a section that depend on the arc length s are outputs of a tape of their own (BeamCurve), in the
// same order as otherwise among the numbers of the model. Their rules are checked at each s that the mesh
// uses.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "sestina/model/freezer.h"

namespace sestina {
namespace {

using Kind = ValueRule::Kind;

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

// Whether the expression has the name s.
bool names_s(const Number& number) {
  const std::string& text = number.expression();
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_of_name(text[end])) ++end;
    if (end == i + 1 && text[i] == 's') return true;
    i = std::max(end, i + 1);
  }
  return false;
}

bool any_names_s(const BeamSectionSpec& section) {
  const std::optional<Number>* const per_length[] = {&section.EA,  &section.GAy, &section.GAz, &section.GJ,
                                                     &section.EIy, &section.EIz, &section.EI,  &section.mass,
                                                     &section.Ixx, &section.Iyy, &section.Izz};
  const auto one = [](const std::optional<Number>* number) { return *number && names_s(**number); };
  const auto any = [](const Numbers& numbers) { return std::ranges::any_of(numbers, names_s); };
  return std::ranges::any_of(per_length, one) || any(section.rectangle) || any(section.circle) ||
         any(section.tube) || any(section.stiffness);
}

}  // namespace

// ---- numbers along a beam ---------------------------------------------------------------------------------

Expr Freezer::parse_along(const Number& number, const std::string& path) {
  const auto is_s = [](const ParameterSpec& parameter) { return parameter.name == "s"; };
  if (names_s(number) && std::ranges::any_of(system_.parameters, is_s)) {
    fail(number.mark, path, "s is the arc length, and the model has a parameter s: give that another name");
    return graph_->number(0.0);
  }
  const Expr s = graph_->symbol(kCurveParameter);
  return numbers_.parse_text(number, path, [&](std::string_view name) -> std::variant<Expr, std::string> {
    if (name == "s") return s;
    return fmt::format("'{}' is not known here: expected an expression of s and parameters", name);
  });
}

void Freezer::collect_twist(const BeamSpec& spec, BeamPlan& plan, const std::string& beam_path) {
  const std::string path = beam_path + ".twist";
  if (!spec.twist.is_expression() && spec.twist.value() == 0.0) return;
  BeamCurve curve;
  curve.exprs.push_back(parse_along(spec.twist, path));
  curve.rules.push_back({Kind::kFinite, {0}, {spec.twist.mark, path}, spec.twist.expression()});
  plan.twist = static_cast<int>(data_.beam_curves.size());
  data_.beam_curves.push_back(std::move(curve));
}

void Freezer::begin_section(const BeamSectionSpec& section, BeamPlan& plan) {
  if (!any_names_s(section)) return;
  plan.grading = static_cast<int>(data_.beam_curves.size());
  data_.beam_curves.emplace_back();
}

BeamCurve* Freezer::grading_of(const BeamPlan& plan) {
  return plan.grading < 0 ? nullptr : &data_.beam_curves[static_cast<std::size_t>(plan.grading)];
}

Slot Freezer::next_of_section(const BeamPlan& plan) {
  const BeamCurve* const grading = grading_of(plan);
  return grading == nullptr ? numbers_.next() : Slot{static_cast<int>(grading->exprs.size())};
}

void Freezer::hold_of_section(const BeamPlan& plan, ValueRule rule) {
  BeamCurve* const grading = grading_of(plan);
  if (grading == nullptr) return hold(std::move(rule));
  grading->rules.push_back(std::move(rule));
}

void Freezer::collect_of_section(const BeamPlan& plan, const Number& number, Kind kind,
                                 const std::string& path) {
  if (BeamCurve* const grading = grading_of(plan)) {
    const Slot slot = next_of_section(plan);
    grading->exprs.push_back(parse_along(number, path));
    grading->rules.push_back({kind, slot, {number.mark, path}, number.expression()});
    return;
  }
  collect_held(number, kind, path);
}

void Freezer::add_constant_of_section(const BeamPlan& plan, double value) {
  if (BeamCurve* const grading = grading_of(plan)) {
    grading->exprs.push_back(graph_->number(value));
  } else {
    numbers_.add_constant(value);
  }
}

// ---- sections and materials -------------------------------------------------------------------------------

Slot Freezer::collect_held(const Number& number, Kind kind, const std::string& path) {
  const Slot slot = numbers_.next();
  numbers_.add(number, path);
  hold(kind, slot, number, path);
  return slot;
}

void Freezer::collect_section(const BeamSpec& spec, BeamPlan& plan, const std::string& beam_path) {
  const BeamSectionSpec& section = spec.section;
  const std::string path = beam_path + ".section";
  const bool has_stiffness =
      section.EA || section.GAy || section.GAz || section.GJ || section.EIy || section.EIz;
  const bool has_matrix = !section.stiffness.empty();
  const bool has_mass = section.mass || section.Ixx || section.Iyy || section.Izz;
  const bool is_per_length = has_stiffness || (has_mass && !has_matrix);
  const int kinds = (section.rectangle.empty() ? 0 : 1) + (section.circle.empty() ? 0 : 1) +
                    (section.tube.empty() ? 0 : 1) + (is_per_length ? 1 : 0) + (has_matrix ? 1 : 0);
  if (kinds != 1) {
    fail(section.mark, path,
         kinds == 0
             ? "is missing: expected {rectangle: [width, height]}, {circle: radius}, {tube: [inner, outer]}, "
               "{EA, GAy, GAz, GJ, EIy, EIz, mass, Ixx, Iyy, Izz} or {stiffness, mass, Ixx, Iyy, Izz}"
             : "has more than one of rectangle, circle, tube, stiffness and what it has per length");
    return;
  }
  begin_section(section, plan);
  if (has_matrix) {
    collect_stiffness_matrix(section, plan, path);
  } else if (is_per_length) {
    collect_stiffness(section, plan, path);
  } else {
    collect_shape_of_section(section, plan, path);
  }
}

void Freezer::collect_shape_of_section(const BeamSectionSpec& section, BeamPlan& plan,
                                       const std::string& path) {
  const auto collect_shape = [&](const Numbers& given, BeamPlan::Section kind, std::size_t wanted,
                                 const char* key) {
    if (given.empty()) return;
    plan.section = kind;
    if (given.size() != wanted) {
      fail(section.mark, path + "." + key, fmt::format("has {} numbers; expected {}", given.size(), wanted));
      return;
    }
    plan.shape = next_of_section(plan);
    for (std::size_t i = 0; i < wanted; ++i) {
      const bool may_vanish = kind == BeamPlan::Section::kTube && i == 0;
      collect_of_section(plan, given[i], may_vanish ? Kind::kNotNegative : Kind::kPositive,
                         wanted == 1 ? path + "." + key : fmt::format("{}.{}[{}]", path, key, i));
    }
  };
  collect_shape(section.rectangle, BeamPlan::Section::kRectangle, 2, "rectangle");
  collect_shape(section.circle, BeamPlan::Section::kCircle, 1, "circle");
  collect_shape(section.tube, BeamPlan::Section::kTube, 2, "tube");
  if (section.tube.size() == 2 && plan.shape.is_given()) {
    hold_of_section(plan, {Kind::kFromOther,
                           {plan.shape.first + 1},
                           {section.tube[1].mark, path + ".tube[1]"},
                           section.tube[1].expression(),
                           plan.shape});
  }
}

// Shear stiffness that is not given is rigid.
void Freezer::collect_stiffness(const BeamSectionSpec& section, BeamPlan& plan, const std::string& path) {
  plan.section = BeamPlan::Section::kPerLength;
  plan.shape = next_of_section(plan);
  plan.has_rotary_inertia = section.Ixx || section.Iyy || section.Izz;
  collect_entries(plan, section.mark, path,
                  {{"EA", section.EA, Kind::kPositive, true},
                   {"GAy", section.GAy, Kind::kPositive, false},
                   {"GAz", section.GAz, Kind::kPositive, false},
                   {"GJ", section.GJ, Kind::kPositive, true},
                   {"EIy", section.EIy, Kind::kPositive, true},
                   {"EIz", section.EIz, Kind::kPositive, true},
                   {"mass", section.mass, Kind::kPositive, true},
                   {"Ixx", section.Ixx, Kind::kNotNegative, false},
                   {"Iyy", section.Iyy, Kind::kNotNegative, false},
                   {"Izz", section.Izz, Kind::kNotNegative, false}});
}

void Freezer::collect_stiffness_matrix(const BeamSectionSpec& section, BeamPlan& plan,
                                       const std::string& path) {
  plan.section = BeamPlan::Section::kMatrix;
  plan.shape = next_of_section(plan);
  plan.has_rotary_inertia = section.Ixx || section.Iyy || section.Izz;
  if (section.stiffness.size() != 36) {
    fail(section.mark, path + ".stiffness",
         fmt::format("has {} numbers; expected six rows of six", section.stiffness.size()));
    return;
  }
  for (std::size_t i = 0; i < 36; ++i) {
    collect_of_section(plan, section.stiffness[i], Kind::kFinite,
                       fmt::format("{}.stiffness[{}][{}]", path, i / 6, i % 6));
  }
  hold_of_section(plan, {Kind::kStiffness, plan.shape, {section.stiffness[0].mark, path + ".stiffness"}, ""});
  collect_entries(plan, section.mark, path,
                  {{"mass", section.mass, Kind::kPositive, true},
                   {"Ixx", section.Ixx, Kind::kNotNegative, false},
                   {"Iyy", section.Iyy, Kind::kNotNegative, false},
                   {"Izz", section.Izz, Kind::kNotNegative, false}});
}

void Freezer::collect_entries(BeamPlan& plan, const Mark& mark, const std::string& path,
                              std::initializer_list<SectionEntry> entries) {
  for (const SectionEntry& entry : entries) {
    if (entry.number) {
      collect_of_section(plan, *entry.number, entry.kind, path + "." + entry.key);
      continue;
    }
    if (entry.is_required) fail(mark, path + "." + entry.key, "is missing");
    add_constant_of_section(plan,
                            entry.kind == Kind::kPositive ? std::numeric_limits<double>::infinity() : 0.0);
  }
}

void Freezer::collect_material(const BeamSpec& spec, BeamPlan& plan, const std::string& beam_path) {
  const BeamMaterialSpec& material = spec.material;
  const std::string path = beam_path + ".material";
  plan.damping = collect_held(material.damping, Kind::kNotNegative, path + ".damping");
  if (!plan.has_outline()) {
    const auto refuse = [&](const std::optional<Number>& number, const char* key) {
      if (number)
        fail(number->mark, path + "." + key, "is for a section that is a shape: this one has stiffnesses");
    };
    refuse(material.E, "E"), refuse(material.nu, "nu"), refuse(material.density, "density");
    if (!material.shear.empty()) fail(material.mark, path + ".shear", "is for a section that is a shape");
    return;
  }
  plan.material = numbers_.next();
  const auto collect = [&](const std::optional<Number>& number, Kind kind, const char* key) {
    if (number) {
      collect_held(*number, kind, path + "." + key);
    } else {
      fail(material.mark, path + "." + key, "is missing");
      numbers_.add_constant(1.0);
    }
  };
  collect(material.E, Kind::kPositive, "E");
  const Slot nu = numbers_.next();
  collect(material.nu, Kind::kFinite, "nu");
  const double value = numbers_.values()[static_cast<std::size_t>(nu.first)];
  if (material.nu && std::isfinite(value) && !(value > -1.0 && value <= 0.5)) {
    fail(material.nu->mark, path + ".nu",
         describe(*material.nu, value) + " is not Poisson's ratio of a material: above -1, at most 0.5");
  }
  collect(material.density, Kind::kPositive, "density");
  if (material.shear.empty()) return;
  if (material.shear.size() != 2) {
    fail(material.mark, path + ".shear",
         fmt::format("has {} numbers; expected the factors along y and z", material.shear.size()));
    return;
  }
  plan.shear = numbers_.next();
  for (std::size_t i = 0; i < 2; ++i) {
    collect_held(material.shear[i], Kind::kPositive, fmt::format("{}.shear[{}]", path, i));
  }
}

void Freezer::collect_cable_section(const BeamSpec& spec, BeamPlan& plan, const std::string& path) {
  const BeamSectionSpec& section = spec.section;
  const std::pair<const char*, bool> of_beams[] = {{"GAy", section.GAy.has_value()},
                                                   {"GAz", section.GAz.has_value()},
                                                   {"GJ", section.GJ.has_value()},
                                                   {"EIy", section.EIy.has_value()},
                                                   {"EIz", section.EIz.has_value()},
                                                   {"Ixx", section.Ixx.has_value()},
                                                   {"Iyy", section.Iyy.has_value()},
                                                   {"Izz", section.Izz.has_value()},
                                                   {"rectangle", !section.rectangle.empty()},
                                                   {"stiffness", !section.stiffness.empty()}};
  for (const auto& [key, is_given] : of_beams) {
    if (is_given) {
      fail(section.mark, path + "." + key,
           "belongs to a beam: a cable bends alike in all directions and has no torsion, so that its section "
           "is {circle: radius}, {tube: [inner, outer]} or {EA, EI, mass}");
    }
  }
  const bool has_stiffness = section.EA || section.EI || section.mass;
  if ((section.circle.empty() ? 0 : 1) + (section.tube.empty() ? 0 : 1) + (has_stiffness ? 1 : 0) != 1) {
    fail(section.mark, path, "expected one of {circle: radius}, {tube: [inner, outer]} and {EA, EI, mass}");
    return;
  }
  begin_section(section, plan);
  if (!has_stiffness) return collect_shape_of_section(section, plan, path);
  plan.section = BeamPlan::Section::kPerLength;
  plan.shape = next_of_section(plan);
  collect_entries(plan, section.mark, path,
                  {{"EA", section.EA, Kind::kPositive, true},
                   {"EI", section.EI, Kind::kPositive, true},
                   {"mass", section.mass, Kind::kPositive, true}});
}

}  // namespace sestina
