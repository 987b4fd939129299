#include "sestina/io/urdf_outline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "sestina/base/error.h"

namespace sestina {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continues_name(char c) {
  return starts_name(c) || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == ':';
}

class OutlineReader {
 public:
  OutlineReader(std::string_view text, std::shared_ptr<const std::string> file, int kept_depth)
      : text_(text), file_(std::move(file)), kept_depth_(kept_depth) {}

  std::vector<XmlElement> read() {
    if (text_.size() > XmlLimits::kBytes) {
      fail(fmt::format("the file is larger than {} MiB", XmlLimits::kBytes >> 20));
    }
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") pos_ = 3;  // byte order mark
    bool seen_root = false;
    while (pos_ < text_.size()) {
      if (text_[pos_] != '<') {
        read_text();
      } else if (looking_at("<!--")) {
        skip_past("-->", pos_ + 4, "a comment that never ends");
      } else if (looking_at("<![CDATA[")) {
        if (open_.empty()) fail("text outside of the root element");
        skip_past("]]>", pos_, "a CDATA section that never ends");
      } else if (looking_at("<?")) {
        read_instruction();
      } else if (looking_at("<!")) {
        fail("a document type or another '<!' declaration: not read");
      } else if (looking_at("</")) {
        read_end_tag();
      } else {
        if (open_.empty() && std::exchange(seen_root, true)) fail("a second root element");
        read_start_tag();
      }
    }
    if (!open_.empty()) {
      fail(fmt::format("the file ends inside of <{}>, which begins in line {}", open_.back().tag,
                       open_.back().line));
    }
    if (!seen_root) fail("no XML element: the file is empty or not XML");
    return std::move(elements_);
  }

 private:
  struct Open {
    std::string_view tag;
    int line;
    int kept;  // index in elements_, or -1 below the stored depth
  };

  [[noreturn]] void fail(std::string message) { throw InputError({Fault{{mark(), {}}, std::move(message)}}); }

  Mark mark() {
    for (; counted_ < pos_ && counted_ < text_.size(); ++counted_) {
      if (text_[counted_] == '\n') {
        ++line_;
        line_start_ = counted_ + 1;
      }
    }
    return {file_, line_, static_cast<int>(pos_ - line_start_) + 1};
  }

  bool looking_at(std::string_view token) const { return text_.substr(pos_, token.size()) == token; }
  char peek() const { return pos_ < text_.size() ? text_[pos_] : '\0'; }
  void skip_space() {
    while (pos_ < text_.size() && is_space(text_[pos_])) ++pos_;
  }

  // Skips the text up to and including `end`.
  void skip_past(std::string_view end, std::size_t begin, const char* complaint) {
    const std::size_t found = text_.find(end, begin);
    if (found == std::string_view::npos) fail(complaint);
    pos_ = found + end.size();
  }

  // Reads <?xml version="1.0"?>.
  void read_instruction() {
    const std::size_t begin = pos_;
    skip_past("?>", pos_, "a '<?' that never ends");
    const std::string_view inside = text_.substr(begin + 2, pos_ - begin - 4);
    if (inside.find_first_of("<>") != std::string_view::npos) {
      pos_ = begin;
      fail("'<' or '>' inside of '<? ... ?>'");
    }
  }

  void read_text() {
    while (pos_ < text_.size() && text_[pos_] != '<') {
      if (open_.empty() && !is_space(text_[pos_])) fail("text outside of the root element: not XML");
      if (text_[pos_] == '&') {
        read_entity();
      } else {
        ++pos_;
      }
    }
  }

  char read_entity() {
    static constexpr std::array<std::pair<std::string_view, char>, 5> kEntities{
        {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}}};
    for (const auto& [name, character] : kEntities) {
      if (!looking_at(name)) continue;
      pos_ += name.size();
      return character;
    }
    if (looking_at("&#")) fail("a character reference (&#...;): write the character itself");
    fail("an '&' that begins none of &amp; &lt; &gt; &quot; &apos;");
  }

  std::string_view read_name(const char* what) {
    const std::size_t begin = pos_;
    if (!starts_name(peek())) fail(fmt::format("{} expected", what));
    while (continues_name(peek())) ++pos_;
    return text_.substr(begin, pos_ - begin);
  }

  XmlAttribute read_attribute() {
    XmlAttribute attribute;
    attribute.name = read_name("the name of an attribute");
    skip_space();
    if (peek() != '=') fail(fmt::format("'=' expected after attribute '{}'", attribute.name));
    ++pos_;
    skip_space();
    const char quote = peek();
    if (quote != '"' && quote != '\'') fail(fmt::format("attribute '{}' needs quotes", attribute.name));
    ++pos_;
    attribute.mark = mark();
    while (pos_ < text_.size() && text_[pos_] != quote) {
      if (text_[pos_] == '<') fail(fmt::format("'<' in attribute '{}': is a quote missing?", attribute.name));
      if (text_[pos_] == '&') {
        attribute.value += read_entity();
      } else {
        attribute.value += text_[pos_++];
      }
    }
    if (pos_ >= text_.size()) fail(fmt::format("the file ends inside of attribute '{}'", attribute.name));
    ++pos_;
    return attribute;
  }

  void read_start_tag() {
    XmlElement element;
    element.mark = mark();
    element.depth = static_cast<int>(open_.size());
    element.parent = open_.empty() ? -1 : open_.back().kept;
    if (element.depth >= XmlLimits::kDepth) {
      fail(fmt::format("elements are nested more than {} deep", XmlLimits::kDepth));
    }
    if (++count_ > XmlLimits::kElements) {
      fail(fmt::format("the file has more than {} elements", XmlLimits::kElements));
    }
    ++pos_;
    const std::string_view tag = read_name("the name of an element");
    element.tag = tag;
    bool spaced = is_space(peek());
    for (skip_space(); peek() != '>' && peek() != '/'; skip_space()) {
      if (pos_ >= text_.size()) fail(fmt::format("the file ends inside of the tag <{}", tag));
      if (!spaced) fail("a blank is missing between two attributes");
      add_attribute(element, read_attribute());
      spaced = is_space(peek());
    }
    const bool is_empty = peek() == '/';
    if (is_empty) ++pos_;
    if (peek() != '>') fail(fmt::format("'>' expected at the end of the tag <{}", tag));
    ++pos_;
    const bool kept = element.depth <= kept_depth_;
    const int line = element.mark.line;
    if (kept) elements_.push_back(std::move(element));
    if (!is_empty) open_.push_back({tag, line, kept ? static_cast<int>(elements_.size()) - 1 : -1});
  }

  void add_attribute(XmlElement& element, XmlAttribute attribute) {
    if (element.find(attribute.name)) fail(fmt::format("attribute '{}' is given twice", attribute.name));
    if (static_cast<int>(element.attributes.size()) == XmlLimits::kAttributes) {
      fail(fmt::format("<{}> has more than {} attributes", element.tag, XmlLimits::kAttributes));
    }
    element.attributes.push_back(std::move(attribute));
  }

  void read_end_tag() {
    const std::size_t begin = pos_;
    pos_ += 2;
    const std::string_view tag = read_name("the name of an element");
    skip_space();
    if (peek() != '>') fail(fmt::format("'>' expected at the end of </{}", tag));
    if (open_.empty() || open_.back().tag != tag) {
      pos_ = begin;
      fail(open_.empty() ? fmt::format("</{}> closes nothing", tag)
                         : fmt::format("</{}> where </{}> is expected, which begins in line {}", tag,
                                       open_.back().tag, open_.back().line));
    }
    ++pos_;
    open_.pop_back();
  }

  std::string_view text_;
  std::shared_ptr<const std::string> file_;
  int kept_depth_;
  std::size_t pos_ = 0;
  std::vector<Open> open_;
  std::vector<XmlElement> elements_;
  int count_ = 0;
  // For mark(): the line of text_[counted_].
  std::size_t counted_ = 0, line_start_ = 0;
  int line_ = 1;
};

}  // namespace

const XmlAttribute* XmlElement::find(std::string_view attribute) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const XmlAttribute& a) { return a.name == attribute; });
  return found == attributes.end() ? nullptr : &*found;
}

std::vector<XmlElement> read_xml_outline(std::string_view text, std::shared_ptr<const std::string> file,
                                         int kept_depth) {
  return OutlineReader(text, std::move(file), kept_depth).read();
}

}  // namespace sestina
