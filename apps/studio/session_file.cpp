// Files beside the document: what other programs do to that of the model, and tables that a page sends.
#include <fmt/format.h>

#include <algorithm>

#include "sestina/base/error.h"
#include "sestina/io/output_file.h"
#include "sestina/io/table_file.h"
#include "sestina/io/text_file.h"
#include "sestina/scene/json_writer.h"
#include "studio/message_fields.h"
#include "studio/session.h"

namespace sestina::studio {
namespace {

constexpr std::size_t kLargestTable = std::size_t{8} << 20;  // no message has more
constexpr int kGone = 2;  // looks in turn that find no file: programs that save may move one into its place

void check_table_name(const std::string& name) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  };
  const bool is_table = name.ends_with(".csv") || name.ends_with(".txt");
  if (name.size() > 100 || !is_table || name.front() == '.' || !std::ranges::all_of(name, is_plain))
    throw InputError("a table's name has letters, digits, ., _ and -, and ends with .csv or .txt");
}

}  // namespace

// What is being typed when the studio ends is kept as unsaved work.
Session::~Session() {
  is_draft_due_ = false;
  if (!document_ || !draft_) return;
  try {
    document_->set_text(*draft_, "typing");
  } catch (const std::exception&) {
    // not a text that a document can have
  }
}

// {"type": "table", "name": "gust.csv", "text": "t, fx\n0, 1\n", "over": "t"}: a table of the model's folder.
// It replaces no other one.
void Session::on_table(int client, const YamlNode& message) {
  if (document_->recovered())
    throw InputError("there is work on this model that was not saved: answer first");
  const std::string name = text_of(message, "name"), text = text_of(message, "text");
  check_table_name(name);
  parse_table(text, name, text_of(message, "over") == "s" ? kCurveKey : kTimeKey);
  const std::filesystem::path& model = document_->file();
  const std::filesystem::path file = (model.empty() ? folder_ : model.parent_path()) / name;
  const std::filesystem::file_status status = std::filesystem::symlink_status(file);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw InputError(fmt::format("{} is there already, and no file", name));
  if (std::filesystem::exists(status)) {
    if (read_text_file(file, kLargestTable) != text)
      throw InputError(
          fmt::format("{} is there already with other values: give the table another name", name));
  } else {
    write_whole_file(file, text);
  }
  JsonWriter json;
  json.begin_object().member("type", "table").member("name", name);
  send(client, json.end_object().take());
  // The model may wait for it, with a fault.
  if (document_->text().find(name) != std::string::npos) return document_changed();
  send(client, document_text());
}

void Session::look_at_file() {
  const auto is_other = [&] { return looks_gone_ >= kGone || looks_unreadable_ >= kGone || told_change_; };
  const bool was_told = is_other();
  looks_gone_ = document_->is_gone() ? looks_gone_ + 1 : 0;
  looks_unreadable_ = document_->is_unreadable() ? looks_unreadable_ + 1 : 0;
  if ((looks_gone_ == kGone || looks_unreadable_ == kGone) && !clients_.empty()) tell_file(clients_.front());
  look_at_text();
  document_->note_other(is_other());
  if (was_told && !is_other()) send_all(R"({"type":"changed","same":true})");
}

// {"type": "text", "text": ..., "kind": "typing 2", "reloads": 0}: the whole text; `reloads` of the document
// in which it was typed. The file has been read since then if that differs: then the user is asked about it.
// A text with fewer "programs" is older than a change by a program, and is not taken: the page, which gets
// the document first, sends one that has both. It is kept for the case that the page is closed before.
void Session::on_text(int client, const YamlNode& message) {
  if (message.find("programs") != nullptr && number_of(message, "programs") < programs_) {
    draft_ = text_of(message, "text");
    return send(client, document_text());
  }
  change([&] { document_->set_text(text_of(message, "text"), text_or(message, "kind", "")); });
  if (message.find("reloads") == nullptr || number_of(message, "reloads") == document_->reloads()) return;
  document_->doubt_file();
  document_changed();
}

void Session::look_at_text() {
  if (document_->recovered()) return;  // first, the question about the unsaved work
  const std::optional<std::string> text = document_->changed_text();
  if (!text) {
    told_change_.reset();
    return;
  }
  if (told_change_ == *text) return;
  if (!document_->is_dirty() && !draft_) {
    try {
      document_->reload();
      return document_changed();
    } catch (const InputError&) {
      // It is being written, and the next look sees the complete file; or it is not UTF-8.
    }
  }
  told_change_ = *text;
  if (!clients_.empty()) tell_file(clients_.front());
}

// Tells the client that edits if the file has been changed or removed; also one that comes later.
void Session::tell_file(int client) const {
  if (!document_ || !is_editor(client)) return;
  const bool is_gone = looks_gone_ >= kGone;
  const bool is_other = looks_unreadable_ >= kGone || (told_change_ && document_->changed_text());
  if (!is_gone && !is_other) return;
  JsonWriter json;
  json.begin_object().member("type", "changed").member("gone", is_gone);
  send_(client, std::make_shared<const Message>(Message{true, json.end_object().take()}));
}

}  // namespace sestina::studio
