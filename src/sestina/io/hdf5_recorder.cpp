#include "sestina/io/hdf5_recorder.h"

#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <system_error>

#include "sestina/base/error.h"
#include "sestina/io/hdf5_handle.h"
#include "sestina/io/hdf5_result_file.h"
#include "sestina/io/hdf5_superblock.h"
#include "sestina/io/hdf5_text.h"

namespace sestina {
namespace {

constexpr std::size_t kChunkBytes = 1 << 16;
// The index of the chunks grows by blocks of about 8 sqrt(number of chunks) bytes: less than this up to 10^8.
constexpr std::uint64_t kIndexBytes = 1 << 20;

void write_header(hid_t file, const ResultHeader& header) {
  const int layout_version = 1;
  write_attribute(file, "sestina_result", layout_version);
  write_attribute(file, "model_name", header.model_name);
  write_attribute(file, "model", header.model_text);
  write_columns(file, header.columns);
  write_provenance(file, header.provenance);
}

// (0 x columns), growing by whole chunks. No compression: a chunk then keeps its place when rows are added.
void create_values(hid_t file, hsize_t columns, hsize_t chunk_rows) {
  const hsize_t size[2] = {0, columns};
  const hsize_t largest[2] = {H5S_UNLIMITED, columns};
  const hsize_t chunk[2] = {chunk_rows, columns};
  const double fill = std::numeric_limits<double>::quiet_NaN();
  const Hdf5Space space(H5Screate_simple(2, size, largest));
  const Hdf5Properties chunked(H5Pcreate(H5P_DATASET_CREATE));
  checked(H5Pset_chunk(chunked.get(), 2, chunk));
  checked(H5Pset_fill_value(chunked.get(), H5T_NATIVE_DOUBLE, &fill));
  const Hdf5Dataset values(
      H5Dcreate2(file, "values", H5T_IEEE_F64LE, space.get(), H5P_DEFAULT, chunked.get(), H5P_DEFAULT));
}

Hdf5Properties file_access() {
  Hdf5Properties access(H5Pcreate(H5P_FILE_ACCESS));
  checked(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110));  // the first with SWMR
  // A file system without locks is no reason to refuse.
  checked(H5Pset_file_locking(access.get(), true, true));
  return access;
}

bool same_origin(const ResultHeader& a, const ResultHeader& b) {
  const auto same_column = [](const Column& x, const Column& y) {
    return x.name == y.name && x.unit == y.unit;
  };
  return a.model_name == b.model_name && a.model_text == b.model_text && a.provenance == b.provenance &&
         std::equal(a.columns.begin(), a.columns.end(), b.columns.begin(), b.columns.end(), same_column);
}

void check_errno(int error) {
  if (error != 0) throw Hdf5Error(std::generic_category().message(error));
}

}  // namespace

struct Hdf5Recorder::Output {
  explicit Output(const std::filesystem::path& path)
      : file(H5Fopen(path.c_str(), H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, file_access().get())),
        values(H5Dopen2(file.get(), "values", H5P_DEFAULT)),
        superblock(file_descriptor()) {}

  int file_descriptor() const {
    void* descriptor = nullptr;
    checked(H5Fget_vfd_handle(file.get(), H5P_DEFAULT, &descriptor));
    return *static_cast<int*>(descriptor);
  }

  std::uint64_t size() const {
    hsize_t size = 0;
    checked(H5Fget_filesize(file.get(), &size));
    return size;
  }

  Hdf5File file;
  Hdf5Dataset values;
  Hdf5Superblock superblock;
};

Hdf5Recorder::Hdf5Recorder(std::filesystem::path path) : path_(std::move(path)) {}

Hdf5Recorder::~Hdf5Recorder() {
  if (!output_) return;
  try {
    end();
  } catch (const ComputationError&) {
    // The destructor has nobody to tell.
  }
}

void Hdf5Recorder::prepare(const ResultHeader& header) {
  assert(columns_ == 0 && !header.columns.empty());
  columns_ = header.columns.size();
  chunk_rows_ = std::max<std::size_t>(1, kChunkBytes / (columns_ * sizeof(double)));
  pending_.resize(chunk_rows_ * columns_);
  time_column_ = time_column(header);
}

void Hdf5Recorder::create(const std::filesystem::path& path, const ResultHeader& header) {
  Hdf5File file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, file_access().get()));
  write_header(file.get(), header);
  create_values(file.get(), columns_, chunk_rows_);
  file.close();
  output_ = std::make_unique<Output>(path);
  write_rows();  // none yet; makes the superblock what readers expect
}

void Hdf5Recorder::begin(const ResultHeader& header) {
  const Hdf5Silence silence;
  prepare(header);
  try {
    create(path_.path(), header);
  } catch (const Hdf5Error& error) {
    throw InputError("cannot write '" + path_.path().string() + "': " + error.what());
  }
  path_.keep();
}

void Hdf5Recorder::resume(const ResultHeader& header, std::size_t rows, std::span<const double> last_row) {
  if (path_.was_absent()) {
    throw InputError("cannot continue '" + path_.path().string() + "': there is no such file");
  }
  const Hdf5Silence silence;
  prepare(header);
  try {
    TemporaryFile temporary = path_.make_temporary();
    copy_rows(header, rows, last_row, temporary.path());
    path_.replace_by(std::move(temporary));
  } catch (const std::runtime_error& error) {
    output_.reset();
    throw InputError("cannot continue '" + path_.path().string() + "': " + error.what());
  }
}

void Hdf5Recorder::copy_rows(const ResultHeader& header, std::size_t rows, std::span<const double> last_row,
                             const std::filesystem::path& to) {
  const Hdf5ResultFile former(path_.path());
  if (!same_origin(former.header(), header)) {
    throw Hdf5Error("it is not the result of this run, whose columns, model or provenance are others");
  }
  if (former.rows() < rows) {
    throw Hdf5Error("it has " + std::to_string(former.rows()) + " rows, and should have " +
                    std::to_string(rows) + " by now");
  }
  if (rows > 0) {
    const auto row = std::span(pending_).first(columns_);
    former.read_rows(rows - 1, row);
    if (!same_row(row, last_row)) {
      throw Hdf5Error("its row " + std::to_string(rows) + " is not that of this run");
    }
  }
  create(to, header);
  while (rows_ < rows) {
    pending_rows_ = std::min(chunk_rows_, rows - rows_);
    former.read_rows(rows_, std::span(pending_).first(pending_rows_ * columns_));
    write_rows();
  }
}

void Hdf5Recorder::record(std::span<const double> row) {
  assert(row.size() == columns_);
  if (time_column_ >= 0) last_time_ = row[static_cast<std::size_t>(time_column_)];
  std::copy(row.begin(), row.end(), pending_.begin() + static_cast<std::ptrdiff_t>(pending_rows_ * columns_));
  ++pending_rows_;
  if (pending_rows_ == chunk_rows_ || clock_.is_due()) flush();
}

template <class Work>
void Hdf5Recorder::guard(Work work) {
  const std::string what = "cannot write '" + path_.path().string() + "': ";
  if (!output_) throw ComputationError(last_time_, what + "it is closed");
  const Hdf5Silence silence;
  try {
    work();
  } catch (const Hdf5Error& error) {
    const ComputationError failure(last_time_, what + error.what());
    output_.reset();
    pending_rows_ = 0;
    throw failure;
  }
}

void Hdf5Recorder::flush() {
  guard([this] { write_rows(); });
}

void Hdf5Recorder::sync() {
  guard([this] {
    write_rows();
    if (::fsync(output_->file_descriptor()) != 0) check_errno(errno);
  });
}

void Hdf5Recorder::write_rows() {
  const hsize_t start[2] = {rows_, 0};
  const hsize_t count[2] = {pending_rows_, columns_};
  const hsize_t size[2] = {rows_ + pending_rows_, columns_};
  const std::uint64_t chunk_bytes = chunk_rows_ * columns_ * sizeof(double);
  check_errno(output_->superblock.reserve(output_->size(), 2 * chunk_bytes + kIndexBytes));
  if (pending_rows_ > 0) {
    checked(H5Dset_extent(output_->values.get(), size));
    const Hdf5Space in_memory(H5Screate_simple(2, count, nullptr));
    const Hdf5Space in_file(H5Dget_space(output_->values.get()));
    checked(H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, start, nullptr, count, nullptr));
    checked(H5Dwrite(output_->values.get(), H5T_NATIVE_DOUBLE, in_memory.get(), in_file.get(), H5P_DEFAULT,
                     pending_.data()));
    checked(H5Dflush(output_->values.get()));
    rows_ = size[0];
    pending_rows_ = 0;
  }
  clock_.restart();
}

void Hdf5Recorder::end() {
  if (!output_) return;  // a failure has closed it
  guard([this] {
    write_rows();
    close_file();
  });
}

void Hdf5Recorder::close_file() {
  check_errno(output_->superblock.release(output_->size()));
  output_->values.close();
  output_->file.close();
  output_.reset();
}

}  // namespace sestina
