#include "sestina/io/hdf5_row_writer.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <system_error>

#include "sestina/io/hdf5_handle.h"
#include "sestina/io/hdf5_seal.h"
#include "sestina/io/hdf5_text.h"

namespace sestina {
namespace {

constexpr std::uint64_t kGrowth = 4 << 20;  // bytes of additional room
constexpr std::uint64_t kValuesAlignment = 4096;
constexpr std::uint64_t kEndOfFile = 40;  // in the superblock
constexpr std::uint64_t kChecksumBytes =
    (2 * Hdf5RowSlot::kNumbers + RowChecksums::kMostBlocks) * sizeof(std::uint64_t);
constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

void put(std::uint8_t* to, std::uint64_t value) {
  for (int i = 0; i < 8; ++i) to[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

std::uint64_t get(const std::uint8_t* from, int bytes) {
  std::uint64_t value = 0;
  for (int i = bytes; i-- > 0;) value = value << 8 | from[i];
  return value;
}

void check_errno(int error) {
  if (error != 0) throw Hdf5Error(std::generic_category().message(error));
}

void write_header(hid_t file, const ResultHeader& header) {
  constexpr int kLayoutVersion = 2;
  write_attribute(file, "sestina_result", kLayoutVersion);
  write_attribute(file, "model_name", header.model_name);
  write_attribute(file, "model", header.model_text);
  write_columns(file, header.columns);
  write_provenance(file, header.provenance);
}

// Properties of a file in memory, in the oldest format that can hold it, which any version of HDF5 reads and
// whose changing numbers have no checksum of the library. Every piece begins at a multiple of a sector.
Hdf5Properties access_in_memory() {
  Hdf5Properties access(H5Pcreate(H5P_FILE_ACCESS));
  checked(H5Pset_fapl_core(access.get(), 1 << 16, false));
  checked(H5Pset_libver_bounds(access.get(), H5F_LIBVER_EARLIEST, H5F_LIBVER_V110));
  checked(H5Pset_alignment(access.get(), 1, Hdf5Seal::kAlignment));
  return access;
}

std::uint64_t create_checksums(hid_t file) {
  std::vector<std::uint64_t> numbers(kChecksumBytes / sizeof(std::uint64_t));
  const Hdf5RowSlot empty = Hdf5RowSlot::of(RowChecksums(1));
  for (std::size_t slot = 0; slot < 2; ++slot) {
    std::memcpy(&numbers[slot * Hdf5RowSlot::kNumbers], &empty, sizeof empty);
  }
  const hsize_t size = numbers.size();
  const Hdf5Space space(H5Screate_simple(1, &size, nullptr));
  const Hdf5Properties properties = hdf5_dataset_properties();
  checked(H5Pset_alloc_time(properties.get(), H5D_ALLOC_TIME_EARLY));
  const Hdf5Dataset dataset(
      H5Dcreate2(file, "checksums", H5T_STD_U64LE, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT));
  checked(H5Dwrite(dataset.get(), H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()));
  return H5Dget_offset(dataset.get());
}

// Creates a dataset (0 x columns) without storage. Returns the address of its object header.
std::uint64_t create_values(hid_t file, hsize_t columns) {
  const hsize_t size[2] = {0, columns};
  const Hdf5Space space(H5Screate_simple(2, size, nullptr));
  const Hdf5Properties properties = hdf5_dataset_properties();
  checked(H5Pset_layout(properties.get(), H5D_CONTIGUOUS));
  const Hdf5Dataset values(
      H5Dcreate2(file, "values", H5T_IEEE_F64LE, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT));
  return hdf5_object_address(values.get());
}

}  // namespace

Hdf5RowSlot Hdf5RowSlot::of(const RowChecksums& sums) {
  Hdf5RowSlot result{sums.rows(), sums.unfinished(), 0};
  result.check = result.calc_check();
  return result;
}

std::uint64_t Hdf5RowSlot::calc_check() const {
  RowChecksum sum;
  sum.add_bits(rows);
  sum.add_bits(unfinished);
  return sum.value();
}

void Hdf5RowPlaces::find() {
  constexpr std::size_t kFirstMessage = 16, kMessageHead = 8;
  constexpr std::uint64_t kDataspace = 1, kLayout = 8;
  const std::uint64_t messages = get(&bytes[2], 2);
  std::size_t place = kFirstMessage;
  sizes = layout = 0;
  for (std::uint64_t i = 0; i < messages && place + kMessageHead + 24 <= bytes.size(); ++i) {
    const std::uint64_t type = get(&bytes[place], 2);
    const std::size_t data = place + kMessageHead;
    if (type == kDataspace && bytes[data] == 1 && bytes[data + 1] == 2) sizes = data + 8;
    if (type == kLayout && bytes[data] == 3 && bytes[data + 1] == 1) layout = data + 2;
    place = data + get(&bytes[place + 2], 2);
  }
  if (bytes[0] != 1 || sizes == 0 || layout < sizes) throw Hdf5Error("'values' is not as a run leaves it");
}

Hdf5RowWriter::Hdf5RowWriter(Hdf5Bytes file, const ResultHeader& header)
    : file_(std::move(file)), columns_(header.columns.size()), sums_(columns_) {
  const std::string image = make_image(header);
  check_errno(file_.resize(0));
  check_errno(file_.write(0, image));
}

Hdf5RowWriter::Hdf5RowWriter(Hdf5Bytes file, const Hdf5RowPlaces& places, const RowChecksums& kept,
                             std::size_t columns)
    : file_(std::move(file)),
      places_(places),
      columns_(columns),
      sums_(kept),
      values_(get(&places_.bytes[places_.layout], 8)),
      room_(get(&places_.bytes[places_.layout + 8], 8)) {
  write_slot();
  write_extent();
  write_end(values_ + room_);
}

std::string Hdf5RowWriter::make_image(const ResultHeader& header) {
  const Hdf5File file(H5Fcreate("result", H5F_ACC_TRUNC, H5P_DEFAULT, access_in_memory().get()));
  write_header(file.get(), header);
  places_.checksums = create_checksums(file.get());
  places_.header = create_values(file.get(), columns_);
  checked(H5Fflush(file.get(), H5F_SCOPE_GLOBAL));
  const auto size = static_cast<std::size_t>(checked(H5Fget_file_image(file.get(), nullptr, 0)));
  values_ = (size + kValuesAlignment - 1) / kValuesAlignment * kValuesAlignment;
  std::string image(values_, '\0');
  checked(H5Fget_file_image(file.get(), image.data(), size));
  std::memcpy(places_.bytes.data(), &image[places_.header], Hdf5RowPlaces::kSector);
  places_.find();
  places_.bytes[places_.sizes - 6] = 0;  // no maximum sizes: the sizes may grow
  std::memcpy(&image[places_.header], places_.bytes.data(), Hdf5RowPlaces::kSector);
  put(reinterpret_cast<std::uint8_t*>(&image[kEndOfFile]), values_);
  seal(image);
  return image;
}

void Hdf5RowWriter::seal(std::string& image) const {
  const Hdf5Seal seal(
      values_, {{places_.header + places_.sizes, extent_bytes()}, {places_.checksums, kChecksumBytes}});
  const std::string text = seal.text([&image](std::uint64_t place, std::span<char> bytes) {
    return image.copy(bytes.data(), bytes.size(), place) == bytes.size();
  });
  image.replace(Hdf5Seal::kPlace, text.size(), text);
}

void Hdf5RowWriter::append(std::span<const double> rows) {
  if (rows.empty()) return;
  make_room(rows.size_bytes());
  write(values_ + bytes_of(sums_.rows()), rows.data(), rows.size_bytes());
  const std::size_t first_block = sums_.finished().size();
  sums_.add_rows(rows);
  write_checksums(first_block);
  write_extent();
}

void Hdf5RowWriter::make_room(std::uint64_t bytes) {
  const std::uint64_t used = bytes_of(sums_.rows());
  if (used + bytes <= room_) return;
  std::uint64_t room = used + bytes + kGrowth;
  if (file_.resize(values_ + room) != 0) {
    room = used + bytes;  // the length of the file is limited
    check_errno(file_.resize(values_ + room));
  }
  write_end(values_ + room);
  room_ = room;
  if (used > 0) write_extent();
}

void Hdf5RowWriter::write_checksums(std::size_t first_block) {
  const auto finished = std::span(sums_.finished()).subspan(first_block);
  if (!finished.empty()) {
    const std::size_t before = 2 * Hdf5RowSlot::kNumbers + first_block;
    write(places_.checksums + before * sizeof(std::uint64_t), finished.data(), finished.size_bytes());
  }
  write_slot();
}

void Hdf5RowWriter::write_slot() {
  const Hdf5RowSlot slot = Hdf5RowSlot::of(sums_);
  const std::size_t before = static_cast<std::size_t>(slot_) * Hdf5RowSlot::kNumbers;
  write(places_.checksums + before * sizeof(std::uint64_t), &slot, sizeof slot);
  slot_ = 1 - slot_;
}

void Hdf5RowWriter::write_end(std::uint64_t end) {
  std::array<std::uint8_t, 8> bytes{};
  put(bytes.data(), end);
  write(kEndOfFile, bytes.data(), bytes.size());
}

// Writes the number of rows and their address.
void Hdf5RowWriter::write_extent() {
  const std::size_t rows = sums_.rows();
  put(&places_.bytes[places_.sizes], rows);
  put(&places_.bytes[places_.layout], rows > 0 ? values_ : kNowhere);
  put(&places_.bytes[places_.layout + 8], rows > 0 ? room_ : 0);
  write(places_.header + places_.sizes, &places_.bytes[places_.sizes], extent_bytes());
}

void Hdf5RowWriter::finish() {
  room_ = bytes_of(sums_.rows());
  write_extent();
  write_end(values_ + room_);
  check_errno(file_.resize(values_ + room_));
}

void Hdf5RowWriter::write(std::uint64_t place, const void* bytes, std::size_t size) {
  check_errno(file_.write(place, {static_cast<const char*>(bytes), size}));
}

}  // namespace sestina
