// A body, joint, force or event in Python: an element of a list of a system, or an independent object that
// was removed from there, copied, or is yet to be added. It stays the same Python object, so that no Python
// reference becomes invalid when elements are added, removed or moved.
//
// An element in a system has at most one Part. If elements move in memory (replace_parts), their Parts are
// updated.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bind.h"
#include "python_force.h"
#include "sestina/base/error.h"
#include "sestina/model/system.h"

namespace sestina::python {

// A rule by its name, or a dictionary of its keys. Throws InputError.
IntegratorSpec to_integrator(nb::handle given);

template <class Spec>
class Part {
 public:
  explicit Part(Spec spec = {}) : own_(std::make_unique<Spec>(std::move(spec))), spec_(own_.get()) {}
  ~Part() {
    if (!own_) attached().erase(spec_);
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  Spec& spec() const { return *spec_; }
  bool is_free() const { return own_ != nullptr; }
  nb::handle owner() const { return owner_; }  // the system, or another owner; null if free

  // The Python object for an element that belongs to `owner`.
  static nb::object in(nb::handle owner, Spec& element) {
    const auto found = attached().find(&element);
    if (found != attached().end()) return nb::find(*found->second);
    auto* part = new Part(owner, element);
    attached().emplace(&element, part);
    return nb::cast(part, nb::rv_policy::take_ownership);
  }
  // The Part of an element, or null.
  static Part* of(const Spec& element) {
    const auto found = attached().find(&element);
    return found == attached().end() ? nullptr : found->second;
  }
  // The value of a free part has been moved from take() to `element`, which the part now refers to.
  Spec take() { return std::move(*own_); }
  void attach(nb::handle owner, Spec& element) {
    own_.reset();
    owner_ = nb::borrow(owner);
    spec_ = &element;
    attached().emplace(spec_, this);
  }
  void detach() {
    attached().erase(spec_);
    own_ = std::make_unique<Spec>(std::move(*spec_));
    spec_ = own_.get();
    owner_.reset();
  }

 private:
  Part(nb::handle owner, Spec& element) : owner_(nb::borrow(owner)), spec_(&element) {}

  // The parts in systems, by the addresses of their elements; guarded by the interpreter's lock.
  static std::unordered_map<const Spec*, Part*>& attached() {
    static auto& all = *new std::unordered_map<const Spec*, Part*>;
    return all;
  }

  std::unique_ptr<Spec> own_;  // of a free part
  nb::object owner_;           // of an element
  Spec* spec_;
};

// The references that the garbage collector must visit.
template <class Spec>
int traverse_part(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  const auto& part = *nb::inst_ptr<Part<Spec>>(self);
  Py_VISIT(part.owner().ptr());
  if constexpr (std::is_same_v<Spec, ForceSpec> || std::is_same_v<Spec, ConstraintSpec>) {
    if (part.is_free()) return visit_callback(part.spec(), visit, arg);
  }
  return 0;
}

// Replaces the contents of a list of a system by `given`, a Python sequence of parts: removed elements become
// free, free ones become elements. Throws InputError, with no change, if one is given twice or belongs to
// another system.
template <class Spec, class List>
void replace_parts(nb::handle owner, List& list, nb::handle given, const char* place, const char* what) {
  std::vector<Part<Spec>*> wanted;
  std::vector<nb::object> kept;  // also those that are in the list
  std::unordered_map<const void*, std::size_t> seen;
  if (!PySequence_Check(given.ptr())) {
    throw InputError(fmt::format("{}: {} is not a list", place, nb::cast<std::string>(nb::repr(given))));
  }
  for (nb::handle one : nb::borrow<nb::sequence>(given)) {
    const std::string here = fmt::format("{}[{}]", place, wanted.size());
    Part<Spec>* part = nullptr;
    if (!nb::try_cast(one, part) || part == nullptr) {
      throw InputError(
          fmt::format("{}: {} is not of type {}", here, nb::cast<std::string>(nb::repr(one)), what));
    }
    if (!seen.emplace(part, wanted.size()).second) {
      throw InputError(fmt::format("{}: '{}' is in the model already, at {}[{}]; copy.copy() makes another",
                                   here, part->spec().name.text, place, seen[part]));
    }
    if (!part->is_free() && !part->owner().is(owner)) {
      throw InputError(fmt::format("{}: '{}' belongs to another system; copy.copy() makes another", here,
                                   part->spec().name.text));
    }
    wanted.push_back(part);
    kept.push_back(nb::borrow(one));
  }
  std::size_t same = 0;
  while (same < wanted.size() && same < list.size() && &wanted[same]->spec() == &list[same]) ++same;
  for (std::size_t i = same; i < list.size(); ++i) {
    if (Part<Spec>* part = Part<Spec>::of(list[i])) part->detach();
  }
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(same), list.end());
  for (std::size_t i = same; i < wanted.size(); ++i) {
    list.push_back(wanted[i]->take());
    wanted[i]->attach(owner, list.back());
  }
}

template <class List>
nb::list parts_of(nb::handle owner, List& list) {
  nb::list parts;
  for (auto& element : list) parts.append(Part<typename List::value_type>::in(owner, element));
  return parts;
}

}  // namespace sestina::python
