#include "sestina/scene/motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sestina/base/error.h"
#include "sestina/model/properties.h"

namespace sestina {
namespace {

constexpr std::size_t kFramesPerMode = 48;
constexpr double kModeAngle = 0.35;     // rad, the largest turn of a mode as it is shown
constexpr double kModeDistance = 0.15;  // of the extent, the largest displacement

// The positions of the model's coordinates in a row.
std::vector<std::size_t> coordinate_columns(const ResultTable& table, const Model& model) {
  std::vector<std::size_t> places;
  for (const std::string& name : model.q_names()) {
    if (!table.has_column(name)) {
      throw InputError(fmt::format("the result has no column {}: it is of another model", name));
    }
    places.push_back(table.column_index(name));
  }
  return places;
}

std::vector<std::size_t> chosen_rows(std::size_t rows, std::size_t stride) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < rows; i += stride) chosen.push_back(i);
  if (!chosen.empty() && chosen.back() + 1 < rows) chosen.push_back(rows - 1);
  return chosen;
}

// Computes from the shape columns of a row the deviation of each speed's coordinate at a phase of the period.
class ModeShapes {
 public:
  ModeShapes(const ResultTable& table, const Model& model) : shape_(static_cast<std::size_t>(model.nu())) {
    for (int k = 0; k < model.nu(); ++k) {
      const BodyInfo& body = model.bodies()[model.body_of_speed(k)];
      const std::string end = body.nu == 1 ? "" : fmt::format("[{}]", k - body.u_start);
      real_.push_back(table.column_index(body.joint_name + ".shape.real" + end));
      imag_.push_back(table.column_index(body.joint_name + ".shape.imag" + end));
      is_length_.push_back(model.u_units()[static_cast<std::size_t>(k)] == "m/s");
    }
  }
  // The factor by which the deviations of the row are scaled for display.
  double scale(std::span<const double> row, double extent) const {
    double most = 0.0;
    for (std::size_t k = 0; k < shape_.size(); ++k) {
      const double size = std::hypot(row[real_[k]], row[imag_[k]]);
      most = std::max(most, size / (is_length_[k] ? kModeDistance * extent : kModeAngle));
    }
    return most > 0.0 ? 1.0 / most : 0.0;
  }
  std::span<const double> at(std::span<const double> row, double scale, double phase) {
    for (std::size_t k = 0; k < shape_.size(); ++k) {
      shape_[k] = scale * (row[real_[k]] * std::cos(phase) - row[imag_[k]] * std::sin(phase));
    }
    return shape_;
  }

 private:
  std::vector<std::size_t> real_, imag_;
  std::vector<bool> is_length_;
  std::vector<double> shape_;
};

void add_modes(const ResultTable& table, const Model& model, FrameMaker& frames, double extent,
               std::span<const double> rest, Motion& motion) {
  ModeShapes shapes(table, model);
  std::vector<double> q(rest.size());
  const auto size = static_cast<std::size_t>(frames.numbers());
  motion.frames_per_mode = kFramesPerMode;
  motion.poses.resize(motion.frames() * size);
  for (std::size_t i = 0; i < motion.rows; ++i) {
    const double scale = shapes.scale(table.row(i), extent);
    for (std::size_t k = 0; k < kFramesPerMode; ++k) {
      const double phase = 2.0 * std::numbers::pi * static_cast<double>(k) / kFramesPerMode;
      plus_q<double>(model, rest, shapes.at(table.row(i), scale, phase), q);
      frames.fill(q, std::span(motion.poses).subspan((i * kFramesPerMode + k) * size, size));
    }
  }
}

void add_rows(const ResultTable& table, const Model& model, std::span<const std::size_t> rows,
              FrameMaker& frames, Motion& motion) {
  const std::vector<std::size_t> places = coordinate_columns(table, model);
  const auto size = static_cast<std::size_t>(frames.numbers());
  std::vector<double> q(places.size());
  motion.poses.resize(rows.size() * size);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t k = 0; k < q.size(); ++k) q[k] = table.at(rows[i], places[k]);
    frames.fill(q, std::span(motion.poses).subspan(i * size, size));
  }
}

}  // namespace

std::size_t bytes_per_row(const ResultTable& table, const Model& model) {
  const std::size_t poses = (static_cast<std::size_t>(model.bodies().size()) - 1) * FrameMaker::kPoseSize;
  const std::size_t frames = table.has_column("mode") ? kFramesPerMode : 1;
  return frames * poses * sizeof(float) + table.columns() * sizeof(double);
}

Motion make_motion(const ResultTable& table, const Model& model, const Properties<double>& properties,
                   std::size_t most_bytes, double extent, std::span<const double> rest) {
  Motion motion;
  motion.columns = table.header().columns;
  const bool are_modes = table.has_column("mode");
  motion.x = are_modes ? "mode" : table.has_column("load") ? "load" : "t";
  const std::size_t most = std::max<std::size_t>(2, most_bytes / bytes_per_row(table, model));
  if (!are_modes && table.rows() > most) motion.stride = (table.rows() + most - 1) / most;
  const std::vector<std::size_t> rows = chosen_rows(table.rows(), motion.stride);
  motion.rows = rows.size();
  for (const std::size_t i : rows) {
    const std::span<const double> row = table.row(i);
    motion.values.insert(motion.values.end(), row.begin(), row.end());
  }
  FrameMaker frames(model, properties);
  if (are_modes) {
    const std::vector<double> start = sestina::calc_initial_state<double>(model, properties.parameters).q;
    add_modes(table, model, frames, extent, rest.empty() ? std::span<const double>(start) : rest, motion);
  } else {
    add_rows(table, model, rows, frames, motion);
  }
  return motion;
}

}  // namespace sestina
