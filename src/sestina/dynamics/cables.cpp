#include "sestina/dynamics/cables.h"

#include <cmath>

#include "sestina/base/index.h"
#include "sestina/model/properties.h"

namespace sestina {
namespace {

// The coefficients of a row for the four parts of e: position and slope at both ends.
template <class T>
std::array<T, 4> row_of(const CableSegment<T>& segment, const double (&row)[4]) {
  const T root = sqrt(segment.mass * segment.length);
  const T of_slope = root * segment.length;
  return {root * T(row[0]), of_slope * T(row[1]), root * T(row[2]), of_slope * T(row[3])};
}

template <class T>
ForceInput<T> input_of(const State<T>& state, const Kinematics<T>& kinematics) {
  return {state.t, state.q.data(), state.u.data(), kinematics.motion.data(), nullptr};
}

// Calls f(coefficients, element) for the three rows c of each element, which are the same for x, y and z.
template <class T, class F>
void for_each_row(const Properties<T>& properties, F&& f) {
  for (const CableForce<T>& element : properties.cable_elements) {
    for (const auto& row : CableMass::get().rows) f(row_of(element.segment, row), element);
  }
}

}  // namespace

template <class T>
void set_cable_rows(const Model& model, const Properties<T>& properties, ConstraintRows<T>& constraints) {
  const std::vector<CableForce<T>>& elements = properties.cable_elements;
  for (const BeamInfo& info : model.beams()) {
    if (!info.is_cable) continue;
    int r = info.first_row, term = info.first_term;
    for (int k = 0; k < info.element_count(); ++k) {
      const CableForce<T>& element = elements[at(info.first_element + k)];
      const int speeds[4] = {model.bodies()[info.nodes[at(k)]].u_start, element.a.u,
                             model.bodies()[info.nodes[at(k + 1)]].u_start, element.b.u};
      for (const auto& c : CableMass::get().rows) {
        const std::array<T, 4> coefficients = row_of(element.segment, c);
        for (int axis = 0; axis < 3; ++axis, ++r) {
          ConstraintRow<T>& row = constraints.rows[at(r)];
          row.a = row.b = FrameIndex(0);
          row.is_on_position = false, row.is_inertia = true;
          row.error = row.velocity = T(0);
          row.bias = -(coefficients[0] + coefficients[2]) * properties.gravity[axis];
          row.first_term = term, row.terms = 4;
          for (std::size_t i = 0; i < 4; ++i) {
            constraints.terms[at(term++)] = {speeds[i] + axis, coefficients[i]};
          }
        }
      }
    }
  }
}

template <class T>
CableEnergy<T> calc_cable_mass_energy(const Properties<T>& properties, const State<T>& state,
                                      const Kinematics<T>& kinematics) {
  CableEnergy<T> energy;
  const ForceInput<T> in = input_of(state, kinematics);
  for_each_row(properties, [&](const std::array<T, 4>& c, const CableForce<T>& element) {
    const CableNodes<T> rates = element.rates(in), nodes = element.nodes(in);
    const Vec3<T> speed = cable_element::interpolate(c, rates);
    energy.kinetic += T(0.5) * dot(speed, speed);
    const Vec3<T> place = cable_element::interpolate(c, nodes);
    energy.potential -= (c[0] + c[2]) * dot(properties.gravity, place);
  });
  return energy;
}

template <class T>
SpatialForce<T> calc_cable_momentum(const Properties<T>& properties, const State<T>& state,
                                    const Kinematics<T>& kinematics) {
  SpatialForce<T> sum;
  const ForceInput<T> in = input_of(state, kinematics);
  for (const CableForce<T>& element : properties.cable_elements) {
    // Products of two slopes contribute to the angular momentum, including those in the joints' own masses.
    const T mass = element.segment.mass * element.segment.length;
    const T slope = mass * element.segment.length * element.segment.length;
    const CableNodes<T> rates = element.rates(in), nodes = element.nodes(in);
    const double* const d = CableMass::get().diagonal;
    sum.torque += (slope * T(d[1])) * cross(nodes[1], rates[1]);
    sum.torque += (slope * T(d[3])) * cross(nodes[3], rates[3]);
  }
  for_each_row(properties, [&](const std::array<T, 4>& c, const CableForce<T>& element) {
    const Vec3<T> speed = cable_element::interpolate(c, element.rates(in));
    sum.force += (c[0] + c[2]) * speed;
    sum.torque += cross(cable_element::interpolate(c, element.nodes(in)), speed);
  });
  return sum;
}

#define SESTINA_INSTANTIATE(T)                                                          \
  template void set_cable_rows(const Model&, const Properties<T>&, ConstraintRows<T>&); \
  template CableEnergy<T> calc_cable_mass_energy(const Properties<T>&, const State<T>&, \
                                                 const Kinematics<T>&);                 \
  template SpatialForce<T> calc_cable_momentum(const Properties<T>&, const State<T>&, const Kinematics<T>&);
SESTINA_INSTANTIATE(double)
SESTINA_INSTANTIATE(Dual)
#undef SESTINA_INSTANTIATE

}  // namespace sestina
