// Any message leaves a session of the studio as it can be used: it answers, and continues.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "studio/session.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using sestina::studio::Message;
  using sestina::studio::Session;
  int answers = 0;
  Session session({}, "/nonexistent", [&](int, const std::shared_ptr<const Message>&) { ++answers; });
  session.join(1);
  // Lines are messages, so that one input can be a conversation.
  std::string text(reinterpret_cast<const char*>(data), size);
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    // A save would write to the disk, a run of a valid model may be long.
    const std::string line = text.substr(at, end - at);
    session.handle(1, line);
    session.handle(1, R"({"type":"stop"})");
    session.tick();
    at = end + 1;
  }
  const int before = answers;
  session.handle(1, "{}");
  if (answers != before + 1) std::abort();
  return 0;
}
