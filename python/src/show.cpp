// Motions as pages, and the studio as a server in this process.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "bind.h"
#include "sestina/base/error.h"
#include "sestina/model/system.h"
#include "studio/page.h"
#include "studio/replay.h"
#include "studio/session.h"
#include "studio/view_file.h"
#ifdef SESTINA_STUDIO
#include "studio/server.h"
#endif

namespace sestina::python {

namespace {

// The whole text of HTML; without a table, the system in its initial state.
std::string view_page(const System& system, const ResultTable* table, double max_size,
                      const System* ghost_system, const ResultTable* ghost_table) {
  const auto most = static_cast<std::size_t>(0.75e6 * max_size);
  studio::Replay replay;
  replay.workspace = studio::make_workspace(system);
  if (table != nullptr) replay.table = *table;
  const Scene scene = studio::make_scene(replay);
  Motion motion;
  if (table != nullptr) {
    motion = studio::make_motion(replay, scene, most);
  } else {
    const Workspace& workspace = *replay.workspace;
    FrameMaker frames(workspace.model(), workspace.properties());
    motion.rows = 1;
    motion.poses.resize(static_cast<std::size_t>(frames.numbers()));
    frames.fill(workspace.calc_initial_state().q, motion.poses);
  }
  std::optional<studio::Ghost> ghost;
  if (ghost_system != nullptr && ghost_table != nullptr) {
    studio::Replay second{studio::make_workspace(*ghost_system), *ghost_table};
    ghost = studio::make_ghost(second, ghost_system->name.empty() ? "ghost" : ghost_system->name, most);
  }
  return studio::make_view_page(scene, motion, replay.table.header().provenance, ghost ? &*ghost : nullptr);
}

// A session of the studio for windows whose messages the program carries, such as those of a notebook.
class StudioSession {
 public:
  explicit StudioSession(const std::string& file)
      : session_(std::filesystem::absolute(file), std::filesystem::absolute(file).parent_path(),
                 [this](int window, std::shared_ptr<const studio::Message> message) {
                   messages_.emplace_back(window, std::move(message));
                 }) {}

  // Each returns the messages to the windows: (window, is_text, bytes). From any thread.
  nb::list join(int window) {
    return call([&] { session_.join(window); });
  }
  nb::list leave(int window) {
    return call([&] { session_.leave(window); });
  }
  nb::list handle(int window, const std::string& text) {
    return call([&] { session_.handle(window, text); });
  }
  nb::list tick() {
    return call([this] { session_.tick(); });
  }

 private:
  using Messages = std::vector<std::pair<int, std::shared_ptr<const studio::Message>>>;

  template <class Work>
  nb::list call(Work&& work) {
    Messages messages;
    {
      const nb::gil_scoped_release released;
      const std::lock_guard lock(mutex_);
      work();
      messages = std::exchange(messages_, {});
    }
    nb::list list;
    for (const auto& [window, message] : messages) {
      list.append(
          nb::make_tuple(window, message->is_text, nb::bytes(message->bytes.data(), message->bytes.size())));
    }
    return list;
  }

  std::mutex mutex_;
  Messages messages_;
  studio::Session session_;  // the last member: it uses messages_
};

#ifdef SESTINA_STUDIO

// A studio for a model file, until stop() or the end of the object.
class StudioServer {
 public:
  StudioServer(const std::string& file, int port)
      : server_({static_cast<unsigned short>(port)}, [&file](studio::Send send) {
          const std::filesystem::path path = std::filesystem::absolute(file);
          return std::make_unique<studio::Session>(path, path.parent_path(), std::move(send));
        }) {
    thread_ = std::thread([this] { server_.run(stops_); });
  }
  ~StudioServer() { stop(); }
  StudioServer(const StudioServer&) = delete;
  StudioServer& operator=(const StudioServer&) = delete;

  const std::string& url() const { return server_.url(); }
  void stop() {
    stops_ = true;
    const nb::gil_scoped_release released;  // the thread may be about to call Python
    if (thread_.joinable()) thread_.join();
  }
  // The callback is called by the thread of the server.
  void set_on_action(nb::callable callback) {
    const auto kept =
        std::shared_ptr<nb::callable>(new nb::callable(std::move(callback)), [](nb::callable* own) {
          const nb::gil_scoped_acquire acquired;
          delete own;
        });
    server_.post([kept](studio::Session& session) {
      session.set_on_action([kept](const std::string& kind, const std::string& name, double value) {
        const nb::gil_scoped_acquire acquired;
        (*kept)(kind, name, value);
      });
    });
  }
  void add_control(const std::string& name, bool is_slider, double lower, double upper, double value) {
    server_.post([=](studio::Session& session) {
      session.add_control({name, is_slider, lower, upper, value});
    });
  }
  // Returns a fault as text; empty: done.
  std::string set_value(const std::string& path, const std::string& value) {
    if (stops_) return "the studio has ended";
    const auto answer = std::make_shared<std::promise<std::string>>();
    std::future<std::string> fault = answer->get_future();
    server_.post([=](studio::Session& session) {
      try {
        session.set_value(path, value);
        answer->set_value("");
      } catch (const std::exception& error) {
        answer->set_value(error.what());
      }
    });
    const nb::gil_scoped_release released;
    if (fault.wait_for(std::chrono::seconds(30)) != std::future_status::ready) return "the studio has ended";
    return fault.get();
  }

 private:
  studio::Server server_;
  std::atomic<bool> stops_{false};
  std::thread thread_;
};

#endif

}  // namespace

void bind_show(nb::module_& module) {
  module.def("_view_page", view_page, nb::arg("system"), nb::arg("table").none(), nb::arg("max_size"),
             nb::arg("ghost_system").none(), nb::arg("ghost_table").none(),
             nb::call_guard<nb::gil_scoped_release>(),
             nb::sig("def _view_page(system: System, table: Table | None, max_size: float, "
                     "ghost_system: System | None, ghost_table: Table | None) -> str"));
  module.def(
      "_studio_page", [] { return std::string(studio::page_text()); }, nb::sig("def _studio_page() -> str"));
  nb::class_<StudioSession>(module, "_StudioSession")
      .def(nb::init<const std::string&>(), nb::arg("file"))
      .def("join", &StudioSession::join, nb::arg("window"),
           nb::sig("def join(self, window: int) -> list[tuple[int, bool, bytes]]"))
      .def("leave", &StudioSession::leave, nb::arg("window"),
           nb::sig("def leave(self, window: int) -> list[tuple[int, bool, bytes]]"))
      .def("handle", &StudioSession::handle, nb::arg("window"), nb::arg("text"),
           nb::sig("def handle(self, window: int, text: str) -> list[tuple[int, bool, bytes]]"))
      .def("tick", &StudioSession::tick, nb::sig("def tick(self) -> list[tuple[int, bool, bytes]]"));
#ifdef SESTINA_STUDIO
  nb::class_<StudioServer>(module, "_StudioServer")
      .def(nb::init<const std::string&, int>(), nb::arg("file"), nb::arg("port"))
      .def_prop_ro("url", &StudioServer::url)
      .def("stop", &StudioServer::stop)
      .def("on_action", &StudioServer::set_on_action, nb::arg("callback"),
           nb::sig(
               "def on_action(self, callback: collections.abc.Callable[[str, str, float], object]) -> None"))
      .def("add_control", &StudioServer::add_control, nb::arg("name"), nb::arg("is_slider"), nb::arg("lower"),
           nb::arg("upper"), nb::arg("value"))
      .def("set_value", &StudioServer::set_value, nb::arg("path"), nb::arg("value"));
#endif
}

}  // namespace sestina::python
