// Converts the model of urdfdom to a System; urdf.h describes the rules.
#pragma once

#include <urdf_model/model.h>

#include "sestina/io/urdf.h"
#include "sestina/io/urdf_tree.h"

namespace sestina {

// urdfdom passes quoted text of the file to printf as a format; therefore it gets the text with every '%'
// replaced by a character that XML does not allow, and its output is converted back.
std::string hide_percent(std::string text);
std::string restore_percent(std::string text);

// `model` was read from the text after hide_percent. Adds faults for content that urdfdom accepts and Sestina
// does not.
System convert_urdf(const urdf::ModelInterface& model, const UrdfTree& tree, const UrdfOptions& options,
                    FaultList& faults, ImportNotes& notes);

}  // namespace sestina
