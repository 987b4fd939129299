// Any bytes are either a table, whose rows all have as many numbers as there are columns, or an InputError.
#include <cstdlib>

#include "fuzz/memory_file.h"
#include "sestina/base/error.h"
#include "sestina/io/csv_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const sestina::MemoryFile file(data, size);
  try {
    const sestina::ResultTable table = sestina::read_csv_result(file.path());
    if (table.values().size() != table.rows() * table.columns()) std::abort();
  } catch (const sestina::InputError&) {
  }
  return 0;
}
