#include "sestina/io/hdf5_superblock.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>

namespace sestina {
namespace {

constexpr std::array<std::uint8_t, 11> kStart = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n', 3, 8, 8};
constexpr std::size_t kFlags = 11;
constexpr std::size_t kEndOfFile = 28;
constexpr std::size_t kChecksum = 44;
constexpr std::uint64_t kGrowth = 4 << 20;  // bytes reserved beyond what was asked for

void put(std::span<std::uint8_t> to, std::uint64_t value) {
  for (std::uint8_t& byte : to) {
    byte = static_cast<std::uint8_t>(value);
    value >>= 8;
  }
}

std::uint64_t get(std::span<const std::uint8_t> from) {
  std::uint64_t value = 0;
  for (std::size_t i = from.size(); i-- > 0;) value = value << 8 | from[i];
  return value;
}

}  // namespace

std::uint32_t lookup3(std::span<const std::uint8_t> bytes) {
  std::uint32_t a = 0xdeadbeef + static_cast<std::uint32_t>(bytes.size());
  std::uint32_t b = a;
  std::uint32_t c = a;
  const auto word = [&bytes](std::size_t i) {
    const std::size_t start = std::min(4 * i, bytes.size());
    return static_cast<std::uint32_t>(
        get(bytes.subspan(start, std::min<std::size_t>(4, bytes.size() - start))));
  };
  while (bytes.size() > 12) {
    a += word(0);
    b += word(1);
    c += word(2);
    a -= c, a ^= std::rotl(c, 4), c += b;
    b -= a, b ^= std::rotl(a, 6), a += c;
    c -= b, c ^= std::rotl(b, 8), b += a;
    a -= c, a ^= std::rotl(c, 16), c += b;
    b -= a, b ^= std::rotl(a, 19), a += c;
    c -= b, c ^= std::rotl(b, 4), b += a;
    bytes = bytes.subspan(12);
  }
  if (bytes.empty()) return c;
  a += word(0);
  b += word(1);
  c += word(2);
  c ^= b, c -= std::rotl(b, 14);
  a ^= c, a -= std::rotl(c, 11);
  b ^= a, b -= std::rotl(a, 25);
  c ^= b, c -= std::rotl(b, 16);
  a ^= c, a -= std::rotl(c, 4);
  b ^= a, b -= std::rotl(a, 14);
  c ^= b, c -= std::rotl(b, 24);
  return c;
}

Hdf5Superblock::Hdf5Superblock(int file_descriptor) : file_descriptor_(file_descriptor) {
  if (::pread(file_descriptor_, bytes_.data(), kSize, 0) != static_cast<ssize_t>(kSize)) return;
  const std::span<const std::uint8_t> bytes(bytes_);
  is_known_ = std::equal(kStart.begin(), kStart.end(), bytes_.begin()) && get(bytes.subspan(12, 8)) == 0 &&
              get(bytes.subspan(kChecksum)) == lookup3(bytes.first(kChecksum));
}

int Hdf5Superblock::reserve(std::uint64_t end, std::uint64_t bytes) {
  if (!is_known_ || end + bytes <= reserved_end_) return 0;
  const std::uint64_t reserved_end = end + bytes + kGrowth;
  // The length first: a file shorter than its superblock says is refused as truncated.
  if (::ftruncate(file_descriptor_, static_cast<off_t>(reserved_end)) != 0) return errno;
  reserved_end_ = reserved_end;
  return write_end(reserved_end);
}

int Hdf5Superblock::release(std::uint64_t end) {
  if (!is_known_) return 0;
  if (const int error = write_end(end)) return error;
  return ::ftruncate(file_descriptor_, static_cast<off_t>(end)) == 0 ? 0 : errno;
}

int Hdf5Superblock::write_end(std::uint64_t end) {
  const std::span<std::uint8_t> bytes(bytes_);
  bytes_[kFlags] = 0;
  put(bytes.subspan(kEndOfFile, 8), end);
  put(bytes.subspan(kChecksum), lookup3(bytes.first(kChecksum)));
  // One write within one page: a kill falls before it or after it.
  return ::pwrite(file_descriptor_, bytes_.data(), kSize, 0) == static_cast<ssize_t>(kSize) ? 0 : errno;
}

}  // namespace sestina
