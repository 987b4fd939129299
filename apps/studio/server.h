// The studio's server: the page by HTTP, messages by WebSocket, on the loopback address.
//
// Who asks must know the token, which is new in each server, and a browser must come from the server's own
// page: the Host and the Origin are checked, so that a foreign page cannot speak to it, whatever name leads
// there. No file is served. Messages, clients and what waits to be sent are bounded.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "studio/session.h"

namespace sestina::studio {

inline constexpr std::size_t kLargestMessage = std::size_t{8} << 20;  // bytes, from a client
inline constexpr std::size_t kMostWaiting = std::size_t{512} << 20;   // bytes, to a client that does not read
inline constexpr int kMostClients = 16;

struct ServerOptions {
  unsigned short port = 0;  // 0: one that is free
};

class Server {
 public:
  using MakeSession = std::function<std::unique_ptr<Session>(Send send)>;

  // Throws InputError where the port cannot be had, and what making the session throws.
  Server(const ServerOptions& options, const MakeSession& make_session);
  ~Server();

  const std::string& url() const;  // with the token
  // Serves until `stop` becomes true.
  void run(const std::atomic<bool>& stop);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// 128 random bits, in hexadecimal digits. Throws std::system_error where the system has none.
std::string make_token();

// Whether the two are equal, in a time that does not depend on where they differ.
bool is_same_secret(std::string_view a, std::string_view b);

}  // namespace sestina::studio
