// The data needed to show a result: its rows, and the model to which they belong.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sestina/io/result.h"
#include "sestina/scene/motion.h"
#include "sestina/scene/scene.h"
#include "sestina/workspace/workspace.h"

namespace sestina::studio {

struct Replay {
  std::unique_ptr<Workspace> workspace;  // the frozen model
  ResultTable table;
};

// The model for drawing, in relative coordinates; rows in cartesian coordinates have these columns too.
std::unique_ptr<Workspace> make_workspace(System system);

// Reads a result file. CSV files do not contain the model: `model` is then required, otherwise it replaces
// the one in the file. Throws InputError.
Replay read_replay(const std::string& result_file, std::optional<System> model);

// Runs the model and keeps the rows; `report` is the run's report.
Replay run_replay(System model, bool reactions, RunReport& report);

// The coordinates about which small oscillations are shown: those of the equilibrium, where modes are about
// it.
std::vector<double> rest_of(const Workspace& workspace);

// The poses of solids and bodies at the first row.
Scene make_scene(const Replay& replay);

// A second run, which is drawn translucent beside the first.
struct Ghost {
  std::string name;
  Scene scene;
  Motion motion;
};
Ghost make_ghost(const Replay& replay, std::string name, std::size_t most_bytes);
// The JSON object {"type": "ghost", "name", "header"}; the block of the header belongs to it.
std::string ghost_message(const Ghost& ghost);

Motion make_motion(const Replay& replay, const Scene& scene, std::size_t most_bytes);

}  // namespace sestina::studio
