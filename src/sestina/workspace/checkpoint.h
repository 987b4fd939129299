// A suspended run: all data needed to continue it, bit for bit, in another process.
//
// The file is text: the version of its layout, one line for each value (numbers are read back to the same
// bits), the text of the model, and a checksum of all this. It replaces its predecessor atomically
// (output_file.h), so that the former checkpoint survives a kill or a full disk.
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
  std::string program;  // the program that wrote it: "sestina 1.2.3"
  bool is_complete = false;

  // The run.
  std::string model_file;    // absolute; paths of tables are relative to its folder
  std::string model_text;    // with all changes by --set
  std::uint64_t tables = 0;  // checksum of the numbers in the model's tables
  std::vector<std::pair<std::string, std::string>> provenance;  // of the result
  std::string result_file;                                      // absolute; empty: none
  bool reactions = false;
  double every_wall = 60.0;  // s of wall time between checkpoints

  // The progress of the run.
  StepCheckpoint step;
  EventMemory events;
  long next_row = 0;                // the number k of the next row, at t = k * output.every
  std::size_t rows = 0;             // in the result, none of them after the last accepted step
  std::uint64_t rows_checksum = 0;  // RowChecksum of the rows
  std::vector<double> last_row;     // the last of the rows
  double initial_balance = 0.0;     // J; this and the following as in RunReport
  double energy_drift = 0.0;
  double kinetic_energy = 0.0;
  double wall_seconds = 0.0;  // s, of all processes that computed a part of the run
};

// Throws InputError with the name of the file and the fault: not a checkpoint, another version, truncated, or
// damaged.
Checkpoint read_checkpoint(const std::filesystem::path& path);

// Conversion from and to text; `name` is the name of the file in messages.
Checkpoint parse_checkpoint(const std::string& text, const std::string& name);
std::string to_text(const Checkpoint& checkpoint);

// Returns the System of the checkpoint's model. Throws InputError if a table or a reduced body has
// changed since.
System read_model_of(const Checkpoint& checkpoint);
// A checksum of 64 bits of the numbers in the files that a System reads: tables of forces and constraints,
// reduced bodies; or also of a text.
std::uint64_t checksum_of_files(const System& system);
std::uint64_t checksum_of_model(std::string_view model_text, const System& system);

// The file to which a run writes its checkpoints, locked against other processes.
class CheckpointFile {
 public:
  // Throws InputError if checkpoints cannot be written there, or if the file is not a checkpoint. Makes an
  // empty file if there is none, which is removed unless a checkpoint is written.
  explicit CheckpointFile(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  // Returns why it could not be written, in which case the former checkpoint remains; empty on success.
  std::string write(const Checkpoint& checkpoint);

 private:
  std::filesystem::path path_;
  std::optional<OutputFile> file_;
};

}  // namespace sestina
