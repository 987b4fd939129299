#include "sestina/model/expand_beams.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sestina/model/number_collector.h"

namespace sestina {
namespace {

constexpr int kMostElements = 1'000'000;
// Stations closer than this, relative to the beam's length, coincide.
constexpr double kSameStation = 1e-9;

bool is_beam(const BodySpec& body) { return body.type == "beam" && body.beam.has_value(); }

// The body that carries a component of a slope, and its joint.
void add_slope(const BodySpec& cable, const std::string& name, const Triple& axis, System& system) {
  BodySpec& carrier = system.add_body(name + "_carrier", 0);
  carrier.mark = carrier.name.mark = cable.name.mark;
  JointSpec& joint = system.add_joint(name, "prismatic", "ground.origin", name + "_carrier.origin");
  joint.axis = axis;
  joint.q = {0};  // starts on the centerline, and is kept there if possible
  joint.mark = joint.name.mark = cable.name.mark;
}

// Divides the axis into elements of about equal length between the stations that must be nodes: `places`
// increase from 0 to 1. There are `elements` of them, or more if there are more stations.
std::vector<double> divide(const std::vector<double>& places, int elements) {
  const std::size_t intervals = places.size() - 1;
  std::vector<int> count(intervals, 1);
  int left = elements - static_cast<int>(intervals);
  for (; left > 0; --left) {  // the longest elements are divided first
    std::size_t longest = 0;
    double size = 0.0;
    for (std::size_t i = 0; i < intervals; ++i) {
      const double own = (places[i + 1] - places[i]) / count[i];
      if (own > size * (1.0 + kSameStation)) longest = i, size = own;
    }
    ++count[longest];
  }
  std::vector<double> stations{0.0};
  for (std::size_t i = 0; i < intervals; ++i) {
    for (int k = 1; k < count[i]; ++k) {
      stations.push_back(places[i] + (places[i + 1] - places[i]) * k / count[i]);
    }
    stations.push_back(places[i + 1]);
  }
  return stations;
}

class BeamExpander {
 public:
  explicit BeamExpander(const System& system) : numbers_(graph_, ignored_) {
    expanded_.system = system;
    expanded_.described_states = system.states.size();
    expanded_.described_columns = system.output.columns.size();
    numbers_.define_parameters(system.parameters);
  }

  ExpandedSystem expand() {
    System& system = expanded_.system;
    const std::size_t bodies = system.bodies.size();
    for (std::size_t i = 0; i < bodies; ++i) {
      if (is_beam(system.bodies[i])) add_nodes(static_cast<int>(i));
    }
    for (JointSpec& joint : system.joints) {
      const BeamLayout *parent = beam_of(joint.parent), *child = beam_of(joint.child);
      joint.cut = joint.cut || parent != nullptr || child != nullptr;
      const bool parent_is_cable = parent != nullptr && parent->is_cable;
      const bool child_is_cable = child != nullptr && child->is_cable;
      if (joint.type != "weld" || parent_is_cable == child_is_cable) continue;
      joint.type.text = "spherical";
      ConstraintSpec& tangent = system.add_constraint(joint.name.text + "_tangent", "tangent");
      tangent.point = parent_is_cable ? joint.parent : joint.child;
      tangent.line = parent_is_cable ? joint.child : joint.parent;
      tangent.mark = tangent.name.mark = joint.mark;
    }
    return std::move(expanded_);
  }

 private:
  double value_of(const Number& number) { return numbers_.add(number, ""); }

  int element_count(const Number& number) {
    const double value = value_of(number);
    return value >= 1.0 && value <= kMostElements ? static_cast<int>(value) : 1;
  }

  // Returns null if the reference is neither to a point of a beam nor to a node.
  const BeamLayout* beam_of(const Name& reference) const {
    const auto found = beam_names_.find(reference.text.substr(0, reference.text.find('.')));
    return found == beam_names_.end() ? nullptr : &expanded_.beams[found->second];
  }

  void add_nodes(int position) {
    System& system = expanded_.system;
    const BodySpec body = system.bodies[static_cast<std::size_t>(position)];
    BeamLayout beam;
    beam.name = body.name.text, beam.body = body, beam.position = position;
    beam.is_cable = body.beam->formulation == kCableFormulation;
    beam_names_.emplace(beam.name, expanded_.beams.size());
    std::vector<double> places{0.0, 1.0};
    std::vector<double> at;
    for (const PointSpec& point : body.points) {
      const double value = point.at ? value_of(*point.at) : 0.0;
      at.push_back(value >= 0.0 && value <= 1.0 ? value : 0.0);
      places.push_back(at.back());
    }
    std::ranges::sort(places);
    const auto is_same = [](double a, double b) { return b - a < kSameStation; };
    places.erase(std::unique(places.begin(), places.end(), is_same), places.end());
    places.back() = 1.0;
    beam.stations = divide(places, element_count(body.beam->elements));
    find_points(body, at, beam);
    beam.is_closed = beam.is_cable && body.beam->closed && beam.stations.size() > 2;
    if (beam.is_closed) {
      const int last = static_cast<int>(beam.stations.size()) - 1;
      for (auto& [point, own_node] : beam.points) own_node %= last;
    }
    for (std::size_t k = 0; k < beam.node_count(); ++k) {
      BodySpec node;
      node.name = name_of_node(beam.name, static_cast<int>(k));
      node.name.mark = body.name.mark;
      node.mark = body.mark;
      beam_names_.emplace(node.name.text, expanded_.beams.size());
      if (beam.is_cable) node.type = "particle";
      for (const auto& [point, own_node] : beam.points) {
        if (own_node == static_cast<int>(k)) node.points.push_back({point, {}, {}, {}});
      }
      if (k == 0) {
        beam.nodes.push_back(position);
        system.bodies[static_cast<std::size_t>(position)] = std::move(node);
      } else {
        beam.nodes.push_back(static_cast<int>(system.bodies.size()));
        system.bodies.push_back(std::move(node));
      }
    }
    if (beam.is_cable) add_slopes(beam);
    if (beam.is_closed) beam.nodes.push_back(beam.nodes.front()), beam.slopes.push_back(beam.slopes.front());
    expanded_.beams.push_back(std::move(beam));
  }

  void add_slopes(BeamLayout& beam) {
    System& system = expanded_.system;
    for (std::size_t k = 0; k < beam.nodes.size(); ++k) {
      beam.slopes.push_back(static_cast<int>(system.bodies.size()));
      const std::string name = name_of_node(beam.name, static_cast<int>(k)) + "_slope_";
      add_slope(beam.body, name + "x", {1, 0, 0}, system);
      add_slope(beam.body, name + "y", {0, 1, 0}, system);
      add_slope(beam.body, name + "z", {0, 0, 1}, system);
    }
  }

  // Points with the same name as an earlier one are omitted.
  static void find_points(const BodySpec& body, const std::vector<double>& at, BeamLayout& beam) {
    beam.points = {{"start", 0}, {"end", static_cast<int>(beam.stations.size()) - 1}};
    for (std::size_t i = 0; i < at.size(); ++i) {
      const std::string& name = body.points[i].name.text;
      if (std::ranges::any_of(beam.points, [&](const auto& point) { return point.first == name; })) continue;
      const auto nearest = std::ranges::min_element(
          beam.stations, {}, [&](double station) { return std::abs(station - at[i]); });
      beam.points.emplace_back(name, static_cast<int>(nearest - beam.stations.begin()));
    }
  }

  Graph graph_;
  FaultList ignored_;
  NumberCollector numbers_;
  ExpandedSystem expanded_;
  std::map<std::string, std::size_t> beam_names_;  // by name of beams and nodes: index in expanded_.beams
};

}  // namespace

bool has_beams(const System& system) { return std::ranges::any_of(system.bodies, is_beam); }

ExpandedSystem expand_beams(const System& system) { return BeamExpander(system).expand(); }

std::string name_of_node(const std::string& beam, int node) { return beam + "_" + std::to_string(node); }

}  // namespace sestina
