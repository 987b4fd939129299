#include "sestina/model/beam_sections.h"

#include <fmt/format.h>

#include <cmath>

#include "sestina/base/error.h"
#include "sestina/model/beam_meshes.h"

namespace sestina {
namespace {

// Makes one item for each element, or one if the section does not depend on s.
template <class Item, class Make>
ItemsOfElements<Item> for_each_element(const Model& model, std::span<const double> parameters,
                                       const Make& make) {
  ItemsOfElements<Item> items;
  if (model.beams().empty()) return items;
  const Tape& tape = model.number_tape();
  std::vector<double> numbers(tape.output_count()), scratch(tape.scratch_size());
  tape.evaluate<double>(parameters, numbers, scratch);
  for (const BeamPlan& plan : model.plan().connectors.beams) {
    const SectionMaker sections(model, plan, numbers, parameters);
    std::vector<Item>& own = items.emplace_back();
    if (plan.grading < 0) {
      own.push_back(make(sections, 0.0));
      continue;
    }
    const double length = calc_beam_length(model, plan, numbers, parameters);
    for (std::size_t k = 0; k + 1 < plan.stations.size(); ++k) {
      own.push_back(make(sections, 0.5 * (plan.stations[k] + plan.stations[k + 1]) * length));
    }
  }
  return items;
}

std::string describe_place(double s) { return fmt::format(" at s = {:.6g} m", s); }

}  // namespace

std::vector<double> calc_along(const BeamCurve& curve, double s, std::span<const double> parameters) {
  std::vector<double> inputs{s}, values(curve.tape.output_count()), scratch(curve.tape.scratch_size());
  inputs.insert(inputs.end(), parameters.begin(), parameters.end());
  curve.tape.evaluate<double>(inputs, values, scratch);
  return values;
}

std::vector<double> calc_checked(const BeamCurve& curve, double s, std::span<const double> parameters) {
  std::vector<double> values = calc_along(curve, s, parameters);
  FaultList faults;
  for (const ValueRule& rule : curve.rules) {
    const double value = values[static_cast<std::size_t>(rule.slot.first)];
    if (number_count(rule.kind) == 1 && !std::isfinite(value)) {
      faults.add(rule.place, describe_value(rule.expression, value) + " is not finite" + describe_place(s));
    }
    const std::string fault = find_fault(rule, values);
    if (!fault.empty()) faults.add(rule.place, fault + describe_place(s));
  }
  faults.throw_if_any();
  return values;
}

std::vector<double> SectionMaker::numbers_at(double s) const {
  if (plan_.grading >= 0) {
    return calc_checked(model_.beam_curves()[static_cast<std::size_t>(plan_.grading)], s, parameters_);
  }
  const double* const x = numbers_.data() + plan_.shape.first;
  return {x, x + plan_.section_number_count()};
}

BeamSection SectionMaker::make_section_by_shape(const std::vector<double>& x) const {
  const double* const m = numbers_.data() + plan_.material.first;
  const BeamMaterial material{m[0], m[1], m[2]};
  SectionArea area = plan_.section == BeamPlan::Section::kRectangle ? rectangle_area(x[0], x[1], m[1])
                     : plan_.section == BeamPlan::Section::kCircle  ? circle_area(x[0], m[1])
                                                                    : tube_area(x[0], x[1], m[1]);
  if (plan_.shear.is_given()) {
    area.ky = numbers_[static_cast<std::size_t>(plan_.shear.first)];
    area.kz = numbers_[static_cast<std::size_t>(plan_.shear.first) + 1];
  }
  return make_section(area, material);
}

BeamSection SectionMaker::find(double s) const {
  const std::vector<double> x = numbers_at(s);
  if (plan_.has_outline()) return make_section_by_shape(x);
  BeamSection section;
  if (plan_.is_cable) {
    section.stiffness.m[3][3] = x[0], section.stiffness.m[1][1] = x[1], section.mass = x[2];
    return section;
  }
  const double* mass = x.data() + 6;  // and Ixx, Iyy, Izz
  if (plan_.section == BeamPlan::Section::kPerLength) {
    section = diagonal_section(x[0], x[1], x[2], x[3], x[4], x[5]);
  } else {
    // The rules allow rounding in the elements beside the diagonal.
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = 0; j < 6; ++j) section.stiffness.m[i][j] = 0.5 * (x[6 * i + j] + x[6 * j + i]);
    }
    mass = x.data() + 36;
  }
  // If no rotary inertia is given, that of a homogeneous section: J = rho I = mass EI/EA.
  const auto& K = section.stiffness.m;
  const double Iy = plan_.has_rotary_inertia ? mass[2] : mass[0] * K[1][1] / K[3][3];
  const double Iz = plan_.has_rotary_inertia ? mass[3] : mass[0] * K[2][2] / K[3][3];
  section.mass = mass[0];
  section.inertia = {plan_.has_rotary_inertia ? mass[1] : Iy + Iz, Iy, Iz, 0.0, 0.0, 0.0};
  return section;
}

BeamSection SectionMaker::find_between(double a, double b) const {
  const double middle = 0.5 * (a + b);
  BeamSection section = find(middle);
  if (plan_.grading < 0) return section;
  const double offset = (b - a) * 0.28867513459481288225;
  const BeamSection first = find(middle - offset), second = find(middle + offset);
  const SymMat3<double>&I = first.inertia, &J = second.inertia;
  section.mass = 0.5 * (first.mass + second.mass);
  section.inertia = {0.5 * (I.xx + J.xx), 0.5 * (I.yy + J.yy), 0.5 * (I.zz + J.zz), 0.0, 0.0, 0.0};
  return section;
}

SectionShape SectionMaker::find_shape(double s) const {
  if (!plan_.has_outline()) return {};
  const std::vector<double> x = numbers_at(s);
  if (plan_.section == BeamPlan::Section::kRectangle) return SectionShape::rectangle(x[0], x[1]);
  const bool is_circle = plan_.section == BeamPlan::Section::kCircle;
  return SectionShape::round(is_circle ? 0.0 : x[0], is_circle ? x[0] : x[1]);
}

SectionOutline SectionMaker::find_outline(double s) const {
  if (plan_.has_outline()) {
    const std::vector<double> x = numbers_at(s);
    if (plan_.section == BeamPlan::Section::kRectangle) return {false, x[0], x[1]};
    return {true, 2.0 * x.back(), 2.0 * x.back()};
  }
  const auto& K = find(s).stiffness.m;
  return {false, std::sqrt(12.0 * K[2][2] / K[3][3]), std::sqrt(12.0 * K[1][1] / K[3][3])};
}

ItemsOfElements<SectionShape> calc_section_shapes(const Model& model, std::span<const double> parameters) {
  return for_each_element<SectionShape>(
      model, parameters, [](const SectionMaker& sections, double s) { return sections.find_shape(s); });
}

ItemsOfElements<SectionOutline> calc_section_outlines(const Model& model,
                                                      std::span<const double> parameters) {
  return for_each_element<SectionOutline>(
      model, parameters, [](const SectionMaker& sections, double s) { return sections.find_outline(s); });
}

}  // namespace sestina
