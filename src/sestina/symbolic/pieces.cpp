#include "sestina/symbolic/pieces.h"

#include <algorithm>
#include <map>

#include "sestina/symbolic/frame_tree.h"
#include "sestina/symbolic/mechanics.h"

namespace sestina::symbolic {

std::size_t PieceStore::Hash::operator()(const Piece& piece) const {
  std::uint64_t hash = piece.frame;
  for (const Expr e : piece.xyz) hash = (hash ^ e.id) * 0x9e3779b97f4a7c15ull + (hash >> 29);
  return hash;
}

PieceStore::PieceStore(Mechanics& mechanics, const PieceRules& rules)
    : mechanics_(mechanics),
      inertial_(rules.inertial),
      differentiator_(mechanics.graph(), rules.speeds),
      rate_differentiator_(mechanics.graph(), rules.rates),
      coordinates_(mechanics.graph(), rules.coordinates),
      remainder_(mechanics.graph(), rules.remainder),
      loads_(mechanics.graph(), rules.loads) {}

PieceId PieceStore::intern(const Piece& piece) {
  const auto [entry, is_new] = ids_.try_emplace(piece, static_cast<PieceId>(pieces_.size()));
  if (is_new) {
    pieces_.push_back(piece);
    remainders_.push_back(kUnknown);
    columns_.emplace_back();
  }
  return entry->second;
}

std::vector<PieceId> PieceStore::intern(const Vector& v) {
  Graph& graph = mechanics_.graph();
  std::vector<PieceId> pieces;
  for (const auto& [frame, xyz] : v.parts()) {
    pieces.push_back(intern(Piece{frame, {xyz[0].in(graph), xyz[1].in(graph), xyz[2].in(graph)}}));
  }
  return pieces;
}

std::optional<PieceId> PieceStore::substitute(PieceId piece, Substitution& substitution) {
  Piece image = pieces_[piece];
  for (Expr& e : image.xyz) e = substitution(e);
  const Expr zero = mechanics_.graph().fraction(0);
  if (std::all_of(image.xyz.begin(), image.xyz.end(), [&](Expr e) { return e == zero; })) return std::nullopt;
  return intern(image);
}

std::vector<PieceId> PieceStore::velocity(const Vector& v) {
  std::vector<PieceId> pieces;
  for (const PieceId piece : intern(v)) {
    if (const auto image = substitute(piece, coordinates_)) pieces.push_back(*image);
  }
  return pieces;
}

Vector PieceStore::applied(const Vector& v) {
  std::vector<PieceId> pieces;
  for (const PieceId piece : intern(v)) {
    if (const auto image = substitute(piece, remainder_)) pieces.push_back(*image);
  }
  return vector(pieces);
}

Expression PieceStore::applied(const Expression& e) {
  if (!e.graph()) return e;
  return mechanics_.wrap(remainder_(e.in(mechanics_.graph())));
}

PieceStore::Accelerated PieceStore::accelerated(const Vector& v) {
  Graph& graph = mechanics_.graph();
  Accelerated result{{}, {}, true};
  std::map<std::size_t, Vector> by_rates;
  for (const Vector::Part& part : v.parts()) {
    Triple rest;
    for (std::size_t k = 0; k < 3; ++k) {
      const Expr whole = loads_(part.xyz[k].in(graph));
      rest[k] = mechanics_.wrap(remainder_(whole));
      for (const auto& [column, value] : rate_differentiator_.row(whole)) {
        for (const auto& [other, second] : rate_differentiator_.row(value)) {
          result.is_linear = result.is_linear && mechanics_.identities().is_zero(second);
        }
        Triple xyz;
        xyz[k] = mechanics_.wrap(remainder_(value));
        by_rates[column] += Vector(mechanics_, part.frame, xyz);
      }
    }
    result.at_rest += Vector(mechanics_, part.frame, rest);
  }
  result.by_rates.assign(by_rates.begin(), by_rates.end());
  return result;
}

Vector::Part PieceStore::part(PieceId piece) const {
  const auto& [frame, xyz] = pieces_[piece];
  return {frame, {mechanics_.wrap(xyz[0]), mechanics_.wrap(xyz[1]), mechanics_.wrap(xyz[2])}};
}

Vector PieceStore::vector(std::span<const PieceId> pieces) const {
  Vector total;
  for (const PieceId piece : pieces) {
    const Vector::Part next = part(piece);
    total += Vector(mechanics_, next.frame, next.xyz);
  }
  return total;
}

const std::vector<PieceStore::Column>& PieceStore::partials(PieceId piece) {
  if (columns_[piece]) return *columns_[piece];
  const Piece of = pieces_[piece];
  const Expr zero = mechanics_.graph().fraction(0);
  std::vector<std::pair<std::size_t, std::array<Expr, 3>>> found;
  for (std::size_t i = 0; i < 3; ++i) {
    for (const auto& [column, value] : differentiator_.row(of.xyz[i])) {
      const auto at =
          std::find_if(found.begin(), found.end(), [c = column](const auto& f) { return f.first == c; });
      auto& xyz = at == found.end() ? found.emplace_back(column, std::array{zero, zero, zero}) : *at;
      xyz.second[i] = value;
    }
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Column> columns;
  for (const auto& [column, xyz] : found) columns.emplace_back(column, intern(Piece{of.frame, xyz}));
  columns_[piece] = std::move(columns);
  return *columns_[piece];
}

PieceId PieceStore::calc_remainder(PieceId piece) {
  const Vector::Part of = part(piece);
  Triple rate;
  for (std::size_t i = 0; i < 3; ++i) rate[i] = mechanics_.rate(of.xyz[i]);
  if (of.frame != inertial_) {
    const Triple& w = mechanics_.frames().own_angular_velocity(of.frame, inertial_);
    rate = add(rate, cross(w, of.xyz));
  }
  Graph& graph = mechanics_.graph();
  const PieceId whole = intern(Piece{of.frame, {rate[0].in(graph), rate[1].in(graph), rate[2].in(graph)}});
  return substitute(whole, remainder_).value_or(kZero);
}

std::optional<PieceId> PieceStore::remainder(PieceId piece) {
  if (remainders_[piece] == kUnknown) {
    const PieceId found = calc_remainder(piece);
    remainders_[piece] = found;
  }
  if (remainders_[piece] == kZero) return std::nullopt;
  return remainders_[piece];
}

std::optional<PieceId> PieceStore::at_rest(PieceId piece) { return substitute(piece, remainder_); }

Expression PieceStore::dot(PieceId a, PieceId b) {
  if (b < a) std::swap(a, b);
  const std::uint64_t key = (std::uint64_t{a} << 32) | b;
  const auto found = products_.find(key);
  if (found != products_.end()) return found->second;
  return products_[key] = vector(std::span(&a, 1)).dot(vector(std::span(&b, 1)));
}

}  // namespace sestina::symbolic
