// The keys that each part of a model file may and must have: the one table for the reader's checks, which a
// test compares with share/model.schema.json.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sestina {

struct KeyTable {
  std::string part;                   // "body", or "joint" of a type: its name in messages
  std::string type;                   // keyword, if the keys depend on it
  std::vector<std::string> allowed;   // in the order of writing
  std::vector<std::string> required;  // a subset of allowed
};

// All tables, each part and type once.
const std::vector<KeyTable>& key_tables();

// Returns the table of a part. For an unknown type: all keys of any type, none required.
const KeyTable& keys_of(std::string_view part, std::string_view type = {});

// Returns the keywords of the types of a part, such as all force types.
const std::vector<std::string>& types_of(std::string_view part);

// True if another type of the same part has the key.
bool fits_another_type(const KeyTable& table, std::string_view key);

}  // namespace sestina
