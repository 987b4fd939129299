// The size of displacements of a mechanism with beams and reduced bodies, for its assembly (assembly.h).
//
// Nodes and modes have coordinates of their own. The nearest ones that close a loop would be those of the
// bodies next to it alone, and one element would carry the whole deformation. Here the size of a displacement
// d (nu) is
//   |d|^2 = d^T W d + c d^T K d                                                                       (1)
// with the elastic stiffness K (N/m, N m), W = 1 for shifts and the square of the mechanism's size for turns,
// and a compliance c (m/N) so large that flexible bodies move and turn as a whole, if that closes the loops,
// and otherwise bend as loads at their ends would bend them.
//
// (1) holds for small turns only. For turns of any size, the gradient of |D|^2/2 with D, the displacement
// from the start, contains the elastic forces f instead of K D:
//   g = W D + c f                                                                                     (2)
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <array>
#include <span>
#include <vector>

#include "sestina/dynamics/beam_forces.h"

namespace sestina {

class ElasticNorm {
 public:
  // True if the model has beams or reduced bodies. Cables do not count: they keep the shape in which they are
  // drawn.
  static bool applies_to(const Model& model);
  ElasticNorm(const Model& model, const Properties<double>& properties);

  // Evaluates K and f for a state; its speeds do not matter.
  void update(const State<double>& state);
  // W + c K of these speeds. K consists of the stiffness of the material and, of elements under tension, that
  // of a string; what bending and compression contribute may be negative and is omitted.
  Eigen::SparseMatrix<double> matrix(const std::vector<std::size_t>& speeds) const;
  // g of these speeds for the displacement D (nu). `relaxes`: (2); otherwise c K D replaces c f, for states
  // whose deformation is to be kept.
  Eigen::VectorXd gradient(const std::vector<std::size_t>& speeds, std::span<const double> D,
                           bool relaxes) const;

  // Motions in which each beam moves as a rigid body and modes do not: of the joints' speeds, one each, and
  // six of each beam.
  struct Wholes {
    std::vector<std::size_t> leading;     // by motion: the speed that leads, of a beam's first node
    Eigen::SparseMatrix<double> motions;  // (speeds x motions)
    Eigen::SparseMatrix<double> norm;     // (motions x motions), by (1)
  };
  Wholes wholes(const State<double>& state, const std::vector<std::size_t>& speeds) const;
  // The displacement (nu) for amplitudes of these motions of any size.
  std::vector<double> displacement(const State<double>& state, const Wholes& wholes,
                                   const Eigen::VectorXd& amplitudes) const;
  // Gives all nodes of each beam the displacement of its first node, as those of a rigid body, and modes
  // none.
  void move_as_wholes(const State<double>& state, std::span<double> displacement) const;

 private:
  struct Mode {
    std::size_t speed = 0, coordinate = 0;
    double stiffness = 0.0;  // N/m
  };

  double weight(std::size_t speed) const;  // its number in W
  Vec3<double> position(const State<double>& state, BodyIndex node) const;
  std::array<Vec3<double>, 3> string_stiffness(std::size_t i) const;

  const Model* model_;
  const Properties<double>* properties_;
  BeamForces beams_;
  std::size_t elements_ = 0;  // of beams, which precede those of cables
  std::vector<Mode> modes_;
  double compliance_ = 0.0;  // c
  State<double> state_;
  Kinematics<double> kinematics_;
};

}  // namespace sestina
