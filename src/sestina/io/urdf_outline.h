// The outline of an XML file: its elements and their places. urdfdom reports neither lines nor every kind of
// damage (TinyXML reads as much as it can of a broken file). Therefore this reads a URDF file first: text
// that is not well-formed, nested too deeply or too large is rejected before urdfdom sees it, and every
// element gets a mark.
//
// Stricter than XML where URDF needs no more: no document type, no character references (&#...;). The text
// must have passed check_utf8_text: TinyXML reads beyond the end of text whose last character is incomplete,
// and only to the first NUL.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sestina/base/place.h"

namespace sestina {

// Limits on the input of urdfdom, far above any robot. TinyXML recurses over the depth, and searches an
// element's attributes one by one.
struct XmlLimits {
  static constexpr std::size_t kBytes = 16u << 20;
  static constexpr int kDepth = 200;
  static constexpr int kElements = 500'000;
  static constexpr int kAttributes = 64;  // of one element
};

struct XmlAttribute {
  std::string name;
  std::string value;  // with &amp; and the like replaced
  Mark mark;          // of the value
};

struct XmlElement {
  std::string tag;
  std::vector<XmlAttribute> attributes;
  int depth = 0;    // 0 for the root
  int parent = -1;  // index of the enclosing element
  Mark mark;

  const XmlAttribute* find(std::string_view attribute) const;  // null if there is none
};

// Returns the elements down to `kept_depth` in file order. Throws InputError at the first damage.
std::vector<XmlElement> read_xml_outline(std::string_view text, std::shared_ptr<const std::string> file,
                                         int kept_depth);

}  // namespace sestina
