// Rates of small changes, and their projection, against differences of assembled states and accelerations.
#include "sestina/dynamics/motion_derivatives.h"

#include <gtest/gtest.h>

#include <cmath>

#include "repository.h"
#include "sestina/dynamics/assembly.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/dynamics/parameter_derivatives.h"
#include "sestina/io/model_file.h"
#include "sestina/model/freeze.h"

namespace sestina::test {
namespace {

constexpr double kWidth = 1e-5;

System example(const std::string& name) { return read_model_file(repository() + "/examples/" + name); }

// The assembled state and its rates, for a value of the parameter that is moved by a width.
struct Moved {
  Moved(const std::shared_ptr<const Model>& model, int parameter, double width)
      : properties(calc_properties(*model)) {
    std::vector<double> values = properties.parameters;
    values[static_cast<std::size_t>(parameter)] += width;
    properties = calc_properties<double>(*model, values);
    dynamics.emplace(model, properties, "recursive");
    state = calc_assembled_state(*model, properties);
    udot.resize(state.u.size());
    dynamics->calc_udot(state, udot);
  }
  std::span<const double> lambda() const {
    const ConstrainedDynamics* constrained = dynamics->constrained();
    return constrained != nullptr ? constrained->lambda() : std::span<const double>();
  }
  Properties<double> properties;
  std::optional<ForwardDynamics> dynamics;
  State<double> state;
  std::vector<double> udot;
};

void expect_near(std::span<const double> told, std::span<const double> expected, double tolerance,
                 const std::string& what) {
  double size = 1.0;
  for (const double x : expected) size = std::max(size, std::abs(x));
  for (std::size_t i = 0; i < told.size(); ++i) {
    EXPECT_NEAR(told[i], expected[i], tolerance * size) << what << ' ' << i;
  }
}

// As the parameter changes, the assembled state moves by s and its accelerations by ds_u/dt.
void expect_differences(const System& system, const std::string& parameter) {
  SCOPED_TRACE(parameter);
  const std::shared_ptr<const Model> model = freeze(system);
  const int places[] = {find_parameter(*model, parameter)};
  const Moved at(model, places[0], 0.0), less(model, places[0], -kWidth), more(model, places[0], kWidth);
  const std::size_t nu = at.state.u.size(), nx = at.state.x.size();
  std::vector<double> s(2 * nu + nx), udot_by(nu), rates(s.size());
  minus_q<double>(*model, more.state.q, less.state.q, std::span(s).first(nu));
  for (std::size_t i = 0; i < nu; ++i) s[nu + i] = more.state.u[i] - less.state.u[i];
  for (std::size_t i = 0; i < nx; ++i) s[2 * nu + i] = more.state.x[i] - less.state.x[i];
  for (double& x : s) x /= 2.0 * kWidth;
  for (std::size_t i = 0; i < nu; ++i) udot_by[i] = (more.udot[i] - less.udot[i]) / (2.0 * kWidth);

  MotionDerivatives derivatives(*model, at.properties, places);
  derivatives.update(at.state, at.udot, at.lambda());
  derivatives.calc_rates(s, 0, 1.0, rates);
  expect_near(std::span(rates).subspan(nu, nu), udot_by, 1e-7, "udot");
  std::vector<double> projected = s;
  derivatives.update_projection(at.state);
  derivatives.project(projected, 0, 1.0);
  expect_near(projected, s, 1e-7, "projected");
}

TEST(MotionDerivatives, OfLoopsAreThoseOfDifferences) {
  for (const char* parameter : {"a", "b", "c", "d"})
    expect_differences(example("16_four_bar.yaml"), parameter);
  System spatial = example("17_slider_crank.yaml");
  spatial.parameters = {{"m", 0.5}, {"l", 0.3}, {"v", 6.0}};
  for (BodySpec& body : spatial.bodies) {
    if (body.name == "rod") body.mass = "m", body.points.back().position = {"l", 0, 0};
  }
  for (JointSpec& joint : spatial.joints) {
    if (joint.name == "drive") joint.u = {"v"};
  }
  for (const char* parameter : {"m", "l", "v"}) expect_differences(spatial, parameter);
}

}  // namespace
}  // namespace sestina::test
