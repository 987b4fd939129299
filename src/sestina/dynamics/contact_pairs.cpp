#include "sestina/dynamics/contact_pairs.h"

#include <algorithm>
#include <limits>

#include "sestina/contact/contact_points.h"
#include "sestina/dynamics/kinematics.h"

namespace sestina {

std::vector<ContactPair> list_contact_pairs(const Model& model, const Properties<double>& properties,
                                            const State<double>& state) {
  Kinematics<double> kinematics(model);
  update_kinematics(model, properties, state, kinematics);
  const auto pose_of = [&](const ContactSet<double>::PlacedShape& shape) {
    return kinematics.motion[static_cast<std::size_t>(shape.frame.value())].X_WB * shape.X_BS;
  };
  std::vector<ContactPair> pairs;
  std::vector<ContactPoint> points;
  for (std::size_t i = 0; i < model.contacts().size(); ++i) {
    for (const auto& [one, other] : model.plan().contacts[i].pairs) {
      const auto first = static_cast<std::size_t>(one), second = static_cast<std::size_t>(other);
      const auto &a = properties.contacts.shapes[first], &b = properties.contacts.shapes[second];
      points.clear();
      add_contact_points({a.type, a.size, a.surface}, pose_of(a), {b.type, b.size, b.surface}, pose_of(b),
                         points);
      double gap = std::numeric_limits<double>::infinity();
      for (const ContactPoint& point : points) gap = std::min(gap, point.gap);
      pairs.push_back({static_cast<int>(i), model.contact_shape_names()[first],
                       model.contact_shape_names()[second], a.type, b.type, gap});
    }
  }
  return pairs;
}

}  // namespace sestina
