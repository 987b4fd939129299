#include "studio/server.h"

#include <fmt/format.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <cerrno>
#include <deque>
#include <fstream>
#include <map>
#include <system_error>

#include "sestina/base/error.h"
#include "studio/page.h"

namespace sestina::studio {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using Tcp = asio::ip::tcp;
using Request = http::request<http::empty_body>;

constexpr std::uint32_t kLargestHeader = 8192;  // bytes
constexpr int kMostVisits = 100;                // at a time: others leave no descriptors to save files with
constexpr auto kTick = std::chrono::microseconds(16'667);  // 60 times a second

// The text after `name=` in the query of a target, or an empty text.
std::string_view query_value(std::string_view target, std::string_view name) {
  std::size_t at = target.find('?');
  while (at != std::string_view::npos && at < target.size()) {
    const std::size_t end = std::min(target.find('&', at + 1), target.size());
    const std::string_view part = target.substr(at + 1, end - at - 1);
    if (part.size() > name.size() && part.starts_with(name) && part[name.size()] == '=') {
      return part.substr(name.size() + 1);
    }
    at = end;
  }
  return {};
}

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

class Guard {
 public:
  explicit Guard(unsigned short port) : token_(make_token()) {
    for (const char* name : {"127.0.0.1", "localhost"}) hosts_.push_back(fmt::format("{}:{}", name, port));
  }
  const std::string& token() const { return token_; }
  // Returns nothing if the request is allowed, otherwise the reason.
  std::string refusal(const Request& request) const {
    const std::string_view host = view(request[http::field::host]);
    if (std::ranges::find(hosts_, host) == hosts_.end()) return "the request is for another host";
    const std::string_view origin = view(request[http::field::origin]);
    const auto is_own = [&](const std::string& name) { return origin == "http://" + name; };
    const bool is_socket = websocket::is_upgrade(request);
    if ((is_socket || !origin.empty()) && std::ranges::none_of(hosts_, is_own)) {
      return "the request comes from another page";
    }
    if (!is_same_secret(query_value(view(request.target()), "token"), token_))
      return "the token is not right";
    return {};
  }

 private:
  std::string token_;
  std::vector<std::string> hosts_;
};

class Client;

// The data shared by all connections; there is only one thread.
struct Hub {
  explicit Hub(unsigned short port) : guard(port) {}
  Guard guard;
  std::unique_ptr<Session> session;
  std::map<int, std::weak_ptr<Client>> clients;
  int next_client = 1;
  int visits = 0;  // requests that are not answered yet
};

// A browser that is connected by WebSocket.
class Client : public std::enable_shared_from_this<Client> {
 public:
  Client(Tcp::socket socket, Hub& hub) : socket_(std::move(socket)), hub_(hub), id_(hub.next_client++) {}

  void start(const Request& request) {
    socket_.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
    socket_.read_message_max(kLargestMessage);
    socket_.auto_fragment(false);
    auto self = shared_from_this();
    socket_.async_accept(request, [self](beast::error_code error) {
      if (error) return;
      self->hub_.clients[self->id_] = self;
      self->is_open_ = true;
      self->hub_.session->join(self->id_);
      self->read();
    });
  }
  void send(std::shared_ptr<const Message> message) {
    if (message->is_passing && waiting_bytes_ > kMuchWaiting) return;
    waiting_bytes_ += message->bytes.size();
    waiting_.push_back(std::move(message));
    if (waiting_bytes_ > kMostWaiting) return close();
    if (waiting_.size() == 1) write();
  }

  // Ends the connection, of which the page tells its user.
  void end() { beast::get_lowest_layer(socket_).socket().close(); }

 private:
  void read() {
    auto self = shared_from_this();
    socket_.async_read(buffer_, [self](beast::error_code error, std::size_t) {
      if (error) return self->close();
      if (self->socket_.got_text()) {
        const std::string text = beast::buffers_to_string(self->buffer_.data());
        self->buffer_.consume(self->buffer_.size());
        self->hub_.session->handle(self->id_, text);
      } else {
        self->buffer_.consume(self->buffer_.size());
      }
      if (self->is_open_) self->read();
    });
  }
  void write() {
    auto self = shared_from_this();
    const Message& message = *waiting_.front();
    socket_.text(message.is_text);
    socket_.async_write(asio::buffer(message.bytes), [self](beast::error_code error, std::size_t) {
      if (error) return self->close();
      self->waiting_bytes_ -= self->waiting_.front()->bytes.size();
      self->waiting_.pop_front();
      if (!self->waiting_.empty()) self->write();
    });
  }
  void close() {
    if (!is_open_) return;
    is_open_ = false;
    hub_.clients.erase(id_);
    hub_.session->leave(id_);
    beast::error_code ignored;
    beast::get_lowest_layer(socket_).socket().close(ignored);
  }

  websocket::stream<beast::tcp_stream> socket_;
  Hub& hub_;
  int id_;
  bool is_open_ = false;
  beast::flat_buffer buffer_;
  std::deque<std::shared_ptr<const Message>> waiting_;
  std::size_t waiting_bytes_ = 0;
};

// One request; then the connection ends or becomes a WebSocket.
class Visit : public std::enable_shared_from_this<Visit> {
 public:
  Visit(Tcp::socket socket, Hub& hub) : stream_(std::move(socket)), hub_(hub) { ++hub_.visits; }
  ~Visit() { --hub_.visits; }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

  void start() {
    stream_.expires_after(std::chrono::seconds(20));
    parser_.header_limit(kLargestHeader);
    parser_.body_limit(0);
    auto self = shared_from_this();
    http::async_read(stream_, buffer_, parser_, [self](beast::error_code error, std::size_t) {
      if (!error) return self->answer();
      if (error != http::error::end_of_stream)
        self->reply(http::status::bad_request, "the request cannot be read\n");
    });
  }

 private:
  void answer() {
    const Request& request = parser_.get();
    const std::string refusal = hub_.guard.refusal(request);
    const std::string_view target = view(request.target());
    const std::string_view path = target.substr(0, target.find('?'));
    if (!refusal.empty()) return reply(http::status::forbidden, refusal + "\n");
    if (websocket::is_upgrade(request)) {
      if (path != "/socket") return reply(http::status::not_found, "there is nothing here\n");
      if (hub_.clients.size() >= kMostClients)
        return reply(http::status::service_unavailable, "too many windows\n");
      stream_.expires_never();
      return std::make_shared<Client>(stream_.release_socket(), hub_)->start(request);
    }
    if (request.method() != http::verb::get && request.method() != http::verb::head) {
      return reply(http::status::method_not_allowed, "only GET\n");
    }
    if (path != "/") return reply(http::status::not_found, "there is nothing here\n");
    reply(http::status::ok, std::string(page_text()), "text/html; charset=utf-8");
  }

  void reply(http::status status, std::string body, const char* type = "text/plain; charset=utf-8") {
    auto response = std::make_shared<http::response<http::string_body>>(status, 11);
    response->set(http::field::content_type, type);
    response->set(http::field::cache_control, "no-store");
    response->set("X-Content-Type-Options", "nosniff");
    response->set("X-Frame-Options", "DENY");
    response->set("Referrer-Policy", "no-referrer");
    response->keep_alive(false);
    response->body() = std::move(body);
    response->prepare_payload();
    auto self = shared_from_this();
    http::async_write(stream_, *response, [self, response](beast::error_code, std::size_t) {
      beast::error_code ignored;
      self->stream_.socket().shutdown(Tcp::socket::shutdown_send, ignored);
    });
  }

  beast::tcp_stream stream_;
  Hub& hub_;
  beast::flat_buffer buffer_{kLargestHeader + 1024};
  http::request_parser<http::empty_body> parser_;
};

}  // namespace

std::string make_token() {
  std::array<unsigned char, 16> bytes{};
  std::ifstream random("/dev/urandom", std::ios::binary);
  if (!random.read(reinterpret_cast<char*>(bytes.data()), bytes.size())) {
    throw std::system_error(EIO, std::generic_category(), "no random numbers for a token");
  }
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

bool is_same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

struct Server::Parts {
  explicit Parts(const ServerOptions& options) : acceptor(context), timer(context), pause(context) {
    try {
      const Tcp::endpoint endpoint(asio::ip::address_v4::loopback(), options.port);
      acceptor.open(endpoint.protocol());
      acceptor.set_option(asio::socket_base::reuse_address(true));
      acceptor.bind(endpoint);
      acceptor.listen();
    } catch (const boost::system::system_error& error) {
      throw InputError(fmt::format("--port {}: {}", options.port, error.code().message()));
    }
    const unsigned short port = acceptor.local_endpoint().port();
    hub = std::make_unique<Hub>(port);
    url = fmt::format("http://127.0.0.1:{}/?token={}", port, hub->guard.token());
  }
  void accept() {
    acceptor.async_accept([this](beast::error_code error, Tcp::socket socket) {
      if (!error) {
        if (hub->visits < kMostVisits) std::make_shared<Visit>(std::move(socket), *hub)->start();
        return accept();
      }
      // Such as too many open files: the next connection must wait.
      pause.expires_after(std::chrono::milliseconds(200));
      pause.async_wait([this](beast::error_code ended) {
        if (!ended) accept();
      });
    });
  }
  void tick(const std::atomic<bool>& stop) {
    if (stop) return context.stop();
    hub->session->tick();
    timer.expires_after(kTick);
    timer.async_wait([this, &stop](beast::error_code error) {
      if (!error) tick(stop);
    });
  }

  std::unique_ptr<Hub> hub;  // outlives the handlers that wait in the context
  asio::io_context context{1};
  Tcp::acceptor acceptor;
  asio::steady_timer timer, pause;
  std::string url;
};

Server::Server(const ServerOptions& options, const MakeSession& make_session)
    : parts_(std::make_unique<Parts>(options)) {
  Hub& hub = *parts_->hub;
  hub.session = make_session([&hub](int client, std::shared_ptr<const Message> message) {
    const auto found = hub.clients.find(client);
    if (found == hub.clients.end()) return;
    if (const auto open = found->second.lock()) open->send(std::move(message));
  });
}

Server::~Server() = default;

const std::string& Server::url() const { return parts_->url; }

void Server::post(std::function<void(Session&)> call) {
  asio::post(parts_->context,
             [session = parts_->hub->session.get(), call = std::move(call)] { call(*session); });
}

void Server::run(const std::atomic<bool>& stop) {
  parts_->accept();
  parts_->tick(stop);
  parts_->context.run();
  // Later requests are refused instead of waiting for an answer, and no window waits for one.
  beast::error_code error;
  parts_->acceptor.close(error);
  for (const auto& [id, client] : parts_->hub->clients) {
    if (const auto open = client.lock()) open->end();
  }
}

}  // namespace sestina::studio
