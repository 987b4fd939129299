#include "sestina/particle_run/trajectory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "sestina/base/error.h"
#include "sestina/io/hdf5_handle.h"
#include "sestina/io/hdf5_text.h"
#include "sestina/io/output_file.h"

namespace sestina {
namespace {

class DumpWriter final : public TrajectoryWriter {
 public:
  DumpWriter(const std::filesystem::path& path, const ParticleModel& model, const TrajectoryPlace* resume)
      : file_(path), model_(model), position_(model.position.size()), velocity_(model.position.size()) {
    if (resume != nullptr) {
      place_ = *resume;
      std::error_code ignored;
      if (static_cast<std::int64_t>(std::filesystem::file_size(path, ignored)) < place_.bytes || ignored) {
        throw InputError(fmt::format("{}: is shorter than the run had written", path.string()));
      }
    }
    if (::ftruncate(file_.file_descriptor(), place_.bytes) != 0 && file_.is_regular()) {
      throw InputError(cannot_write(path, errno));
    }
    if (file_.is_regular()) ::lseek(file_.file_descriptor(), place_.bytes, SEEK_SET);
    file_.keep();
  }

  void write(const ParticleSystem& system) override {
    system.copy_positions(position_);
    system.copy_velocities(velocity_);
    text_.clear();
    const auto out = std::back_inserter(text_);
    fmt::format_to(out, "ITEM: TIMESTEP\n{}\nITEM: NUMBER OF ATOMS\n{}\nITEM: BOX BOUNDS", system.steps(),
                   system.size());
    const Box& box = system.box();
    for (int a = 0; a < 3; ++a) text_ += box.periodic[a] ? " pp" : " ff";
    text_ += '\n';
    for (int a = 0; a < 3; ++a) fmt::format_to(out, "{} {}\n", box.lower[a], box.lower[a] + box.length[a]);
    text_ += "ITEM: ATOMS id type xu yu zu vx vy vz\n";
    for (std::size_t i = 0; i < static_cast<std::size_t>(system.size()); ++i) {
      const double *x = position_.data() + 3 * i, *v = velocity_.data() + 3 * i;
      fmt::format_to(out, "{} {} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g}\n", i + 1,
                     model_.species_of[i] + 1, x[0], x[1], x[2], v[0], v[1], v[2]);
    }
    const int error = write_all(file_.file_descriptor(), text_);
    if (error != 0) throw ComputationError(system.t(), cannot_write(file_.path(), error));
    ++place_.frames;
    place_.bytes += static_cast<std::int64_t>(text_.size());
  }
  void sync() override { ::fdatasync(file_.file_descriptor()); }
  TrajectoryPlace place() const override { return place_; }

 private:
  OutputFile file_;
  const ParticleModel& model_;
  std::vector<double> position_, velocity_;
  std::string text_;
  TrajectoryPlace place_;
};

// A dataset that grows by frames.
class Series {
 public:
  Series(hid_t group, const char* name, std::vector<hsize_t> frame, hid_t type, std::int64_t frames,
         bool is_new)
      : frame_(std::move(frame)) {
    if (!is_new) {
      dataset_ = Hdf5Dataset(H5Dopen2(group, name, H5P_DEFAULT));
      resize(frames);
      return;
    }
    std::vector<hsize_t> start(frame_), most(frame_), chunk(frame_);
    start.insert(start.begin(), 0), most.insert(most.begin(), H5S_UNLIMITED);
    chunk.insert(chunk.begin(), frame_.empty() ? 1024 : 1);
    const Hdf5Space space(H5Screate_simple(static_cast<int>(start.size()), start.data(), most.data()));
    const Hdf5Properties properties = hdf5_dataset_properties();
    checked(H5Pset_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data()));
    dataset_ =
        Hdf5Dataset(H5Dcreate2(group, name, type, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT));
  }

  void resize(std::int64_t frames) {
    std::vector<hsize_t> size(frame_);
    size.insert(size.begin(), static_cast<hsize_t>(frames));
    checked(H5Dset_extent(dataset_.get(), size.data()));
  }

  void append(std::int64_t frame, hid_t memory_type, const void* values) {
    resize(frame + 1);
    std::vector<hsize_t> start(frame_.size() + 1, 0), count(frame_);
    start[0] = static_cast<hsize_t>(frame);
    count.insert(count.begin(), 1);
    const Hdf5Space space(H5Dget_space(dataset_.get()));
    checked(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr));
    const Hdf5Space memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr));
    checked(H5Dwrite(dataset_.get(), memory_type, memory.get(), space.get(), H5P_DEFAULT, values));
  }

 private:
  std::vector<hsize_t> frame_;
  Hdf5Dataset dataset_;
};

// One quantity of H5MD: value, step and time.
class Element {
 public:
  Element(hid_t parent, const char* name, std::vector<hsize_t> frame, hid_t type, std::int64_t frames,
          bool is_new)
      : group_(is_new ? H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)
                      : H5Gopen2(parent, name, H5P_DEFAULT)),
        value_(group_.get(), "value", std::move(frame), type, frames, is_new),
        step_(group_.get(), "step", {}, H5T_NATIVE_INT64, frames, is_new),
        time_(group_.get(), "time", {}, H5T_NATIVE_DOUBLE, frames, is_new) {}

  void append(std::int64_t frame, const ParticleSystem& system, hid_t memory_type, const void* values) {
    const std::int64_t step = system.steps();
    const double t = system.t();
    value_.append(frame, memory_type, values);
    step_.append(frame, H5T_NATIVE_INT64, &step);
    time_.append(frame, H5T_NATIVE_DOUBLE, &t);
  }

 private:
  Hdf5Group group_;
  Series value_, step_, time_;
};

void write_fixed(hid_t group, const char* name, hid_t type, hsize_t count, const void* values) {
  const Hdf5Space space(H5Screate_simple(1, &count, nullptr));
  const Hdf5Dataset dataset(
      H5Dcreate2(group, name, type, space.get(), H5P_DEFAULT, hdf5_dataset_properties().get(), H5P_DEFAULT));
  checked(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
}

void write_attribute(hid_t object, const char* name, hid_t type, hsize_t count, const void* values) {
  const Hdf5Space space(count == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr));
  const Hdf5Attribute attribute(H5Acreate2(object, name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT));
  checked(H5Awrite(attribute.get(), type, values));
}

Hdf5Group make_group(hid_t parent, const char* name) {
  return Hdf5Group(H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

class H5mdWriter final : public TrajectoryWriter {
 public:
  H5mdWriter(const std::filesystem::path& path, const ParticleModel& model, const TrajectoryPlace* resume)
      : path_(path),
        position_(model.position.size()),
        velocity_(model.position.size()),
        image_(position_.size()) {
    try {
      open(model, resume);
    } catch (const Hdf5Error& error) {
      throw InputError(fmt::format("cannot write '{}': {}", path.string(), error.what()));
    }
  }

  void write(const ParticleSystem& system) override {
    system.copy_positions(position_);
    system.copy_velocities(velocity_);
    const Box& box = system.box();
    for (std::size_t k = 0; k < position_.size(); ++k) {
      const int a = static_cast<int>(k % 3);
      const double image = box.calc_image(a, position_[k]);
      image_[k] = static_cast<std::int32_t>(image);
      position_[k] -= image * box.length[a];
    }
    const Hdf5Silence silence;
    try {
      position_series_->append(frames_, system, H5T_NATIVE_DOUBLE, position_.data());
      velocity_series_->append(frames_, system, H5T_NATIVE_DOUBLE, velocity_.data());
      image_series_->append(frames_, system, H5T_NATIVE_INT32, image_.data());
      if (edge_series_) edge_series_->append(frames_, system, H5T_NATIVE_DOUBLE, box.length.data());
      checked(H5Fflush(file_.get(), H5F_SCOPE_LOCAL));
    } catch (const Hdf5Error& error) {
      throw ComputationError(system.t(), fmt::format("cannot write '{}': {}", path_.string(), error.what()));
    }
    ++frames_;
  }
  void sync() override { H5Fflush(file_.get(), H5F_SCOPE_GLOBAL); }
  TrajectoryPlace place() const override { return {frames_, 0}; }

 private:
  void open(const ParticleModel& model, const TrajectoryPlace* resume) {
    const Hdf5Silence silence;
    const bool is_new = resume == nullptr;
    if (resume != nullptr) frames_ = resume->frames;
    file_ = Hdf5File(is_new ? H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)
                            : H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    if (is_new) write_header(model);
    const Hdf5Group all(H5Gopen2(file_.get(), "particles/all", H5P_DEFAULT));
    const std::vector<hsize_t> frame{static_cast<hsize_t>(model.size()), 3};
    position_series_.emplace(all.get(), "position", frame, H5T_NATIVE_DOUBLE, frames_, is_new);
    velocity_series_.emplace(all.get(), "velocity", frame, H5T_NATIVE_DOUBLE, frames_, is_new);
    image_series_.emplace(all.get(), "image", frame, H5T_NATIVE_INT32, frames_, is_new);
    if (!model.barostat) return;
    const Hdf5Group box(H5Gopen2(all.get(), "box", H5P_DEFAULT));
    edge_series_.emplace(box.get(), "edges", std::vector<hsize_t>{3}, H5T_NATIVE_DOUBLE, frames_, is_new);
  }

  void write_header(const ParticleModel& model) {
    const auto text = [](hid_t object, const char* name, const char* value) {
      const Hdf5Type type = hdf5_text_type(std::strlen(value));
      write_attribute(object, name, type.get(), 0, value);
    };
    const Hdf5Group h5md = make_group(file_.get(), "h5md");
    const std::int32_t version[] = {1, 1};
    write_attribute(h5md.get(), "version", H5T_NATIVE_INT32, 2, version);
    const Hdf5Group author = make_group(h5md.get(), "author"), creator = make_group(h5md.get(), "creator");
    text(author.get(), "name", "sestina");
    text(creator.get(), "name", "sestina");
    text(creator.get(), "version", "1");
    const Hdf5Group particles = make_group(file_.get(), "particles"),
                    all = make_group(particles.get(), "all");
    const Hdf5Group box = make_group(all.get(), "box");
    const std::int32_t dimension = 3;
    write_attribute(box.get(), "dimension", H5T_NATIVE_INT32, 0, &dimension);
    std::string boundary;
    for (int a = 0; a < 3; ++a) {
      std::string word = model.box.periodic[a] ? "periodic" : "none";
      word.resize(8, '\0');
      boundary += word;
    }
    write_attribute(box.get(), "boundary", hdf5_text_type(8).get(), 3, boundary.data());
    if (!model.barostat) write_fixed(box.get(), "edges", H5T_NATIVE_DOUBLE, 3, model.box.length.data());
    std::vector<std::int32_t> species;
    std::vector<double> mass;
    for (const int s : model.species_of) {
      species.push_back(s + 1);
      mass.push_back(model.species[static_cast<std::size_t>(s)].mass);
    }
    const auto n = static_cast<hsize_t>(model.size());
    write_fixed(all.get(), "species", H5T_NATIVE_INT32, n, species.data());
    write_fixed(all.get(), "mass", H5T_NATIVE_DOUBLE, n, mass.data());
  }

  std::filesystem::path path_;
  Hdf5File file_;
  std::optional<Element> position_series_, velocity_series_, image_series_;
  std::optional<Element> edge_series_;  // of a box that changes
  std::vector<double> position_, velocity_;
  std::vector<std::int32_t> image_;
  std::int64_t frames_ = 0;
};

}  // namespace

std::unique_ptr<TrajectoryWriter> make_trajectory_writer(const std::filesystem::path& path,
                                                         const ParticleModel& model,
                                                         const TrajectoryPlace* resume) {
  const std::string suffix = path.extension().string();
  if (suffix == ".h5" || suffix == ".h5md") return std::make_unique<H5mdWriter>(path, model, resume);
  return std::make_unique<DumpWriter>(path, model, resume);
}

}  // namespace sestina
