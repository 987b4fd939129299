// The state shared by the clients of a studio: a document, a run, and the right to edit. It does not use
// sockets: messages arrive as text and leave through a function, so that tests can replace a browser.
//
// Messages to the server are JSON objects with a "type": docs/studio.md lists them. Those to a client are
// JSON text, or bytes that begin with two uint32: what follows, and how many rows:
//   1 the block of the scene header that was sent just before (scene_message.h)
//   2 further rows, in the form of a block
//   3 the block of the second run, whose header was sent just before
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sestina/io/yaml.h"
#include "studio/document.h"
#include "studio/particle_stage.h"
#include "studio/replay.h"
#include "studio/row_forces.h"
#include "studio/run_thread.h"
#include "studio/sweep_replay.h"

namespace sestina::studio {

struct Message {
  bool is_text = true;
  std::string bytes;
  bool is_passing = false;  // left out for a client that has much to read
};
using Send = std::function<void(int client, std::shared_ptr<const Message>)>;

// A button or a slider that a program has added to the page.
struct Control {
  std::string name;
  bool is_slider = false;
  double lower = 0.0, upper = 1.0, value = 0.0;  // of a slider
};
// It receives the user's actions: the selection of a body or of nothing ("select", the name or empty), a
// button that was pressed, and a slider that was moved ("control", its name and value).
using OnAction = std::function<void(const std::string& kind, const std::string& name, double value)>;

inline constexpr std::size_t kLargestMotion = std::size_t{128} << 20;  // most bytes of a run sent to a client

class Session {
 public:
  // A model file, which need not exist; `folder` is where a new one may be saved.
  Session(const std::filesystem::path& model_file, std::filesystem::path folder, Send send);
  // A result, which is only shown, and a second one beside it.
  Session(const Replay& replay, Send send, std::optional<Ghost> ghost = std::nullopt);
  // A sweep, whose runs are shown one at a time.
  Session(SweepReplay sweep, Send send);
  ~Session();

  void join(int client);
  void leave(int client);
  // Never throws: failures are reported to the client.
  void handle(int client, std::string_view text);
  // Call about sixty times a second: passes on rows, and checks twice a second whether the file has changed.
  void tick();
  // For the program in which the studio runs. Call these on the thread that calls handle().
  void set_on_action(OnAction on_action) { on_action_ = std::move(on_action); }
  void add_control(Control control);  // replaces one of the same name
  // The most bytes that the rows of a live run take here and in each page; then every second one is dropped.
  void set_most_bytes(std::size_t most_bytes) { most_bytes_ = most_bytes; }
  // Changes a value of the model, as the message "set" does. Throws InputError.
  void set_value(const std::string& path, const std::string& value);
  // True if ending would lose something: a run is in progress.
  bool is_running() const;

 private:
  using Handler = void (Session::*)(int client, const YamlNode& message);
  static Handler find_handler(std::string_view type);

  void on_text(int client, const YamlNode& message);
  void on_draft(int client, const YamlNode& message);
  void on_set(int client, const YamlNode& message);
  void on_add(int client, const YamlNode& message);
  void on_remove(int client, const YamlNode& message);
  void on_edit(int client, const YamlNode& message);
  void on_import(int client, const YamlNode& message);
  void on_table(int client, const YamlNode& message);
  void on_undo(int client, const YamlNode& message);
  void on_redo(int client, const YamlNode& message);
  void on_save(int client, const YamlNode& message);
  void on_reload(int client, const YamlNode& message);
  void on_overwrite(int client, const YamlNode& message);
  void on_recover(int client, const YamlNode& message);
  void on_run(int client, const YamlNode& message);
  void on_stop(int client, const YamlNode& message);
  void on_live(int client, const YamlNode& message);
  void on_pause(int client, const YamlNode& message);
  void on_step(int client, const YamlNode& message);
  void on_speed(int client, const YamlNode& message);
  void on_pull(int client, const YamlNode& message);
  void on_select(int client, const YamlNode& message);
  void on_control(int client, const YamlNode& message);
  void on_member(int client, const YamlNode& message);
  void on_members(int client, const YamlNode& message);

  PacedRun* paced_run() const;  // nullptr: there is no run
  bool is_editor(int client) const { return !clients_.empty() && clients_.front() == client; }
  void change(const std::function<void()>& change);
  void document_changed();
  void take_draft();
  void look_at_file();
  void look_at_text();
  void tell_file(int client) const;
  void start_run(System system);
  void take_run(std::unique_ptr<RunThread> run, std::unique_ptr<Workspace> drawn);
  void drop_run();
  Motion motion_of(std::span<const double> rows);  // (rows x columns) of the run
  void pass_on_rows();
  void make_room();
  void tell_kept(std::size_t rows, std::size_t stride, bool is_passing = false);
  void show_particles();
  void start_particles(bool is_live, double speed);
  void live_particles(double speed);
  void pass_on_particles();
  const Workspace& drawn() const;  // whose coordinates place the bodies of the run's rows
  std::size_t stride_of(const Workspace& workspace) const;
  LiveStart start_at(std::size_t row) const;

  void send(int client, std::string text);
  void send_all(std::string text, bool is_passing = false);
  void send_rows_to_all(const Motion& motion, bool is_passing = false);
  void send_to_all(Message message);
  void tell_error(int client, const std::string& what);
  std::string hello_text(int client) const;
  std::string document_text() const;
  std::string controls_text() const;
  std::string status_text(const RunState& state) const;
  void send_scene(int client);
  void send_scene_to_all();

  std::filesystem::path folder_;
  Send send_;
  std::vector<int> clients_;  // the first client edits
  std::optional<Document> document_;
  std::optional<std::string> draft_;  // what is being typed: the document's text if the page is closed
  bool is_draft_due_ = false;         // it has been closed
  int programs_ = 0;                  // changes by set_value()
  std::vector<Fault> faults_;
  std::unique_ptr<RunThread> run_;
  std::vector<std::unique_ptr<RunThread>> retired_;  // that have been stopped, and may not have ended yet
  std::vector<double> rows_;                         // all rows of the run sent so far
  std::optional<Scene> scene_;
  Motion motion_;                        // of a result
  std::optional<RowForces> row_forces_;  // of a run with forces that are drawn
  std::unique_ptr<Workspace> drawn_;     // for a run in cartesian coordinates: see drawn()
  bool is_motion_given_ = false;         // scene_ and motion_ are all that is shown
  std::optional<Ghost> ghost_;
  OnAction on_action_;
  std::vector<Control> controls_;
  std::optional<SweepReplay> sweep_;
  std::unique_ptr<ParticleStage> particles_;  // of a model of particles, which has no run_
  bool is_scene_sent_ = false;                // of the current run
  bool was_running_ = false;
  double told_t_ = 0.0;                     // s: the time of the run that the clients know
  double answered_ = 0.0;                   // the number of the message that is being answered; 0: none
  std::optional<std::string> told_change_;  // the text on disk of which the clients know
  int looks_gone_ = 0;                      // how often in turn the file was not there
  int looks_unreadable_ = 0;                // how often in turn it could not be read
  bool reactions_ = false;
  std::size_t most_bytes_ = kLargestMotion;
  std::chrono::steady_clock::time_point next_look_{};
};

}  // namespace sestina::studio
