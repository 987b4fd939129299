#include "sestina/io/hdf5_seal.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <fstream>
#include <string_view>

#include "sestina/io/checksum.h"
#include "sestina/io/hdf5_handle.h"

namespace sestina {
namespace {

constexpr std::string_view kMark = "sestina\n";
constexpr std::size_t kMostRanges = 16;

// The seal in the form of the file.
struct Record {
  std::array<char, 8> mark{};
  std::uint64_t end = 0;
  std::uint64_t ranges = 0;
  std::array<std::uint64_t, 2 * kMostRanges> places_and_sizes{};
  std::uint64_t contents = 0;  // checksum of the sealed bytes
  std::uint64_t check = 0;     // checksum of the numbers above

  std::uint64_t calc_check() const {
    RowChecksum sum;
    for (const std::uint64_t number : {end, ranges, contents}) sum.add_bits(number);
    for (const std::uint64_t number : places_and_sizes) sum.add_bits(number);
    return sum.value();
  }
};
static_assert(Hdf5Seal::kPlace + sizeof(Record) <= Hdf5Seal::kAlignment);

const Hdf5Seal::Range kSuperblock{40, 8};  // its end-of-file address
const Hdf5Seal::Range kItself{Hdf5Seal::kPlace, sizeof(Record)};

}  // namespace

Hdf5Seal::Hdf5Seal(std::uint64_t end, std::vector<Range> changing)
    : end_(end), changing_(std::move(changing)) {
  std::ranges::sort(changing_);
}

std::uint64_t Hdf5Seal::calc_checksum(const Read& read) const {
  std::vector<Range> left_out = {kSuperblock, kItself};
  left_out.insert(left_out.end(), changing_.begin(), changing_.end());
  left_out.emplace_back(end_, 0);
  Checksum sum;
  std::array<char, 1 << 16> buffer{};
  std::uint64_t place = 0;
  for (const auto& [begin, size] : left_out) {
    while (place < begin) {
      const auto bytes = std::span(buffer).first(std::min<std::uint64_t>(buffer.size(), begin - place));
      if (!read(place, bytes)) throw Hdf5Error("it is damaged: it is shorter than its header");
      sum.add(std::string_view(bytes.data(), bytes.size()));
      place += bytes.size();
    }
    place = begin + size;
  }
  return sum.value();
}

std::string Hdf5Seal::text(const Read& read) const {
  assert(changing_.size() <= kMostRanges);
  Record record;
  std::ranges::copy(kMark, record.mark.begin());
  record.end = end_;
  record.ranges = changing_.size();
  for (std::size_t i = 0; i < changing_.size(); ++i) {
    record.places_and_sizes[2 * i] = changing_[i].first;
    record.places_and_sizes[2 * i + 1] = changing_[i].second;
  }
  record.contents = calc_checksum(read);
  record.check = record.calc_check();
  std::string text(sizeof record, '\0');
  std::memcpy(text.data(), &record, sizeof record);
  return text;
}

bool is_sealed(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;  // opening a pipe may block for ever
  std::ifstream file(path, std::ios::binary);
  const Hdf5Seal::Read read = [&file](std::uint64_t place, std::span<char> bytes) {
    file.clear();
    file.seekg(static_cast<std::streamoff>(place));
    return static_cast<bool>(file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())));
  };
  std::array<char, sizeof(Record)> bytes{};
  Record record;
  if (!read(Hdf5Seal::kPlace, bytes)) return false;
  std::memcpy(&record, bytes.data(), sizeof record);
  if (std::string_view(record.mark.data(), record.mark.size()) != kMark) return false;
  std::vector<Hdf5Seal::Range> changing;
  for (std::size_t i = 0; i < std::min<std::size_t>(record.ranges, kMostRanges); ++i) {
    changing.emplace_back(record.places_and_sizes[2 * i], record.places_and_sizes[2 * i + 1]);
  }
  const std::string_view damaged =
      "it is damaged, or another program changed it: its header does not fit its checksum";
  if (record.check != record.calc_check()) throw Hdf5Error(std::string(damaged));
  if (Hdf5Seal(record.end, changing).text(read) != std::string_view(bytes.data(), bytes.size())) {
    throw Hdf5Error(std::string(damaged));
  }
  return true;
}

}  // namespace sestina
