// The numbers of a contact that is a force element.
#pragma once

#include <type_traits>

#include "sestina/model/properties.h"
#include "sestina/model/property_plan.h"

namespace sestina {

// Returns the stiffness (N/m^1.5) by (4) of contact/compliant_contact.h, from moduli (Pa) and Poisson's
// ratios. The second shape is a ball; the first one is a ball or a plane.
template <class T>
T calc_hertz_stiffness(const T* young, const T* poisson, const typename ContactSet<T>::PlacedShape& a,
                       const typename ContactSet<T>::PlacedShape& b) {
  T softness = (T(1) - poisson[0] * poisson[0]) / young[0];
  softness = softness + (T(1) - poisson[1] * poisson[1]) / young[1];
  T curvature = T(1) / b.size.x;
  if (a.type == ShapeType::kSphere) curvature = curvature + T(1) / a.size.x;
  return T(4.0 / 3.0) / (softness * sqrt(curvature));
}

// `numbers` returns where the values of a slot are.
template <class T, class Numbers>
CompliantContact<T> read_compliant_contact(const CompliantContactPlan& plan, const ContactSet<T>& all,
                                           const Numbers& numbers) {
  const ContactLaw<T>& law = all.contacts[static_cast<std::size_t>(plan.contact)];
  const auto &a = all.shapes[static_cast<std::size_t>(plan.first)],
             &b = all.shapes[static_cast<std::size_t>(plan.second)];
  CompliantContact<T> contact;
  contact.index = plan.index, contact.contact = plan.contact;
  contact.first = {a.frame, a.X_BS}, contact.second = {b.frame, b.X_BS};
  contact.first_type = a.type, contact.second_type = b.type;
  contact.first_size = a.size, contact.second_size = b.size;
  contact.stiffness = plan.young.is_given()
                          ? calc_hertz_stiffness<T>(numbers(plan.young), numbers(plan.poisson), a, b)
                          : law.stiffness;
  contact.exponent = plan.exponent.is_given() ? *numbers(plan.exponent) : T(1.5);
  if (plan.dissipation.is_given()) contact.dissipation = *numbers(plan.dissipation);
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Dual>) {
    if (plan.impact_speed.is_given())
      contact.dissipation = impact_number(law.restitution) / *numbers(plan.impact_speed);
  }
  contact.damping = law.damping, contact.friction = law.friction;
  if (plan.creep_speed.is_given()) contact.creep_speed = *numbers(plan.creep_speed);
  if (plan.bristle >= 0) {
    contact.bristle = plan.bristle;
    contact.bristle_stiffness = *numbers(plan.bristle_stiffness);
    contact.bristle_damping = *numbers(plan.bristle_damping);
    contact.static_friction =
        plan.static_friction.is_given() ? *numbers(plan.static_friction) : contact.friction;
    contact.stribeck_speed = plan.stribeck_speed.is_given() ? *numbers(plan.stribeck_speed) : T(1);
  }
  return contact;
}

}  // namespace sestina
