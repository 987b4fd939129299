#include "sestina/dynamics/assembly_tree.h"

#include <algorithm>

namespace sestina {
namespace {

// Cuts from the tips inward: a subtree grows until it has `grain` bodies and is then cut off.
class Cutter {
 public:
  Cutter(AssemblyTree& tree, const Model& model, int grain, const std::vector<bool>& may_be_handle)
      : tree_(tree),
        may_be_handle_(may_be_handle),
        grain_(grain),
        children_(static_cast<std::size_t>(model.bodies().size())),
        size_(children_.size(), 0),
        tip_(children_.size()),
        is_cut_(children_.size(), false) {
    for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b)
      children_[at(model.bodies()[b].parent)].push_back(b);
  }

  void cut() {
    for (int b = static_cast<int>(children_.size()) - 1; b > 0; --b) grow(BodyIndex(b));
    cut_children(kGround);
    emit_leftover(kGround);
  }

 private:
  static std::size_t at(BodyIndex b) { return static_cast<std::size_t>(b.value()); }

  // The uncut subtree of b: b and the uncut parts of its children, unless these are too many bodies.
  void grow(BodyIndex b) {
    int total = 1, open = 0;
    for (const BodyIndex child : children_[at(b)]) {
      total += size_[at(child)];
      if (tip_[at(child)].is_valid()) {
        ++open;
        tip_[at(b)] = tip_[at(child)];
      }
    }
    size_[at(b)] = total;
    const bool fits = open <= 1;
    if (fits && (total <= grain_ || !may_be_handle_[at(b)])) return;
    size_[at(b)] = 1 + cut_children(b);
    tip_[at(b)] = b;
  }

  // Cuts off the children of b that have a handle, and the others in bundles of at least `grain` bodies.
  // Returns the number of bodies of the remaining children, which stay with b.
  int cut_children(BodyIndex b) {
    leftover_.clear();
    int left = 0;
    for (const BodyIndex child : children_[at(b)]) {
      if (tip_[at(child)].is_valid()) {
        emit(b, {child});
        continue;
      }
      leftover_.push_back(child);
      left += size_[at(child)];
      if (left >= grain_) {
        emit(b, leftover_);
        leftover_.clear();
        left = 0;
      }
    }
    return left;
  }

  void emit_leftover(BodyIndex b) {
    if (!leftover_.empty()) emit(b, leftover_);
  }

  // A piece of the uncut subtrees of these children of b.
  void emit(BodyIndex base, std::vector<BodyIndex> stack) {
    AssemblyTree::Piece piece;
    BodyIndex handle;
    for (const BodyIndex child : stack) {
      is_cut_[at(child)] = true;
      if (tip_[at(child)].is_valid()) handle = tip_[at(child)];
    }
    std::reverse(stack.begin(), stack.end());
    while (!stack.empty()) {
      const BodyIndex b = stack.back();
      stack.pop_back();
      piece.bodies.push_back(b);
      for (auto child = children_[at(b)].rbegin(); child != children_[at(b)].rend(); ++child) {
        if (!is_cut_[at(*child)]) stack.push_back(*child);
      }
    }
    tree_.pieces.push_back(std::move(piece));
    tree_.nodes.push_back({base, handle});
  }

  AssemblyTree& tree_;
  const std::vector<bool>& may_be_handle_;
  int grain_;
  std::vector<std::vector<BodyIndex>> children_;  // by BodyIndex
  std::vector<int> size_;                         // of the uncut subtree
  std::vector<BodyIndex> tip_;                    // handle in the uncut subtree
  std::vector<bool> is_cut_;                      // from its parent
  std::vector<BodyIndex> leftover_;
};

// Assembles level after level until one node without handle is left on each base.
class Contractor {
 public:
  Contractor(AssemblyTree& tree, int num_bodies)
      : tree_(tree), hanging_(static_cast<std::size_t>(num_bodies)) {
    for (int node = 0; node < static_cast<int>(tree.nodes.size()); ++node) hang(node);
  }

  void contract() {
    tree_.level_starts.push_back(0);
    for (;;) {
      assemble_level();
      const int count = static_cast<int>(tree_.assemblies.size());
      if (count == tree_.level_starts.back()) break;
      tree_.level_starts.push_back(count);
    }
    tree_.roots = hanging_[0];
  }

 private:
  const AssemblyTree::Node& node(int i) const { return tree_.nodes[static_cast<std::size_t>(i)]; }
  std::vector<int>& hanging(BodyIndex b) { return hanging_[static_cast<std::size_t>(b.value())]; }
  void hang(int i) { hanging(node(i).base).push_back(i); }

  void assemble_level() {
    // The present nodes with a handle, from the ground outward; pairing them halves a chain.
    std::vector<int> owners;
    is_used_.assign(tree_.nodes.size(), false);
    std::vector<int> stack(hanging_[0].rbegin(), hanging_[0].rend());
    while (!stack.empty()) {
      const int i = stack.back();
      stack.pop_back();
      if (!node(i).handle.is_valid()) continue;
      owners.push_back(i);
      const auto& outer = hanging(node(i).handle);
      stack.insert(stack.end(), outer.rbegin(), outer.rend());
    }
    for (const int owner : owners) {
      bundle(node(owner).handle);
      if (!is_used_[static_cast<std::size_t>(owner)]) join(owner);
    }
  }

  // Pairs of unused nodes without handle on one base.
  void bundle(BodyIndex base) {
    std::vector<int> closed;
    for (const int i : hanging(base)) {
      if (!node(i).handle.is_valid() && !is_used_[static_cast<std::size_t>(i)]) closed.push_back(i);
    }
    if (closed.size() < 2) return;
    for (std::size_t k = 0; k + 1 < closed.size(); k += 2) {
      assemble(AssemblyTree::Kind::kBundle, closed[k], closed[k + 1], {base, {}});
    }
  }

  void join(int owner) {
    const std::vector<int> outer = hanging(node(owner).handle);
    int closed = -1;
    for (const int i : outer) {
      if (is_used_[static_cast<std::size_t>(i)]) return;  // wait until it is whole
      if (!node(i).handle.is_valid()) closed = i;
    }
    if (outer.size() == 1) {
      assemble(AssemblyTree::Kind::kExtend, owner, outer[0], {node(owner).base, node(outer[0]).handle});
    } else if (closed >= 0) {
      assemble(AssemblyTree::Kind::kAttach, owner, closed, {node(owner).base, node(owner).handle});
    }
  }

  void assemble(AssemblyTree::Kind kind, int inner, int outer, AssemblyTree::Node result) {
    for (const int i : {inner, outer}) {
      is_used_[static_cast<std::size_t>(i)] = true;
      auto& list = hanging(node(i).base);
      list.erase(std::find(list.begin(), list.end(), i));
    }
    tree_.assemblies.push_back({kind, inner, outer});
    tree_.nodes.push_back(result);
    is_used_.push_back(true);
    hang(static_cast<int>(tree_.nodes.size()) - 1);
  }

  AssemblyTree& tree_;
  std::vector<std::vector<int>> hanging_;  // by BodyIndex: the nodes whose base it is
  std::vector<bool> is_used_;              // in this level
};

}  // namespace

AssemblyTree::AssemblyTree(const Model& model, int grain, const std::vector<bool>& may_be_handle) {
  Cutter(*this, model, grain, may_be_handle).cut();
  Contractor(*this, model.bodies().size()).contract();
}

}  // namespace sestina
