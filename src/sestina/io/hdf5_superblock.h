// The first 48 bytes of an HDF5 file that is being written, kept such that a killed writer leaves a file that
// opens like any other.
//
// The library's single-writer multiple-reader (SWMR) mode writes data first, then the index that leads to
// them, then the number of rows, so that the file is sound after each write. But while it is open for
// writing, the superblock carries two flags that make a reader refuse the file unless it asks for SWMR (or
// the flags are removed with `h5clear`), and an end-of-file address beyond which a reader will not look. The
// flags guard against writers that keep no order; ours does. So after SWMR has begun this class
// clears the flags, and moves the end-of-file address (and the file's length, as a hole that takes no space
// on the disk) ahead of what will be written. Closing the file through the library sets both to their true
// values. Only a kill within the microseconds of opening and closing can leave the flags set;
// read_hdf5_result and h5py's `swmr=True` read the file even then.
//
// Source: HDF5 File Format Specification 3.0, II.A, superblock version 3; all integers little-endian:
//   byte 0 signature (8), 8 version, 9 size of addresses, 10 size of lengths, 11 consistency flags,
//   12 base address (8), 20 extension address (8), 28 end-of-file address (8), 36 root group address (8),
//   44 checksum of bytes 0-43 (4, Jenkins' lookup3).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sestina {

class Hdf5Superblock {
 public:
  // Reads the superblock of a file that the library holds open for SWMR writing; the descriptor stays the
  // library's. When the superblock is not of the kind above, nothing will be changed and SWMR's flags stay.
  explicit Hdf5Superblock(int file_descriptor);

  // Makes the file open normally as long as no more than `bytes` are added beyond `end`. Returns 0 or an
  // errno.
  int reserve(std::uint64_t end, std::uint64_t bytes);

  // Gives back what was reserved beyond `end`. Returns 0 or an errno.
  int release(std::uint64_t end);

 private:
  int write_end(std::uint64_t end);

  static constexpr std::size_t kSize = 48;

  int file_descriptor_;
  bool is_known_ = false;
  std::uint64_t reserved_end_ = 0;
  std::array<std::uint8_t, kSize> bytes_{};
};

// Bob Jenkins' lookup3 hash ("hashlittle", public domain) with initial value 0.
std::uint32_t lookup3(std::span<const std::uint8_t> bytes);

}  // namespace sestina
