// The input stream of yaml-cpp, with a limit on the data that yaml-cpp keeps in memory.
#pragma once

#include <cstddef>
#include <memory>
#include <streambuf>
#include <string>
#include <string_view>

namespace sestina {

// yaml-cpp reads a complete pair of brackets, with some 200 bytes of memory for each of its brackets, commas
// and colons, before it reports the first of them: a limit on its events would come too late. This class
// counts the characters as they are read.
class YamlStream : public std::streambuf {
 public:
  YamlStream(std::string_view text, std::shared_ptr<const std::string> file)
      : text_(text), file_(std::move(file)) {}

  // Call this after an event of yaml-cpp, which has then released the data read before.
  void restart() { opened_ = marks_ = 0; }

 protected:
  // Throws InputError, at the line where it happens, if too much was read since the start or the last
  // restart.
  std::streamsize xsgetn(char* to, std::streamsize size) override;

 private:
  void count(std::string_view part);
  [[noreturn]] void fail(std::string message) const;

  std::string_view text_;
  std::shared_ptr<const std::string> file_;
  std::size_t read_ = 0;
  int line_ = 1;
  long opened_ = 0;  // brackets opened minus brackets closed
  long marks_ = 0;   // brackets, commas and colons
};

}  // namespace sestina
