// The drawing of a model without its motion: solids on bodies, joints with their axes, springs, points.
//
//   const Scene scene = extract_scene(system, model, properties, state);
//   FrameMaker frames(model, properties);
//   frames.add(state.q, poses);
//
// A scene has no colours or light; these are chosen when it is drawn. Shapes of the description are drawn as
// described. Bodies without a shape get rods from their joint to their other points and their mass centre, so
// that every mechanism is visible. scene_message.h turns both into bytes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sestina/contact/polytope.h"
#include "sestina/dynamics/kinematics.h"
#include "sestina/model/model.h"
#include "sestina/model/system.h"

namespace sestina {

enum class SolidType { kBox, kSphere, kCylinder, kCapsule, kEllipsoid, kPlane, kMesh };
// A shape of the description; or the substitute for a body without one: rods, a mark of its mass centre, and
// a mark of a point without extent; or a wall of grains, which is a surface that is seen through.
enum class SolidRole { kShape, kLink, kMassCentre, kWall };

struct SceneSolid {
  int body = 0;  // in Scene::bodies
  SolidType type = SolidType::kBox;
  SolidRole role = SolidRole::kShape;
  // m: edges of a box, axes of an ellipsoid; scale of a mesh; a plane has none, it is the x-y plane.
  // Otherwise radius, radius, length (along z; a capsule's without caps).
  Vec3<double> size;
  Pose<double> X_BS;  // in the body's own frame
  int mesh = -1;      // in Scene::meshes
};

struct SceneBody {
  std::string name;
  int parent = -1;  // in Scene::bodies; -1: of the ground, which is the first
  bool is_particle = false;
  double mass = 0.0;              // kg
  Vec3<double> mass_centre;       // m, in the body's own frame
  std::array<double, 6> inertia;  // kg m^2: xx yy zz xy xz yz about the mass centre, body axes
  bool is_mode = false;           // carries a deformation alone, and is nowhere
  std::string beam;               // whose node it is; empty: none
};

struct SceneJoint {
  std::string name, type;
  bool closes_loop = false;
  int parent = 0, child = 0;  // bodies
  Pose<double> X_PF, X_CM;    // the joint's frames F and M, in the bodies' own frames
  Vec3<double> axis;          // unit vector in F; zero where the type has none
};

// A straight line between two moving points: a spring or a rod.
struct SceneLink {
  std::string name;
  bool is_spring = false;  // otherwise a rod: a distance that is kept
  int from_body = 0, to_body = 0;
  Vec3<double> from, to;  // m, in the bodies' own frames
};

struct ScenePoint {
  std::string name;  // BODY.POINT
  int body = 0;
  Pose<double> X_BP;
};

// An item of the description without a solid of its own, for a list beside the picture.
struct SceneItem {
  // The list of the model file: joints (those that close loops), constraints, forces, contacts or events.
  std::string list;
  std::string name, type;
  // The points, bodies, joints or shapes that it relates; of an event its condition.
  std::vector<std::string> between;
};

// Many equal particles, drawn as spheres; their positions are part of the motion.
struct SceneParticles {
  std::vector<std::string> species;
  std::vector<double> radii;                // m, by species
  std::vector<std::uint8_t> species_of;     // by particle
  std::array<double, 3> lower{}, length{};  // m, of the box
};

struct Scene {
  std::string name;
  std::vector<SceneBody> bodies;  // by BodyIndex: the ground first, parents before their children
  std::vector<SceneSolid> solids;
  std::vector<TriangleMesh> meshes;  // in the axes of the solids; those of one file share one
  std::vector<SceneJoint> joints;    // by the body that they carry, then those that close loops
  std::vector<SceneLink> links;
  std::vector<ScenePoint> points;
  std::vector<SceneItem> items;
  SceneParticles particles;        // none in a model of bodies
  Vec3<double> up{0, 0, 1};        // the axis of the ground that is most nearly against gravity
  double extent = 1.0;             // m, the size of the scene
  double mark = 0.016;             // m, about the radius of the mark of a joint
  std::vector<std::string> notes;  // why a shape is not drawn
};

// The model was frozen from `system`, with the parameters of `properties`; `state` is the state in which
// sizes are measured. A mesh that cannot be read is left out, with a note.
Scene extract_scene(const System& system, const Model& model, const Properties<double>& properties,
                    const State<double>& state);

// Poses of bodies, for a picture.
class FrameMaker {
 public:
  // Position x y z (m) and Euler parameters e1 e2 e3 e0 (scalar last, as in graphics libraries) of a body's
  // own frame.
  static constexpr int kPoseSize = 7;

  FrameMaker(const Model& model, const Properties<double>& properties);  // both must outlive this

  int numbers() const { return kPoseSize * bodies_; }  // of a frame: every body but the ground
  // Fills `poses` (numbers()) for the coordinates q (nq). Allocates nothing.
  void fill(std::span<const double> q, std::span<float> poses);

 private:
  const Model& model_;
  const Properties<double>& properties_;
  int bodies_;
  State<double> state_;
  Kinematics<double> kinematics_;
};

// e1 e2 e3 e0 of a rotation.
std::array<double, 4> quaternion_of(const Rotation<double>& R);

}  // namespace sestina
