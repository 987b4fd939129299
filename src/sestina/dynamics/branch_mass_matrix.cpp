#include "sestina/dynamics/branch_mass_matrix.h"

#include <algorithm>

#include "sestina/model/properties.h"

namespace sestina {

BranchMassMatrix::BranchMassMatrix(const Model& model)
    : trees_(1),
      tree_of_body_(static_cast<std::size_t>(model.bodies().size()), 0),
      tree_of_speed_(static_cast<std::size_t>(model.nu()), 0),
      place_(static_cast<std::size_t>(model.nu()), 0),
      inertia_(tree_of_body_.size()) {
  std::vector<std::vector<int>> bodies(1);  // of each tree
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    const BodyIndex parent = model.bodies()[b].parent;
    std::size_t& tree = tree_of_body_[static_cast<std::size_t>(b.value())];
    if (parent == kGround) {
      tree = bodies.size();
      bodies.emplace_back();
    } else {
      tree = tree_of_body_[static_cast<std::size_t>(parent.value())];
    }
    bodies[tree].push_back(b.value());
  }
  std::vector<std::vector<int>> ways(inertia_.size());  // by BodyIndex: places of the speeds on the way to it
  for (std::size_t tree = 1; tree < bodies.size(); ++tree) {
    trees_.push_back({static_cast<int>(speed_.size()), 0});
    for (const int b : bodies[tree]) {
      const BodyInfo& info = model.bodies()[BodyIndex(b)];
      std::vector<int>& way = ways[static_cast<std::size_t>(b)];
      way = ways[static_cast<std::size_t>(info.parent.value())];
      for (int speed = info.u_start; speed < info.u_start + info.nu; ++speed) {
        place_[static_cast<std::size_t>(speed)] = static_cast<int>(speed_.size());
        tree_of_speed_[static_cast<std::size_t>(speed)] = tree;
        way.push_back(static_cast<int>(speed_.size()));
        speed_.push_back(speed);
        row_.push_back(way_.size());
        way_.insert(way_.end(), way.begin(), way.end());
      }
    }
    trees_.back().count = static_cast<int>(speed_.size()) - trees_.back().first;
  }
  row_.push_back(way_.size());
  entries_.assign(way_.size(), 0.0);
}

bool BranchMassMatrix::update(const Properties<double>& properties, const Kinematics<double>& kinematics) {
  for (std::size_t i = 1; i < inertia_.size(); ++i)
    inertia_[i] = CompositeInertia<double>(kinematics.inertia[i]);
  for (std::size_t i = inertia_.size(); i-- > 1;) {
    const BodyLink& link = kinematics.tree.links[i];
    for (int speed = link.u_start; speed < link.u_start + link.nu; ++speed) {
      const SpatialMotion<double>& H = kinematics.H[static_cast<std::size_t>(speed)];
      fill_row(i, speed, kinematics, inertia_[i].times(Lanes3<double>(H.w), Lanes3<double>(H.v)));
      const auto k = static_cast<std::size_t>(place_[static_cast<std::size_t>(speed)]);
      entries_[row_[k + 1] - 1] += properties.bodies.values()[i].armature;
    }
    if (link.parent == 0) continue;
    CompositeInertia<double> I = inertia_[i];
    I.shift_back(Lanes3<double>(kinematics.s[i]));
    inertia_[static_cast<std::size_t>(link.parent)] += I;
  }
  // Row k is eliminated from the rows of the speeds on its way to the ground, the nearest first.
  for (std::size_t k = speed_.size(); k-- > 0;) {
    double* own = entries_.data() + row_[k];
    const std::size_t depth = row_[k + 1] - row_[k] - 1;
    if (!(own[depth] > 0.0)) return false;
    for (std::size_t d = depth; d-- > 0;) {
      const double factor = own[d] / own[depth];
      double* inboard = entries_.data() + row_[static_cast<std::size_t>(way_[row_[k] + d])];
      for (std::size_t e = 0; e <= d; ++e) inboard[e] -= factor * own[e];
      own[d] = factor;
    }
  }
  return true;
}

// Computes the entries of a speed of a body: products of the momentum U, which unit speed causes beyond it,
// with the columns of the speeds on the way to the ground.
void BranchMassMatrix::fill_row(std::size_t body, int speed, const Kinematics<double>& kinematics,
                                ForceLanes<double> U) {
  const auto k = static_cast<std::size_t>(place_[static_cast<std::size_t>(speed)]);
  double* entry = entries_.data() + row_[k + 1];
  int last = speed;
  while (true) {
    const BodyLink& link = kinematics.tree.links[body];
    for (; last >= link.u_start; --last) *--entry = dot(kinematics.H[static_cast<std::size_t>(last)], U);
    if (link.parent == 0) return;
    U.shift_back(Lanes3<double>(kinematics.s[body]));
    body = static_cast<std::size_t>(link.parent);
    last = kinematics.tree.links[body].u_start + kinematics.tree.links[body].nu - 1;
  }
}

void BranchMassMatrix::solve(const Tree& tree, double* x, std::size_t stride) const {
  const auto first = static_cast<std::size_t>(tree.first), n = static_cast<std::size_t>(tree.count);
  double *x0 = x, *x1 = x + stride, *x2 = x + 2 * stride;
  const auto place = [&](std::size_t entry) { return static_cast<std::size_t>(way_[entry]) - first; };
  for (std::size_t i = n; i-- > 0;) {  // L^-T
    if (x0[i] == 0.0 && x1[i] == 0.0 && x2[i] == 0.0) continue;
    const std::size_t begin = row_[first + i], end = row_[first + i + 1] - 1;
    for (std::size_t e = begin; e < end; ++e) {
      const std::size_t j = place(e);
      x0[j] -= entries_[e] * x0[i];
      x1[j] -= entries_[e] * x1[i];
      x2[j] -= entries_[e] * x2[i];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {  // D^-1, then L^-1
    const std::size_t begin = row_[first + i], end = row_[first + i + 1] - 1;
    const double inverse = 1.0 / entries_[end];
    x0[i] *= inverse, x1[i] *= inverse, x2[i] *= inverse;
    for (std::size_t e = begin; e < end; ++e) {
      const std::size_t j = place(e);
      x0[i] -= entries_[e] * x0[j];
      x1[i] -= entries_[e] * x1[j];
      x2[i] -= entries_[e] * x2[j];
    }
  }
}

}  // namespace sestina
