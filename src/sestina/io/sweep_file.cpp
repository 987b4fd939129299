#include "sestina/io/sweep_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <limits>
#include <string_view>
#include <system_error>

#include "sestina/base/error.h"
#include "sestina/io/checksum.h"
#include "sestina/io/hdf5_seal.h"
#include "sestina/io/hdf5_text.h"
#include "sestina/io/output_file.h"
#include "sestina/io/rehearsal.h"

namespace sestina {
namespace {

constexpr int kLayoutVersion = 2;  // version 1 had no checksums
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Hdf5Type status_type() {
  Hdf5Type type(H5Tenum_create(H5T_NATIVE_UINT8));
  const char* names[] = {"pending", "complete", "failed"};
  for (std::uint8_t i = 0; i < 3; ++i) checked(H5Tenum_insert(type.get(), names[i], &i));
  return type;
}

Hdf5Type reason_type() {
  Hdf5Type type(H5Tcopy(H5T_C_S1));
  checked(H5Tset_size(type.get(), SweepFile::kReasonBytes));
  checked(H5Tset_strpad(type.get(), H5T_STR_NULLPAD));
  checked(H5Tset_cset(type.get(), H5T_CSET_UTF8));
  return type;
}

// Returns the text cut at the end of a character.
std::string shortened(const std::string& text, std::size_t bytes) {
  std::size_t end = std::min(text.size(), bytes);
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

void write_axes(hid_t file, const std::vector<SweepAxis>& axes) {
  const Hdf5Group group(H5Gcreate2(file, "axes", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  std::vector<std::string> paths;
  for (const SweepAxis& axis : axes) {
    paths.push_back(axis.path);
    if (axis.numbers.empty()) {
      write_strings(group.get(), axis.path, axis.texts);
      continue;
    }
    const hsize_t size = axis.numbers.size();
    const Hdf5Space space(H5Screate_simple(1, &size, nullptr));
    const Hdf5Properties properties = hdf5_dataset_properties();
    const Hdf5Dataset dataset(H5Dcreate2(group.get(), axis.path.c_str(), H5T_NATIVE_DOUBLE, space.get(),
                                         H5P_DEFAULT, properties.get(), H5P_DEFAULT));
    checked(H5Dwrite(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, axis.numbers.data()));
  }
  write_attribute(file, "axes", paths);
}

SweepAxis read_axis(hid_t group, const std::string& path) {
  SweepAxis axis;
  axis.path = path;
  const Hdf5Dataset dataset = open_dataset(group, path);
  const Hdf5Type type(H5Dget_type(dataset.get()));
  if (H5Tget_class(type.get()) == H5T_STRING) {
    axis.texts = read_strings(group, path);
  } else {
    const Hdf5Space space(H5Dget_space(dataset.get()));
    axis.numbers.resize(count_elements(group, space.get(), sizeof(double)));
    checked(H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, axis.numbers.data()));
  }
  if (axis.size() == 0) throw Hdf5Error("its axis '" + path + "' has no values");
  return axis;
}

std::vector<SweepAxis> read_axes(hid_t file) {
  const Hdf5Group group = open_group(file, "axes");
  std::vector<SweepAxis> axes;
  for (const std::string& path : read_list_attribute(file, "axes")) {
    axes.push_back(read_axis(group.get(), path));
  }
  if (axes.empty()) throw Hdf5Error("it has no axes");
  return axes;
}

// A run takes at least one byte.
void check_size(hid_t file, const SweepHeader& header) {
  hsize_t bytes = 0;
  checked(H5Fget_filesize(file, &bytes));
  std::uint64_t runs = 1;
  for (const SweepAxis& axis : header.axes) {
    if (axis.size() > bytes / runs) throw Hdf5Error("it has axes for more runs than it can hold");
    runs *= axis.size();
  }
}

std::size_t count_series_rows(hid_t file, std::size_t rank) {
  const Hdf5Dataset dataset = open_dataset(file, "series");
  const Hdf5Space space(H5Dget_space(dataset.get()));
  std::vector<hsize_t> extents(H5S_MAX_RANK);
  const int dimensions = checked(H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr));
  if (static_cast<std::size_t>(dimensions) != rank + 2) throw Hdf5Error("'series' has another rank");
  return extents[rank];
}

int read_version(hid_t file) {
  if (H5Aexists(file, "sestina_sweep") <= 0) throw Hdf5Error("it is HDF5 but no sweep of sestina");
  const std::uint64_t version = read_number_attribute(file, "sestina_sweep");
  if (version >= 1 && version <= kLayoutVersion) return static_cast<int>(version);
  throw Hdf5Error(
      fmt::format("its layout has version {}; this program reads up to {}", version, kLayoutVersion));
}

SweepHeader read_header(hid_t file) {
  read_version(file);
  SweepHeader header;
  header.model_name = read_attribute(file, "model_name");
  header.model_text = read_attribute(file, "model");
  header.provenance = read_provenance(file);
  header.axes = read_axes(file);
  header.columns = read_columns(file);
  check_size(file, header);
  if (checked(H5Lexists(file, "series_names", H5P_DEFAULT)) > 0) {
    header.series = read_strings(file, "series_names");
    header.rows = count_series_rows(file, header.axes.size());
  }
  return header;
}

// The oldest format that can hold it, without flags that show whether a process is writing.
Hdf5Properties file_access() {
  Hdf5Properties access(H5Pcreate(H5P_FILE_ACCESS));
  checked(H5Pset_libver_bounds(access.get(), H5F_LIBVER_EARLIEST, H5F_LIBVER_V110));
  checked(H5Pset_file_locking(access.get(), true, true));
  checked(H5Pset_alignment(access.get(), 1, Hdf5Seal::kAlignment));
  return access;
}

// Transfers all bytes at a place of the file. Returns 0 or an errno.
int transfer(ssize_t (*call)(int, void*, std::size_t, off_t), int file, std::uint64_t place, char* bytes,
             std::size_t size) {
  while (size > 0) {
    const ssize_t moved = call(file, bytes, size, static_cast<off_t>(place));
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) return moved == 0 ? EIO : errno;
    bytes += moved;
    place += static_cast<std::uint64_t>(moved);
    size -= static_cast<std::size_t>(moved);
  }
  return 0;
}

// Throws InputError if a file cannot have this name.
void check_name(const std::filesystem::path& path) {
  if (path.extension() != ".h5" && path.extension() != ".hdf5") {
    throw InputError("'" + path.string() +
                     "' cannot be the file of a sweep: its name must end in .h5 or .hdf5");
  }
}

void check_errno(int error) {
  if (error != 0) throw Hdf5Error(std::generic_category().message(error));
}

// Allocates the room and releases it: HDF5 cannot handle a full disk. Not all file systems can tell.
void check_room(int file, double bytes) {
  const int error = ::fallocate(file, 0, 0, static_cast<off_t>(bytes)) == 0 ? 0 : errno;
  if (error != EOPNOTSUPP && error != ENOSYS && error != EINTR) check_errno(error);
  check_errno(::ftruncate(file, 0) == 0 ? 0 : errno);
}

// Returns the checksum of the stored data of a run, without its series and its wall time: equal runs have
// equal checksums.
std::uint64_t calc_checksum(const SweepRecord& record, std::string_view reason) {
  Checksum sum;
  sum.add(reason);
  sum.add(static_cast<std::uint8_t>(record.status));
  for (const std::int64_t number : {record.rows, record.steps, record.rejected, record.evaluations}) {
    sum.add(std::bit_cast<double>(number));
  }
  sum.add(record.energy_drift);
  sum.add(record.kinetic_energy);
  for (const double number : record.last_row) sum.add(number);
  return sum.value();
}

ssize_t write_at(int file, void* bytes, std::size_t size, off_t place) {
  return ::pwrite(file, bytes, size, place);
}

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  throw std::runtime_error(cannot_write(path, error));
}

}  // namespace

std::string SweepAxis::value(std::size_t i) const {
  return numbers.empty() ? texts[i] : fmt::format("{}", numbers[i]);
}

std::size_t SweepHeader::runs() const {
  std::size_t product = 1;
  for (const SweepAxis& axis : axes) product *= axis.size();
  return product;
}

std::vector<std::size_t> SweepHeader::index(std::size_t run) const {
  std::vector<std::size_t> result(axes.size());
  for (std::size_t k = axes.size(); k-- > 0;) {
    result[k] = run % axes[k].size();
    run /= axes[k].size();
  }
  return result;
}

std::vector<std::string> SweepHeader::settings(std::size_t run) const {
  const std::vector<std::size_t> where = index(run);
  std::vector<std::string> result;
  for (std::size_t k = 0; k < axes.size(); ++k) result.push_back(axes[k].setting(where[k]));
  return result;
}

double SweepHeader::bytes() const {
  const double doubles = static_cast<double>(rows) * static_cast<double>(series.size()) +
                         static_cast<double>(columns.size()) + 7.0;
  return static_cast<double>(runs()) * (8.0 * doubles + static_cast<double>(SweepFile::kReasonBytes) + 1.0);
}

struct SweepFile::Layout {
  const char* name;
  Hdf5Type type;
  std::vector<hsize_t> extents;  // sizes of the parts of one run
  bool may_be_missing = false;

  std::size_t bytes() const {
    std::size_t product = H5Tget_size(type.get());
    for (const hsize_t extent : extents) product *= extent;
    return product;
  }
};

SweepFile::Layout SweepFile::layout_of(const SweepHeader& header, int field) {
  const auto integer = [] { return Hdf5Type(H5Tcopy(H5T_NATIVE_INT64)); };
  const auto real = [] { return Hdf5Type(H5Tcopy(H5T_NATIVE_DOUBLE)); };
  switch (field) {
    case kReason:
      return {"reason", reason_type(), {}};
    case kRows:
      return {"rows", integer(), {}};
    case kSteps:
      return {"steps", integer(), {}};
    case kRejected:
      return {"rejected", integer(), {}};
    case kEvaluations:
      return {"evaluations", integer(), {}};
    case kEnergyDrift:
      return {"energy_drift", real(), {}, true};
    case kKineticEnergy:
      return {"kinetic_energy", real(), {}, true};
    case kWallSeconds:
      return {"wall_seconds", real(), {}, true};
    case kFinal:
      return {"final", real(), {header.columns.size()}, true};
    case kChecksum:
      return {"checksums", Hdf5Type(H5Tcopy(H5T_NATIVE_UINT64)), {}};
    case kSeries:
      return {"series", real(), {header.rows, header.series.size()}, true};
    default:
      return {"status", status_type(), {}};
  }
}

SweepFile::SweepFile(std::filesystem::path path, SweepHeader header)
    : path_(std::move(path)), header_(std::move(header)) {}

void SweepFile::make_file(const std::filesystem::path& path, const SweepHeader& header) {
  Hdf5File file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, file_access().get()));
  write_attribute(file.get(), "sestina_sweep", kLayoutVersion);
  write_attribute(file.get(), "model_name", header.model_name);
  write_attribute(file.get(), "model", header.model_text);
  write_provenance(file.get(), header.provenance);
  write_axes(file.get(), header.axes);
  write_columns(file.get(), header.columns);
  if (!header.series.empty()) write_strings(file.get(), "series_names", header.series);
  for (int field = 0; field < kFields; ++field) {
    const Layout layout = layout_of(header, field);
    if (layout.bytes() == 0) continue;
    std::vector<hsize_t> extents;
    for (const SweepAxis& axis : header.axes) extents.push_back(axis.size());
    extents.insert(extents.end(), layout.extents.begin(), layout.extents.end());
    const Hdf5Space space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr));
    const Hdf5Properties in_one_piece = hdf5_dataset_properties();
    checked(H5Pset_layout(in_one_piece.get(), H5D_CONTIGUOUS));
    checked(H5Pset_alloc_time(in_one_piece.get(), H5D_ALLOC_TIME_EARLY));
    checked(H5Pset_fill_time(in_one_piece.get(), H5D_FILL_TIME_NEVER));
    if (layout.may_be_missing) {
      checked(H5Pset_fill_value(in_one_piece.get(), H5T_NATIVE_DOUBLE, &kNaN));
    }
    Hdf5Dataset dataset(H5Dcreate2(file.get(), layout.name, layout.type.get(), space.get(), H5P_DEFAULT,
                                   in_one_piece.get(), H5P_DEFAULT));
    dataset.close();
  }
  file.close();
}

std::optional<SweepFile> SweepFile::create(const std::filesystem::path& path, SweepHeader header,
                                           const std::atomic<bool>* interrupt) {
  const Hdf5Silence silence;
  check_name(path);
  OutputFile output(path, OutputFile::WhenAbsent::kWait);
  TemporaryFile temporary = output.make_temporary();
  try {
    check_room(temporary.file_descriptor(), header.bytes());
    make_file(temporary.path(), header);
    SweepFile file(temporary.path(), std::move(header));
    file.find_places();
    file.open_file(Access::kWrite);
    file.seal();
    if (!file.fill(interrupt)) return std::nullopt;
    output.replace_by(std::move(temporary));
    file.path_ = path;
    file.output_.emplace(std::move(output));
    return file;
  } catch (const Hdf5Error& error) {
    throw InputError("cannot write '" + path.string() + "': " + error.what());
  }
}

SweepFile SweepFile::open(const std::filesystem::path& path, Access access) {
  const Hdf5Silence silence;
  std::optional<OutputFile> output;
  if (access == Access::kWrite) output.emplace(path, OutputFile::WhenAbsent::kWait);
  try {
    const auto read = [&path] {
      SweepFile file(path, read_header(open_to_read(path).get()));
      file.find_places();
      return file;
    };
    if (!is_sealed(path)) rehearse(path, read);
    SweepFile file = read();
    file.open_file(access);
    if (output) file.output_.emplace(std::move(*output));
    return file;
  } catch (const Hdf5Error& error) {
    throw InputError("cannot " + std::string(access == Access::kRead ? "read" : "continue") + " '" +
                     path.string() + "': " + error.what());
  }
}

bool SweepFile::is_sweep_file(const std::filesystem::path& path) {
  constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
  std::array<char, kSignature.size()> beginning{};
  std::ifstream(path, std::ios::binary).read(beginning.data(), beginning.size());
  if (std::string_view(beginning.data(), beginning.size()) != kSignature) return false;
  const Hdf5Silence silence;
  try {
    const auto look = [&path] { return H5Aexists(open_to_read(path).get(), "sestina_sweep") > 0; };
    if (!is_sealed(path)) rehearse(path, look);
    return look();
  } catch (const Hdf5Error&) {
    return false;
  }
}

void SweepFile::open_file(Access access) {
  const bool to_write = access == Access::kWrite;
  file_ = FileDescriptor(::open(path_.c_str(), (to_write ? O_RDWR : O_RDONLY) | O_CLOEXEC));
  if (file_.get() < 0) throw Hdf5Error(std::generic_category().message(errno));
}

// Finds the places of the datasets; throws if one is not as `create` made it.
void SweepFile::find_places() {
  const Hdf5File file = open_to_read(path_);
  has_checksums_ = read_version(file.get()) > 1;
  hsize_t file_bytes = 0;
  checked(H5Fget_filesize(file.get(), &file_bytes));
  for (int field = 0; field < kFields; ++field) {
    const Layout layout = layout_of(header_, field);
    if (layout.bytes() == 0 || (field == kChecksum && !has_checksums_)) continue;
    const Hdf5Dataset dataset = open_dataset(file.get(), layout.name);
    const Hdf5Type type(H5Dget_type(dataset.get()));
    const haddr_t place = H5Dget_offset(dataset.get());
    const std::uint64_t size = header_.runs() * layout.bytes();
    if (checked(H5Tequal(type.get(), layout.type.get())) == 0 || place >= file_bytes ||
        size > file_bytes - place || H5Dget_storage_size(dataset.get()) != size) {
      throw Hdf5Error("'" + std::string(layout.name) + "' is not as a sweep leaves it");
    }
    places_[static_cast<std::size_t>(field)] = place;
  }
}

// Fills every value with that of a pending run.
bool SweepFile::fill(const std::atomic<bool>* interrupt) {
  constexpr std::size_t kBlock = 1 << 17;         // number of values
  constexpr std::size_t kWithoutPause = 1 << 26;  // bytes, a fraction of a second
  std::size_t written = 0;
  for (int field = 0; field < kFields; ++field) {
    if (field == kReason) continue;  // zeros of a file with holes, which take no room; few runs fail
    const Layout layout = layout_of(header_, field);
    const std::vector<double> block(kBlock, layout.may_be_missing ? kNaN : 0.0);
    std::string bytes(reinterpret_cast<const char*>(block.data()), kBlock * sizeof(double));
    std::uint64_t place = places_[static_cast<std::size_t>(field)];
    for (std::size_t left = header_.runs() * layout.bytes(); left > 0;) {
      const std::size_t size = std::min(left, bytes.size());
      check_errno(transfer(write_at, file_.get(), place, bytes.data(), size));
      place += size;
      left -= size;
      written += size;
      if (written > kWithoutPause && interrupt != nullptr && interrupt->load()) return false;
    }
  }
  return true;
}

void SweepFile::seal() {
  std::vector<Hdf5Seal::Range> runs;
  for (int field = 0; field < kFields; ++field) {
    const std::size_t size = header_.runs() * layout_of(header_, field).bytes();
    if (size > 0) runs.emplace_back(places_[static_cast<std::size_t>(field)], size);
  }
  const std::uint64_t end = std::filesystem::file_size(path_);
  std::string text = Hdf5Seal(end, runs).text([this](std::uint64_t place, std::span<char> bytes) {
    return transfer(::pread, file_.get(), place, bytes.data(), bytes.size()) == 0;
  });
  check_errno(transfer(write_at, file_.get(), Hdf5Seal::kPlace, text.data(), text.size()));
}

void SweepFile::write_field(Field field, std::size_t run, const void* bytes, std::size_t size) {
  if (size == 0 || (field == kChecksum && !has_checksums_)) return;
  const int error = transfer(write_at, file_.get(), places_[field] + run * size,
                             static_cast<char*>(const_cast<void*>(bytes)), size);
  if (error != 0) fail(path_, error);
}

void SweepFile::read_field(Field field, std::size_t first, void* bytes, std::size_t size) const {
  const int error = transfer(::pread, file_.get(), places_[field] + first, static_cast<char*>(bytes), size);
  if (error != 0) {
    throw InputError("cannot read '" + path_.string() + "': " + std::generic_category().message(error));
  }
}

void SweepFile::write(std::size_t run, const SweepRecord& record) {
  std::string reason = shortened(record.reason, kReasonBytes);
  write_number(kChecksum, run, calc_checksum(record, reason));
  char former = '\0';
  read_field(kReason, run * kReasonBytes, &former, 1);
  if (!reason.empty() || former != '\0') {
    reason.resize(kReasonBytes, '\0');
    write_field(kReason, run, reason.data(), kReasonBytes);
  }
  write_number(kRows, run, record.rows);
  write_number(kSteps, run, record.steps);
  write_number(kRejected, run, record.rejected);
  write_number(kEvaluations, run, record.evaluations);
  write_number(kEnergyDrift, run, record.energy_drift);
  write_number(kKineticEnergy, run, record.kinetic_energy);
  write_number(kWallSeconds, run, record.wall_seconds);
  write_field(kFinal, run, record.last_row.data(), record.last_row.size() * sizeof(double));
  write_field(kSeries, run, record.series.data(), record.series.size() * sizeof(double));
  write_number(kStatus, run, record.status);
}

void SweepFile::sync() {
  if (::fsync(file_.get()) != 0 && errno != EINVAL) fail(path_, errno);
}

std::vector<SweepStatus> SweepFile::read_status() const {
  std::vector<SweepStatus> status(header_.runs());
  read_field(kStatus, 0, status.data(), status.size());
  for (std::size_t run = 0; run < status.size(); ++run) {
    if (status[run] > SweepStatus::kFailed) fail_to_read(run);
  }
  return status;
}

SweepRecord SweepFile::read_numbers(std::size_t run) const {
  SweepRecord record;
  const auto read = [&](Field field, auto& value) {
    read_field(field, run * sizeof value, &value, sizeof value);
  };
  std::array<char, kReasonBytes> reason{};
  read(kReason, reason);
  record.reason.assign(reason.begin(), std::find(reason.begin(), reason.end(), '\0'));
  read(kRows, record.rows);
  read(kSteps, record.steps);
  read(kRejected, record.rejected);
  read(kEvaluations, record.evaluations);
  read(kEnergyDrift, record.energy_drift);
  read(kKineticEnergy, record.kinetic_energy);
  read(kWallSeconds, record.wall_seconds);
  read(kStatus, record.status);
  record.last_row.resize(header_.columns.size());
  const std::size_t size = record.last_row.size() * sizeof(double);
  read_field(kFinal, run * size, record.last_row.data(), size);
  if (record.status == SweepStatus::kPending || !has_checksums_) return record;
  std::uint64_t checksum = 0;
  read(kChecksum, checksum);
  if (checksum != calc_checksum(record, record.reason)) fail_to_read(run);
  return record;
}

void SweepFile::fail_to_read(std::size_t run) const {
  throw InputError(fmt::format("cannot read '{}': its run {} ({}) is damaged: it does not fit its checksum",
                               path_.string(), run + 1, fmt::join(header_.settings(run), ", ")));
}

}  // namespace sestina
