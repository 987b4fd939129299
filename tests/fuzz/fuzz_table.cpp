// Any text is either a table, whose columns all have as many numbers as there are times, or an InputError.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "sestina/base/error.h"
#include "sestina/io/table_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const sestina::TableData table = sestina::parse_table({data, data + size}, "table.csv");
    if (table.names.size() != table.columns.size()) std::abort();
    for (const auto& column : table.columns) {
      if (column.size() != table.columns.front().size()) std::abort();
    }
  } catch (const sestina::InputError&) {
  }
  return 0;
}
