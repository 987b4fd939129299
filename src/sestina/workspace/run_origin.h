// The origin of the rows of a run, and the files that it reads and writes.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "sestina/io/result.h"
#include "sestina/model/analysis.h"
#include "sestina/model/system.h"

namespace sestina {

// The key of the provenance of a result whose model names files by relative paths: the folder of the model
// file.
inline constexpr std::string_view kFolderKey = "folder";

class Workspace;

// The header of a result, with its origin if a recorder stores that.
ResultHeader make_header(const Workspace& workspace, const std::vector<Column>& columns);
// Adds the text of the model, program, solver, integrator, step, duration and checksum, and the folder of the
// model file if the model names files by relative paths.
void add_origin(const Workspace& workspace, ResultHeader& header);
// The same for a system that is run in this way.
void add_origin(const System& system, const Analysis& analysis, ResultHeader& header);
// Throws InputError if the run would overwrite its input, or its result its checkpoint.
void check_files(const Workspace& workspace, const std::filesystem::path& result_file);
// Whether the model reads numbers from files.
bool has_tables(const Workspace& workspace);

}  // namespace sestina
