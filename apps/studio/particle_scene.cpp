#include "studio/particle_scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "sestina/base/error.h"
#include "sestina/model/freeze.h"
#include "sestina/model/properties.h"

namespace sestina::studio {
namespace {

constexpr double kUsualRadius = 0.5;  // of sigma, of a particle's sphere
constexpr int kWallSides = 64;        // of a surface of revolution

// Half of sigma of the species' own pair force; of species without one, a fifth of the mean distance of
// particles.
std::vector<double> radii_of(const ParticleModel& model) {
  const double volume = model.box.volume();
  const double distance = volume > 0.0 ? std::cbrt(volume / std::max(1, model.size())) : 1.0;
  std::vector<double> radii(model.species.size(), 0.2 * distance);
  for (const LennardJones& pair : model.pairs) {
    if (pair.first == pair.second) radii[static_cast<std::size_t>(pair.first)] = kUsualRadius * pair.sigma;
  }
  for (std::size_t s = 0; s < radii.size(); ++s) {
    if (model.species[s].radius > 0.0) radii[s] = model.species[s].radius;  // of grains
  }
  return radii;
}

Vec3<double> vec(const Vector3d& a) { return {a[0], a[1], a[2]}; }
std::array<float, 3> point(const Vec3<double>& p) {
  return {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)};
}

// Two unit vectors across an axis, which is the third of a right-handed frame.
struct Across {
  Vec3<double> axis, x, y;
  explicit Across(const Vec3<double>& given) : axis((1.0 / norm(given)) * given) {
    int least = 0;
    for (int i = 1; i < 3; ++i) {
      if (std::abs(axis[i]) < std::abs(axis[least])) least = i;
    }
    Vec3<double> other;
    other[least] = 1.0;
    const Vec3<double> along = cross(other, axis);
    x = (1.0 / norm(along)) * along;
    y = cross(axis, x);
  }
};

// The part of a polygon where n p <= c (Sutherland and Hodgman).
std::vector<Vec3<double>> cut(const std::vector<Vec3<double>>& corners, const Vec3<double>& n, double c) {
  std::vector<Vec3<double>> kept;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec3<double>&a = corners[i], &b = corners[(i + 1) % corners.size()];
    const double over_a = dot(n, a) - c, over_b = dot(n, b) - c;
    if (over_a <= 0.0) kept.push_back(a);
    if ((over_a <= 0.0) != (over_b <= 0.0)) kept.push_back(a + (over_a / (over_a - over_b)) * (b - a));
  }
  return kept;
}

// The part of a plane that lies in the box, which may touch it from outside. `X_WB` is the pose of the axes
// in which the wall is given.
TriangleMesh mesh_of_plane(const GrainWall& wall, const Box& box, const Pose<double>& X_WB) {
  const Vec3<double> length = vec(box.length), lower = vec(box.lower);
  const Across n(X_WB.R * vec(wall.axis));
  const Vec3<double> middle = lower + 0.5 * length, at = X_WB * vec(wall.at);
  const Vec3<double> centre = middle - dot(n.axis, middle - at) * n.axis;
  const double reach = norm(length);
  std::vector<Vec3<double>> corners = {centre - reach * n.x - reach * n.y, centre + reach * n.x - reach * n.y,
                                       centre + reach * n.x + reach * n.y,
                                       centre - reach * n.x + reach * n.y};
  for (int axis = 0; axis < 3; ++axis) {
    Vec3<double> e;
    e[axis] = 1.0;
    const double room = 1e-3 * reach;
    corners = cut(corners, e, lower[axis] + length[axis] + room);
    corners = cut(corners, -e, room - lower[axis]);
  }
  TriangleMesh mesh;
  for (const Vec3<double>& corner : corners) mesh.points.push_back(point(inverse(X_WB) * corner));
  for (std::uint32_t i = 2; i < mesh.points.size(); ++i) mesh.triangles.push_back({0, i - 1, i});
  return mesh;
}

// Draws a surface of revolution: a strip between two circles, of which one may be a point.
TriangleMesh mesh_of_cone(const GrainWall& wall) {
  const Across n(vec(wall.axis));
  TriangleMesh mesh;
  for (int i = 0; i < kWallSides; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / kWallSides;
    const Vec3<double> out = std::cos(angle) * n.x + std::sin(angle) * n.y;
    const Vec3<double> begin = vec(wall.at) + wall.begin_radius * out;
    const Vec3<double> end = vec(wall.at) + wall.length * n.axis + wall.end_radius * out;
    mesh.points.push_back(point(begin));
    mesh.points.push_back(point(end));
    const auto k = static_cast<std::uint32_t>(2 * i),
               next = static_cast<std::uint32_t>(2 * ((i + 1) % kWallSides));
    mesh.triangles.push_back({k, next, k + 1});
    mesh.triangles.push_back({k + 1, next, next + 1});
  }
  return mesh;
}

TriangleMesh mesh_of_triangles(const GrainWall& wall) {
  TriangleMesh mesh;
  for (const Triangle& triangle : wall.triangles) {
    const auto first = static_cast<std::uint32_t>(mesh.points.size());
    for (const Vector3d& corner : triangle) mesh.points.push_back(point(vec(corner)));
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  return mesh;
}

// `poses` is the frame at the start.
Pose<double> pose_of(const std::vector<float>& poses, int body) {
  if (body == 0) return {};
  const auto at = static_cast<std::size_t>((body - 1) * FrameMaker::kPoseSize);
  const auto number = [&](std::size_t k) { return static_cast<double>(poses[at + k]); };
  const std::array<double, 4> e = {number(6), number(3), number(4), number(5)};
  return {euler_parameter_rotation(e.data()), {number(0), number(1), number(2)}};
}

void add_walls(const ParticleRunSpec& spec, const std::vector<float>& poses, Scene& scene) {
  for (const GrainWall& wall : spec.model.walls) {
    SceneSolid solid;
    solid.type = SolidType::kMesh;
    solid.role = SolidRole::kWall;
    solid.size = {1.0, 1.0, 1.0};
    if (wall.carrier >= 0) {
      const std::string& name = spec.model.carriers[static_cast<std::size_t>(wall.carrier)];
      const auto found = std::ranges::find(scene.bodies, name, &SceneBody::name);
      if (found != scene.bodies.end()) solid.body = static_cast<int>(found - scene.bodies.begin());
    }
    TriangleMesh mesh = wall.shape == GrainWall::Shape::kMesh ? mesh_of_triangles(wall)
                        : wall.shape == GrainWall::Shape::kCone
                            ? mesh_of_cone(wall)
                            : mesh_of_plane(wall, spec.model.box, pose_of(poses, solid.body));
    if (mesh.triangles.empty()) continue;  // a plane outside of the box
    solid.mesh = static_cast<int>(scene.meshes.size());
    scene.meshes.push_back(std::move(mesh));
    scene.solids.push_back(solid);
  }
}

// A body without a shape that carries walls is seen by these: it needs no mark. The marks of others are not
// larger than suits the box.
void drop_substitutes(Scene& scene) {
  std::vector<bool> has_walls(scene.bodies.size());
  for (const SceneSolid& solid : scene.solids) {
    if (solid.role == SolidRole::kWall) has_walls[static_cast<std::size_t>(solid.body)] = true;
  }
  std::erase_if(scene.solids, [&](const SceneSolid& solid) {
    const bool is_substitute = solid.role == SolidRole::kLink || solid.role == SolidRole::kMassCentre;
    return is_substitute && has_walls[static_cast<std::size_t>(solid.body)];
  });
  for (SceneSolid& solid : scene.solids) {
    const double most = 2.0 * scene.mark;
    if (solid.role == SolidRole::kMassCentre) {
      solid.size.x = std::min(solid.size.x, most), solid.size.y = std::min(solid.size.y, most);
    }
  }
}

}  // namespace

struct BodyPoses::Made {
  std::shared_ptr<const System> system;
  std::shared_ptr<const Model> model;
  Properties<double> properties;
  State<double> start;
  FrameMaker frames;

  explicit Made(std::shared_ptr<const System> given)
      : system(std::move(given)),
        model(freeze(*system)),
        properties(calc_properties(*model)),
        start(calc_initial_state(*model)),
        frames(*model, properties) {}
};

BodyPoses::BodyPoses(std::shared_ptr<const System> bodies) {
  if (bodies) made_ = std::make_unique<Made>(std::move(bodies));
}
BodyPoses::~BodyPoses() = default;

std::size_t BodyPoses::numbers() const {
  return made_ ? static_cast<std::size_t>(made_->frames.numbers()) : 0;
}

void BodyPoses::add(std::span<const double> q, std::vector<float>& frame) {
  const std::size_t before = frame.size();
  frame.resize(before + numbers());
  made_->frames.fill(q, std::span(frame).subspan(before));
}

void BodyPoses::add_start(std::vector<float>& frame) {
  if (made_) add(made_->start.q, frame);
}

void BodyPoses::add_row(std::span<const Column> columns, std::span<const double> values,
                        std::vector<float>& frame) {
  if (!made_) return;
  std::vector<double> q;
  for (const std::string& name : made_->model->q_names()) {
    const auto found = std::ranges::find(columns, name, &Column::name);
    if (found == columns.end()) throw InputError("the rows have no column " + name);
    q.push_back(values[static_cast<std::size_t>(found - columns.begin())]);
  }
  add(q, frame);
}

std::vector<float> make_frames(BodyPoses& bodies, std::span<const Column> columns,
                               std::span<const double> values, std::span<const float> positions) {
  const std::size_t rows = values.size() / columns.size(), particles = positions.size() / rows;
  std::vector<float> frames;
  frames.reserve(rows * (bodies.numbers() + particles));
  for (std::size_t i = 0; i < rows; ++i) {
    bodies.add_row(columns, values.subspan(i * columns.size(), columns.size()), frames);
    const std::span<const float> own = positions.subspan(i * particles, particles);
    frames.insert(frames.end(), own.begin(), own.end());
  }
  return frames;
}

Scene make_particle_scene(const ParticleRunSpec& spec) {
  const ParticleModel& model = spec.model;
  Scene scene;
  std::vector<float> poses;
  if (spec.bodies) {
    const std::shared_ptr<const Model> frozen = freeze(*spec.bodies);
    scene = extract_scene(*spec.bodies, *frozen, calc_properties(*frozen), calc_initial_state(*frozen));
    BodyPoses(spec.bodies).add_start(poses);
  } else {
    scene.bodies.push_back({"ground", -1, false, 0.0, {}, {}, false, {}});
  }
  scene.name = spec.name;
  SceneParticles& particles = scene.particles;
  for (const Species& species : model.species) particles.species.push_back(species.name);
  particles.radii = radii_of(model);
  for (const int species : model.species_of) {
    particles.species_of.push_back(static_cast<std::uint8_t>(species));
  }
  particles.lower = model.box.lower;
  particles.length = model.box.length;
  const double size = std::max({model.box.length[0], model.box.length[1], model.box.length[2], 1e-300});
  scene.extent = size;
  scene.mark = 0.016 * size;
  add_walls(spec, poses, scene);
  drop_substitutes(scene);
  return scene;
}

}  // namespace sestina::studio
