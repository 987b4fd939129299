#include "sestina/io/reduced_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <span>

#include "sestina/base/error.h"
#include "sestina/io/hdf5_text.h"
#include "sestina/io/output_file.h"
#include "sestina/model/names.h"

namespace sestina {
namespace {

constexpr const char* kReducedFormat = "sestina reduced body";
// Files of version 2 have shifts of second order; those of version 1 are read too.
constexpr int kReducedVersion = 1, kVersionWithSecondShifts = 2;
constexpr std::size_t kMostModes = 1000, kMostInterfaces = 10'000, kMostStressNodes = 100'000'000;

using NumberList = std::vector<double>;

void add(const Vec3<double>& v, NumberList& values) { values.insert(values.end(), {v.x, v.y, v.z}); }
void add(const SymMat3<double>& a, NumberList& values) {
  values.insert(values.end(), {a.xx, a.yy, a.zz, a.xy, a.xz, a.yz});
}
void add(const Rotation<double>& R, NumberList& values) {
  values.insert(values.end(), {R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz});
}
Vec3<double> vector_at(const NumberList& values, std::size_t i) {
  return {values[3 * i], values[3 * i + 1], values[3 * i + 2]};
}
SymMat3<double> matrix_at(const NumberList& values, std::size_t i) {
  const double* x = values.data() + 6 * i;
  return {x[0], x[1], x[2], x[3], x[4], x[5]};
}

void write_values(hid_t file, const char* name, const NumberList& values,
                  std::initializer_list<std::size_t> shape) {
  std::vector<hsize_t> extents(shape.begin(), shape.end());
  const Hdf5Space space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr));
  const Hdf5Properties properties = hdf5_dataset_properties();
  const Hdf5Dataset dataset(
      H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT));
  if (!values.empty()) {
    checked(H5Dwrite(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
  }
}

NumberList read_values(hid_t file, const char* name, std::size_t wanted) {
  const Hdf5Dataset dataset = open_dataset(file, name);
  const Hdf5Type type(H5Dget_type(dataset.get()));
  if (H5Tget_class(type.get()) != H5T_FLOAT) throw Hdf5Error(fmt::format("'{}' are not numbers", name));
  const Hdf5Space space(H5Dget_space(dataset.get()));
  const std::size_t count = count_elements(file, space.get(), sizeof(double));
  if (count != wanted) {
    throw Hdf5Error(fmt::format("'{}' has {} numbers; expected {}", name, count, wanted));
  }
  NumberList values(count);
  if (count > 0) {
    checked(H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
  }
  return values;
}

std::size_t read_count(hid_t file, const char* name, std::size_t most) {
  const std::uint64_t count = read_number_attribute(file, name);
  if (count > most) throw Hdf5Error(fmt::format("'{}' is {}; allowed: up to {}", name, count, most));
  return static_cast<std::size_t>(count);
}

ReducedModes read_modes(hid_t file, bool has_second_shifts) {
  const std::size_t modes = read_count(file, "modes", kMostModes);
  const std::size_t interfaces = read_count(file, "interfaces", kMostInterfaces);
  const std::vector<std::string> names =
      interfaces > 0 ? read_strings(file, "names") : std::vector<std::string>();
  if (names.size() != interfaces) {
    throw Hdf5Error(fmt::format("'names' has {} texts; expected {}", names.size(), interfaces));
  }
  const std::size_t stress_nodes =
      H5Aexists(file, "stress_nodes") > 0 ? read_count(file, "stress_nodes", kMostStressNodes) : 0;
  return make_reduced_modes(
      modes, names, has_second_shifts, stress_nodes,
      [&](const char* name, std::size_t count) { return read_values(file, name, count); });
}

// Calls visit(name, numbers, shape) for each dataset of numbers.
template <class F>
void for_each_dataset(const ReducedModes& modes, F&& visit) {
  const std::size_t k = modes.count, p = modes.interfaces.size();
  NumberList center, inertia, J1, J2, g, positions, axes, shifts, turns, second;
  add(modes.center_of_mass, center), add(modes.J0, inertia);
  for (const SymMat3<double>& J : modes.J1) add(J, J1);
  for (const SymMat3<double>& J : modes.J2) add(J, J2);
  for (const Vec3<double>& of : modes.g) add(of, g);
  for (const ReducedModes::Interface& interface : modes.interfaces) {
    add(interface.position, positions), add(interface.axes, axes);
    for (const Vec3<double>& shift : interface.shifts) add(shift, shifts);
    for (const Vec3<double>& turn : interface.turns) add(turn, turns);
    for (const Vec3<double>& shift : interface.second) add(shift, second);
  }
  using Shape = std::initializer_list<std::size_t>;
  visit("mass", NumberList{modes.mass}, Shape{1});
  visit("center_of_mass", center, Shape{3});
  visit("inertia", inertia, Shape{6});
  visit("frequencies", modes.frequencies, Shape{k});
  visit("inertia_by_mode", J1, Shape{k, 6});
  visit("inertia_by_modes", J2, Shape{k, k, 6});
  visit("angular_momentum_by_modes", g, Shape{k, k, 3});
  visit("positions", positions, Shape{p, 3});
  visit("axes", axes, Shape{p, 3, 3});
  visit("shifts", shifts, Shape{p, k, 3});
  visit("turns", turns, Shape{p, k, 3});
  if (!second.empty()) visit("second_shifts", second, Shape{p, k, k, 3});
  const std::size_t m = modes.stress_nodes.size();
  if (m == 0) return;
  visit("stress_nodes", NumberList(modes.stress_nodes.begin(), modes.stress_nodes.end()), Shape{m});
  visit("stresses", modes.stresses, Shape{m, k, 6});
}

void write_modes(const ReducedModes& modes, hid_t file) {
  const std::size_t p = modes.interfaces.size();
  const bool has_second_shifts = p > 0 && !modes.interfaces.front().second.empty();
  write_fixed_attribute(file, "format", kReducedFormat);
  sestina::write_attribute(file, "version", has_second_shifts ? kVersionWithSecondShifts : kReducedVersion);
  sestina::write_attribute(file, "modes", static_cast<int>(modes.count));
  sestina::write_attribute(file, "interfaces", static_cast<int>(p));
  const std::size_t stress_nodes = modes.stress_nodes.size();
  if (stress_nodes > 0) sestina::write_attribute(file, "stress_nodes", static_cast<int>(stress_nodes));
  std::vector<std::string> names;
  for (const ReducedModes::Interface& interface : modes.interfaces) names.push_back(interface.name);
  if (p > 0) write_strings(file, "names", names);
  for_each_dataset(
      modes, [&](const char* name, const NumberList& numbers, std::initializer_list<std::size_t> shape) {
        write_values(file, name, numbers, shape);
      });
}

bool are_all_finite(std::span<const double> values) {
  for (const double x : values) {
    if (!std::isfinite(x)) return false;
  }
  return true;
}
template <class Items>
bool are_finite(const Items& items) {
  NumberList values;
  for (const auto& item : items) add(item, values);
  return are_all_finite(values);
}

bool is_positive(const SymMat3<double>& J) {
  const double minor = J.xx * J.yy - J.xy * J.xy;
  const double determinant =
      J.zz * minor - J.xx * J.yz * J.yz - J.yy * J.xz * J.xz + 2.0 * J.xy * J.xz * J.yz;
  return J.xx > 0.0 && minor > 0.0 && determinant > 0.0;
}

bool is_rotation(const Rotation<double>& R) {
  const Rotation<double> one = R * R.transpose();
  const double error = std::abs(one.xx - 1.0) + std::abs(one.yy - 1.0) + std::abs(one.zz - 1.0) +
                       std::abs(one.xy) + std::abs(one.xz) + std::abs(one.yz);
  return error < 1e-6 && dot(cross(R.column(0), R.column(1)), R.column(2)) > 0.0;
}

std::string find_fault_of_second_shifts(const ReducedModes::Interface& interface, std::size_t k) {
  const std::vector<Vec3<double>>& second = interface.second;
  if (!second.empty() && second.size() != k * k) {
    return fmt::format("the interface '{}' has {} shifts of second order for {} modes", interface.name,
                       second.size(), k);
  }
  if (!are_finite(second)) {
    return fmt::format("the numbers of the interface '{}' are not finite", interface.name);
  }
  double largest = 0.0, difference = 0.0;
  for (std::size_t i = 0; i < second.size(); ++i) {
    largest = std::max(largest, norm(second[i]));
    difference = std::max(difference, norm(second[i] - second[(i % k) * k + i / k]));
  }
  if (difference > 1e-6 * largest) {
    return fmt::format("second_shifts of the interface '{}' are not symmetric", interface.name);
  }
  return {};
}

std::string find_fault_of_interfaces(const ReducedModes& modes) {
  std::set<std::string> taken;
  for (const ReducedModes::Interface& interface : modes.interfaces) {
    const std::string& name = interface.name;
    if (!is_identifier(name) || name == "origin") {
      return fmt::format("'{}' is not the name of an interface", name);
    }
    if (!taken.insert(name).second) return fmt::format("the interface '{}' occurs twice", name);
    if (interface.shifts.size() != modes.count || interface.turns.size() != modes.count) {
      return fmt::format("the interface '{}' has {} shifts and {} turns for {} modes", name,
                         interface.shifts.size(), interface.turns.size(), modes.count);
    }
    if (!are_finite(interface.shifts) || !are_finite(interface.turns) ||
        !are_finite(std::vector{interface.position})) {
      return fmt::format("the numbers of the interface '{}' are not finite", name);
    }
    if (!is_rotation(interface.axes))
      return fmt::format("the axes of the interface '{}' are not a rotation", name);
    if (interface.second.empty() != modes.interfaces.front().second.empty()) {
      return "only some of its interfaces have shifts of second order";
    }
    if (std::string fault = find_fault_of_second_shifts(interface, modes.count); !fault.empty()) return fault;
  }
  return {};
}

std::string find_fault_of_stresses(const ReducedModes& modes) {
  if (modes.stresses.size() != 6 * modes.count * modes.stress_nodes.size()) {
    return fmt::format("stresses has {} numbers for {} nodes and {} modes", modes.stresses.size(),
                       modes.stress_nodes.size(), modes.count);
  }
  if (std::ranges::any_of(modes.stress_nodes, [](int node) { return node < 0; })) {
    return "stress_nodes are not numbers of nodes: expected whole numbers from 0 on";
  }
  return are_all_finite(modes.stresses) ? "" : "stresses are not finite";
}

}  // namespace

ReducedModes make_reduced_modes(std::size_t count, const std::vector<std::string>& names,
                                bool has_second_shifts, std::size_t stress_nodes,
                                const NumbersOfName& numbers) {
  ReducedModes modes;
  const std::size_t k = modes.count = count, p = names.size();
  modes.mass = numbers("mass", 1)[0];
  modes.center_of_mass = vector_at(numbers("center_of_mass", 3), 0);
  modes.J0 = matrix_at(numbers("inertia", 6), 0);
  modes.frequencies = numbers("frequencies", k);
  const NumberList J1 = numbers("inertia_by_mode", 6 * k), J2 = numbers("inertia_by_modes", 6 * k * k);
  const NumberList g = numbers("angular_momentum_by_modes", 3 * k * k);
  for (std::size_t i = 0; i < k; ++i) modes.J1.push_back(matrix_at(J1, i));
  for (std::size_t i = 0; i < k * k; ++i) {
    modes.J2.push_back(matrix_at(J2, i)), modes.g.push_back(vector_at(g, i));
  }
  const NumberList positions = numbers("positions", 3 * p), axes = numbers("axes", 9 * p);
  const NumberList shifts = numbers("shifts", 3 * p * k), turns = numbers("turns", 3 * p * k);
  const NumberList second = has_second_shifts ? numbers("second_shifts", 3 * p * k * k) : NumberList();
  for (std::size_t i = 0; i < p; ++i) {
    ReducedModes::Interface interface;
    interface.name = names[i], interface.position = vector_at(positions, i);
    const double* R = axes.data() + 9 * i;
    interface.axes = {R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]};
    for (std::size_t j = 0; j < k; ++j) {
      interface.shifts.push_back(vector_at(shifts, i * k + j));
      interface.turns.push_back(vector_at(turns, i * k + j));
    }
    for (std::size_t j = 0; has_second_shifts && j < k * k; ++j) {
      interface.second.push_back(vector_at(second, i * k * k + j));
    }
    modes.interfaces.push_back(std::move(interface));
  }
  if (stress_nodes == 0) return modes;
  for (const double node : numbers("stress_nodes", stress_nodes)) {
    const bool is_number = node >= 0.0 && node <= std::numeric_limits<int>::max() && node == std::floor(node);
    modes.stress_nodes.push_back(is_number ? static_cast<int>(node) : -1);
  }
  modes.stresses = numbers("stresses", 6 * k * stress_nodes);
  return modes;
}

std::string find_fault(const ReducedModes& modes) {
  const std::size_t k = modes.count;
  if (modes.frequencies.size() != k || modes.J1.size() != k || modes.J2.size() != k * k ||
      modes.g.size() != k * k) {
    return fmt::format("its arrays are not those of {} modes", k);
  }
  if (!(std::isfinite(modes.mass) && modes.mass > 0.0)) {
    return fmt::format("its mass, {} kg, is not positive", modes.mass);
  }
  if (!are_finite(std::vector{modes.center_of_mass}) || !are_finite(modes.J1) || !are_finite(modes.J2) ||
      !are_finite(modes.g) || !are_finite(std::vector{modes.J0})) {
    return "its numbers are not finite";
  }
  if (!is_positive(modes.J0)) return "its inertia matrix is not positive definite";
  for (std::size_t i = 0; i < k; ++i) {
    const double frequency = modes.frequencies[i];
    if (!(std::isfinite(frequency) && frequency > 0.0)) {
      return fmt::format("the frequency of mode {}, {} rad/s, is not positive", i + 1, frequency);
    }
    for (std::size_t j = 0; j < k; ++j) {
      const Vec3<double> sum = modes.g[i * k + j] + modes.g[j * k + i];
      if (norm(sum) > 1e-6 * modes.mass) return "angular_momentum_by_modes is not antisymmetric";
    }
  }
  if (std::string fault = find_fault_of_stresses(modes); !fault.empty()) return fault;
  return find_fault_of_interfaces(modes);
}

std::shared_ptr<const ReducedModes> read_reduced_modes(const std::filesystem::path& path) {
  const auto refuse = [&](const std::string& reason) {
    throw InputError(fmt::format("{}: {}", path.string(), reason));
  };
  const Hdf5Silence silence;
  auto modes = std::make_shared<ReducedModes>();
  try {
    const Hdf5File file = open_to_read(path);
    if (H5Aexists(file.get(), "format") <= 0 || read_attribute(file.get(), "format") != kReducedFormat) {
      refuse("it is not a reduced body as sestina.reduce() writes it");
    }
    const std::uint64_t version = read_number_attribute(file.get(), "version");
    if (version != kReducedVersion && version != kVersionWithSecondShifts) {
      refuse(fmt::format("it has version {} of the format; this program reads versions {} and {}", version,
                         kReducedVersion, kVersionWithSecondShifts));
    }
    *modes = read_modes(file.get(), version == kVersionWithSecondShifts);
  } catch (const Hdf5Error& error) {
    refuse(fmt::format("cannot be read as a reduced body: {}", error.what()));
  }
  if (const std::string fault = find_fault(*modes); !fault.empty()) refuse(fault);
  return modes;
}

void write_reduced_modes(const ReducedModes& modes, const std::filesystem::path& path) {
  if (const std::string fault = find_fault(modes); !fault.empty()) {
    throw InputError(fmt::format("{} is not written: {}", path.string(), fault));
  }
  const Hdf5Silence silence;
  TemporaryFile temporary(path);
  try {
    Hdf5File file(H5Fcreate(temporary.path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    write_modes(modes, file.get());
    file.close();
  } catch (const Hdf5Error& error) {
    throw InputError(fmt::format("{} cannot be written: {}", path.string(), error.what()));
  }
  if (const int failure = temporary.take_name(path, TemporaryFile::Replace::kYes); failure != 0) {
    throw InputError(fmt::format("{} cannot be written: {}", path.string(), std::strerror(failure)));
  }
}

void add_to_checksum(const ReducedModes& modes, Checksum& sum) {
  for (const ReducedModes::Interface& interface : modes.interfaces) sum.add(interface.name + "\n");
  for_each_dataset(modes,
                   [&](const char* name, const NumberList& numbers, std::initializer_list<std::size_t>) {
                     sum.add(std::string_view(name));
                     for (const double x : numbers) sum.add(x);
                   });
}

}  // namespace sestina
