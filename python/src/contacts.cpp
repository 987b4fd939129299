// Contacts of a system.
#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind.h"
#include "casters.h"
#include "describe.h"
#include "fields.h"
#include "part.h"

namespace sestina::python {

namespace {

std::vector<Name> to_names(const std::string& place, nb::handle given) {
  std::vector<Name> names;
  for (const std::string& name : convert<std::vector<std::string>>(place, given, "two names")) {
    names.emplace_back(name);
  }
  return names;
}

nb::object from_names(const std::vector<Name>& names) {
  nb::list list;
  for (const Name& name : names) list.append(name.text);
  return list;
}

void bind_fields(nb::class_<Part<ContactSpec>>& type) {
  Fields<ContactSpec>(type)
      .value("name", &ContactSpec::name)
      .view(
          ViewKind::kList,
          {"between", "sestina.views.ListView[str]", "collections.abc.Sequence[str]",
           "Names of shapes, of bodies (all their shapes) or `ground`: two, or more among which every pair "
           "may "
           "touch."},
          [](const ContactSpec& contact) { return from_names(contact.between); },
          [](ContactSpec& contact, const std::string& place, nb::handle given) {
            contact.between = to_names(place, given);
          })
      .value("friction", &ContactSpec::friction, "Coulomb's coefficient.")
      .value("restitution", &ContactSpec::restitution, "Of a rigid contact, from 0 to 1.")
      .value("stiffness", &ContactSpec::stiffness, "N/m; 0: rigid. Of a force element: N/m^exponent.")
      .value("damping", &ContactSpec::damping, "Of a contact with stiffness: N s/m.")
      .value("law", &ContactSpec::law,
             "Of restitution: `stronge`, `poisson` or `newton`; of a force element: `linear`, `hertz` or\n"
             "`hunt_crossley`.")
      .value("exponent", &ContactSpec::exponent, "Of the depth; law hunt_crossley. None: 1.5.")
      .value("dissipation", &ContactSpec::dissipation, "s/m; law hunt_crossley.")
      .value("impact_speed", &ContactSpec::impact_speed,
             "m/s, at which an impact has `restitution`; law hunt_crossley, instead of dissipation.")
      .value("creep_speed", &ContactSpec::creep_speed, "m/s; of friction of a force element.")
      .value("bristle_stiffness", &ContactSpec::bristle_stiffness,
             "1/m; of friction of a force element, instead of creep_speed.")
      .value("bristle_damping", &ContactSpec::bristle_damping, "s/m; with bristle_stiffness.")
      .value("static_friction", &ContactSpec::static_friction,
             "With bristles: Coulomb's coefficient at rest. None: friction.")
      .value("stribeck_speed", &ContactSpec::stribeck_speed, "m/s; with static_friction.")
      .numbers("young", &ContactSpec::young, "Pa, one for both shapes or two; law hertz.")
      .numbers("poisson", &ContactSpec::poisson, "Poisson's ratios, likewise.");
}

ContactSpec make_contact(const std::string& name, nb::handle between, nb::handle keys) {
  ContactSpec contact;
  contact.name = name;
  contact.between = to_names("contacts." + name + ".between", between);
  return with_keys(std::move(contact), keys);
}

}  // namespace

void bind_contact(nb::module_& module) {
  nb::class_<Part<ContactSpec>> type(module, "Contact",
                                     nb::type_slots(described_slots<traverse_part<ContactSpec>>),
                                     "Shapes of a System that touch.");
  bind_fields(type);
  type.def(
          "__init__",
          [](Part<ContactSpec>* self, const std::string& name, nb::handle between, const nb::kwargs& keys) {
            new (self) Part<ContactSpec>(make_contact(name, between, keys));
          },
          nb::arg("name"), nb::arg("between"), nb::arg("keys"),
          nb::sig("def __init__(self, name: str, between: collections.abc.Sequence[str], **keys: typing.Any) "
                  "-> None"),
          "A contact that belongs to no system yet: system.contacts.append(contact). keys: its attributes.")
      .def("__repr__", [](const Part<ContactSpec>& contact) {
        return fmt::format("<sestina.Contact {}>", contact.spec().name.text);
      });
  bind_copies(type, "Contact");
}

void bind_contacts_of_system(nb::class_<System>& system) {
  system.def(
      "add_contact",
      [](nb::handle self, const std::string& name, nb::handle between, const nb::kwargs& keys) {
        ContactSpec contact = make_contact(name, between, keys);
        auto& owner = nb::cast<System&>(self);
        owner.contacts.push_back(std::move(contact));
        return Part<ContactSpec>::in(self, owner.contacts.back());
      },
      nb::arg("name"), nb::arg("between"), nb::arg("keys"),
      nb::sig("def add_contact(self, name: str, between: collections.abc.Sequence[str], **keys: typing.Any) "
              "-> Contact"),
      "Adds contact between shapes. between: two names or more, each of a shape, of a body (all its shapes) "
      "or "
      "'ground'.\n"
      "\n"
      "keys: friction, restitution, stiffness (N/m), damping (N s/m), law, and for laws of force exponent,\n"
      "dissipation (s/m), impact_speed (m/s), creep_speed (m/s), bristle_stiffness (1/m), bristle_damping\n"
      "(s/m), static_friction, stribeck_speed (m/s), young (Pa), poisson.");
}

}  // namespace sestina::python
