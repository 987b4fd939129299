// A checksum over the parts of a file that the HDF5 library made, stored in the gap after its superblock.
//
// The library is not safe for damaged files: one changed byte can make it write beyond its memory or run for
// ever. A file that matches its seal is as the library made it and safe to read. Files without a seal, of
// earlier versions or of other programs, are read in a child process first (rehearsal.h).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sestina {

class Hdf5Seal {
 public:
  // In a file whose pieces begin at multiples of kAlignment bytes (H5Pset_alignment) the bytes after the
  // superblock of version 0, which has 96 bytes, are unused up to that multiple.
  static constexpr std::uint64_t kPlace = 128;
  static constexpr std::uint64_t kAlignment = 512;
  using Range = std::pair<std::uint64_t, std::uint64_t>;  // place in the file, bytes
  // Copies bytes at a place of the file; false if there are not so many.
  using Read = std::function<bool(std::uint64_t place, std::span<char> bytes)>;

  // Seals the bytes before `end`, except for the ranges that may change.
  Hdf5Seal(std::uint64_t end, std::vector<Range> changing);
  std::string text(const Read& read) const;  // to be written at kPlace
  const std::vector<Range>& changing() const { return changing_; }

 private:
  std::uint64_t calc_checksum(const Read& read) const;

  std::uint64_t end_;
  std::vector<Range> changing_;  // in order
};

// True if the file has a seal. Throws Hdf5Error if the file does not match it.
bool is_sealed(const std::filesystem::path& path);

}  // namespace sestina
