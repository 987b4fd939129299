// Equilibrium of a loaded beam, or a chain of beams, with clamps.
//
// The unknowns are six motions of each node in its own axes and the wrench of each element, which is
// condensed (beam_element.h); Newton's method on the manifold solves
//
//   r(X, lambda) - f(X, mu) = 0                                                                           (1)
//
// with the load factor mu. The linear equations of the chain are block tridiagonal. Along a path that turns
// back in mu, `follow` takes steps of given length in (motions, mu), with the plane perpendicular to the path
// as additional equation (arc-length continuation, H. B. Keller 1977). If the determinant of the tangent
// changes its sign, another path branches off; `find_critical` locates this point.
#pragma once

#include <vector>

#include "sestina/flexible/beam_mesh.h"
#include "sestina/flexible/block_tridiagonal.h"

namespace sestina {

// A force (N) and a moment (N m) on a node. Dead loads keep their direction in space, in ground axes; a
// follower's are in the axes of the node and turn with it. If `scaled` is false, the load factor does not
// apply to it.
struct BeamLoad {
  int node = 0;
  Vec3<double> force, moment;
  bool follows = false;
  bool scaled = true;
};

// A dead force per length (N/m, ground axes) on all elements.
struct BeamLineLoad {
  Vec3<double> force;
  bool scaled = true;
};

struct BeamNewtonOptions {
  double tolerance = 1e-10;  // of a correction: rad, and m over the beam's length
  int iterations = 40;
};

enum class BeamSolution { converged, stalled, singular };

struct BeamNewtonReport {
  BeamSolution status = BeamSolution::stalled;
  int iterations = 0;
  double correction = 0.0;  // the last one, as the tolerance
  double residual = 0.0;    // N, the largest force that is out of balance; moments over the beam's length
};

class BeamStatics {
 public:
  explicit BeamStatics(BeamMesh mesh);

  BeamMesh& mesh() { return mesh_; }
  const BeamMesh& mesh() const { return mesh_; }
  void clamp(int node);
  void add(const BeamLoad& load) { loads_.push_back(load); }
  void add(const BeamLineLoad& load) { line_loads_.push_back(load); }
  double factor() const { return factor_; }
  const Vec6<double>& wrench(int element) const { return lambda_[static_cast<std::size_t>(element)]; }

  // Finds the equilibrium at this load factor, starting from the present state. On failure nothing moves.
  BeamNewtonReport solve(double factor, const BeamNewtonOptions& options = {});
  // The same in `steps` equal parts of the load; a part that fails is halved, at most ten times.
  BeamNewtonReport solve_in_steps(double factor, int steps, const BeamNewtonOptions& options = {});

  // One step of the given length along the path from an equilibrium: rotations (rad), displacements over the
  // beam's length, and mu over `factor_scale`, as one norm of the mean over nodes. The direction follows
  // the last step; the first step increases mu.
  BeamNewtonReport follow(double step, double factor_scale, const BeamNewtonOptions& options = {});
  void reverse() { direction_ = -direction_; }

  // Finds the load factor, between two of the path, at which the tangent is singular, to `tolerance`. The
  // beam is left in this state. Throws ComputationError if the determinant has the same sign at both.
  double find_critical(double low, double high, double tolerance);
  // The null vector of a singular tangent, of norm one as above, by inverse iteration.
  std::vector<Vec6<double>> critical_mode();
  // Moves along a mode, as the first step into another branch, from which `follow` continues.
  BeamNewtonReport branch_off(const std::vector<Vec6<double>>& mode, double amplitude, double factor_scale);

  // At the present state: elastic energy (J), and the tangent's determinant.
  double strain_energy();
  int determinant_sign();
  // Force and moment that the clamp of a node exerts, ground axes, about the node.
  SpatialForce<double> reaction(int node);

 private:
  struct Configuration {
    std::vector<BeamNode> nodes;
    std::vector<Vec6<double>> lambda;
    double factor = 0.0;
  };
  using Motions = std::vector<Vec6<double>>;

  Configuration configuration() const { return {mesh_.nodes, lambda_, factor_}; }
  void restore(const Configuration& saved);
  // Assembles (1): the residual in residual_, the tangent in matrix_, the derivative with respect to mu in
  // by_factor_.
  void assemble();
  void add_elements();
  void add_loads();
  void fix_clamps();
  // Moves nodes and the condensed wrenches.
  void apply(const Motions& motions);
  double product(const Motions& a, const Motions& b) const;
  double size_of(const Motions& motions) const;
  double size_of_residual() const;
  BeamNewtonReport correct_in_plane(const Motions& tangent, double tangent_factor, double factor_scale,
                                    const BeamNewtonOptions& options);
  int sign_at(double factor, double& log_determinant);

  BeamMesh mesh_;
  double length_;
  std::vector<Vec6<double>> lambda_;
  std::vector<BeamElement<double>> elements_;
  std::vector<char> clamped_;
  std::vector<BeamLoad> loads_;
  std::vector<BeamLineLoad> line_loads_;
  double factor_ = 0.0;
  double direction_ = 1.0;
  Motions last_tangent_;
  double last_tangent_factor_ = 0.0;
  BlockTridiagonal matrix_;
  Motions residual_, by_factor_;
};

}  // namespace sestina
