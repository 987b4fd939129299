// A beam divided into elements: nodes in a chain, element k between node k and node k + 1.
//
// A node is a pose: position (m, ground axes) and Euler parameters. Where the beam is smooth, its frame is
// the section's. At a corner between two lines, it is the section's frame of the first line, and the element
// of the second line stores the rotation between them.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "sestina/flexible/beam_element.h"
#include "sestina/flexible/beam_section.h"

namespace sestina {

struct BeamNode {
  Vec3<double> p;                               // m
  std::array<double, 4> e{1.0, 0.0, 0.0, 0.0};  // of R_WB: section axes to ground axes

  Pose<double> pose() const { return {euler_parameter_rotation(e.data()), p}; }
  static BeamNode at(const Pose<double>& X);
  // Moves by chi = [rotation vector (rad); displacement (m)], in its own axes.
  void move(const Vec6<double>& chi);
};

struct BeamPiece {
  BeamSegment<double> segment;
  BeamSection section;
  bool turns = false;                                   // whether R_a or R_b is not the identity
  Rotation<double> R_a = Rotation<double>::identity();  // section axes to the axes of the node
  Rotation<double> R_b = Rotation<double>::identity();
};

struct BeamMesh {
  std::vector<BeamNode> nodes;
  std::vector<BeamPiece> pieces;

  int element_count() const { return static_cast<int>(pieces.size()); }
  double length() const;  // m, of the unstressed axis
  // The section's pose at the ends of element k.
  Pose<double> pose_a(int k) const;
  Pose<double> pose_b(int k) const;
};

// The section's frame along the unstressed axis, by arc length s (m): x-axis the tangent, p on the axis.
using BeamFrames = std::function<Pose<double>(double s)>;

// From one point to another; the section's z-axis is the part of `up` that is perpendicular to the axis.
// Throws InputError if `up` is along the axis or the points coincide.
BeamFrames straight_frames(const Vec3<double>& from, const Vec3<double>& to, const Vec3<double>& up);
// The same along a curve r(s) with its tangent of unit length.
BeamFrames curve_frames(std::function<Vec3<double>(double)> position,
                        std::function<Vec3<double>(double)> tangent, const Vec3<double>& up);

// Elements of equal length. If the frames turn, they determine the curvature and twist of the unstressed
// beam, linear in s in each element; the nodes are unstressed to round-off.
BeamMesh make_beam_mesh(const BeamFrames& frames, double length, int elements, const BeamSection& section);
// Elements between stations (m, increasing, from 0 to the length).
BeamMesh make_beam_mesh(const BeamFrames& frames, const std::vector<double>& stations,
                        const BeamSection& section);
// The same with a section for each element.
BeamMesh make_beam_mesh(const BeamFrames& frames, const std::vector<double>& stations,
                        const std::vector<BeamSection>& sections);

// `next` begins where `mesh` ends: a stiff corner.
void join(BeamMesh& mesh, const BeamMesh& next);

}  // namespace sestina
