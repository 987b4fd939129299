// The studio's server: the page by HTTP, messages by WebSocket, on the loopback address.
//
// Clients must know the token, which is new for each server, and a browser must come from the server's own
// page: Host and Origin are checked, so that a foreign page cannot send requests, under whatever name it
// reaches the server. No files are served. Messages, clients and outgoing data are bounded.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "studio/session.h"

namespace sestina::studio {

inline constexpr std::size_t kLargestMessage = std::size_t{8} << 20;  // bytes, from a client
inline constexpr std::size_t kMostWaiting = std::size_t{512} << 20;   // bytes, to a client that does not read
inline constexpr std::size_t kMuchWaiting = std::size_t{4}
                                            << 20;  // bytes; passing messages are then left out
inline constexpr int kMostClients = 16;

struct ServerOptions {
  unsigned short port = 0;  // 0: any free one
};

class Server {
 public:
  using MakeSession = std::function<std::unique_ptr<Session>(Send send)>;

  // Throws InputError if the port is not available, and whatever making the session throws.
  Server(const ServerOptions& options, const MakeSession& make_session);
  ~Server();

  const std::string& url() const;  // with the token
  // Has the thread that serves call a function, soon or when it begins to serve. From any thread.
  void post(std::function<void(Session&)> call);
  // Serves until `stop` becomes true.
  void run(const std::atomic<bool>& stop);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Returns 128 random bits in hexadecimal digits. Throws std::system_error if the system provides none.
std::string make_token();

// Compares two texts in a time that does not depend on where they differ.
bool is_same_secret(std::string_view a, std::string_view b);

}  // namespace sestina::studio
