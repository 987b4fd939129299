// The sections of a model's beams and cables for one set of parameter values.
//
// The numbers of a section may depend on the arc length s. An element has the stiffness of its middle, and
// the mean of mass and rotary inertia at two Gauss points, so that the mass of the beam is the integral to
// fourth order.
#pragma once

#include <span>
#include <vector>

#include "sestina/flexible/beam_section.h"
#include "sestina/flexible/section_stress.h"
#include "sestina/model/model.h"

namespace sestina {

// Functions of the arc length s (m) along a beam, for these free parameters.
std::vector<double> calc_along(const BeamCurve& curve, double s, std::span<const double> parameters);
// The same. Throws InputError, with the places of the faults, where a number breaks its rules at s.
std::vector<double> calc_checked(const BeamCurve& curve, double s, std::span<const double> parameters);

// How a section is drawn: a circle, or a rectangle; where only stiffnesses are known, the rectangle of the
// same ratio of bending to axial stiffness, EI/EA = h^2/12.
struct SectionOutline {
  bool is_round = false;
  double width = 0.0, height = 0.0;  // m, along y and z
};

class SectionMaker {
 public:
  // `numbers` are the outputs of the number tape.
  SectionMaker(const Model& model, const BeamPlan& plan, std::span<const double> numbers,
               std::span<const double> parameters)
      : model_(model), plan_(plan), numbers_(numbers), parameters_(parameters) {}

  BeamSection find(double s) const;
  // The section of the element from a to b (m).
  BeamSection find_between(double a, double b) const;
  SectionShape find_shape(double s) const;
  SectionOutline find_outline(double s) const;

 private:
  std::vector<double> numbers_at(double s) const;
  BeamSection make_section_by_shape(const std::vector<double>& x) const;

  const Model& model_;
  const BeamPlan& plan_;
  std::span<const double> numbers_, parameters_;
};

// By Model::beams() and element; one of each beam whose section does not depend on s.
template <class Item>
using ItemsOfElements = std::vector<std::vector<Item>>;
template <class Item>
const Item& item_of_element(const ItemsOfElements<Item>& items, std::size_t beam, std::size_t element) {
  return items[beam].size() == 1 ? items[beam].front() : items[beam][element];
}

// The shapes in the middles of elements.
ItemsOfElements<SectionShape> calc_section_shapes(const Model& model, std::span<const double> parameters);
ItemsOfElements<SectionOutline> calc_section_outlines(const Model& model, std::span<const double> parameters);

}  // namespace sestina
