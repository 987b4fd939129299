#include "sestina/particle_run/trajectory_reader.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>

#include "sestina/base/error.h"
#include "sestina/io/hdf5_handle.h"

namespace sestina {
namespace {

// Returns the lengths of a dataset of numbers.
std::vector<std::size_t> lengths_of(const Hdf5Dataset& dataset, const char* name) {
  const Hdf5Space space(H5Dget_space(dataset.get()));
  count_elements(dataset.get(), space.get(), 1);
  std::array<hsize_t, H5S_MAX_RANK> lengths{};
  const int rank = checked(H5Sget_simple_extent_dims(space.get(), lengths.data(), nullptr));
  const Hdf5Type type(H5Dget_type(dataset.get()));
  const H5T_class_t kind = H5Tget_class(type.get());
  if (kind != H5T_FLOAT && kind != H5T_INTEGER) throw Hdf5Error(fmt::format("'{}' has no numbers", name));
  return {lengths.begin(), lengths.begin() + rank};
}

void read_frame(const Hdf5Dataset& dataset, std::size_t frame, std::vector<std::size_t> lengths,
                std::vector<double>& out) {
  std::vector<hsize_t> start(lengths.size(), 0), count(lengths.begin(), lengths.end());
  start[0] = frame, count[0] = 1;
  const Hdf5Space space(H5Dget_space(dataset.get()));
  checked(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr));
  const Hdf5Space memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr));
  checked(H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, memory.get(), space.get(), H5P_DEFAULT, out.data()));
}

}  // namespace

struct TrajectoryReader::File {
  std::filesystem::path path;
  Hdf5File file;
  Hdf5Dataset position, image, edges;  // image and edges are optional
  std::vector<std::size_t> position_lengths, edge_lengths;
  std::vector<double> times, images;
  Box box;
  bool has_images = false, has_edges = false;

  void open(int particles) {
    const Hdf5Silence silence;
    file = open_to_read(path);
    const Hdf5Group all = open_group(open_group(file.get(), "particles").get(), "all");
    const Hdf5Group positions = open_group(all.get(), "position");
    position = open_dataset(positions.get(), "value");
    position_lengths = lengths_of(position, "position/value");
    if (position_lengths.size() != 3 || position_lengths[2] != 3) {
      throw Hdf5Error("'position/value' is not (frames x particles x 3)");
    }
    if (position_lengths[1] != static_cast<std::size_t>(particles)) {
      throw Hdf5Error(fmt::format("it has {} particles, the model has {}", position_lengths[1], particles));
    }
    read_times(positions);
    has_images = H5Lexists(all.get(), "image", H5P_DEFAULT) > 0;
    if (has_images) {
      image = open_dataset(open_group(all.get(), "image").get(), "value");
      if (lengths_of(image, "image/value") != position_lengths) {
        throw Hdf5Error("'image/value' has not the size of 'position/value'");
      }
      images.resize(3 * position_lengths[1]);
    }
    open_edges(all);
  }

  void read_times(const Hdf5Group& positions) {
    const Hdf5Dataset time = open_dataset(positions.get(), "time");
    const std::vector<std::size_t> lengths = lengths_of(time, "position/time");
    if (lengths.size() != 1 || lengths[0] < position_lengths[0]) {
      throw Hdf5Error("'position/time' has not one number for each frame");
    }
    times.resize(lengths[0]);
    if (!times.empty()) {
      checked(H5Dread(time.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, times.data()));
    }
  }

  // Opens the lengths of the box, fixed or by frame.
  void open_edges(const Hdf5Group& all) {
    if (H5Lexists(all.get(), "box", H5P_DEFAULT) <= 0) return;
    const Hdf5Group group = open_group(all.get(), "box");
    if (H5Lexists(group.get(), "edges", H5P_DEFAULT) <= 0) return;
    H5O_info_t info{};
    checked(H5Oget_info_by_name(group.get(), "edges", &info, H5P_DEFAULT));
    if (info.type == H5O_TYPE_GROUP) {
      edges = open_dataset(open_group(group.get(), "edges").get(), "value");
      edge_lengths = lengths_of(edges, "box/edges/value");
      has_edges = true;
      if (edge_lengths.size() != 2 || edge_lengths[1] != 3 || edge_lengths[0] < position_lengths[0]) {
        throw Hdf5Error("'box/edges/value' is not (frames x 3)");
      }
      return;
    }
    const Hdf5Dataset fixed = open_dataset(group.get(), "edges");
    if (lengths_of(fixed, "box/edges") != std::vector<std::size_t>{3}) {
      throw Hdf5Error("'box/edges' has not 3 lengths");
    }
    checked(H5Dread(fixed.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, box.length.data()));
    check_edges(0);
  }

  void check_edges(std::size_t frame) const {
    for (const double length : box.length) {
      if (length > 0.0 && std::isfinite(length)) continue;
      throw Hdf5Error(fmt::format("the box of frame {} has the length {}", frame, length));
    }
  }

  void read(std::size_t frame, std::vector<double>& x) {
    const Hdf5Silence silence;
    x.resize(3 * position_lengths[1]);
    read_frame(position, frame, position_lengths, x);
    if (has_edges) {
      std::vector<double> lengths(3);
      read_frame(edges, frame, edge_lengths, lengths);
      for (std::size_t a = 0; a < 3; ++a) box.length[a] = lengths[a];
      check_edges(frame);
    }
    if (has_images) {
      read_frame(image, frame, position_lengths, images);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += images[i] * box.length[i % 3];
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::isfinite(x[i])) continue;
      throw Hdf5Error(fmt::format("the position of particles[{}] in frame {} is not finite", i / 3, frame));
    }
  }

  template <class Work>
  void guard(Work&& work) const {
    try {
      work();
    } catch (const Hdf5Error& error) {
      throw InputError(
          fmt::format("{}: cannot be read as an H5MD trajectory: {}", path.string(), error.what()));
    }
  }
};

TrajectoryReader::TrajectoryReader(const std::filesystem::path& path, int particles, const Box& box)
    : file_(std::make_unique<File>()) {
  file_->path = path;
  file_->box = box;
  file_->guard([&] { file_->open(particles); });
}

TrajectoryReader::~TrajectoryReader() = default;

std::size_t TrajectoryReader::frames() const { return file_->position_lengths[0]; }

double TrajectoryReader::time_of(std::size_t frame) const { return file_->times[frame]; }

void TrajectoryReader::read(std::size_t frame, std::vector<double>& position, Box& box) {
  file_->guard([&] { file_->read(frame, position); });
  box = file_->box;
}

}  // namespace sestina
