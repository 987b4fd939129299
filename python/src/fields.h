// The fields of bodies, joints, forces and events as attributes of their Python types.
#pragma once

#include <string>
#include <type_traits>

#include "casters.h"
#include "describe.h"
#include "part.h"
#include "views.h"

namespace sestina::python {

inline std::string place_of(const BodySpec& body) { return "bodies." + body.name.text; }
inline std::string place_of(const JointSpec& joint) { return "joints." + joint.name.text; }
inline std::string place_of(const ForceSpec& force) { return "forces." + force.name.text; }
inline std::string place_of(const ConstraintSpec& constraint) {
  return "constraints." + constraint.name.text;
}
inline std::string place_of(const ContactSpec& contact) { return "contacts." + contact.name.text; }
inline std::string place_of(const StateSpec& state) { return "states." + state.name.text; }
inline std::string place_of(const EventSpec& event) { return "events." + event.name.text; }

// The fields of a part, as attributes of its Python type.
template <class Spec>
class Fields {
 public:
  using Type = nb::class_<Part<Spec>>;
  explicit Fields(Type& type) : type_(type) {}

  // A number, a name or a truth value; may be None.
  template <class Member>
  Fields& value(const char* name, Member Spec::*member, const char* doc = "") {
    type_.def_prop_rw(
        name, [member](const Part<Spec>& part) -> const Member& { return part.spec().*member; },
        [member](Part<Spec>& part, const Member& given) { part.spec().*member = given; }, doc);
    return *this;
  }
  template <class Member>
  Fields& fixed(const char* name, Member Spec::*member, const char* doc) {
    type_.def_prop_ro(
        name, [member](const Part<Spec>& part) -> const Member& { return part.spec().*member; }, doc);
    return *this;
  }
  // Numbers: a Triple, optional or not, or Numbers.
  template <class Member>
  Fields& numbers(const char* name, Member Spec::*member, const char* doc = "") {
    constexpr bool kOptional = std::is_same_v<Member, std::optional<Triple>>;
    const std::string list = "sestina.views.ListView[float | str]", none = kOptional ? " | None" : "";
    const std::string given = "collections.abc.Sequence[float | str]";
    const bool one_will_do = std::is_same_v<Member, Numbers>;
    const char* allowed = one_will_do ? "a number, an expression or a list of such"
                          : kOptional ? "three numbers or expressions, or None"
                                      : "three numbers or expressions";
    return view(
        ViewKind::kList, {name, list + none, (one_will_do ? "float | str | " : "") + given + none, doc},
        [member](const Spec& spec) { return nb::cast(spec.*member); },
        [member, allowed](Spec& spec, const std::string& place, nb::handle value) {
          spec.*member = convert<Member>(place, value, allowed);
        },
        kOptional);
  }
  // A list or a mapping that two functions read and write.
  template <class Read, class Write>
  Fields& view(ViewKind kind, const FieldText& text, Read read, Write write, bool may_be_none = false) {
    const auto place = [name = text.name](const Spec& spec) { return place_of(spec) + "." + name; };
    def_view(
        type_, kind, text,
        {.read = [read](nb::handle self) -> nb::object { return read(spec_of(self)); },
         .write = [write, place](nb::handle self,
                                 nb::handle given) { write(spec_of(self), place(spec_of(self)), given); },
         .place = [place](nb::handle self) { return place(spec_of(self)); },
         .may_be_none = may_be_none});
    return *this;
  }

 private:
  static Spec& spec_of(nb::handle self) { return nb::cast<Part<Spec>&>(self).spec(); }
  Type& type_;
};

// The description with the given keys; throws InputError for an unknown key.
template <class Spec>
Spec with_keys(Spec spec, nb::handle keys) {
  const nb::object part = nb::cast(new Part<Spec>(std::move(spec)), nb::rv_policy::take_ownership);
  set_keys(part, keys);
  return nb::cast<Part<Spec>&>(part).take();
}

// The same, with further given keys.
JointSpec make_joint(const std::string& name, const std::string& type, const std::string& parent,
                     const std::string& child, nb::handle keys);
ForceSpec make_force(const std::string& name, const std::string& type, nb::handle keys);

// `name` is that of the Python type.
template <class Spec>
void bind_copies(nb::class_<Part<Spec>>& type, const std::string& name) {
  const auto copy = [](const Part<Spec>& part) {
    Spec spec = part.spec();
    if constexpr (std::is_same_v<Spec, ForceSpec> || std::is_same_v<Spec, ConstraintSpec>) {
      own_callbacks(spec);
    }
    return nb::cast(new Part<Spec>(std::move(spec)), nb::rv_policy::take_ownership);
  };
  type.def("__copy__", copy, nb::sig(("def __copy__(self) -> " + name).c_str()))
      .def(
          "__deepcopy__", [copy](const Part<Spec>& part, nb::handle) { return copy(part); }, nb::arg("memo"),
          nb::sig(("def __deepcopy__(self, memo: dict[int, typing.Any]) -> " + name).c_str()));
}

}  // namespace sestina::python
