#include "sestina/contact/sliding_impulse.h"

#include <cmath>
#include <numbers>

namespace sestina {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr int kMostAngleSteps = 8;
constexpr double kAngleError = 1e-15;  // rad
constexpr int kSlideDirections = 32;   // in which a slide is looked for

double cross2(const Vector2d& a, const Vector2d& b) { return a.x() * b.y() - a.y() * b.x(); }

// The normal impulse and the slip that follow from a direction d of slip.
struct Slide {
  double p_n = -1.0;  // negative where friction and geometry are coupled too strongly
  double along = 0.0;
  Vector2d v;  // slip
};

class SlideEquation {
 public:
  SlideEquation(const Matrix3d& A, const Vector3d& w, double mu) : A_(A), w_(w), mu_(mu) {}

  Slide at(const Vector2d& d) const {
    Slide slide;
    slide.along = A_(0, 0) - mu_ * (A_(0, 1) * d.x() + A_(0, 2) * d.y());
    slide.p_n = slide.along > 0.0 ? -w_[0] / slide.along : -1.0;
    slide.v = w_.tail<2>() + slide.p_n * (A_.block<2, 1>(1, 0) - mu_ * A_.block<2, 2>(1, 1) * d);
    return slide;
  }

  // Finds the angle of d by Newton's method.
  bool solve_near(const Vector2d& guess, Vector3d& p) const {
    double angle = std::atan2(guess.y(), guess.x());
    for (int step = 0; step < kMostAngleSteps; ++step) {
      const Vector2d d(std::cos(angle), std::sin(angle)), e(-d.y(), d.x());
      const Slide slide = at(d);
      if (!(slide.p_n >= 0.0)) return false;
      const double by_angle = -mu_ * (A_(0, 1) * e.x() + A_(0, 2) * e.y());  // of `along`
      const Vector2d v_by_angle = w_[0] * by_angle / (slide.along * slide.along) *
                                      (A_.block<2, 1>(1, 0) - mu_ * A_.block<2, 2>(1, 1) * d) -
                                  slide.p_n * mu_ * A_.block<2, 2>(1, 1) * e;
      const double slope = cross2(e, slide.v) + cross2(d, v_by_angle);
      const double change = slope != 0.0 ? -cross2(d, slide.v) / slope : 0.0;
      if (!(std::abs(change) <= 1.0)) return false;
      angle += change;
      if (std::abs(change) > kAngleError) continue;
      if (!(d.dot(slide.v) > 0.0)) return false;
      p << slide.p_n, -mu_ * slide.p_n * d;
      return true;
    }
    return false;
  }

  bool search(Vector3d& p) const {
    const auto direction = [](double angle) { return Vector2d(std::cos(angle), std::sin(angle)); };
    double best = -1.0;
    const double step = 2.0 * std::numbers::pi / kSlideDirections;
    Slide slide = at(direction(0.0));
    double before = cross2(direction(0.0), slide.v), p_before = slide.p_n;
    for (int k = 1; k <= kSlideDirections; ++k) {
      double low = (k - 1) * step, high = k * step;
      slide = at(direction(high));
      const double after = cross2(direction(high), slide.v);
      const bool crosses = p_before >= 0.0 && slide.p_n >= 0.0 && (before <= 0.0) != (after <= 0.0);
      const double sign = before <= 0.0 ? 1.0 : -1.0;
      before = after, p_before = slide.p_n;
      if (!crosses) continue;
      for (int i = 0; i < 60 && high - low > kAngleError; ++i) {
        const double middle = 0.5 * (low + high);
        (sign * cross2(direction(middle), at(direction(middle)).v) <= 0.0 ? low : high) = middle;
      }
      const Vector2d d = direction(low);
      slide = at(d);
      if (slide.p_n < 0.0 || d.dot(slide.v) < 0.0 || d.dot(slide.v) <= best) continue;
      best = d.dot(slide.v);
      p << slide.p_n, -mu_ * slide.p_n * d;
    }
    return best >= 0.0;
  }

  // Solves the case in which only the first tangential direction has mobility.
  bool solve_along_first(Vector3d& p) const {
    double best = -1.0;
    for (const double sign : {1.0, -1.0}) {
      const Slide slide = at({sign, 0.0});
      const double speed = sign * slide.v.x();
      if (slide.p_n < 0.0 || speed < 0.0 || speed <= best) continue;
      best = speed;
      p << slide.p_n, -mu_ * slide.p_n * sign, 0.0;
    }
    return best >= 0.0;
  }

  bool has_one_direction() const { return A_(2, 2) == 0.0 && w_[2] == 0.0; }

 private:
  const Matrix3d& A_;
  const Vector3d& w_;
  double mu_;
};

}  // namespace

bool find_sliding_impulse(const Matrix3d& A, const Vector3d& w, double mu, const Vector2d& guess,
                          Vector3d& p) {
  const SlideEquation equation(A, w, mu);
  if (equation.has_one_direction()) return equation.solve_along_first(p);
  return (guess.squaredNorm() > 0.0 && equation.solve_near(guess, p)) || equation.search(p);
}

}  // namespace sestina
