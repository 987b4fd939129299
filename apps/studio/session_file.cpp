// What other programs do to the file of the model.
#include "sestina/base/error.h"
#include "sestina/scene/json_writer.h"
#include "studio/session.h"

namespace sestina::studio {
namespace {

constexpr int kGone = 2;  // looks in turn that find no file: programs that save may move one into its place

}  // namespace

void Session::look_at_file() {
  looks_gone_ = document_->is_gone() ? looks_gone_ + 1 : 0;
  if (looks_gone_ == kGone && !clients_.empty()) tell_file(clients_.front());
  look_at_text();
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
  if (!is_gone && (!told_change_ || !document_->changed_text())) return;
  JsonWriter json;
  json.begin_object().member("type", "changed").member("gone", is_gone);
  send_(client, std::make_shared<const Message>(Message{true, json.end_object().take()}));
}

}  // namespace sestina::studio
