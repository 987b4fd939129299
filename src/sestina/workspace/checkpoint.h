// A run that stands still: all that is needed to continue it, bit for bit, in another process.
//
// The file is text: the version of its layout, one line for each value (numbers read back to the same bits),
// the text of the model, and a checksum of all that. It takes the place of its predecessor in one instant
// (output_file.h), so that a kill or a full disk leaves the former checkpoint.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sestina/integrate/step_driver.h"
#include "sestina/io/output_file.h"
#include "sestina/model/system.h"
#include "sestina/run/event_memory.h"

namespace sestina {

struct Checkpoint {
  std::string program;  // that wrote it: "sestina 1.2.3"
  bool is_complete = false;

  // The run.
  std::string model_file;    // absolute; tables of the model stand relative to its folder
  std::string model_text;    // with all changes by --set
  std::uint64_t tables = 0;  // checksum of the numbers in the model's tables
  std::vector<std::pair<std::string, std::string>> provenance;  // of the result
  std::string result_file;                                      // absolute; empty: none
  bool reactions = false;
  double every_wall = 60.0;  // s of wall time between checkpoints

  // How far it came.
  StepCheckpoint step;
  EventMemory events;
  long next_row = 0;                // the number k of the next row, which stands at k * output.every
  std::size_t rows = 0;             // in the result, none of them after the last accepted step
  std::uint64_t rows_checksum = 0;  // RowChecksum of them
  std::vector<double> last_row;     // of them
  double initial_balance = 0.0;     // J, and the following as RunReport tells them
  double energy_drift = 0.0;
  double kinetic_energy = 0.0;
  double wall_seconds = 0.0;  // s, of all processes that had a part in the run
};

// Throws InputError that names the file and what is wrong with it: no checkpoint, of another version, cut
// short, damaged.
Checkpoint read_checkpoint(const std::filesystem::path& path);

// The same from and to text; `name` is what messages call it.
Checkpoint parse_checkpoint(const std::string& text, const std::string& name);
std::string to_text(const Checkpoint& checkpoint);

// The System of the checkpoint's model. Throws InputError where the tables have changed since.
System read_model_of(const Checkpoint& checkpoint);
// 64 bits that differ for different numbers in the tables of a System, or for another text besides.
std::uint64_t checksum_of_tables(const System& system);
std::uint64_t checksum_of_model(std::string_view model_text, const System& system);

// The file that a run writes its checkpoints to, and no other process meanwhile.
class CheckpointFile {
 public:
  // Throws InputError where checkpoints cannot be written there, or where something else stands there. Makes
  // an empty file where there is none, which goes again unless a checkpoint is written.
  explicit CheckpointFile(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  // Returns why it could not be written, and the former checkpoint is still there; or nothing.
  std::string write(const Checkpoint& checkpoint);

 private:
  std::filesystem::path path_;
  std::optional<OutputFile> file_;
};

}  // namespace sestina
