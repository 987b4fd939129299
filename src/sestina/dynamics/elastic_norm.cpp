#include "sestina/dynamics/elastic_norm.h"

#include <algorithm>
#include <cmath>

#include "sestina/flexible/reduced_body.h"
namespace sestina {
namespace {

// c is this many times the compliance of the most flexible body, (length)^3/(EI) of a beam.
constexpr double kTimesCompliance = 100.0;

// Damping with a time of 1 s: D of BeamForces is then the material part of the stiffness.
Properties<double> with_unit_damping(Properties<double> properties) {
  for (BeamForce<double>& beam : properties.forces.connectors.beams) beam.damping = 1.0;
  return properties;
}

double find_largest_compliance(const std::vector<BeamForce<double>>& elements) {
  double largest = 0.0, length = 0.0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const bool is_same_beam = i > 0 && elements[i - 1].b == elements[i].a;
    length = (is_same_beam ? length : 0.0) + elements[i].segment.length;
    const Mat6<double>& C = elements[i].segment.compliance;
    largest = std::max(largest, std::pow(length, 3) * std::max(C.m[1][1], C.m[2][2]));
  }
  return largest;
}

}  // namespace

bool ElasticNorm::applies_to(const Model& model) {
  return !model.reduced_bodies().empty() ||
         std::ranges::any_of(model.beams(), [](const BeamInfo& beam) { return !beam.is_cable; });
}

ElasticNorm::ElasticNorm(const Model& model, const Properties<double>& properties)
    : model_(&model),
      properties_(&properties),
      beams_(model, with_unit_damping(properties)),
      elements_(properties.forces.connectors.beams.size()),
      kinematics_(model) {
  double largest = find_largest_compliance(properties.forces.connectors.beams);
  for (const ReducedBodyInfo& body : model.reduced_bodies()) {
    for (std::size_t i = 0; i < body.modes->count; ++i) {
      const double w = body.modes->frequencies[i], stiffness = body.modes->mass * w * w;
      modes_.push_back({static_cast<std::size_t>(body.u_start) + i,
                        static_cast<std::size_t>(body.q_start) + i, stiffness});
      if (stiffness > 0.0) largest = std::max(largest, 1.0 / stiffness);
    }
  }
  compliance_ = kTimesCompliance * largest;
}

void ElasticNorm::update(const State<double>& state) {
  state_ = state;
  std::fill(state_.u.begin(), state_.u.end(), 0.0);
  update_kinematics(*model_, *properties_, state_, kinematics_);
  // Two steps of Newton's method for the wrenches, which never fail; the next call goes on from there.
  for (int step = 0; step < 2; ++step) {
    beams_.advance(state_, kinematics_);
    beams_.keep_wrenches();
  }
}

// N/h (1 - t t^T) of the tension N along the direction t of an element.
std::array<Vec3<double>, 3> ElasticNorm::string_stiffness(std::size_t i) const {
  const BeamForce<double>& element = properties_->forces.connectors.beams[i];
  const auto at = [&](FrameIndex frame) {
    return kinematics_.motion[static_cast<std::size_t>(frame.value())].X_WB.p;
  };
  const Vec3<double> along = at(element.b) - at(element.a);
  const double h = norm(along);
  const Vec3<double> t = (1.0 / h) * along;
  const double tension = std::max(dot(t, linear(beams_.elements()[i].f[1])), 0.0);
  const Vec3<double> axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  std::array<Vec3<double>, 3> rows;
  for (int k = 0; k < 3; ++k) rows[static_cast<std::size_t>(k)] = tension / h * (axes[k] - t[k] * t);
  return rows;
}

Eigen::SparseMatrix<double> ElasticNorm::matrix(const std::vector<std::size_t>& speeds) const {
  std::vector<Eigen::Triplet<double>> numbers;
  std::vector<int> place(static_cast<std::size_t>(model_->nu()), -1);
  const auto add = [&](std::size_t row, std::size_t column, double value) {
    if (place[row] >= 0 && place[column] >= 0) numbers.emplace_back(place[row], place[column], value);
  };
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    place[speeds[i]] = static_cast<int>(i);
    add(speeds[i], speeds[i], weight(speeds[i]));
  }
  for (std::size_t e = 0; e < elements_; ++e) {
    const std::array<Vec3<double>, 3> string = string_stiffness(e);
    beams_.elements()[e].for_each_number([&](int row, int column, int i, int j, int k, int l) {
      double number = beams_.elements()[e].D[i][j].m[k][l];
      if (k >= 3 && l >= 3) number += (i == j ? 1.0 : -1.0) * string[static_cast<std::size_t>(k - 3)][l - 3];
      add(static_cast<std::size_t>(row), static_cast<std::size_t>(column), compliance_ * number);
    });
  }
  for (const Mode& mode : modes_) add(mode.speed, mode.speed, compliance_ * mode.stiffness);
  const auto n = static_cast<Eigen::Index>(speeds.size());
  Eigen::SparseMatrix<double> G(n, n);
  G.setFromTriplets(numbers.begin(), numbers.end());
  return G;
}

Eigen::VectorXd ElasticNorm::gradient(const std::vector<std::size_t>& speeds, std::span<const double> D,
                                      bool relaxes) const {
  std::vector<double> g(D.size());
  for (std::size_t k = 0; k < g.size(); ++k) {
    g[k] = weight(k) * D[k];
  }
  for (const BeamForces::Element& element : beams_.elements().first(elements_)) {
    if (relaxes) {
      for (int end = 0; end < 2; ++end) {
        for (int k = 0; k < 6; ++k) {
          g[static_cast<std::size_t>(element.speed(end, k))] += compliance_ * element.f[end][k];
        }
      }
      continue;
    }
    element.for_each_number([&](int row, int column, int i, int j, int k, int l) {
      g[static_cast<std::size_t>(row)] +=
          compliance_ * element.D[i][j].m[k][l] * D[static_cast<std::size_t>(column)];
    });
  }
  for (const Mode& mode : modes_) {
    const double amplitude = relaxes ? state_.q[mode.coordinate] : D[mode.speed];
    g[mode.speed] += compliance_ * mode.stiffness * amplitude;
  }
  Eigen::VectorXd result(static_cast<Eigen::Index>(speeds.size()));
  for (std::size_t i = 0; i < speeds.size(); ++i) result[static_cast<Eigen::Index>(i)] = g[speeds[i]];
  return result;
}

ElasticNorm::Wholes ElasticNorm::wholes(const State<double>& state,
                                        const std::vector<std::size_t>& speeds) const {
  // By speed: the first speed of the beam's first node, and the node's place from that node; -1: a joint's.
  struct NodePlace {
    int first = -1, component = 0;
    Vec3<double> r;
  };
  std::vector<NodePlace> places(static_cast<std::size_t>(model_->nu()));
  for (const BeamInfo& beam : model_->beams()) {
    if (beam.is_cable) continue;
    const BodyIndex first = beam.nodes.front();
    for (const BodyIndex node : beam.nodes) {
      for (int i = 0; i < 6; ++i) {
        places[static_cast<std::size_t>(model_->bodies()[node].u_start + i)] = {
            model_->bodies()[first].u_start, i, position(state, node) - position(state, first)};
      }
    }
  }
  std::vector<bool> is_mode(places.size());
  for (const Mode& mode : modes_) is_mode[mode.speed] = true;
  Wholes result;
  std::vector<int> motion_of(places.size(), -1);
  for (const std::size_t k : speeds) {
    if (is_mode[k] || (places[k].first >= 0 && static_cast<int>(k) != places[k].first + places[k].component))
      continue;
    motion_of[k] = static_cast<int>(result.leading.size());
    result.leading.push_back(k);
  }
  std::vector<Eigen::Triplet<double>> numbers;
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    const auto add = [&](int leading, double value) {
      const int motion = motion_of[static_cast<std::size_t>(leading)];
      if (motion >= 0) numbers.emplace_back(static_cast<int>(i), motion, value);
    };
    const NodePlace& place = places[speeds[i]];
    if (place.first < 0) {
      add(static_cast<int>(speeds[i]), 1.0);
      continue;
    }
    add(place.first + place.component, 1.0);
    if (place.component < 3) continue;
    // turn x r
    const int x = place.component - 3, y = (x + 1) % 3, z = (x + 2) % 3;
    add(place.first + y, place.r[z]);
    add(place.first + z, -place.r[y]);
  }
  result.motions.resize(static_cast<Eigen::Index>(speeds.size()),
                        static_cast<Eigen::Index>(result.leading.size()));
  result.motions.setFromTriplets(numbers.begin(), numbers.end());
  Eigen::VectorXd W(static_cast<Eigen::Index>(speeds.size()));
  for (std::size_t i = 0; i < speeds.size(); ++i) W[static_cast<Eigen::Index>(i)] = weight(speeds[i]);
  result.norm = result.motions.transpose() * W.asDiagonal() * result.motions;
  return result;
}

std::vector<double> ElasticNorm::displacement(const State<double>& state, const Wholes& wholes,
                                              const Eigen::VectorXd& amplitudes) const {
  std::vector<double> result(static_cast<std::size_t>(model_->nu()));
  for (std::size_t i = 0; i < wholes.leading.size(); ++i) {
    result[wholes.leading[i]] = amplitudes[static_cast<Eigen::Index>(i)];
  }
  move_as_wholes(state, result);
  return result;
}

void ElasticNorm::move_as_wholes(const State<double>& state, std::span<double> displacement) const {
  for (const BeamInfo& beam : model_->beams()) {
    if (beam.is_cable) continue;
    const auto of = [&](BodyIndex node) {
      return displacement.subspan(static_cast<std::size_t>(model_->bodies()[node].u_start), 6);
    };
    const auto first = of(beam.nodes.front());
    const Vec3<double> turn{first[0], first[1], first[2]}, shift{first[3], first[4], first[5]};
    const double angle = norm(turn);
    const Rotation<double> R =
        angle > 0.0 ? axis_rotation((1.0 / angle) * turn, angle) : Rotation<double>::identity();
    for (const BodyIndex node : beam.nodes) {
      const Vec3<double> r = position(state, node) - position(state, beam.nodes.front());
      const Vec3<double> moved = shift + (R * r - r);
      const double values[] = {turn.x, turn.y, turn.z, moved.x, moved.y, moved.z};
      std::copy_n(values, 6, of(node).begin());
    }
  }
  for (const Mode& mode : modes_) displacement[mode.speed] = 0.0;
}

double ElasticNorm::weight(std::size_t speed) const {
  const double length = properties_->constraints.length;
  return model_->u_units()[speed] == "rad/s" ? length * length : 1.0;
}

Vec3<double> ElasticNorm::position(const State<double>& state, BodyIndex node) const {
  const double* const q = state.q.data() + model_->bodies()[node].q_start;
  return {q[0], q[1], q[2]};
}

}  // namespace sestina
