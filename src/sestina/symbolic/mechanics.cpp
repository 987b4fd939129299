#include "sestina/symbolic/mechanics.h"

#include <fmt/format.h>

#include "sestina/base/error.h"
#include "sestina/symbolic/frame.h"
#include "sestina/symbolic/frame_tree.h"
#include "sestina/symbolic/point.h"
#include "sestina/symbolic/point_tree.h"

namespace sestina::symbolic {

Mechanics::Mechanics()
    : frames_(std::make_unique<FrameTree>(*this)), points_(std::make_unique<PointTree>(*this)) {}
Mechanics::~Mechanics() = default;

Expression Mechanics::symbol(std::string_view name) { return {graph_, graph_.symbol(name)}; }

std::vector<Expression> Mechanics::symbols(std::string_view name, std::size_t count) {
  std::vector<Expression> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(symbol(fmt::format("{}{}", name, i)));
  return all;
}

Expression Mechanics::dynamicsymbol(std::string_view name, int order) {
  return {graph_, variables_.variable(name, order)};
}

std::vector<Expression> Mechanics::dynamicsymbols(std::string_view name, std::size_t count, int order) {
  std::vector<Expression> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(dynamicsymbol(fmt::format("{}{}", name, i), order));
  return all;
}

void Mechanics::fill(std::string_view names, std::span<Expression> all, int order) {
  constexpr std::string_view kBlanks = " ,";
  std::vector<std::string_view> found;
  for (std::size_t at = names.find_first_not_of(kBlanks); at != std::string_view::npos;) {
    const std::size_t end = std::min(names.find_first_of(kBlanks, at), names.size());
    found.push_back(names.substr(at, end - at));
    at = names.find_first_not_of(kBlanks, end);
  }
  if (found.size() != all.size()) {
    throw InputError(fmt::format("'{}' holds {} names, not {}", names, found.size(), all.size()));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = order < 0 ? symbol(found[i]) : dynamicsymbol(found[i], order);
  }
}

Expression Mechanics::time() { return {graph_, variables_.time()}; }
Expression Mechanics::rate(const Expression& of) { return {graph_, variables_.rate(of.in(graph_))}; }

ReferenceFrame Mechanics::frame(std::string_view name) { return {*this, frames_->add(name)}; }
std::optional<ReferenceFrame> Mechanics::find_frame(std::string_view name) {
  const auto found = frames_->find(name);
  if (!found) return std::nullopt;
  return ReferenceFrame(*this, *found);
}
Point Mechanics::point(std::string_view name) { return {*this, points_->add(name)}; }

}  // namespace sestina::symbolic
