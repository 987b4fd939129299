// Collects contacts that are force elements: the laws linear, hertz and hunt_crossley.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "sestina/contact/compliant_contact.h"
#include "sestina/model/freezer.h"

namespace sestina {
namespace {

using Kind = ValueRule::Kind;

// A key that only some laws have; all laws have `stiffness` and `friction`.
struct LawKey {
  const char* name;
  bool is_given;
  Mark mark;
  const char* law;  // that has it
};

std::vector<LawKey> keys_of_laws(const ContactSpec& spec) {
  const auto optional = [](const char* name, const std::optional<Number>& number, const char* law) {
    return LawKey{name, number.has_value(), number ? number->mark : Mark{}, law};
  };
  const auto unless_zero = [](const char* name, const Number& number, const char* law) {
    return LawKey{name, number.is_expression() || number.value() != 0.0, number.mark, law};
  };
  const auto list = [](const char* name, const Numbers& numbers) {
    return LawKey{name, !numbers.empty(), numbers.empty() ? Mark{} : numbers.front().mark, "hertz"};
  };
  return {unless_zero("damping", spec.damping, "linear"),
          unless_zero("restitution", spec.restitution, "hunt_crossley"),
          optional("exponent", spec.exponent, "hunt_crossley"),
          optional("dissipation", spec.dissipation, "hunt_crossley"),
          optional("impact_speed", spec.impact_speed, "hunt_crossley"),
          list("young", spec.young),
          list("poisson", spec.poisson)};
}

}  // namespace

// Reports keys of a law that the contact does not have. Contacts that act by impulses have damping and
// restitution, which collect_law() checks.
void Freezer::refuse_keys_of_other_laws(const ContactSpec& spec, bool is_force, const std::string& path) {
  for (const LawKey& key : keys_of_laws(spec)) {
    const std::string name = key.name;
    if (!key.is_given || spec.law == key.law) continue;
    if (!is_force && (name == "damping" || name == "restitution")) continue;
    fail(key.mark, path + "." + name,
         fmt::format("is for the law {}, and this is {}", key.law, spec.law.text));
  }
  if (is_force) return;
  const auto refuse = [&](const char* name, const std::optional<Number>& number) {
    if (!number) return;
    fail(number->mark, path + name,
         fmt::format("is for the laws linear, hertz and hunt_crossley: with {} a contact sticks",
                     spec.law.text));
  };
  refuse(".creep_speed", spec.creep_speed), refuse(".bristle_stiffness", spec.bristle_stiffness);
  refuse(".bristle_damping", spec.bristle_damping), refuse(".static_friction", spec.static_friction);
  refuse(".stribeck_speed", spec.stribeck_speed);
}

void Freezer::collect_bristles(const ContactSpec& spec, const std::string& path, CompliantContactPlan& plan) {
  const auto add = [&](const std::optional<Number>& number, const char* key) {
    if (!number) return Slot{};
    const Slot slot = numbers_.next();
    numbers_.add(*number, path + key);
    hold(Kind::kPositive, slot, *number, path + key);
    return slot;
  };
  plan.bristle_stiffness = add(spec.bristle_stiffness, ".bristle_stiffness");
  plan.bristle_damping = add(spec.bristle_damping, ".bristle_damping");
  plan.static_friction = add(spec.static_friction, ".static_friction");
  plan.stribeck_speed = add(spec.stribeck_speed, ".stribeck_speed");
  if (!spec.bristle_stiffness) {
    const std::optional<Number>* const others[] = {&spec.bristle_damping, &spec.static_friction,
                                                   &spec.stribeck_speed};
    for (const auto* number : others) {
      if (*number) fail((*number)->mark, path, "has no bristle_stiffness, to which this belongs");
    }
    return;
  }
  if (!spec.bristle_damping) fail(spec.mark, path + ".bristle_damping", "is missing: bristles need one");
  if (spec.creep_speed) fail(spec.creep_speed->mark, path + ".creep_speed", "cannot stand beside bristles");
  if (spec.static_friction.has_value() != spec.stribeck_speed.has_value())
    fail(spec.mark, path, "has one of static_friction and stribeck_speed: expected both, or none");
  add(spec.friction, ".friction");  // positive
  if (spec.static_friction && !spec.static_friction->is_expression() && !spec.friction.is_expression() &&
      spec.static_friction->value() < spec.friction.value()) {
    fail(
        spec.static_friction->mark, path + ".static_friction",
        fmt::format("{} is smaller than friction, {}", spec.static_friction->value(), spec.friction.value()));
  }
  if (spec.between.size() > 2) {
    fail(spec.between[2].mark, path + ".between",
         fmt::format("has {} names: with bristles two are allowed, a contact for each pair",
                     spec.between.size()));
  }
  const auto layout = std::ranges::find(bristles_, spec.name.text, &BristleLayout::contact);
  if (layout != bristles_.end()) plan.bristle = layout->state;
}

// The numbers that all pairs of a contact have in common.
CompliantContactPlan Freezer::collect_compliant_law(const ContactSpec& spec, const std::string& path) {
  CompliantContactPlan plan;
  plan.index = data_.forces.push_back({spec.name.text, "contact"});
  const auto add = [&](const std::optional<Number>& number, const char* key, Kind kind) {
    if (!number) return Slot{};
    const Slot slot = numbers_.next();
    numbers_.add(*number, path + key);
    hold(kind, slot, *number, path + key);
    return slot;
  };
  plan.exponent = spec.law == "linear" ? add(Number(1), ".exponent", Kind::kPositive)
                                       : add(spec.exponent, ".exponent", Kind::kPositive);
  plan.dissipation = add(spec.dissipation, ".dissipation", Kind::kNotNegative);
  plan.impact_speed = add(spec.impact_speed, ".impact_speed", Kind::kPositive);
  plan.creep_speed = add(spec.creep_speed, ".creep_speed", Kind::kPositive);
  if (spec.dissipation && spec.impact_speed) {
    fail(spec.impact_speed->mark, path + ".impact_speed",
         "gives the dissipation by the restitution: it cannot stand beside `dissipation`");
  }
  const auto is_zero = [](const Number& number) { return !number.is_expression() && number.value() == 0.0; };
  if (spec.impact_speed.has_value() != !is_zero(spec.restitution) && spec.law == "hunt_crossley") {
    fail(spec.impact_speed ? spec.impact_speed->mark : spec.restitution.mark,
         path + (spec.impact_speed ? ".impact_speed" : ".restitution"),
         spec.impact_speed ? "needs a restitution above 0" : "needs the impact_speed at which it is reached");
  }
  if (!is_zero(spec.friction) && !spec.creep_speed && !spec.bristle_stiffness) {
    fail(spec.friction.mark, path + ".friction",
         fmt::format(
             "needs a creep_speed, or bristles (bristle_stiffness, bristle_damping): the law {} has no "
             "true stick",
             spec.law.text));
  }
  collect_bristles(spec, path, plan);
  collect_moduli(spec, path, plan);
  return plan;
}

void Freezer::collect_moduli(const ContactSpec& spec, const std::string& path, CompliantContactPlan& plan) {
  const bool has_stiffness = spec.stiffness.is_expression() || spec.stiffness.value() != 0.0;
  if (spec.young.empty() && spec.poisson.empty()) {
    if (!has_stiffness) {
      fail(spec.mark, path + ".stiffness",
           fmt::format("is zero: the law {} needs one{}", spec.law.text,
                       spec.law == "hertz" ? ", or young and poisson" : ""));
    }
    return;
  }
  if (has_stiffness) {
    fail(spec.stiffness.mark, path + ".stiffness", "follows from young and poisson: give either");
    return;
  }
  const auto add = [&](const Numbers& given, const char* key, Kind kind) {
    if (given.empty() || given.size() > 2) {
      fail(given.empty() ? spec.mark : given.front().mark, path + key,
           fmt::format("has {} numbers: expected one for both shapes, or two", given.size()));
      return Slot{};
    }
    const Slot slot = numbers_.next();
    for (std::size_t i = 0; i < 2; ++i) {
      const Number& number = given[given.size() == 2 ? i : 0];
      const Slot own = numbers_.next();
      const double value = numbers_.add(number, path + key);
      hold(kind, own, number, path + key);
      if (kind == Kind::kNotNegative && value > 0.5) {
        fail(number.mark, path + key, describe(number, value) + " is above 0.5");
      }
    }
    return slot;
  };
  plan.young = add(spec.young, ".young", Kind::kPositive);
  plan.poisson = add(spec.poisson, ".poisson", Kind::kNotNegative);
}

// The pair in the order that contact/compliant_contact.h takes.
void Freezer::collect_compliant_pair(const ContactSpec& spec, const std::string& path, int a, int b,
                                     CompliantContactPlan plan) {
  const auto type = [&](int shape) {
    return data_.plan.contact_shapes[static_cast<std::size_t>(shape)].type;
  };
  if (rank_of_closed_form(type(a)) > rank_of_closed_form(type(b))) std::swap(a, b);
  if (!has_compliant_force(type(a), type(b))) {
    fail(spec.law.mark, path + ".law",
         fmt::format(
             "{} does not take a {} with a {}: allowed are a plane with a sphere, ellipsoid, capsule or "
             "box, and a sphere with a sphere, capsule, box or cylinder",
             spec.law.text, name_of(type(a)), name_of(type(b))));
    return;
  }
  if (spec.bristle_stiffness && !has_single_point(type(a), type(b))) {
    fail(spec.bristle_stiffness->mark, path + ".bristle_stiffness",
         fmt::format("a {} with a {} touches at several points: bristles are for a sphere, and for an "
                     "ellipsoid on a plane",
                     name_of(type(a)), name_of(type(b))));
    return;
  }
  if (plan.young.is_given() && type(b) != ShapeType::kSphere) {
    fail(spec.young.front().mark, path + ".young",
         fmt::format("needs radii: a {} with a {} has none, only a sphere with a sphere or a plane has",
                     name_of(type(a)), name_of(type(b))));
    return;
  }
  plan.contact = static_cast<int>(data_.plan.contacts.size()), plan.first = a, plan.second = b;
  data_.plan.connectors.contacts.push_back(plan);
}

}  // namespace sestina
