// Writes an HDF5 result such that the file is valid after each of its writes, even if the process is killed.
//
//   | made by the library: header, names, checksums | values, by rows | room for more rows |
//
// The library makes its part once, in memory, before there is any row. Rows are then written to their place
// in one contiguous dataset without an index; the dataset grows by changing numbers in place:
//
//   1. if the room is used up: the length of the file, then the superblock's end of file,
//      then the dataset's size in bytes, each of them larger than necessary;
//   2. the rows, after the valid ones;
//   3. the checksums of the blocks that they finish, and {rows, checksum of the unfinished block} in one
//      of two slots alternately, so that one slot always belongs to the valid rows;
//   4. the number of rows, and their address: only the 8 bytes of the number change, except when room
//      was made, and with the first rows (HDF5 allows no address without rows).
//
// Each change of numbers is one write within 512 bytes that begin at a multiple of 512, so that a kill leaves
// it either complete or not started.
//
// Source: HDF5 File Format Specification 3.0, all integers little-endian.
//   II.A, superblock version 0: byte 40 end-of-file address (8).
//   IV.A.1.a, object header version 1: byte 0 version (1), 2 number of messages (2), 16 messages: type (2),
//   size of data (2), flags (1), reserved (3), data.
//   IV.A.2.b, dataspace (type 1, version 1): byte 0 version, 1 rank, 2 flags (1: largest sizes follow), 8
//   sizes (8 each). IV.A.2.i, data layout (type 8, version 3): byte 0 version, 1 class (1: contiguous), 2
//   address (8), 10 size (8).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sestina/io/result.h"
#include "sestina/io/row_checksums.h"

namespace sestina {

// The file for the output. Both functions return 0 or an errno.
struct Hdf5Bytes {
  std::function<int(std::uint64_t size)> resize;
  std::function<int(std::uint64_t place, std::string_view bytes)> write;
};

// A slot of the dataset `checksums`, which begins with two slots.
struct Hdf5RowSlot {
  std::uint64_t rows = 0;
  std::uint64_t unfinished = 0;  // RowChecksums::unfinished of these rows
  std::uint64_t check = 0;       // of the two numbers above

  static constexpr std::size_t kNumbers = 4;  // in the dataset, the last one unused
  static Hdf5RowSlot of(const RowChecksums& sums);
  bool is_sound() const { return check == calc_check(); }
  std::uint64_t calc_check() const;
};

// The places of the numbers that change.
struct Hdf5RowPlaces {
  static constexpr std::size_t kSector = 512;  // bytes

  std::uint64_t header = 0;                   // address of the object header of `values`
  std::array<std::uint8_t, kSector> bytes{};  // the beginning of the header
  std::size_t sizes = 0;                      // in `bytes`: the sizes of the dataspace
  std::size_t layout = 0;                     // in `bytes`: the address of the values, then their size
  std::uint64_t checksums = 0;                // address of the dataset

  // Finds `sizes` and `layout` in `bytes`. Throws Hdf5Error if the header is not as a run leaves it.
  void find();
};

// All functions throw Hdf5Error.
class Hdf5RowWriter {
 public:
  // Makes a new file without rows.
  Hdf5RowWriter(Hdf5Bytes file, const ResultHeader& header);
  // Continues a file after its first rows, at least one; drops the other rows.
  Hdf5RowWriter(Hdf5Bytes file, const Hdf5RowPlaces& places, const RowChecksums& kept, std::size_t columns);

  void append(std::span<const double> rows);  // (any number of rows x columns), by rows
  std::size_t rows() const { return sums_.rows(); }
  void finish();  // releases the room for more rows

 private:
  std::string make_image(const ResultHeader& header);
  void seal(std::string& image) const;
  void make_room(std::uint64_t bytes);
  void write_checksums(std::size_t first_block);
  void write_slot();
  void write_end(std::uint64_t end);
  void write_extent();
  void write(std::uint64_t place, const void* bytes, std::size_t size);
  std::size_t extent_bytes() const { return places_.layout + 16 - places_.sizes; }
  std::uint64_t bytes_of(std::size_t rows) const { return rows * columns_ * sizeof(double); }

  Hdf5Bytes file_;
  Hdf5RowPlaces places_;
  std::size_t columns_;
  RowChecksums sums_;
  std::uint64_t values_ = 0;  // address of the first row
  std::uint64_t room_ = 0;    // bytes there, with and without rows
  int slot_ = 0;              // the next one to write
};

}  // namespace sestina
