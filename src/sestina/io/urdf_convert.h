// From urdfdom's model to a System; the rules stand in urdf.h.
#pragma once

#include <urdf_model/model.h>

#include "sestina/io/urdf.h"
#include "sestina/io/urdf_tree.h"

namespace sestina {

// urdfdom passes what it quotes from the file to printf as a format, so it gets the text with every '%'
// replaced by a character that XML does not allow, and what comes back is restored.
std::string hide_percent(std::string text);
std::string restore_percent(std::string text);

// `model` was read from the text after hide_percent. Adds to `faults` what urdfdom accepts and Sestina does
// not.
System convert_urdf(const urdf::ModelInterface& model, const UrdfTree& tree, const UrdfOptions& options,
                    FaultList& faults, ImportNotes& notes);

}  // namespace sestina
