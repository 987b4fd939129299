// What yaml-cpp reads, with a bound on what it keeps in memory.
#pragma once

#include <cstddef>
#include <memory>
#include <streambuf>
#include <string>
#include <string_view>

namespace sestina {

// yaml-cpp reads everything in a pair of brackets, some 200 bytes of memory for each of its brackets, commas
// and colons, before it tells of the first of them: a limit on what it tells comes too late. This counts them
// as they are read.
class YamlStream : public std::streambuf {
 public:
  YamlStream(std::string_view text, std::shared_ptr<const std::string> file)
      : text_(text), file_(std::move(file)) {}

  // yaml-cpp has told of something, so that it has let go of what it read before.
  void restart() { opened_ = marks_ = 0; }

 protected:
  // Throws InputError, at the line where it happens, when too much was read since the start or the last
  // restart.
  std::streamsize xsgetn(char* to, std::streamsize size) override;

 private:
  void count(std::string_view part);
  [[noreturn]] void fail(std::string message) const;

  std::string_view text_;
  std::shared_ptr<const std::string> file_;
  std::size_t read_ = 0;
  int line_ = 1;
  long opened_ = 0;  // brackets that were opened, less those that were closed
  long marks_ = 0;   // brackets, commas and colons
};

}  // namespace sestina
