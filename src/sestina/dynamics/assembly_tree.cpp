#include "sestina/dynamics/assembly_tree.h"

#include <algorithm>

#include "sestina/dynamics/kinematics.h"
#include "sestina/model/properties.h"

namespace sestina {
namespace {

// A body may be a handle if its own inertia along each column of its joint exceeds this fraction of its
// inertia in any direction.
constexpr double kStrongPivot = 1e-6;

// Number of blocks of pieces (one task each): kFewBlocks, up to kManyBlocks or a sixteenth of the pieces. A
// level with at most kSerialAssemblies is not worth a synchronisation, which costs about one assembly.
constexpr int kFewBlocks = 4, kManyBlocks = 16, kSerialAssemblies = 8;

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

void AssemblyTree::bundle_roots(std::vector<std::pair<int, int>> pairs) {
  std::vector<int> bundle_of;  // by node: the node that has taken it in, or itself
  const auto find = [&](int node) {
    while (bundle_of[static_cast<std::size_t>(node)] != node) {
      node = bundle_of[static_cast<std::size_t>(node)];
    }
    return node;
  };
  for (int node = 0; node < static_cast<int>(nodes.size()); ++node) bundle_of.push_back(node);
  while (!pairs.empty()) {
    const int first = static_cast<int>(nodes.size());  // of this level
    std::vector<std::pair<int, int>> left;
    for (const auto& [a, b] : pairs) {
      const int inner = find(a), outer = find(b);
      if (inner == outer) continue;
      if (inner >= first || outer >= first) {  // has been used in this level
        left.emplace_back(inner, outer);
        continue;
      }
      const int bundle = static_cast<int>(nodes.size());
      assemblies.push_back({Kind::kBundle, inner, outer});
      nodes.push_back({kGround, {}});
      bundle_of.push_back(bundle);
      bundle_of[static_cast<std::size_t>(inner)] = bundle_of[static_cast<std::size_t>(outer)] = bundle;
    }
    if (first < static_cast<int>(nodes.size())) level_starts.push_back(static_cast<int>(assemblies.size()));
    pairs = std::move(left);
  }
  for (int& root : roots) root = find(root);
  std::sort(roots.begin(), roots.end());
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
}

std::vector<bool> find_strong_bodies(const Model& model) {
  const Properties<double> properties = calc_properties(model);
  const State<double> state = calc_initial_state(model);
  Kinematics<double> kinematics(model);
  update_kinematics(model, properties, state, kinematics);
  std::vector<bool> is_strong(static_cast<std::size_t>(model.bodies().size()), true);
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    const auto i = static_cast<std::size_t>(b.value());
    const BodyInfo& info = model.bodies()[b];
    ArticulatedInertia<double> I(kinematics.inertia[i]);
    const double inertia = I.J.trace(), mass = I.m.trace();
    for (int speed = info.u_start; speed < info.u_start + info.nu; ++speed) {
      const SpatialMotion<double>& H = kinematics.H[static_cast<std::size_t>(speed)];
      const SpatialForce<double> U = I * H;
      const double D = dot(H, U) + properties.bodies[b].armature;
      const double scale = dot(H.w, H.w) * inertia + dot(H.v, H.v) * mass;
      if (D <= kStrongPivot * scale) {
        is_strong[i] = false;
        break;
      }
      I.subtract_outer(U, 1.0 / D);
    }
  }
  return is_strong;
}

AssemblyBlocks::AssemblyBlocks(const AssemblyTree& tree) {
  const int num_pieces = static_cast<int>(tree.pieces.size()), depth = tree.num_levels();
  const int most_blocks = std::clamp(num_pieces / 2, kFewBlocks, std::max(kManyBlocks, num_pieces / 16));
  const auto start = [&](int level) { return tree.level_starts[static_cast<std::size_t>(level)]; };
  int cut = 0;  // the first level above the blocks
  while (cut < depth && num_pieces - start(cut) > most_blocks) ++cut;
  int serial = cut;  // the first level that is not spread over threads
  while (serial < depth && start(serial + 1) - start(serial) > kSerialAssemblies) ++serial;
  first_spread = cut, end_spread = serial;
  first_serial = start(serial);

  const int end = start(cut);  // the assemblies before it are within blocks
  std::vector<int> block_of(tree.nodes.size(), -1);
  for (int node = num_pieces + end - 1; node >= 0; --node) {
    int& block = block_of[static_cast<std::size_t>(node)];
    if (block < 0) {
      block = static_cast<int>(blocks.size());
      blocks.emplace_back();
    }
    if (node < num_pieces) continue;
    const AssemblyTree::Assembly& assembly = tree.assemblies[static_cast<std::size_t>(node - num_pieces)];
    block_of[static_cast<std::size_t>(assembly.inner)] = block;
    block_of[static_cast<std::size_t>(assembly.outer)] = block;
  }
  for (int node = 0; node < num_pieces + end; ++node) {
    Block& block = blocks[static_cast<std::size_t>(block_of[static_cast<std::size_t>(node)])];
    (node < num_pieces ? block.pieces : block.assemblies)
        .push_back(node < num_pieces ? node : node - num_pieces);
  }
}

}  // namespace sestina
