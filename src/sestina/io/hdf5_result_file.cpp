#include "sestina/io/hdf5_result_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "sestina/io/hdf5_seal.h"
#include "sestina/io/hdf5_text.h"
#include "sestina/io/rehearsal.h"

namespace sestina {
namespace {

constexpr int kNewest = 2;

int read_version(hid_t file) {
  if (H5Aexists(file, "sestina_result") <= 0) throw Hdf5Error("it is HDF5 but no result of sestina");
  const std::uint64_t version = read_number_attribute(file, "sestina_result");
  if (version < 1 || version > kNewest) {
    throw Hdf5Error(fmt::format("its layout has version {}; this program reads up to {}", version, kNewest));
  }
  return static_cast<int>(version);
}

ResultHeader read_header(hid_t file) {
  ResultHeader header;
  header.model_name = read_attribute(file, "model_name");
  header.model_text = read_attribute(file, "model");
  header.provenance = read_provenance(file);
  header.columns = read_columns(file);
  if (const std::string* name = header.first_repeated_name()) {
    throw Hdf5Error("two of its columns are named '" + *name + "'");
  }
  return header;
}

std::vector<std::uint64_t> read_checksums(hid_t file, int version) {
  std::vector<std::uint64_t> numbers(2 * Hdf5RowSlot::kNumbers + RowChecksums::kMostBlocks);
  if (version == 1) return numbers;
  const Hdf5Dataset dataset = open_dataset(file, "checksums");
  const Hdf5Space space(H5Dget_space(dataset.get()));
  if (count_elements(file, space.get(), sizeof(std::uint64_t)) != numbers.size()) {
    throw Hdf5Error("'checksums' is not as a run leaves it");
  }
  checked(H5Dread(dataset.get(), H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()));
  return numbers;
}

std::size_t count_rows(hid_t dataset, std::size_t columns) {
  const Hdf5Space space(H5Dget_space(dataset));
  hsize_t size[2] = {0, 0};
  if (H5Sget_simple_extent_ndims(space.get()) != 2) throw Hdf5Error("'values' is not a matrix");
  checked(H5Sget_simple_extent_dims(space.get(), size, nullptr));
  if (size[1] != columns) throw Hdf5Error("'values' and 'names' differ in the number of columns");
  count_elements(dataset, space.get(), sizeof(double));
  return size[0];
}

}  // namespace

Hdf5ResultFile::Hdf5ResultFile(const std::filesystem::path& path)
    : file_(open_to_read(path)),
      version_(read_version(file_.get())),
      header_(read_header(file_.get())),
      checksums_(read_checksums(file_.get(), version_)),
      values_(open_dataset(file_.get(), "values")),
      rows_(count_rows(values_.get(), header_.columns.size())) {
  if (version_ > 1) find_rows();
}

// Finds the slot of the valid rows. If both slots are of fewer rows, a run has added rows since they were
// read; then the newer one counts.
void Hdf5ResultFile::find_rows() {
  std::array<Hdf5RowSlot, 2> slots;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::uint64_t* numbers = &checksums_[i * Hdf5RowSlot::kNumbers];
    slots[i] = {numbers[0], numbers[1], numbers[2]};
  }
  const auto belongs = [this](const Hdf5RowSlot& slot) { return slot.is_sound() && slot.rows == rows_; };
  const auto is_former = [this](const Hdf5RowSlot& slot) { return slot.is_sound() && slot.rows < rows_; };
  auto found = std::ranges::find_if(slots, belongs);
  if (found == slots.end() && std::ranges::all_of(slots, is_former)) {
    found = std::ranges::max_element(slots, {}, &Hdf5RowSlot::rows);
  }
  if (found == slots.end()) {
    throw Hdf5Error(fmt::format("it is damaged: no checksum belongs to its {} rows", rows_));
  }
  rows_ = found->rows;
  unfinished_ = found->unfinished;
}

void Hdf5ResultFile::read_rows(std::size_t first, std::span<double> values) const {
  if (values.empty()) return;
  const hsize_t start[2] = {first, 0};
  const hsize_t count[2] = {values.size() / header_.columns.size(), header_.columns.size()};
  const Hdf5Space in_memory(H5Screate_simple(2, count, nullptr));
  const Hdf5Space in_file(H5Dget_space(values_.get()));
  checked(H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, start, nullptr, count, nullptr));
  if (H5Dread(values_.get(), H5T_NATIVE_DOUBLE, in_memory.get(), in_file.get(), H5P_DEFAULT, values.data()) <
      0) {
    throw Hdf5Error(
        fmt::format("its rows {} to {} cannot be read: {}", first + 1, first + count[0], hdf5_reason()));
  }
}

void Hdf5ResultFile::check(const RowChecksums& sums) const {
  if (version_ == 1) return;
  const auto fail = [](std::size_t first, std::size_t last) {
    throw Hdf5Error(
        fmt::format("its rows {} to {} are damaged: they do not fit their checksum", first + 1, last));
  };
  std::size_t row = 0;
  for (std::size_t i = 0; i < sums.finished().size(); ++i) {
    const std::size_t rows = RowChecksums::block_of(row).rows;
    if (sums.finished()[i] != checksums_[2 * Hdf5RowSlot::kNumbers + i]) fail(row, row + rows);
    row += rows;
  }
  if (sums.rows() == rows_ && sums.unfinished() != unfinished_) fail(row, rows_);
}

bool Hdf5ResultFile::has_index() const {
  const Hdf5Properties properties(H5Dget_create_plist(values_.get()));
  return checked(H5Pget_layout(properties.get())) != H5D_CONTIGUOUS;
}

Hdf5RowPlaces Hdf5ResultFile::places() const {
  Hdf5RowPlaces places;
  places.header = hdf5_object_address(values_.get());
  places.checksums = H5Dget_offset(open_dataset(file_.get(), "checksums").get());
  void* descriptor = nullptr;
  checked(H5Fget_vfd_handle(file_.get(), H5P_DEFAULT, &descriptor));
  const ssize_t size = ::pread(*static_cast<int*>(descriptor), places.bytes.data(), places.bytes.size(),
                               static_cast<off_t>(places.header));
  const bool is_whole = size == static_cast<ssize_t>(places.bytes.size());
  if (has_index() || !is_whole || places.checksums == HADDR_UNDEF) {
    throw Hdf5Error("'values' is not as a run leaves it");
  }
  places.find();
  return places;
}

void check_hdf5_result(const std::filesystem::path& path) {
  if (is_sealed(path)) return;
  rehearse(path, [&path] {
    const Hdf5ResultFile file(path);
    if (!file.has_index()) return;
    const std::size_t columns = file.header().columns.size();
    const std::size_t rows_at_once = std::max<std::size_t>(1, (1 << 20) / columns);
    std::vector<double> rows(std::min(rows_at_once, file.rows()) * columns);
    for (std::size_t first = 0; first < file.rows(); first += rows_at_once) {
      file.read_rows(first, std::span(rows).first(std::min(rows_at_once, file.rows() - first) * columns));
    }
  });
}

}  // namespace sestina
