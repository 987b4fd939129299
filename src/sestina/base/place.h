// The place of a thing in a model: file, line, column and path of keys.
#pragma once

#include <memory>
#include <string>

namespace sestina {

// Position in a text file. Lines and columns count from 1; line 0 means "not from a file".
struct Mark {
  std::shared_ptr<const std::string> file;  // null when the thing was made by a program
  int line = 0;
  int column = 0;
};

// A mark and the path of keys that leads to the thing, such as `bodies[1].mass`.
struct Place {
  Mark mark;
  std::string path;
};

// `FILE:LINE:COLUMN: bodies[1].mass`, leaving out what is not known.
std::string to_string(const Place& place);

}  // namespace sestina
