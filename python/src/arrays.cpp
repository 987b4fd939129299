#include "arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

#include "fixed.h"
#include "result_memory.h"
#include "sestina/base/error.h"
#define SESTINA_NUMPY_HERE
#include "numpy_api.h"

namespace sestina::python {

namespace {

// Importing numpy would take most of the import time of the package; it is imported with the first array.
void need_numpy() {
  if (PyArray_API == nullptr && _import_array() < 0) nb::raise_python_error();
}

PyArrayObject* array_of(const nb::object& object) { return reinterpret_cast<PyArrayObject*>(object.ptr()); }

Shape shape_of(PyArrayObject* array) {
  Shape shape;
  for (int i = 0; i < PyArray_NDIM(array); ++i) shape.push_back(PyArray_DIM(array, i));
  return shape;
}

bool is_ready(nb::handle given) {
  if (!PyArray_Check(given.ptr())) return false;
  auto* array = reinterpret_cast<PyArrayObject*>(given.ptr());
  return PyArray_TYPE(array) == NPY_DOUBLE && PyArray_ISCARRAY_RO(array);
}

// "(..., 7)", or "(...)" for one number per state.
std::string allowed_text(int length) {
  return length == StateArguments::kScalar ? "(...)" : fmt::format("(..., {})", length);
}

nb::object to_array(const char* name, nb::handle given) {
  if (is_ready(given)) return nb::borrow(given);
  PyObject* array = PyArray_FROM_OTF(given.ptr(), NPY_DOUBLE, NPY_ARRAY_CARRAY_RO);
  if (array == nullptr) {
    nb::python_error error;
    throw InputError(fmt::format("{}: no array of floating-point numbers: {}", name,
                                 nb::cast<std::string>(nb::str(error.value()))));
  }
  return nb::steal(array);
}

}  // namespace

Shape::Shape(std::initializer_list<std::ptrdiff_t> lengths) {
  for (const std::ptrdiff_t length : lengths) push_back(length);
}

void Shape::push_back(std::ptrdiff_t length) {
  if (size_ == kMostAxes) throw InputError(fmt::format("an array has more than {} axes", kMostAxes));
  lengths_[static_cast<std::size_t>(size_++)] = length;
}

std::ptrdiff_t Shape::product() const {
  std::ptrdiff_t product = 1;
  for (int i = 0; i < size_; ++i) product *= lengths_[static_cast<std::size_t>(i)];
  return product;
}

bool operator==(const Shape& a, const Shape& b) {
  return std::equal(a.data(), a.data() + a.size(), b.data(), b.data() + b.size());
}

std::string shape_text(const Shape& shape) {
  if (shape.size() == 1) return fmt::format("({},)", shape[0]);
  return fmt::format("({})", fmt::join(shape.data(), shape.data() + shape.size(), ", "));
}

int StateArguments::add(const char* name, nb::handle given, int length, bool may_be_none) {
  Argument& argument = arguments_[static_cast<std::size_t>(size_)];
  argument.name = name;
  argument.length = length;
  if (may_be_none && given.is_none()) return size_++;
  need_numpy();
  argument.array = to_array(name, given);
  PyArrayObject* array = array_of(argument.array);
  argument.data = static_cast<const double*>(PyArray_DATA(array));
  const int axes = PyArray_NDIM(array);
  const int batch_axes = length == kScalar ? axes : axes - 1;
  if (batch_axes < 0 || (length != kScalar && PyArray_DIM(array, axes - 1) != length)) {
    throw InputError(fmt::format("{} has the shape {}; allowed is {}", name, shape_text(shape_of(array)),
                                 allowed_text(length)));
  }
  for (int i = 0; i < batch_axes; ++i) argument.batch.push_back(PyArray_DIM(array, i));
  return size_++;
}

void StateArguments::broadcast() {
  for (int i = 0; i < size_; ++i) {
    const Shape& own = arguments_[static_cast<std::size_t>(i)].batch;
    if (own.size() <= batch_.size()) continue;
    Shape longer;
    for (int k = 0; k < own.size() - batch_.size(); ++k) longer.push_back(1);
    for (int k = 0; k < batch_.size(); ++k) longer.push_back(batch_[k]);
    batch_ = longer;
  }
  if (batch_.size() == 0) return;
  for (int i = 0; i < size_; ++i) {
    const Argument& argument = arguments_[static_cast<std::size_t>(i)];
    const int shift = batch_.size() - argument.batch.size();
    for (int k = 0; k < argument.batch.size(); ++k) {
      const std::ptrdiff_t own = argument.batch[k];
      std::ptrdiff_t& common = batch_[shift + k];
      if (common == 1) common = own;
      if (own == 1 || own == common) continue;
      std::string shapes;
      for (int other = 0; other < size_; ++other) {
        const Argument& one = arguments_[static_cast<std::size_t>(other)];
        if (one.data == nullptr) continue;
        shapes += fmt::format("{}{} {}", shapes.empty() ? "" : ", ", one.name,
                              shape_text(shape_of(array_of(one.array))));
      }
      throw InputError(fmt::format(
          "the leading axes do not fit together: {}; each length must be the same, or 1", shapes));
    }
  }
  const std::ptrdiff_t count = batch_.product();
  if (count > std::numeric_limits<int>::max()) throw InputError(fmt::format("{} states are too many", count));
  count_ = static_cast<int>(count);
  for (int i = 0; i < size_; ++i) {
    Argument& argument = arguments_[static_cast<std::size_t>(i)];
    if (argument.data != nullptr && !argument.is_shared && !(argument.batch == batch_)) repeat(argument);
  }
}

bool StateArguments::share(int argument) {
  Argument& shared = arguments_[static_cast<std::size_t>(argument)];
  shared.is_shared = shared.batch.product() == 1;
  return shared.is_shared;
}

void StateArguments::repeat(Argument& argument) {
  Shape shape = batch_;
  if (argument.length != kScalar) shape.push_back(argument.length);
  nb::list lengths;
  for (int i = 0; i < shape.size(); ++i) lengths.append(shape[i]);
  const nb::object repeated =
      nb::module_::import_("numpy").attr("broadcast_to")(argument.array, nb::tuple(lengths));
  argument.array = to_array(argument.name, repeated);
  argument.data = static_cast<const double*>(PyArray_DATA(array_of(argument.array)));
}

std::span<const double> StateArguments::operator[](int argument) const {
  const Argument& given = arguments_[static_cast<std::size_t>(argument)];
  if (given.data == nullptr) return {};
  const int length = given.length == kScalar ? 1 : given.length;
  const int sets = given.is_shared ? 1 : count_;
  return {given.data, static_cast<std::size_t>(sets) * static_cast<std::size_t>(length)};
}

std::span<const double> StateArguments::row(int argument, int k) const {
  const Argument& given = arguments_[static_cast<std::size_t>(argument)];
  if (given.data == nullptr) return {};
  const auto length = static_cast<std::size_t>(given.length);
  return {given.data + static_cast<std::size_t>(k) * length, length};
}

bool StateArguments::are_read_from(std::span<const double> numbers) const {
  const std::less<> before;  // a total order, also of numbers of different arrays
  for (int i = 0; i < size_; ++i) {
    const std::span<const double> given = (*this)[i];
    if (given.empty() || numbers.empty()) continue;
    if (before(given.data(), numbers.data() + numbers.size()) &&
        before(numbers.data(), given.data() + given.size())) {
      return true;
    }
  }
  return false;
}

Vector::Vector(const char* name, nb::handle given, int length) {
  need_numpy();
  array_ = to_array(name, given);
  PyArrayObject* array = array_of(array_);
  if (PyArray_NDIM(array) != 1 || (length != kAnyLength && PyArray_DIM(array, 0) != length)) {
    throw InputError(fmt::format("{} has the shape {}; allowed is {}", name, shape_text(shape_of(array)),
                                 length == kAnyLength ? "one axis" : shape_text({length})));
  }
  values_ = {static_cast<const double*>(PyArray_DATA(array)),
             static_cast<std::size_t>(PyArray_DIM(array, 0))};
}

Results::Results(const char* name, nb::handle out, const StateArguments& arguments, const Shape& last) {
  set_shape(arguments.batch(), last);
  if (out.is_none()) {
    make_array();
    return;
  }
  check_out(name, out);
  auto* array = reinterpret_cast<PyArrayObject*>(out.ptr());
  const std::span<const double> numbers{static_cast<const double*>(PyArray_DATA(array)), size_};
  if (PyArray_ISCARRAY(array) && !arguments.are_read_from(numbers)) {
    array_ = nb::borrow(out);
    data_ = static_cast<double*>(PyArray_DATA(array));
  } else {
    out_ = nb::borrow(out);
    make_array();
  }
}

Results::Results(const Shape& batch, const Shape& last) {
  set_shape(batch, last);
  make_array();
}

void Results::set_shape(const Shape& batch, const Shape& last) {
  shape_ = batch;
  for (int i = 0; i < last.size(); ++i) {
    shape_.push_back(last[i]);
    row_size_ *= static_cast<std::size_t>(last[i]);
  }
  size_ = static_cast<std::size_t>(shape_.product());
  need_numpy();
}

void Results::check_out(const char* name, nb::handle out) const {
  if (!PyArray_Check(out.ptr())) {
    throw InputError(fmt::format("{} is of type {}; allowed is a numpy array", name,
                                 nb::cast<std::string>(nb::inst_name(out))));
  }
  auto* array = reinterpret_cast<PyArrayObject*>(out.ptr());
  if (PyArray_TYPE(array) != NPY_DOUBLE || !PyArray_ISNOTSWAPPED(array)) {
    throw InputError(fmt::format("{} has another type of numbers than float64", name));
  }
  if (!(shape_of(array) == shape_)) {
    throw InputError(fmt::format("{} has the shape {}; the result has {}", name, shape_text(shape_of(array)),
                                 shape_text(shape_)));
  }
  if (!PyArray_ISWRITEABLE(array)) throw InputError(fmt::format("{} is read-only", name));
}

void Results::make_array() {
  is_new_ = true;
  std::optional<ResultMemory> memory;
  if (size_ >= kLargeResult / sizeof(double)) memory.emplace();
  array_ = nb::steal(PyArray_SimpleNew(shape_.size(), const_cast<npy_intp*>(shape_.data()), NPY_DOUBLE));
  if (!array_.is_valid()) nb::raise_python_error();
  data_ = static_cast<double*>(PyArray_DATA(array_of(array_)));
}

nb::object Results::release() {
  if (!out_.is_valid()) {
    if (!is_new_ || PyArray_NDIM(array_of(array_)) > 0) return std::move(array_);
    return nb::steal(PyArray_Return(reinterpret_cast<PyArrayObject*>(array_.release().ptr())));
  }
  if (PyArray_CopyInto(array_of(out_), array_of(array_)) < 0) nb::raise_python_error();
  return std::move(out_);
}

nb::object new_array(std::span<const double> values) {
  Results array({}, {static_cast<std::ptrdiff_t>(values.size())});
  std::copy(values.begin(), values.end(), array.data());
  return array.release();
}

nb::object read_only_array(std::span<const double> values) {
  nb::object numbers = new_array(values);
  PyArray_CLEARFLAGS(array_of(numbers), NPY_ARRAY_WRITEABLE);
  return numbers;
}

nb::object fixed_array(std::span<const double> values, const char* hint) {
  static PyObject* const type =
      nb::object(nb::module_::import_("sestina.fixed_array").attr("FixedArray")).release().ptr();
  const nb::object numbers = read_only_array(values);
  nb::object array =
      nb::steal(PyArray_View(array_of(numbers), nullptr, reinterpret_cast<PyTypeObject*>(type)));
  if (!array.is_valid()) nb::raise_python_error();
  array.attr("_hint") = hint;
  return array;
}

nb::object view(const double* data, const Shape& shape, const Shape& strides, nb::handle owner) {
  need_numpy();
  Shape bytes = strides;
  for (int i = 0; i < bytes.size(); ++i) bytes[i] *= static_cast<std::ptrdiff_t>(sizeof(double));
  nb::object array = nb::steal(PyArray_New(&PyArray_Type, shape.size(), const_cast<npy_intp*>(shape.data()),
                                           NPY_DOUBLE, const_cast<npy_intp*>(bytes.data()),
                                           const_cast<double*>(data), 0, NPY_ARRAY_ALIGNED, nullptr));
  if (!array.is_valid()) nb::raise_python_error();
  if (PyArray_SetBaseObject(array_of(array), owner.inc_ref().ptr()) < 0) nb::raise_python_error();
  return array;
}

}  // namespace sestina::python
