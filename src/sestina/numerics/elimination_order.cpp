#include <algorithm>
#include <queue>

#include "sestina/base/index.h"

#include "sestina/numerics/block_ldlt.h"

namespace sestina {
namespace {

// Degrees of nodes with longer lists are not updated exactly: these nodes come late in any case.
constexpr std::size_t kLongList = 200;

// The graph during the elimination: connected eliminated nodes form an element, which couples
// all of its nodes with each other.
class QuotientGraph {
 public:
  explicit QuotientGraph(const BlockPattern& pattern)
      : pattern_(pattern), nodes_(pattern.sizes.size()), elements_(nodes_.size()), mark_(nodes_.size(), -1) {
    for (const auto& [dual, primal] : pattern.links) {
      nodes_[at(dual)].neighbours.push_back(primal);
      nodes_[at(primal)].neighbours.push_back(dual);
    }
    for (const auto& [a, b] : pattern.couplings) {
      nodes_[at(a)].neighbours.push_back(b);
      nodes_[at(b)].neighbours.push_back(a);
    }
    for (int node = 0; node < static_cast<int>(nodes_.size()); ++node) offer(node);
  }

  // Lists the nodes in the order of elimination, and by node those with which it is then coupled.
  void eliminate_all(std::vector<int>& order, std::vector<std::vector<int>>& coupled) {
    coupled.resize(nodes_.size());
    while (order.size() < nodes_.size()) {
      const int node = next();
      order.push_back(node);
      eliminate(node);
      coupled[at(node)] = elements_[at(node)].nodes;
    }
  }

 private:
  struct Node {
    std::vector<int> neighbours, elements;
    long offered = -1;  // the stamp of the last offer
    bool is_eliminated = false;
  };
  struct Element {
    std::vector<int> nodes;
    int freedom = 0;  // number of directions in which it can move, less its conditions
    bool is_alive = false;
  };
  struct Offer {
    int degree = 0, node = 0;
    long stamp = 0;
    // The queue returns the largest offer: the lowest degree and, among equals, the outermost node.
    bool operator<(const Offer& other) const {
      return degree != other.degree ? degree > other.degree : node < other.node;
    }
  };

  // Calls f for all nodes that are coupled with this one.
  template <class F>
  void for_each_coupled(int node, F&& f) {
    mark_[at(node)] = ++stamp_of_mark_;
    const auto see = [&](int other) {
      if (nodes_[at(other)].is_eliminated || mark_[at(other)] == stamp_of_mark_) return;
      mark_[at(other)] = stamp_of_mark_;
      f(other);
    };
    for (const int other : nodes_[at(node)].neighbours) see(other);
    for (const int element : nodes_[at(node)].elements) {
      if (!elements_[at(element)].is_alive) continue;
      for (const int other : elements_[at(element)].nodes) see(other);
    }
  }

  bool may_go(int node) const {
    if (!pattern_.is_dual[at(node)]) return true;
    int freedom = 0;
    for (const int element : nodes_[at(node)].elements) {
      if (elements_[at(element)].is_alive) freedom += elements_[at(element)].freedom;
    }
    return freedom >= pattern_.sizes[at(node)];
  }

  void offer(int node) {
    nodes_[at(node)].offered = -1;
    if (!may_go(node)) return;
    int degree = 0;
    for_each_coupled(node, [&](int other) { degree += pattern_.sizes[at(other)]; });
    nodes_[at(node)].offered = ++stamp_;
    queue_.push({degree, node, stamp_});
  }

  int next() {
    while (!queue_.empty()) {
      const Offer offer = queue_.top();
      queue_.pop();
      const Node& node = nodes_[at(offer.node)];
      if (!node.is_eliminated && node.offered == offer.stamp) return offer.node;
    }
    // Only conditions are left, and none may be eliminated yet; any order will do.
    while (nodes_[at(first_left_)].is_eliminated) ++first_left_;
    return first_left_;
  }

  void eliminate(int node) {
    Element& element = elements_[at(node)];
    element.is_alive = true;
    element.freedom = pattern_.is_dual[at(node)] ? -pattern_.sizes[at(node)] : pattern_.sizes[at(node)];
    for_each_coupled(node, [&](int other) { element.nodes.push_back(other); });
    for (const int absorbed : nodes_[at(node)].elements) {
      Element& other = elements_[at(absorbed)];
      if (!other.is_alive) continue;
      element.freedom += other.freedom;
      other.is_alive = false;
      other.nodes.clear();
    }
    nodes_[at(node)].is_eliminated = true;
    for (const int other : element.nodes) {
      Node& coupled = nodes_[at(other)];
      coupled.elements.push_back(node);
      if (coupled.elements.size() + coupled.neighbours.size() > kLongList && coupled.offered >= 0) continue;
      std::erase_if(coupled.elements, [&](int e) { return !elements_[at(e)].is_alive; });
      std::erase_if(coupled.neighbours, [&](int n) { return nodes_[at(n)].is_eliminated; });
    }
    const std::vector<int> affected = element.nodes;
    for (const int other : affected) {
      const Node& coupled = nodes_[at(other)];
      if (coupled.elements.size() + coupled.neighbours.size() > kLongList && coupled.offered >= 0) continue;
      offer(other);
    }
  }

  const BlockPattern& pattern_;
  std::vector<Node> nodes_;
  std::vector<Element> elements_;  // by the node whose elimination formed it
  std::vector<long> mark_;
  std::priority_queue<Offer> queue_;
  long stamp_ = 0, stamp_of_mark_ = 0;
  int first_left_ = 0;
};

}  // namespace

EliminationOrder::EliminationOrder(const BlockPattern& pattern) {
  std::vector<int> order;
  std::vector<std::vector<int>> coupled;
  QuotientGraph(pattern).eliminate_all(order, coupled);
  const std::size_t n = order.size();
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  std::vector<int> first(n);
  for (std::size_t i = 0; i < n; ++i) first[at(order[i])] = static_cast<int>(i);
  // The elimination tree: a node's parent is the first node that it is coupled with. Listing the subtrees one
  // after the other leads to the same factors.
  std::vector<std::vector<int>> children(n + 1);
  for (const int node : order) {
    int parent = static_cast<int>(n);
    for (const int other : coupled[at(node)]) {
      if (parent == static_cast<int>(n) || first[at(other)] < first[at(parent)]) parent = other;
    }
    children[at(parent)].push_back(node);
  }
  std::vector<std::pair<int, std::size_t>> stack{{static_cast<int>(n), 0}};
  place.assign(n, 0);
  while (!stack.empty()) {
    auto& [node, child] = stack.back();
    if (child < children[at(node)].size()) {
      stack.emplace_back(children[at(node)][child++], 0);
      continue;
    }
    if (node < static_cast<int>(n)) {
      place[at(node)] = static_cast<int>(nodes.size());
      nodes.push_back(node);
    }
    stack.pop_back();
  }
  neighbours.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (const int other : coupled[at(nodes[i])]) neighbours[i].push_back(place[at(other)]);
    std::ranges::sort(neighbours[i]);
  }
}

}  // namespace sestina
