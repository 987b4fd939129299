#include "sestina/io/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "sestina/base/text.h"
#include "sestina/io/text_file.h"
#include "sestina/io/yaml_stream.h"

namespace sestina {
namespace {

[[noreturn]] void fail(const Mark& mark, std::string message) {
  throw InputError({Fault{{mark, ""}, std::move(message)}});
}

// A list or map while it is read.
struct Frame {
  std::shared_ptr<YamlNode> node;
  YamlEntry entry;  // of a map: the key whose value comes next
  bool has_key = false;
  std::unordered_set<std::string> keys;
  YamlPointer merged;  // the value of `<<`
  long size = 1;       // nodes so far, with aliases expanded
  YAML::anchor_t anchor = 0;
};

// Builds the tree from the events of yaml-cpp, whose own tree would resolve aliases to cycles and drop
// duplicate keys.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, std::shared_ptr<const std::string> file, YamlStream& stream,
              FaultList& faults)
      : text_(text), file_(std::move(file)), stream_(stream), faults_(faults) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (root_) fail(to_mark(mark), "a second document begins here; a file holds one");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    auto node = make(YamlNode::Kind::kNull, mark);
    // If no value is given, the mark of yaml-cpp is that of the next token.
    const bool has_key = !frames_.empty() && frames_.back().has_key;
    if (has_key && frames_.back().entry.mark.line != node->mark.line) node->mark = frames_.back().entry.mark;
    add(std::move(node), anchor, 1);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(mark, tag);
    auto node = make(YamlNode::Kind::kScalar, mark);
    node->text = value;
    node->quoted = tag == "!";
    if (node->quoted) check_quotes(mark);
    add(std::move(node), anchor, 1);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) fail(to_mark(mark), "an alias inside the node to which it refers");
    add(found->second.first, 0, found->second.second);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    begin(YamlNode::Kind::kList, mark, tag, anchor);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    begin(YamlNode::Kind::kMap, mark, tag, anchor);
  }
  void OnMapEnd() override { end(); }

  YamlPointer root() const { return root_; }
  Mark to_mark(const YAML::Mark& mark) const { return {file_, mark.line + 1, mark.column + 1}; }

 private:
  std::shared_ptr<YamlNode> make(YamlNode::Kind kind, const YAML::Mark& mark) const {
    auto node = std::make_shared<YamlNode>();
    node->kind = kind;
    node->mark = to_mark(mark);
    return node;
  }

  // yaml-cpp uses "?" for plain nodes and "!" for quoted ones.
  void check_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (!tag.empty() && tag != "?" && tag != "!")
      fail(to_mark(mark), "tags are not supported: " + printable(tag));
  }

  // yaml-cpp 0.7 lets a quoted text extend to the end of the file.
  void check_quotes(const YAML::Mark& mark) const {
    const auto begin = static_cast<std::size_t>(mark.pos);
    const char quote = begin < text_.size() ? text_[begin] : ' ';
    if (quote != '\'' && quote != '"') return;
    for (std::size_t i = begin + 1; i < text_.size(); ++i) {
      if (text_[i] == '\\' && quote == '"') {
        ++i;  // the next character is literal
      } else if (text_[i] == quote) {
        const bool is_doubled = quote == '\'' && i + 1 < text_.size() && text_[i + 1] == quote;
        if (!is_doubled) return;
        ++i;
      }
    }
    fail(to_mark(mark), "YAML syntax: the closing quote is missing");
  }

  void begin(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    stream_.restart();
    check_tag(mark, tag);
    if (static_cast<int>(frames_.size()) >= kMaxYamlDepth) {
      fail(to_mark(mark), "nested more than " + std::to_string(kMaxYamlDepth) + " levels deep");
    }
    if (!frames_.empty() && frames_.back().node->is_map() && !frames_.back().has_key) {
      fail(to_mark(mark), "a list or map cannot be a key (is its closing bracket missing?)");
    }
    frames_.emplace_back();
    frames_.back().node = make(kind, mark);
    frames_.back().anchor = anchor;
  }

  void end() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    if (frame.merged) merge(frame, *frame.merged);
    add(std::move(frame.node), frame.anchor, frame.size);
  }

  void add(YamlPointer node, YAML::anchor_t anchor, long size) {
    stream_.restart();
    if (anchor != 0) anchors_[anchor] = {node, size};
    if (frames_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& frame = frames_.back();
    if (frame.node->is_map() && !frame.has_key) {
      add_key(frame, *node);
      return;
    }
    grow(frame, size, 1, node->mark);
    if (frame.node->is_list()) {
      frame.node->items.push_back(std::move(node));
      return;
    }
    frame.has_key = false;
    if (frame.entry.key == "<<") {
      frame.merged = std::move(node);
    } else if (frame.keys.insert(frame.entry.key).second) {
      frame.entry.value = std::move(node);
      frame.node->entries.push_back(std::move(frame.entry));
    } else {
      const Mark first = frame.node->find(frame.entry.key)->mark;
      faults_.add({frame.entry.mark, path_text()},
                  "the key is given twice, first in line " + std::to_string(first.line));
    }
  }

  void add_key(Frame& frame, const YamlNode& node) {
    if (node.is_list() || node.is_map())
      fail(node.mark, "a list or map cannot be a key (is its closing bracket missing?)");
    if (node.text.empty()) fail(node.mark, "a key is empty");
    frame.entry = {node.text, node.mark, nullptr};
    frame.has_key = true;
  }

  // Adds entries of the merged map or maps that are not among the frame's own keys and earlier maps.
  void merge(Frame& frame, const YamlNode& source) {
    if (source.is_list()) {
      for (const YamlPointer& item : source.items) {
        if (!item->is_map()) fail(item->mark, "'<<' takes a map or a list of maps");
        merge(frame, *item);
      }
      return;
    }
    if (!source.is_map()) fail(source.mark, "'<<' takes a map or a list of maps");
    grow(frame, 0, static_cast<long>(source.entries.size()), source.mark);
    for (const YamlEntry& entry : source.entries) {
      if (frame.keys.insert(entry.key).second) frame.node->entries.push_back(entry);
    }
  }

  // `size`: nodes with aliases expanded; `count`: pointers actually stored.
  void grow(Frame& frame, long size, long count, const Mark& mark) {
    frame.size += size;
    total_ += count;
    if (frame.size > kMaxYamlNodes || total_ > kMaxYamlNodes) {
      fail(mark, "more than " + std::to_string(kMaxYamlNodes) + " values, aliases counted each time");
    }
  }

  std::string path_text() const {
    std::string text;
    for (const Frame& frame : frames_) {
      if (frame.node->is_list()) {
        text += '[' + std::to_string(frame.node->items.size()) + ']';
      } else {
        if (!text.empty()) text += '.';
        text += printable(frame.entry.key);
      }
    }
    return text;
  }

  std::string_view text_;
  std::shared_ptr<const std::string> file_;
  YamlStream& stream_;
  FaultList& faults_;
  std::vector<Frame> frames_;
  std::unordered_map<YAML::anchor_t, std::pair<YamlPointer, long>> anchors_;
  YamlPointer root_;
  long total_ = 0;
};

}  // namespace

const YamlEntry* YamlNode::find(std::string_view key) const {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const YamlEntry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

bool YamlNode::is_boolean() const {
  return is_scalar() && !quoted &&
         (text == "true" || text == "True" || text == "TRUE" || text == "false" || text == "False" ||
          text == "FALSE");
}

std::string printable(std::string_view text) {
  constexpr std::size_t kMost = 60;
  return shortened_text(text, kMost);
}

std::string describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kList:
      return node.items.empty() ? "an empty list" : "a list";
    case YamlNode::Kind::kMap:
      return "a map";
    case YamlNode::Kind::kScalar:
      break;
  }
  if (node.text.empty()) return "an empty text";
  return (node.is_boolean() ? "the boolean '" : "'") + printable(node.text) + '\'';
}

std::string NodePath::text() const {
  std::string before = parent ? parent->text() : std::string();
  if (index >= 0) return before + '[' + std::to_string(index) + ']';
  if (key.empty()) return before;
  if (!before.empty()) before += '.';
  return before + printable(key);
}

YamlPointer parse_yaml(const std::string& text, const std::string& file_name, FaultList& faults) {
  check_utf8_text(text, file_name);
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  const bool has_mark = std::string_view(text).substr(0, kByteOrderMark.size()) == kByteOrderMark;
  const std::string_view body = std::string_view(text).substr(has_mark ? kByteOrderMark.size() : 0);
  const auto file = std::make_shared<const std::string>(file_name);
  YamlStream bytes(body, file);
  TreeBuilder builder(body, file, bytes, faults);
  std::istream stream(&bytes);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    fail(builder.to_mark(error.mark), "YAML syntax: " + error.msg);
  }
  if (builder.root()) return builder.root();
  auto nothing = std::make_shared<YamlNode>();
  nothing->mark = builder.to_mark(YAML::Mark());
  return nothing;
}

}  // namespace sestina
