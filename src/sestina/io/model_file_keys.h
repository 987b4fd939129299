// Which keys each part of a model file may and must have: the one table behind the reader's checks, which a
// test holds against share/model.schema.json.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sestina {

struct KeyTable {
  std::string part;                   // "body", or "joint" of a type: what a message calls it
  std::string type;                   // keyword, where the keys depend on it
  std::vector<std::string> allowed;   // in the order in which they are written
  std::vector<std::string> required;  // a subset of allowed
};

// All tables, each part and type once.
const std::vector<KeyTable>& key_tables();

// The table of a part. Of an unknown type: all keys that any type has, and none required.
const KeyTable& keys_of(std::string_view part, std::string_view type = {});

// The keywords of the types that a part has, such as all force types.
const std::vector<std::string>& types_of(std::string_view part);

// Whether another type of the same part has the key.
bool fits_another_type(const KeyTable& table, std::string_view key);

}  // namespace sestina
