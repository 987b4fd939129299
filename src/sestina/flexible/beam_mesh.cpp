#include "sestina/flexible/beam_mesh.h"

#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "sestina/base/error.h"
#include "sestina/spatial/rotation_vector.h"

namespace sestina {

namespace {

Rotation<double> section_axes(const Vec3<double>& tangent, const Vec3<double>& up) {
  const Vec3<double> x = (1.0 / norm(tangent)) * tangent, across = up - dot(up, x) * x;
  if (!(norm(across) > 1e-9 * norm(up))) {
    throw InputError(fmt::format("up = [{}, {}, {}] is along the beam's axis", up.x, up.y, up.z));
  }
  const Vec3<double> z = (1.0 / norm(across)) * across;
  return Rotation<double>::from_columns(x, cross(z, x), z);
}

bool is_diagonal(const Mat6<double>& C) {
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      if (i != j && C.m[i][j] != 0.0) return false;
    }
  }
  return true;
}

void set_section(const BeamSection& section, const Mat6<double>& compliance, BeamPiece& piece) {
  piece.section = section;
  piece.segment.compliance = compliance;
  piece.segment.is_diagonal = is_diagonal(compliance);
}

// The nodes, and the lengths and strains of the elements.
BeamMesh make_unstressed(const BeamFrames& frames, const std::vector<double>& stations) {
  BeamMesh mesh;
  for (std::size_t k = 0; k < stations.size(); ++k) {
    const double s = stations[k];
    mesh.nodes.push_back(BeamNode::at(frames(s)));
    if (k == 0) continue;
    const double h = s - stations[k - 1];
    const Pose<double> X_a = mesh.nodes[k - 1].pose(), X_m = frames(s - 0.5 * h), X_b = mesh.nodes[k].pose();
    BeamPiece piece;
    piece.segment.length = h;
    // Strain changes by 2 (d2 - d1)/h over the length h/2 between the middles of the halves; eta = h
    // xi'/sqrt(12).
    const Vec6<double> change = log_pose(inverse(X_m) * X_b) - log_pose(inverse(X_a) * X_m);
    piece.segment.slope = (4.0 / (h * std::sqrt(12.0))) * change;
    piece.segment.strain = unstressed_strain(h, log_pose(inverse(X_a) * X_b), piece.segment.slope);
    mesh.pieces.push_back(piece);
  }
  return mesh;
}

}  // namespace

BeamNode BeamNode::at(const Pose<double>& X) {
  BeamNode node;
  node.p = X.p;
  euler_parameters_of(X.R, node.e.data());
  return node;
}

void BeamNode::move(const Vec6<double>& chi) {
  const Rotation<double> R = euler_parameter_rotation(e.data());
  p += R * linear(chi);
  turn_euler_parameters(e.data(), R * angular(chi), e.data());
  double square = 0.0;
  for (double x : e) square += x * x;
  for (double& x : e) x /= std::sqrt(square);
}

double BeamMesh::length() const {
  double sum = 0.0;
  for (const BeamPiece& piece : pieces) sum += piece.segment.length;
  return sum;
}

Pose<double> BeamMesh::pose_a(int k) const {
  const auto i = static_cast<std::size_t>(k);
  const Pose<double> X = nodes[i].pose();
  return pieces[i].turns ? Pose<double>{X.R * pieces[i].R_a, X.p} : X;
}
Pose<double> BeamMesh::pose_b(int k) const {
  const auto i = static_cast<std::size_t>(k);
  const Pose<double> X = nodes[i + 1].pose();
  return pieces[i].turns ? Pose<double>{X.R * pieces[i].R_b, X.p} : X;
}

BeamFrames straight_frames(const Vec3<double>& from, const Vec3<double>& to, const Vec3<double>& up) {
  if (!(norm(to - from) > 0.0)) throw InputError("the beam's axis has no length");
  const Vec3<double> x = (1.0 / norm(to - from)) * (to - from);
  const Rotation<double> R = section_axes(x, up);
  return [from, x, R](double s) { return Pose<double>{R, from + s * x}; };
}

BeamFrames curve_frames(std::function<Vec3<double>(double)> position,
                        std::function<Vec3<double>(double)> tangent, const Vec3<double>& up) {
  return [position = std::move(position), tangent = std::move(tangent), up](double s) {
    return Pose<double>{section_axes(tangent(s), up), position(s)};
  };
}

BeamMesh make_beam_mesh(const BeamFrames& frames, const std::vector<double>& stations,
                        const BeamSection& section) {
  BeamMesh mesh = make_unstressed(frames, stations);
  const Mat6<double> compliance = section_compliance(section);
  for (BeamPiece& piece : mesh.pieces) set_section(section, compliance, piece);
  return mesh;
}

BeamMesh make_beam_mesh(const BeamFrames& frames, const std::vector<double>& stations,
                        const std::vector<BeamSection>& sections) {
  BeamMesh mesh = make_unstressed(frames, stations);
  if (sections.size() != mesh.pieces.size()) {
    throw InputError(fmt::format("{} elements have {} sections: expected one for each", mesh.pieces.size(),
                                 sections.size()));
  }
  for (std::size_t k = 0; k < sections.size(); ++k) {
    set_section(sections[k], section_compliance(sections[k]), mesh.pieces[k]);
  }
  return mesh;
}

BeamMesh make_beam_mesh(const BeamFrames& frames, double length, int elements, const BeamSection& section) {
  std::vector<double> stations;
  for (int k = 0; k <= elements; ++k) stations.push_back(length * k / elements);
  return make_beam_mesh(frames, stations, section);
}

void join(BeamMesh& mesh, const BeamMesh& next) {
  const Pose<double> end = mesh.nodes.back().pose(), start = next.nodes.front().pose();
  if (!(norm(start.p - end.p) <= 1e-10 * (mesh.length() + next.length()))) {
    throw InputError(
        fmt::format("the second line begins {} m from where the first ends", norm(start.p - end.p)));
  }
  const std::size_t first = mesh.pieces.size();
  mesh.nodes.insert(mesh.nodes.end(), next.nodes.begin() + 1, next.nodes.end());
  mesh.pieces.insert(mesh.pieces.end(), next.pieces.begin(), next.pieces.end());
  mesh.pieces[first].R_a = end.R.transpose() * start.R;
  mesh.pieces[first].turns = true;
}

}  // namespace sestina
