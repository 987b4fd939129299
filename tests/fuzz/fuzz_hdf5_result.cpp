// Any bytes are a result, a sweep or an InputError. With and without the mark of the seal, since what does
// not fit its seal comes no further.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "fuzz/memory_file.h"
#include "sestina/base/error.h"
#include "sestina/io/hdf5_reader.h"
#include "sestina/io/hdf5_seal.h"
#include "sestina/io/sweep_file.h"

namespace {

void read(const std::uint8_t* data, std::size_t size) {
  const sestina::MemoryFile file(data, size);
  try {
    const sestina::ResultTable table = sestina::read_hdf5_result(file.path());
    if (table.values().size() != table.rows() * table.columns()) std::abort();
  } catch (const sestina::InputError&) {
  }
  try {
    const auto sweep = sestina::SweepFile::open(file.path(), sestina::SweepFile::Access::kRead);
    if (sweep.read_status().size() != sweep.header().runs()) std::abort();
    sweep.read_numbers(0);
  } catch (const sestina::InputError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read(data, size);
  if (size <= sestina::Hdf5Seal::kPlace) return 0;
  std::string unsealed(data, data + size);
  unsealed[sestina::Hdf5Seal::kPlace] = '\0';
  read(reinterpret_cast<const std::uint8_t*>(unsealed.data()), size);
  return 0;
}
