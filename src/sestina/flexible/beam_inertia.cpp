#include "sestina/flexible/beam_inertia.h"

#include <cmath>

namespace sestina {
namespace {

// Whether the axis goes on smoothly from element k - 1 to element k, which has the same length.
bool continues(const BeamMesh& mesh, std::size_t k) {
  constexpr double kEqual = 1e-6, kSmooth = 1e-12;
  const BeamPiece &a = mesh.pieces[k - 1], &b = mesh.pieces[k];
  const Vec3<double> bend = a.R_b.column(0) - b.R_a.column(0);
  return std::abs(a.segment.length - b.segment.length) <= kEqual * a.segment.length &&
         dot(bend, bend) <= kSmooth;
}

// How much less than half of its mass an element gives to the node that is nearer to an end, of which it is
// the first, second, ... element.
double end_correction(std::size_t element) {
  return element == 0 ? 1.0 / 8.0 : element == 1 ? -1.0 / 24.0 : 0.0;
}

void add(double share, const BeamPiece& piece, const Rotation<double>& R, NodeInertia& node) {
  const double length = share * piece.segment.length;
  node.mass += length * piece.section.mass;
  const SymMat3<double> J = rotate(R, piece.section.inertia);
  node.inertia += {length * J.xx, length * J.yy, length * J.zz, length * J.xy, length * J.xz, length * J.yz};
}

}  // namespace

std::vector<NodeInertia> calc_node_inertias(const BeamMesh& mesh) {
  std::vector<NodeInertia> nodes(mesh.nodes.size());
  for (std::size_t begin = 0, end = 0; begin < mesh.pieces.size(); begin = end) {
    for (end = begin + 1; end < mesh.pieces.size() && continues(mesh, end);) ++end;
    for (std::size_t k = begin; k < end; ++k) {
      const BeamPiece& piece = mesh.pieces[k];
      const double share = 0.5 - end_correction(k - begin) + end_correction(end - 1 - k);
      add(share, piece, piece.R_a, nodes[k]);
      add(1.0 - share, piece, piece.R_b, nodes[k + 1]);
    }
  }
  return nodes;
}

}  // namespace sestina
