#include "sestina/io/urdf.h"

#include <console_bridge/console.h>
#include <fmt/format.h>
#include <urdf_parser/urdf_parser.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <utility>

#include "sestina/base/error.h"
#include "sestina/io/text_file.h"
#include "sestina/io/urdf_convert.h"
#include "sestina/io/urdf_outline.h"
#include "sestina/io/urdf_tree.h"

namespace sestina {
namespace {

struct Message {
  bool is_error;
  std::string text;
};

// Captures the messages of urdfdom during its lifetime. console_bridge has one handler for the process, hence
// the lock.
class MessageCapture : public console_bridge::OutputHandler {
 public:
  MessageCapture()
      : lock_(mutex()),
        former_handler_(console_bridge::getOutputHandler()),
        former_level_(console_bridge::getLogLevel()) {
    console_bridge::useOutputHandler(this);
    console_bridge::setLogLevel(console_bridge::CONSOLE_BRIDGE_LOG_WARN);
  }
  ~MessageCapture() override {
    console_bridge::setLogLevel(former_level_);
    console_bridge::useOutputHandler(former_handler_);
  }
  MessageCapture(const MessageCapture&) = delete;
  MessageCapture& operator=(const MessageCapture&) = delete;

  void log(const std::string& text, console_bridge::LogLevel level, const char*, int) override {
    messages_.push_back({level >= console_bridge::CONSOLE_BRIDGE_LOG_ERROR, restore_percent(text)});
  }
  const std::vector<Message>& messages() const { return messages_; }

 private:
  static std::mutex& mutex() {
    static std::mutex instance;
    return instance;
  }

  std::lock_guard<std::mutex> lock_;
  console_bridge::OutputHandler* former_handler_;
  console_bridge::LogLevel former_level_;
  std::vector<Message> messages_;
};

// Links of urdfdom own their children; their destruction would recurse over the length of a chain.
struct ReleaseLinks {
  urdf::ModelInterface& model;
  ~ReleaseLinks() {
    for (auto& [name, link] : model.links_) {
      link->child_links.clear();
      link->child_joints.clear();
    }
  }
};

// Returns the link or joint that a message names in brackets or quotes: "... for Link [arm]".
std::string named_in(const std::string& message, const UrdfTree& tree) {
  for (const auto& [open, close] : {std::pair{'[', ']'}, std::pair{'\'', '\''}}) {
    for (std::size_t begin = message.find(open); begin != std::string::npos;
         begin = message.find(open, begin + 1)) {
      const std::size_t end = message.find(close, begin + 1);
      if (end == std::string::npos) break;
      std::string name = message.substr(begin + 1, end - begin - 1);
      if (tree.marks.count(name) > 0) return name;
    }
  }
  return {};
}

// urdfdom reports the cause first and then, in further messages, its place: one fault for each group.
void add_faults(const std::vector<Message>& messages, const UrdfTree& tree,
                const std::shared_ptr<const std::string>& file, FaultList& faults) {
  std::string pending;
  for (const Message& message : messages) {
    if (!message.is_error) continue;
    pending += (pending.empty() ? "" : "; ") + message.text;
    const std::string name = named_in(message.text, tree);
    if (name.empty()) continue;
    faults.add({tree.marks.find(name)->second, {}}, std::exchange(pending, {}));
  }
  const bool is_only_context = pending == "joint xml is not initialized correctly";  // of a fault above
  if (!pending.empty() && (faults.empty() || !is_only_context)) faults.add({{file, 0, 0}, {}}, pending);
}

// True if urdfdom has found every link and joint of the outline.
bool holds_all_of(const urdf::ModelInterface& model, const UrdfTree& tree) {
  const auto has_link = [&](const UrdfLink& link) {
    return model.getLink(hide_percent(link.name)) != nullptr;
  };
  const auto has_joint = [&](const UrdfJoint& joint) {
    return model.getJoint(hide_percent(joint.name)) != nullptr;
  };
  return std::all_of(tree.links.begin(), tree.links.end(), has_link) &&
         std::all_of(tree.joints.begin(), tree.joints.end(), has_joint);
}

}  // namespace

std::string to_string(const ImportNote& note) { return to_string(Fault{note.place, note.message}); }

System read_urdf(std::string_view text, const std::string& file_name, const UrdfOptions& options,
                 ImportNotes* notes) {
  if (!(options.mimic_frequency > 0.0) || !std::isfinite(options.mimic_frequency)) {
    throw InputError(
        fmt::format("the frequency for mimic joints, {} rad/s, is not positive", options.mimic_frequency));
  }
  const auto file = std::make_shared<const std::string>(file_name);
  check_utf8_text(text, file_name);
  const UrdfTree tree = read_urdf_tree(read_xml_outline(text, file, kUrdfTreeDepth));

  MessageCapture capture;
  FaultList faults;
  urdf::ModelInterfaceSharedPtr model;
  try {
    model = urdf::parseURDF(hide_percent(std::string(text)));
  } catch (const std::exception& error) {
    faults.add({{file, 0, 0}, {}}, fmt::format("urdfdom: {}", restore_percent(error.what())));
  }
  add_faults(capture.messages(), tree, file, faults);
  if (!model) {
    if (faults.empty()) faults.add({{file, 0, 0}, {}}, "urdfdom refused the file without a reason");
    faults.throw_if_any();
  }
  const ReleaseLinks release{*model};
  if (faults.empty() && !holds_all_of(*model, tree)) {
    faults.add({{file, 0, 0}, {}}, "urdfdom does not find every link and joint of the file");
  }
  faults.throw_if_any();  // urdfdom continues after a broken link, with half of it

  ImportNotes found;
  const Place whole_file{{file, 0, 0}, {}};
  for (const Message& message : capture.messages()) found.push_back({whole_file, message.text});
  System system = convert_urdf(*model, tree, options, faults, found);
  faults.throw_if_any();
  if (notes) *notes = std::move(found);
  return system;
}

System read_urdf_file(const std::string& path, const UrdfOptions& options, ImportNotes* notes) {
  return read_urdf(read_text_file(path, XmlLimits::kBytes), path, options, notes);
}

}  // namespace sestina
