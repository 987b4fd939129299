#include "studio/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>

#include "sestina/base/error.h"
#include "sestina/io/model_file.h"
#include "sestina/io/urdf.h"
#include "sestina/scene/json_writer.h"
#include "sestina/scene/scene_message.h"
#include "studio/message_fields.h"

namespace sestina::studio {
namespace {

constexpr std::uint32_t kBlock = 1, kRows = 2, kGhost = 3;

void check_list(const std::string& list) {
  static const std::vector<std::string> kLists = {"parameters",  "bodies",       "joints",    "forces",
                                                  "constraints", "contacts",     "variables", "states",
                                                  "events",      "ground.shapes"};
  if (std::ranges::find(kLists, list) == kLists.end()) {
    throw InputError(fmt::format("'{}' is not a list of a model", printable(list)));
  }
}

std::string bytes_of_block(std::uint32_t kind, std::size_t rows, std::span<const std::uint8_t> block) {
  const std::uint32_t head[2] = {kind, static_cast<std::uint32_t>(rows)};
  std::string bytes(sizeof head + block.size(), '\0');
  std::memcpy(bytes.data(), head, sizeof head);
  if (!block.empty()) std::memcpy(bytes.data() + sizeof head, block.data(), block.size());
  return bytes;
}

// Rows with other columns; those that they do not have, such as none of a run without reactions, are NaN.
std::vector<double> with_columns(std::span<const double> rows, std::span<const Column> own,
                                 std::span<const Column> wanted) {
  std::vector<double> values;
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < own.size(); ++i) places.emplace(own[i].name, i);
  for (; !rows.empty(); rows = rows.subspan(own.size())) {
    for (const Column& column : wanted) {
      const auto found = places.find(column.name);
      values.push_back(found == places.end() ? std::nan("") : rows[found->second]);
    }
  }
  return values;
}

}  // namespace

Session::Session(const std::filesystem::path& model_file, std::filesystem::path folder, Send send)
    : folder_(std::move(folder)), send_(std::move(send)) {
  if (model_file.empty()) {
    document_.emplace(std::string(), folder_ / "unnamed");
  } else {
    document_.emplace(model_file);
  }
  document_changed();
}

Session::Session(const Replay& replay, Send send, std::optional<Ghost> ghost)
    : send_(std::move(send)), is_motion_given_(true), ghost_(std::move(ghost)) {
  scene_ = make_scene(replay);
  motion_ = make_motion(replay, *scene_, kLargestMotion);
}

Session::Session(SweepReplay sweep, Send send) : send_(std::move(send)), sweep_(std::move(sweep)) {
  start_run(sweep_->system_of(sweep_->first_complete()));
}

PacedRun* Session::paced_run() const {
  if (particles_) return particles_->run();
  return run_.get();
}

bool Session::is_running() const { return paced_run() != nullptr && paced_run()->state().is_running; }

void Session::join(int client) {
  take_draft();
  clients_.push_back(client);
  send(client, hello_text(client));
  if (document_) send(client, document_text());
  if (!controls_.empty()) send(client, controls_text());
  if (sweep_) send(client, sweep_->message());
  send_scene(client);
  if (const PacedRun* run = paced_run()) send(client, status_text(run->state()));
  tell_file(client);
  if (!ghost_) return;
  send(client, ghost_message(*ghost_));
  const std::string bytes = bytes_of_block(kGhost, ghost_->motion.rows, make_block(ghost_->motion));
  send_(client, std::make_shared<const Message>(Message{false, bytes}));
}

void Session::leave(int client) {
  const bool was_editor = is_editor(client);
  if (was_editor && draft_) is_draft_due_ = true;  // not here: a client may leave while rows are sent
  if (was_editor && run_) run_->pull(std::nullopt);
  std::erase(clients_, client);
  if (!was_editor || clients_.empty()) return;
  send(clients_.front(), hello_text(clients_.front()));
  tell_file(clients_.front());
}

Session::Handler Session::find_handler(std::string_view type) {
  static const std::unordered_map<std::string_view, Handler> kHandlers = {
      {"draft", &Session::on_draft},     {"text", &Session::on_text},
      {"set", &Session::on_set},         {"add", &Session::on_add},
      {"remove", &Session::on_remove},   {"edit", &Session::on_edit},
      {"undo", &Session::on_undo},       {"redo", &Session::on_redo},
      {"save", &Session::on_save},       {"reload", &Session::on_reload},
      {"recover", &Session::on_recover}, {"run", &Session::on_run},
      {"stop", &Session::on_stop},       {"live", &Session::on_live},
      {"pause", &Session::on_pause},     {"step", &Session::on_step},
      {"speed", &Session::on_speed},     {"pull", &Session::on_pull},
      {"select", &Session::on_select},   {"control", &Session::on_control},
      {"member", &Session::on_member},   {"members", &Session::on_members},
      {"import", &Session::on_import},   {"overwrite", &Session::on_overwrite},
      {"table", &Session::on_table}};
  const auto found = kHandlers.find(type);
  return found == kHandlers.end() ? nullptr : found->second;
}

void Session::handle(int client, std::string_view text) {
  take_draft();
  answered_ = number_of_message(text);  // also of one that cannot be read
  try {
    FaultList faults;
    const YamlPointer message = parse_yaml(std::string(text), "message", faults);  // JSON is YAML
    faults.throw_if_any();
    if (!message || !message->is_map()) throw InputError("the message is not an object");
    if (message->find("n") != nullptr) answered_ = number_of(*message, "n");
    const std::string type = text_of(*message, "type");
    const Handler handler = find_handler(type);
    if (handler == nullptr)
      throw InputError(fmt::format("the message has the unknown type '{}'", printable(type)));
    if (handler == &Session::on_select) {  // changes nothing
      if (is_editor(client)) on_select(client, *message);
      return;
    }
    if (!is_editor(client)) throw InputError("another window edits; this one watches");
    const bool is_of_sweep = handler == &Session::on_member || handler == &Session::on_members;
    if (is_of_sweep && !sweep_) throw InputError("no sweep is shown");
    if (sweep_ && !is_of_sweep) throw InputError("a sweep is shown, which nothing can change");
    if (!document_ && !sweep_) throw InputError("a result is shown, which nothing can change");
    (this->*handler)(client, *message);
  } catch (const InputError& error) {
    tell_error(client, error.what());
  } catch (const std::exception& error) {
    tell_error(client, fmt::format("failed: {}", error.what()));
  }
  answered_ = 0.0;
}

// ---- the document ----

// A change that changes nothing is answered, and the run goes on.
void Session::change(const std::function<void()>& change) {
  const std::string before = document_->text();
  change();
  if (document_->text() != before || !faults_.empty()) return document_changed();
  draft_.reset();
  send_all(document_text());
}

// {"type": "draft", "text": ...}: the text with each letter that is typed; "text" follows, unless the page is
// closed before.
void Session::on_draft(int /*client*/, const YamlNode& message) { draft_ = text_of(message, "text"); }

void Session::take_draft() {
  if (!is_draft_due_) return;
  is_draft_due_ = false;
  if (!draft_) return;
  try {
    document_->set_text(*draft_, "typing");
    document_changed();
  } catch (const InputError&) {
    // not a text that a document can have
  }
  draft_.reset();
}

void Session::on_set(int /*client*/, const YamlNode& message) {
  change([&] {
    document_->set_value(text_of(message, "path"), text_of(message, "value"), text_or(message, "kind", ""));
  });
}

void Session::on_add(int /*client*/, const YamlNode& message) {
  const std::string list = text_of(message, "list");
  check_list(list);
  const std::string item = text_of(message, "item");
  if (item.find('\n') != std::string::npos) throw InputError("an item is one line");
  document_->add_item(list, item);
  document_changed();
}

void Session::on_remove(int /*client*/, const YamlNode& message) {
  document_->remove_item(text_of(message, "list"), text_of(message, "name"));
  document_changed();
}

// {"type": "edit", "list": "contacts", "name": "feet", "values": {"friction": "0.5"}}
void Session::on_edit(int /*client*/, const YamlNode& message) {
  const std::string list = text_of(message, "list");
  if (!list.empty()) check_list(list);
  const YamlEntry* values = message.find("values");
  if (values == nullptr || !values->value->is_map()) throw InputError("the message lacks 'values'");
  Document::Item item;
  for (const YamlEntry& entry : values->value->entries) item.emplace_back(entry.key, entry.value->text);
  change([&] { document_->edit_item(list, text_of(message, "name"), item); });
}

// {"type": "import", "text": "<robot name=...", "name": "arm.urdf"}: the robot replaces the model. What the
// import has changed or left out stands in comments above it.
void Session::on_import(int /*client*/, const YamlNode& message) {
  ImportNotes notes;
  const System robot =
      read_urdf(text_of(message, "text"), printable(text_or(message, "name", "robot")), {}, &notes);
  std::string text;
  for (const ImportNote& note : notes) text += "# " + printable(to_string(note)) + "\n";
  document_->set_text(text + write_model(robot));
  document_changed();
}

void Session::on_undo(int client, const YamlNode& /*message*/) {
  if (document_->undo()) return document_changed();
  send(client, document_text());  // each change is answered
}

void Session::on_redo(int client, const YamlNode& /*message*/) {
  if (document_->redo()) return document_changed();
  send(client, document_text());
}

void Session::on_save(int client, const YamlNode& message) {
  if (document_->file().empty()) {
    const std::string name = text_of(message, "name");
    const bool is_plain =
        !name.empty() && name.size() <= 100 && std::ranges::all_of(name, [](unsigned char c) {
          return std::isalnum(c) != 0 || c == '_' || c == '-';
        });
    if (!is_plain) throw InputError("a name has letters, digits, _ and -");
    const std::filesystem::path file = folder_ / (name + ".yaml");
    // Not the file that a link names, either.
    if (std::filesystem::exists(std::filesystem::symlink_status(file)))
      throw InputError(fmt::format("{} exists already", file.filename().string()));
    document_->save_as(file);
    document_changed();  // files that it names are found now
  } else {
    told_change_.reset();  // who cannot save is asked again
    look_at_text();
    document_->save();
    send_all(document_text());
  }
  told_change_.reset();
  looks_gone_ = looks_unreadable_ = 0;
  send(client, R"({"type":"saved"})");
}

void Session::on_reload(int /*client*/, const YamlNode& /*message*/) {
  if (document_->file().empty()) throw InputError("the model has no file yet");
  document_->reload();
  told_change_.reset();
  document_changed();
}

// The next save may overwrite what another program has written.
void Session::on_overwrite(int client, const YamlNode& /*message*/) {
  if (told_change_ || document_->is_unreadable()) document_->keep_own(told_change_);
  told_change_.reset();
  send(client, document_text());
}

void Session::on_recover(int client, const YamlNode& message) {
  if (!document_->recovered()) return send(client, document_text());
  if (truth_or(message, "take", false)) {
    document_->take_recovered();
  } else {
    document_->forget_recovered();
  }
  document_changed();
}

void Session::document_changed() {
  draft_.reset();
  faults_.clear();
  try {
    if (!document_->is_begun()) {
      drop_run();
      scene_.reset();
    } else if (document_->has_particles()) {
      show_particles();
    } else {
      start_run(document_->read());
    }
  } catch (const InputError& error) {
    faults_ = error.faults();
    drop_run();
  } catch (const std::exception& error) {
    faults_ = {{{}, error.what()}};
    drop_run();
  }
  send_all(document_text());
}

// ---- runs ----

// Sends everything that is drawn, at the start, and then the rows of the run as they are computed.
void Session::start_run(System system) {
  auto workspace = std::make_unique<Workspace>(std::move(system));
  std::unique_ptr<Workspace> drawn;
  if (workspace->model().is_cartesian()) drawn = make_workspace(workspace->system());
  const Workspace& of_scene = drawn ? *drawn : *workspace;
  scene_ = extract_scene(of_scene.system(), of_scene.model(), of_scene.properties(),
                         of_scene.calc_initial_state());
  const std::size_t stride = stride_of(*workspace);
  drop_run();
  take_run(std::make_unique<RunThread>(std::move(workspace), reactions_, stride), std::move(drawn));
}

void Session::take_run(std::unique_ptr<RunThread> run, std::unique_ptr<Workspace> drawn) {
  run_ = std::move(run);
  drawn_ = std::move(drawn);
  was_running_ = true;
  if (has_row_forces(this->drawn())) row_forces_.emplace(this->drawn(), *scene_);
}

// A run ends after the step that it computes; nobody waits for it, unless there are many.
void Session::drop_run() {
  constexpr std::size_t kMostRetired = 4;
  std::erase_if(retired_, [](const auto& run) { return !run->state().is_running; });
  if (retired_.size() >= kMostRetired) retired_.erase(retired_.begin());
  if (run_ && run_->state().is_running) {
    run_->stop();
    retired_.push_back(std::move(run_));
  }
  particles_.reset();
  row_forces_.reset();
  drawn_.reset();
  run_.reset();
  rows_.clear();
  is_scene_sent_ = false;
  was_running_ = false;
}

const Workspace& Session::drawn() const { return drawn_ ? *drawn_ : run_->workspace(); }

void Session::on_run(int /*client*/, const YamlNode& message) {
  reactions_ = truth_or(message, "reactions", reactions_);
  document_changed();
  if (particles_) start_particles(false, 1.0);
}

void Session::on_stop(int /*client*/, const YamlNode& /*message*/) {
  if (PacedRun* run = paced_run()) run->stop();
}

// ---- the program ----

// {"type": "select", "body": "rod"}; without a body, nothing is selected.
void Session::on_select(int /*client*/, const YamlNode& message) {
  if (on_action_) on_action_("select", text_or(message, "body", ""), 0.0);
}

// {"type": "control", "name": "gain", "value": 0.3}
void Session::on_control(int client, const YamlNode& message) {
  const std::string name = text_of(message, "name");
  const auto found = std::ranges::find(controls_, name, &Control::name);
  if (found == controls_.end()) throw InputError(fmt::format("there is no control '{}'", printable(name)));
  if (found->is_slider) {
    found->value = std::clamp(number_of(message, "value"), found->lower, found->upper);
    for (const int other : clients_)
      if (other != client) send(other, controls_text());
  }
  if (on_action_) on_action_("control", name, found->value);
}

void Session::add_control(Control control) {
  std::erase_if(controls_, [&](const Control& own) { return own.name == control.name; });
  controls_.push_back(std::move(control));
  send_all(controls_text());
}

void Session::set_value(const std::string& path, const std::string& value) {
  if (!document_) throw InputError("a result is shown, which nothing can change");
  constexpr std::string_view kParameters = "parameters.";
  if (path.starts_with(kParameters) && !document_->has_value(path)) {
    throw InputError(
        fmt::format("the model has no parameter '{}'", printable(path.substr(kParameters.size()))));
  }
  const std::string before = document_->text();
  document_->set_value(path, value, "program " + path);
  if (document_->text() != before) ++programs_;
  document_changed();
}

std::string Session::controls_text() const {
  JsonWriter json;
  json.begin_object().member("type", "controls").key("list").begin_array();
  for (const Control& control : controls_) {
    json.begin_object().member("name", control.name).member("slider", control.is_slider);
    json.member("lower", control.lower)
        .member("upper", control.upper)
        .member("value", control.value)
        .end_object();
  }
  return json.end_array().end_object().take();
}

// {"type": "member", "run": 3}: computes the motion of a run of the sweep.
void Session::on_member(int /*client*/, const YamlNode& message) {
  const double run = number_of(message, "run");
  if (!(run >= 0.0 && run < static_cast<double>(sweep_->runs())))
    throw InputError("the sweep has no such run");
  start_run(sweep_->system_of(static_cast<std::size_t>(run)));
}

void Session::on_members(int client, const YamlNode& message) {
  send(client, sweep_->message_of(text_of(message, "column")));
}

// {"type": "live", "t": 1.2, "speed": 1}: continues from the last row that is not later; without t, from the
// start.
void Session::on_live(int /*client*/, const YamlNode& message) {
  if (!(run_ || particles_) || !faults_.empty()) throw InputError("the model has faults");
  const double speed = message.find("speed") != nullptr ? speed_of(message) : 1.0;
  if (particles_) return live_particles(speed);
  if (run_->workspace().analysis().type != "dynamics") throw InputError("only a motion in time can be live");
  pass_on_rows();
  std::optional<LiveStart> start;
  std::vector<double> kept;
  if (message.find("t") != nullptr && !rows_.empty()) {
    const std::size_t width = run_->columns().size(), count = rows_.size() / width;
    const double t = number_of(message, "t");
    std::size_t row = 0;  // the page may have fewer rows
    while (row + 1 < count && rows_[(row + 1) * width] <= t) ++row;
    start = start_at(row);
    kept.assign(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>((row + 1) * width));
  }
  auto workspace = std::make_unique<Workspace>(document_->read());
  std::unique_ptr<Workspace> drawn;
  if (workspace->model().is_cartesian()) drawn = make_workspace(workspace->system());
  auto run = std::make_unique<RunThread>(std::move(workspace), std::move(start), speed);
  kept = with_columns(kept, run_->columns(), run->columns());
  drop_run();
  take_run(std::move(run), std::move(drawn));
  rows_ = std::move(kept);
  if (!rows_.empty()) {
    is_scene_sent_ = true;
    send_scene_to_all();
  }
}

void Session::on_pause(int /*client*/, const YamlNode& message) {
  PacedRun* run = paced_run();
  if (run == nullptr) return;
  run->pause(truth_or(message, "pause", true));
  send_all(status_text(run->state()));
}

void Session::on_step(int /*client*/, const YamlNode& /*message*/) {
  if (PacedRun* run = paced_run(); run != nullptr && run->is_live()) run->step();
}

void Session::on_speed(int /*client*/, const YamlNode& message) {
  const double speed = speed_of(message);
  if (PacedRun* run = paced_run()) run->set_speed(speed);
}

void Session::on_pull(int /*client*/, const YamlNode& message) {
  if (!run_ || !run_->is_live()) return;
  if (message.find("body") == nullptr) return run_->pull(std::nullopt);
  const double body = number_of(message, "body");
  if (!(body >= 1.0 && body < run_->workspace().model().bodies().size()))
    throw InputError("there is no such body");
  run_->pull(Pull{static_cast<int>(body), vector_of(message, "point"), vector_of(message, "target")});
}

void Session::tick() {
  take_draft();
  pass_on_rows();
  const auto now = std::chrono::steady_clock::now();
  if (!document_ || now < next_look_) return;
  next_look_ = now + std::chrono::milliseconds(500);
  look_at_file();
}

// ---- what clients are sent ----

void Session::send(int client, std::string text) {
  send_(client, std::make_shared<const Message>(Message{true, std::move(text)}));
}

void Session::send_all(std::string text, bool is_passing) {
  send_to_all({true, std::move(text), is_passing});
}

void Session::send_rows_to_all(const Motion& motion, bool is_passing) {
  send_to_all({false, bytes_of_block(kRows, motion.rows, make_block(motion)), is_passing});
}

void Session::send_to_all(Message given) {
  const auto message = std::make_shared<const Message>(std::move(given));
  const std::vector<int> clients = clients_;  // one that does not read is closed on the way
  for (const int client : clients) send_(client, message);
}

void Session::tell_error(int client, const std::string& what) {
  JsonWriter json;
  json.begin_object().member("type", "error").member("text", what).member("answers", answered_);
  send(client, json.end_object().take());
}

std::string Session::hello_text(int client) const {
  JsonWriter json;
  json.begin_object().member("type", "hello").member("editor", is_editor(client));
  json.member("document", document_.has_value());
  return json.end_object().take();
}

std::string Session::document_text() const {
  JsonWriter json;
  json.begin_object().member("type", "document").member("text", document_->text());
  json.member("file", printable(document_->file().filename().string()))
      .member("dirty", document_->is_dirty());
  json.member("undo", document_->undo_steps()).member("redo", document_->redo_steps());
  json.member("recovered", document_->recovered().has_value());
  json.member("copy_fault", document_->copy_fault()).member("answers", answered_);
  json.member("reloads", document_->reloads()).member("programs", programs_);
  json.key("faults").begin_array();
  for (const Fault& fault : faults_) {
    json.begin_object().member("line", fault.place.mark.line).member("column", fault.place.mark.column);
    json.member("path", fault.place.path).member("text", fault.message).end_object();
  }
  json.end_array().key("items").begin_object();
  for (const auto& [list, items] : document_->items()) {
    json.key(list).begin_array();
    for (const Document::Item& item : items) {
      json.begin_object();
      for (const auto& [key, value] : item) json.member(key, value);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object().key("parameters").begin_array();
  if (run_) {
    for (const ParameterSpec& parameter : run_->workspace().described().parameters) {
      json.begin_object().member("name", parameter.name.text);
      if (parameter.value.is_expression()) {
        json.member("expression", parameter.value.expression());
      } else {
        json.member("value", parameter.value.value());
      }
      json.end_object();
    }
  }
  return json.end_array().end_object().take();
}

std::string Session::status_text(const RunState& state) const {
  JsonWriter json;
  json.begin_object().member("type", "status").member("running", state.is_running);
  json.member("failed", state.has_failed).member("live", paced_run() != nullptr && paced_run()->is_live());
  json.member("paused", paced_run() != nullptr && paced_run()->is_paused());
  json.member("text", state.message).member("t", state.t).member("wall", state.wall_seconds);
  return json.end_object().take();
}

void Session::send_scene_to_all() {
  const std::vector<int> clients = clients_;
  for (const int client : clients) send_scene(client);
}

void Session::send_scene(int client) {
  if (!scene_) return;
  Motion motion;
  if (is_motion_given_) {
    motion = motion_;
  } else if (particles_) {
    motion = particles_->motion();
  } else if (run_) {
    motion = motion_of(rows_);
  }
  if (motion.rows == 0) return;
  const std::string header = make_header(*scene_, motion);
  send(client, R"({"type":"scene","header":)" + header + "}");
  const std::string bytes = bytes_of_block(kBlock, motion.rows, make_block(motion));
  send_(client, std::make_shared<const Message>(Message{false, bytes}));
}

}  // namespace sestina::studio
