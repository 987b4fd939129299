#include "sestina/io/result_file.h"

#include <hdf5.h>

#include <algorithm>
#include <cctype>

#include "sestina/base/error.h"
#include "sestina/io/csv_reader.h"
#include "sestina/io/csv_recorder.h"
#include "sestina/io/hdf5_reader.h"
#include "sestina/io/hdf5_recorder.h"

namespace sestina {
namespace {

enum class Format { csv, hdf5 };

Format format_of(const std::filesystem::path& path) {
  std::string suffix = path.extension().string();
  std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (suffix == ".csv") return Format::csv;
  if (suffix == ".h5" || suffix == ".hdf5") return Format::hdf5;
  throw InputError("'" + path.string() + "' is not a result file: its name must end in .csv, .h5 or .hdf5");
}

}  // namespace

std::unique_ptr<Recorder> make_recorder(const std::filesystem::path& path) {
  if (format_of(path) == Format::csv) return std::make_unique<CsvRecorder>(path);
  return std::make_unique<Hdf5Recorder>(path);
}

void skip_hdf5_cleanup_at_exit() { H5dont_atexit(); }

ResultTable read_result(const std::filesystem::path& path) {
  return format_of(path) == Format::csv ? read_csv_result(path) : read_hdf5_result(path);
}

}  // namespace sestina
