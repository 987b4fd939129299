#include "sestina/flexible/beam_statics.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sestina/base/error.h"

namespace sestina {

namespace {

// Rows and columns of a block from the section's axes to those of the node.
Mat6<double> turned(const Mat6<double>& A, const Rotation<double>& R_row, const Rotation<double>& R_column) {
  Mat6<double> left, right;
  set_block(left, 0, 0, R_row), set_block(left, 3, 3, R_row);
  set_block(right, 0, 0, R_column.transpose()), set_block(right, 3, 3, R_column.transpose());
  return left * A * right;
}
Vec6<double> turned(const Vec6<double>& f, const Rotation<double>& R) {
  return make_vec6(R * angular(f), R * linear(f));
}
Vec6<double> turned_back(const Vec6<double>& f, const Rotation<double>& R) {
  return make_vec6(transpose_times(R, angular(f)), transpose_times(R, linear(f)));
}

void add_block(Mat6<double>& sum, const Mat6<double>& A) {
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) sum.m[i][j] += A.m[i][j];
  }
}
// sum -= the block [v]x at (row, 0)
void subtract_cross(Mat6<double>& sum, int row, const Vec3<double>& v) {
  Mat6<double> block;
  set_block(block, row, 0, cross_matrix(-v));
  add_block(sum, block);
}

}  // namespace

BeamStatics::BeamStatics(BeamMesh mesh)
    : mesh_(std::move(mesh)),
      length_(mesh_.length()),
      lambda_(mesh_.pieces.size()),
      elements_(mesh_.pieces.size()),
      clamped_(mesh_.nodes.size(), 0),
      matrix_(static_cast<int>(mesh_.nodes.size())),
      residual_(mesh_.nodes.size()),
      by_factor_(mesh_.nodes.size()) {}

void BeamStatics::clamp(int node) { clamped_[static_cast<std::size_t>(node)] = 1; }

void BeamStatics::restore(const Configuration& saved) {
  mesh_.nodes = saved.nodes, lambda_ = saved.lambda, factor_ = saved.factor;
}

void BeamStatics::assemble() {
  matrix_.set_zero();
  std::fill(residual_.begin(), residual_.end(), Vec6<double>());
  std::fill(by_factor_.begin(), by_factor_.end(), Vec6<double>());
  add_elements();
  add_loads();
  fix_clamps();
}

void BeamStatics::add_elements() {
  BeamElementTangent<double> K;
  BeamElementForces<double> f;
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const int a = static_cast<int>(k), b = a + 1;
    const BeamPiece& piece = mesh_.pieces[k];
    elements_[k].advance(piece.segment, mesh_.pose_a(a), mesh_.pose_b(a), lambda_[k]);
    elements_[k].update_tangent(K, f);
    if (piece.turns) {
      f.a = turned(f.a, piece.R_a), f.b = turned(f.b, piece.R_b);
      K.aa = turned(K.aa, piece.R_a, piece.R_a), K.ab = turned(K.ab, piece.R_a, piece.R_b);
      K.ba = turned(K.ba, piece.R_b, piece.R_a), K.bb = turned(K.bb, piece.R_b, piece.R_b);
    }
    residual_[k] = residual_[k] + f.a, residual_[k + 1] = residual_[k + 1] + f.b;
    add_block(matrix_.diagonal(a), K.aa), add_block(matrix_.diagonal(b), K.bb);
    add_block(matrix_.after(a), K.ab), add_block(matrix_.before(b), K.ba);
  }
}

void BeamStatics::add_loads() {
  // A dead force F has the components R^T F in the node's axes, which a rotation theta changes by (R^T F) x
  // theta.
  const auto add_dead = [this](int node, int row, const Vec3<double>& vector, bool scaled) {
    const auto k = static_cast<std::size_t>(node);
    const double mu = scaled ? factor_ : 1.0;
    const Vec3<double> body = transpose_times(mesh_.nodes[k].pose().R, vector);
    for (int i = 0; i < 3; ++i) {
      residual_[k][row + i] -= mu * body[i];
      if (scaled) by_factor_[k][row + i] += body[i];
    }
    subtract_cross(matrix_.diagonal(node), row, mu * body);
  };
  for (const BeamLoad& load : loads_) {
    const auto k = static_cast<std::size_t>(load.node);
    if (load.follows) {
      const Vec6<double> wrench = make_vec6(load.moment, load.force);
      residual_[k] = residual_[k] - (load.scaled ? factor_ : 1.0) * wrench;
      if (load.scaled) by_factor_[k] = by_factor_[k] + wrench;
    } else {
      add_dead(load.node, 0, load.moment, load.scaled);
      add_dead(load.node, 3, load.force, load.scaled);
    }
  }
  // A force per length works on r = r_a (1 - z)/2 + r_b (1 + z)/2 + h/8 (1 - z^2)(t_a - t_b), z = 2 s/h: half
  // of it on each node, and on the tangents t the moments of a clamped beam, t_a x q h^2/12 and -t_b x q
  // h^2/12.
  for (const BeamLineLoad& load : line_loads_) {
    const double mu = load.scaled ? factor_ : 1.0;
    for (std::size_t k = 0; k < elements_.size(); ++k) {
      const BeamPiece& piece = mesh_.pieces[k];
      const double h = piece.segment.length;
      for (int end = 0; end < 2; ++end) {
        const int node = static_cast<int>(k) + end;
        const auto n = static_cast<std::size_t>(node);
        add_dead(node, 3, (0.5 * h) * load.force, load.scaled);
        const Vec3<double> t = (end == 0 ? piece.R_a : piece.R_b).column(0);
        const double arm = (end == 0 ? 1.0 : -1.0) * h * h / 12.0;
        const Vec3<double> q = arm * transpose_times(mesh_.nodes[n].pose().R, load.force);
        const Vec6<double> moment = make_vec6(cross(t, q), Vec3<double>());
        residual_[n] = residual_[n] - mu * moment;
        if (load.scaled) by_factor_[n] = by_factor_[n] + moment;
        Mat6<double> block;  // -d(t x q)/dtheta, dq = q x theta
        set_block(block, 0, 0, -mu * (cross_matrix(t) * cross_matrix(q)));
        add_block(matrix_.diagonal(node), block);
      }
    }
  }
}

void BeamStatics::fix_clamps() {
  for (std::size_t k = 0; k < clamped_.size(); ++k) {
    if (!clamped_[k]) continue;
    const int node = static_cast<int>(k);
    matrix_.diagonal(node) = Mat6<double>::identity();
    matrix_.before(node) = matrix_.after(node) = Mat6<double>();
    if (k > 0) matrix_.after(node - 1) = Mat6<double>();
    if (k + 1 < clamped_.size()) matrix_.before(node + 1) = Mat6<double>();
    residual_[k] = by_factor_[k] = Vec6<double>();
  }
}

void BeamStatics::apply(const Motions& motions) {
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const BeamPiece& piece = mesh_.pieces[k];
    const Vec6<double> a = piece.turns ? turned_back(motions[k], piece.R_a) : motions[k];
    const Vec6<double> b = piece.turns ? turned_back(motions[k + 1], piece.R_b) : motions[k + 1];
    lambda_[k] = elements_[k].lambda() + elements_[k].stiffness() * elements_[k].twist_rate(a, b);
  }
  for (std::size_t k = 0; k < motions.size(); ++k) mesh_.nodes[k].move(motions[k]);
}

double BeamStatics::product(const Motions& a, const Motions& b) const {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    sum += dot(angular(a[k]), angular(b[k])) + dot(linear(a[k]), linear(b[k])) / (length_ * length_);
  }
  return sum / static_cast<double>(a.size());
}

double BeamStatics::size_of(const Motions& motions) const {
  double size = 0.0;
  for (const Vec6<double>& x : motions) {
    for (int i = 0; i < 6; ++i) {
      const double value = std::abs(x[i]) / (i < 3 ? 1.0 : length_);
      if (!(value <= size)) size = value;
    }
  }
  return size;
}

double BeamStatics::size_of_residual() const {
  double size = 0.0;
  for (const Vec6<double>& r : residual_) {
    for (int i = 0; i < 6; ++i) {
      const double value = std::abs(r[i]) / (i < 3 ? length_ : 1.0);
      if (!(value <= size)) size = value;
    }
  }
  return size;
}

BeamNewtonReport BeamStatics::solve(double factor, const BeamNewtonOptions& options) {
  const Configuration saved = configuration();
  factor_ = factor;
  BeamNewtonReport report;
  for (report.iterations = 1; report.iterations <= options.iterations; ++report.iterations) {
    assemble();
    report.residual = size_of_residual();
    if (!matrix_.factor()) {
      report.status = BeamSolution::singular;
      break;
    }
    Motions motions = residual_;
    matrix_.solve(motions);
    for (Vec6<double>& x : motions) x = -x;
    report.correction = size_of(motions);
    if (!std::isfinite(report.correction) || report.correction > 1e3) break;
    apply(motions);
    if (report.correction <= options.tolerance) {
      report.status = BeamSolution::converged;
      return report;
    }
  }
  restore(saved);
  return report;
}

BeamNewtonReport BeamStatics::solve_in_steps(double factor, int steps, const BeamNewtonOptions& options) {
  const double start = factor_, whole = factor - start;
  const double least = whole / steps / 1024.0;
  double part = whole / steps;
  BeamNewtonReport report;
  report.status = BeamSolution::converged;
  int iterations = 0;
  while (factor_ != factor) {
    const double rest = factor - factor_;
    const double next = std::abs(rest) <= std::abs(part) * (1.0 + 1e-12) ? factor : factor_ + part;
    report = solve(next, options);
    iterations += report.iterations;
    report.iterations = iterations;
    if (report.status == BeamSolution::converged) continue;
    part *= 0.5;
    if (std::abs(part) < std::abs(least)) return report;
  }
  return report;
}

BeamNewtonReport BeamStatics::follow(double step, double factor_scale, const BeamNewtonOptions& options) {
  const Configuration saved = configuration();
  assemble();
  BeamNewtonReport report;
  if (!matrix_.factor()) {
    report.status = BeamSolution::singular;
    return report;
  }
  Motions tangent = by_factor_;
  matrix_.solve(tangent);
  double by_factor = 1.0;
  const double size = std::sqrt(product(tangent, tangent) + 1.0 / (factor_scale * factor_scale));
  double forward = direction_ / size;
  if (!last_tangent_.empty()) {
    const double along =
        product(tangent, last_tangent_) + last_tangent_factor_ / (factor_scale * factor_scale);
    forward = (along < 0.0 ? -direction_ : direction_) / size;
  }
  for (Vec6<double>& x : tangent) x = forward * x;
  by_factor = forward;
  Motions motions = tangent;
  for (Vec6<double>& x : motions) x = step * x;
  apply(motions);
  factor_ += step * by_factor;
  report = correct_in_plane(tangent, by_factor, factor_scale, options);
  if (report.status != BeamSolution::converged) {
    restore(saved);
    return report;
  }
  last_tangent_ = tangent, last_tangent_factor_ = by_factor;
  direction_ = 1.0;
  return report;
}

BeamNewtonReport BeamStatics::correct_in_plane(const Motions& tangent, double tangent_factor,
                                               double factor_scale, const BeamNewtonOptions& options) {
  BeamNewtonReport report;
  const double weight = tangent_factor / (factor_scale * factor_scale);
  for (report.iterations = 1; report.iterations <= options.iterations; ++report.iterations) {
    assemble();
    report.residual = size_of_residual();
    if (!matrix_.factor()) {
      report.status = BeamSolution::singular;
      return report;
    }
    Motions motions = residual_, by_factor = by_factor_;
    matrix_.solve(motions);
    matrix_.solve(by_factor);
    // tangent . (-K^-1 r + dmu K^-1 q) + weight dmu = 0
    const double change = product(tangent, motions) / (product(tangent, by_factor) + weight);
    for (std::size_t k = 0; k < motions.size(); ++k) motions[k] = change * by_factor[k] - motions[k];
    report.correction = std::max(size_of(motions), std::abs(change) / factor_scale);
    if (!std::isfinite(report.correction) || report.correction > 1e3) return report;
    apply(motions);
    factor_ += change;
    if (report.correction <= options.tolerance) {
      report.status = BeamSolution::converged;
      return report;
    }
  }
  return report;
}

int BeamStatics::sign_at(double factor, double& log_determinant) {
  const BeamNewtonReport report = solve_in_steps(factor, 1);
  if (report.status != BeamSolution::converged) {
    throw ComputationError(0.0,
                           fmt::format("no equilibrium of the beam was found at the load factor {}", factor));
  }
  const int sign = determinant_sign();
  log_determinant = matrix_.log_determinant();
  return sign;
}

double BeamStatics::find_critical(double low, double high, double tolerance) {
  double log_low = 0.0, log_high = 0.0;
  const int sign_low = sign_at(low, log_low), sign_high = sign_at(high, log_high);
  if (sign_low == sign_high) {
    throw ComputationError(
        0.0,
        fmt::format("the tangent's determinant has the same sign at the load factors {} and {}", low, high));
  }
  // Regula falsi of the determinant (Illinois: the end that stays counts half), scaled by its value at `low`.
  const double scale = log_low;
  double f_low = sign_low, f_high = sign_high * std::exp(log_high - scale);
  for (int k = 0; k < 200 && std::abs(high - low) > tolerance; ++k) {
    double middle = (low * f_high - high * f_low) / (f_high - f_low);
    if (!(middle > std::min(low, high) && middle < std::max(low, high))) middle = 0.5 * (low + high);
    double log_middle = 0.0;
    const int sign = sign_at(middle, log_middle);
    const double f = sign * std::exp(log_middle - scale);
    if (sign == sign_low) {
      if (std::abs(middle - low) <= 0.1 * tolerance) return middle;
      low = middle, f_low = f, f_high *= 0.5;
    } else {
      if (std::abs(middle - high) <= 0.1 * tolerance) return middle;
      high = middle, f_high = f, f_low *= 0.5;
    }
  }
  return factor_;
}

std::vector<Vec6<double>> BeamStatics::critical_mode() {
  assemble();
  Motions mode(mesh_.nodes.size());
  for (std::size_t k = 0; k < mode.size(); ++k) {
    for (int i = 0; i < 6; ++i)
      mode[k][i] = std::sin(1.0 + 3.7 * static_cast<double>(k) + 1.3 * i);  // no symmetry
  }
  if (!matrix_.factor()) return mode;
  for (int step = 0; step < 8; ++step) {
    for (std::size_t k = 0; k < mode.size(); ++k) {
      if (clamped_[k]) mode[k] = Vec6<double>();
    }
    matrix_.solve(mode);
    const double size = std::sqrt(product(mode, mode));
    for (Vec6<double>& x : mode) x = (1.0 / size) * x;
  }
  return mode;
}

BeamNewtonReport BeamStatics::branch_off(const std::vector<Vec6<double>>& mode, double amplitude,
                                         double factor_scale) {
  const Configuration saved = configuration();
  assemble();
  Motions motions = mode;
  for (Vec6<double>& x : motions) x = amplitude * x;
  apply(motions);
  const BeamNewtonReport report = correct_in_plane(mode, 0.0, factor_scale, {});
  if (report.status != BeamSolution::converged) {
    restore(saved);
    return report;
  }
  last_tangent_ = mode, last_tangent_factor_ = 0.0;
  direction_ = 1.0;
  if (amplitude < 0.0) {
    for (Vec6<double>& x : last_tangent_) x = -x;
  }
  return report;
}

double BeamStatics::strain_energy() {
  double sum = 0.0;
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const int i = static_cast<int>(k);
    elements_[k].advance(mesh_.pieces[k].segment, mesh_.pose_a(i), mesh_.pose_b(i), lambda_[k]);
    sum += elements_[k].energy(mesh_.pieces[k].segment);
  }
  return sum;
}

int BeamStatics::determinant_sign() {
  assemble();
  return matrix_.factor() ? matrix_.sign() : 0;
}

SpatialForce<double> BeamStatics::reaction(int node) {
  const auto k = static_cast<std::size_t>(node);
  const char clamped = std::exchange(clamped_[k], char{0});
  assemble();
  clamped_[k] = clamped;
  const Rotation<double> R = mesh_.nodes[k].pose().R;
  return {R * angular(residual_[k]), R * linear(residual_[k])};
}

}  // namespace sestina
