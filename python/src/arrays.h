// Arrays passed between Python and C++: double, contiguous, with leading axes that enumerate states.
//
//   StateArguments arguments;
//   const int q = arguments.add("q", given_q, model.nq());
//   const int u = arguments.add("u", given_u, model.nu());
//   arguments.broadcast();                       // to one set of leading axes
//   Results udot("out", given_out, arguments, {model.nu()});
//   ... arguments.data(q), arguments.count(), udot.data() ...
//   return udot.release();
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sestina::python {

namespace nb = nanobind;

// A few lengths of axes, stored in place.
class Shape {
 public:
  static constexpr int kMostAxes = 12;
  Shape() = default;
  Shape(std::initializer_list<std::ptrdiff_t> lengths);

  void push_back(std::ptrdiff_t length);
  int size() const { return size_; }
  std::ptrdiff_t operator[](int i) const { return lengths_[static_cast<std::size_t>(i)]; }
  std::ptrdiff_t& operator[](int i) { return lengths_[static_cast<std::size_t>(i)]; }
  const std::ptrdiff_t* data() const { return lengths_.data(); }
  std::ptrdiff_t product() const;  // 1 for no axes
  friend bool operator==(const Shape& a, const Shape& b);

 private:
  std::array<std::ptrdiff_t, kMostAxes> lengths_;  // the first size_ of them
  int size_ = 0;
};

// The arguments of a function of states. The last axis of each belongs to one state; the axes before it
// enumerate states and are broadcast against each other.
class StateArguments {
 public:
  static constexpr int kMost = 8;
  static constexpr int kScalar = -1;  // as `length`: a number for each state

  // Converts what numpy converts safely. None, if `may_be_none`, leaves data() empty. Throws InputError with
  // both shapes. Returns the index of the argument. `name` must outlive this object.
  int add(const char* name, nb::handle given, int length, bool may_be_none = false);
  // Marks an argument that has one set of numbers as common to all states: it is not repeated. Otherwise
  // false.
  bool share(int argument);
  // Call after all add(): finds the leading axes and repeats missing ones. Throws InputError with the shapes.
  void broadcast();

  const Shape& batch() const { return batch_; }
  int count() const { return count_; }  // of states
  bool is_single() const { return batch_.size() == 0; }
  // (count x length); empty where None was given.
  std::span<const double> operator[](int argument) const;
  // The numbers of state k, (length).
  std::span<const double> row(int argument, int k) const;
  // Whether an argument uses this memory.
  bool are_read_from(std::span<const double> numbers) const;

 private:
  struct Argument {
    const char* name = nullptr;
    nb::object array;  // keeps the numbers alive; null for None
    const double* data = nullptr;
    int length = 0;
    bool is_shared = false;
    Shape batch;
  };
  void repeat(Argument& argument);

  std::array<Argument, kMost> arguments_;
  int size_ = 0;
  Shape batch_;
  int count_ = 1;
};

// The numbers of one argument that is an array with one axis.
class Vector {
 public:
  static constexpr int kAnyLength = -1;
  // Throws InputError with both shapes. The numbers live as long as this object.
  Vector(const char* name, nb::handle given, int length = kAnyLength);
  operator std::span<const double>() const { return values_; }  // NOLINT(google-explicit-constructor)
  std::vector<double> copy() const { return {values_.begin(), values_.end()}; }

 private:
  nb::object array_;
  std::span<const double> values_;
};

// The returned array: a new one, or the caller's `out`.
class Results {
 public:
  // The shape consists of the leading axes of `arguments` and `last`. Throws InputError unless `out` (None: a
  // new array) is a writable array of doubles with this shape. If `out` is not contiguous, or shares memory
  // with an argument, release() fills it, after the function has read all its arguments.
  Results(const char* name, nb::handle out, const StateArguments& arguments, const Shape& last);
  // A new array.
  Results(const Shape& batch, const Shape& last);

  double* data() { return data_; }
  std::size_t size() const { return size_; }
  std::span<double> values() { return {data_, size_}; }
  // The numbers of one state.
  std::span<double> row(int k) { return {data_ + static_cast<std::size_t>(k) * row_size_, row_size_}; }
  nb::object release();  // without axes: a number

 private:
  void set_shape(const Shape& batch, const Shape& last);
  void check_out(const char* name, nb::handle out) const;
  void make_array();

  Shape shape_;
  nb::object array_;  // that owns the numbers
  nb::object out_;    // the caller's, if it is another one
  double* data_ = nullptr;
  std::size_t size_ = 0, row_size_ = 1;
  bool is_new_ = false;
};

// "(3, 7)", as Python writes it.
std::string shape_text(const Shape& shape);

// A new array with a copy of the numbers.
nb::object new_array(std::span<const double> values);
// Such an array that nobody can write to: for functions of the user, whose changes to it would be lost.
nb::object read_only_array(std::span<const double> values);
// A view of memory that `owner` keeps alive: rows x columns with these distances in numbers; read-only.
nb::object view(const double* data, const Shape& shape, const Shape& strides, nb::handle owner);

}  // namespace sestina::python
