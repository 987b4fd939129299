#include "sestina/io/hdf5_reader.h"

#include <vector>

#include "sestina/base/error.h"
#include "sestina/io/hdf5_result_file.h"

namespace sestina {

ResultTable read_hdf5_result(const std::filesystem::path& path) {
  const Hdf5Silence silence;
  try {
    check_hdf5_result(path);
    const Hdf5ResultFile file(path);
    const std::size_t columns = file.header().columns.size();
    std::vector<double> values(file.rows() * columns);
    file.read_rows(0, values);
    RowChecksums sums(columns);
    sums.add_rows(values);
    file.check(sums);
    ResultTable table(file.header());
    table.append_rows(std::move(values));
    return table;
  } catch (const Hdf5Error& error) {
    throw InputError("cannot read '" + path.string() + "': " + error.what());
  }
}

}  // namespace sestina
