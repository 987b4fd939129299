// The beams and cables of a model as meshes of plain numbers, for any scalar.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "sestina/base/error.h"
#include "sestina/model/beam_meshes.h"
#include "sestina/numerics/dual.h"

namespace sestina {

template <class T>
BeamSegment<T> converted(const BeamSegment<double>& segment) {
  BeamSegment<T> own;
  own.length = T(segment.length);
  own.is_diagonal = segment.is_diagonal;
  for (int i = 0; i < 6; ++i) {
    own.strain[i] = T(segment.strain[i]), own.slope[i] = T(segment.slope[i]);
    for (int j = 0; j < 6; ++j) own.compliance.m[i][j] = T(segment.compliance.m[i][j]);
  }
  return own;
}

inline void refuse_derivatives(const Model& model, const BeamPlan& beam, std::span<const Dual> numbers,
                               std::span<const Dual> parameters) {
  const auto varies = [&](Slot slot, int count) {
    if (!slot.is_given()) return false;
    const auto own = numbers.subspan(static_cast<std::size_t>(slot.first), static_cast<std::size_t>(count));
    return std::ranges::any_of(own, [](const Dual& x) { return x.d != 0.0; });
  };
  const auto varies_along = [&](int curve) {
    if (curve < 0) return false;
    const std::vector<Expr>& exprs = model.beam_curves()[static_cast<std::size_t>(curve)].exprs;
    return std::ranges::any_of(model.graph().free_symbols(exprs), [&](Expr symbol) {
      const std::string& name = model.graph().name_of(symbol);
      const auto found = std::ranges::find(model.parameters(), name, &ParameterInfo::name);
      if (found == model.parameters().end()) return false;
      return parameters[static_cast<std::size_t>(found - model.parameters().begin())].d != 0.0;
    });
  };
  const bool is_graded = beam.grading >= 0;
  if (varies(beam.points, 3 * beam.point_count) || varies(beam.up, 3) || varies(beam.length, 1) ||
      (!is_graded && varies(beam.shape, beam.section_number_count())) || varies(beam.material, 3) ||
      varies(beam.damping, 1) || varies(beam.shear, 2) || varies(beam.pretension, 1) ||
      varies_along(beam.curve) || varies_along(beam.twist) || varies_along(beam.grading)) {
    throw InputError(
        fmt::format("the beam {} has no derivatives by parameters that its own numbers depend on",
                    model.forces()[beam.index].name));
  }
}

// Calls on_beam(plan, mesh) and on_cable(plan, mesh) for the beams of a model. Their numbers have no
// derivatives: throws InputError if the scalar requires one.
template <class T, class OnBeam, class OnCable>
void for_each_mesh(const Model& model, std::span<const T> numbers, std::span<const T> parameters,
                   const OnBeam& on_beam, const OnCable& on_cable) {
  const std::vector<BeamPlan>& beams = model.plan().connectors.beams;
  if (beams.empty()) return;
  const auto visit = [&](std::span<const double> values, std::span<const double> of_parameters) {
    for (const BeamPlan& beam : beams) {
      if (beam.is_cable) {
        on_cable(beam, calc_cable_mesh(model, beam, values, of_parameters));
      } else {
        on_beam(beam, calc_beam_mesh(model, beam, values, of_parameters));
      }
    }
  };
  if constexpr (std::is_same_v<T, double>) {
    visit(numbers, parameters);
  } else if constexpr (std::is_same_v<T, Dual>) {
    for (const BeamPlan& beam : beams) refuse_derivatives(model, beam, numbers, parameters);
    std::vector<double> values, parameter_values;
    for (const Dual& x : numbers) values.push_back(x.v);
    for (const Dual& x : parameters) parameter_values.push_back(x.v);
    visit(values, parameter_values);
  } else {
    throw InputError(
        fmt::format("{} is a beam, which only plain numbers take", model.forces()[beams.front().index].name));
  }
}

template <class T>
CableSegment<T> converted(const CableSegment<double>& from) {
  CableSegment<T> to{T(from.length), T(from.EA), T(from.EI), T(from.mass), T(from.damping), {}, {}};
  for (std::size_t p = 0; p < to.eps0.size(); ++p) {
    to.eps0[p] = T(from.eps0[p]);
    to.k0[p] = {T(from.k0[p].x), T(from.k0[p].y), T(from.k0[p].z)};
  }
  return to;
}

}  // namespace sestina
