#include "sestina/io/yaml_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sestina/io/model_file_reader.h"

namespace sestina {
namespace {

constexpr std::size_t kLineLength = 100;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// True if the text needs no quotes, even inside `[...]` and `{...}`. Quotes more than necessary.
bool is_plain(std::string_view text) {
  constexpr std::string_view kInside = " .+-*/^()";
  if (text.empty() || text.front() == ' ' || text.back() == ' ') return false;
  const bool sign_first = (text.front() == '-' || text.front() == '+') && text.size() > 1 && text[1] != ' ';
  if (!is_letter_or_digit(text.front()) && text.front() != '(' && text.front() != '.' && !sign_first) {
    return false;
  }
  if (text.substr(0, 3) == "---" || text.substr(0, 3) == "...") return false;
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_letter_or_digit(c) || kInside.find(c) != std::string::npos; });
}

bool is_null_word(std::string_view text) { return text == "null" || text == "Null" || text == "NULL"; }

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string scalar_text(const YamlNode& node) {
  YamlNode plain = node;
  plain.quoted = false;
  // Text that would read as a number or boolean needs quotes.
  const bool reads_otherwise =
      node.quoted && (plain.is_boolean() || parse_plain_number(node.text).has_value());
  const bool quote = reads_otherwise || is_null_word(node.text) || !is_plain(node.text);
  return quote ? in_quotes(node.text) : node.text;
}

std::string key_text(const std::string& key) {
  return is_plain(key) && !is_null_word(key) ? key : in_quotes(key);
}

std::string flow(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "null";
    case YamlNode::Kind::kScalar:
      return scalar_text(node);
    case YamlNode::Kind::kList: {
      std::string text = "[";
      for (const YamlPointer& item : node.items) text += (text.size() > 1 ? ", " : "") + flow(*item);
      return text + ']';
    }
    case YamlNode::Kind::kMap:
      break;
  }
  std::string text = "{";
  for (const YamlEntry& entry : node.entries) {
    text += (text.size() > 1 ? ", " : "") + key_text(entry.key) + ": " + flow(*entry.value);
  }
  return text + '}';
}

bool is_list_of_maps(const YamlNode& node) {
  return node.is_list() && !node.items.empty() && node.items.front()->is_map();
}

bool is_map_of_maps(const YamlNode& node) {
  return std::any_of(node.entries.begin(), node.entries.end(),
                     [](const YamlEntry& entry) { return entry.value->is_map(); });
}

void write_block(const YamlNode& node, std::size_t indent, std::string& out);

// Writes a value after "key:" or "-": on the same line if it fits, otherwise as a block.
void write_value(const YamlNode& node, std::size_t indent, std::size_t column, std::string& out) {
  const bool is_top_level = indent == 2;
  const bool is_always_block = is_list_of_maps(node) || (is_top_level && is_map_of_maps(node));
  const std::string line = is_always_block ? std::string(kLineLength, ' ') : flow(node);
  const bool has_block_form =
      (node.is_list() && !node.items.empty()) || (node.is_map() && !node.entries.empty());
  if (has_block_form && column + 1 + line.size() > kLineLength) {
    out += '\n';
    write_block(node, indent, out);
  } else {
    out += ' ' + line + '\n';
  }
}

void write_block(const YamlNode& node, std::size_t indent, std::string& out) {
  const std::string margin(indent, ' ');
  for (const YamlEntry& entry : node.entries) {
    const std::string key = key_text(entry.key) + ':';
    out += margin + key;
    write_value(*entry.value, indent + 2, indent + key.size(), out);
  }
  for (const YamlPointer& item : node.items) {
    const std::string line = margin + "- " + flow(*item);
    if (line.size() <= kLineLength || !item->is_map()) {
      out += line + '\n';
      continue;
    }
    std::string block;
    write_block(*item, indent + 2, block);
    block.replace(indent, 1, "-");  // the item's first key is on the line of its dash
    out += block;
  }
}

}  // namespace

std::string write_yaml_line(const YamlNode& node) { return flow(node); }

std::string write_yaml(const YamlNode& root) {
  std::string text;
  write_block(root, 0, text);
  return text;
}

}  // namespace sestina
