// The JSON Schema (2020-12) of model files, for editors and other programs.
#pragma once

#include <string_view>

namespace sestina {

// Returns the text of share/model.schema.json, which is part of the library.
std::string_view model_schema();

}  // namespace sestina
