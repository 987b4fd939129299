// Conversion of robots in URDF to a System.
//
//   ImportNotes notes;
//   System robot = read_urdf_file("panda.urdf", {}, &notes);
//
// | URDF | Sestina |
// |---|---|
// | link | rigid body; its frame is the link frame. Without <inertial> it is massless |
// | inertial origin rpy | the inertia is turned into the link's axes |
// | joint origin | point `JOINT_mount` on the parent's body, with axes; the child's point is its `origin` |
// | revolute, continuous | `revolute` |
// | prismatic | `prismatic` |
// | fixed, floating | `weld`, `free` |
// | planar | `planar`, whose z is the URDF axis (see below) |
// | limit | kept as limits, which nothing enforces; a continuous joint has no lower and upper |
// | dynamics damping | force element `JOINT_damping` of type `joint_damper` |
// | visual | shape; its colour and texture are not kept. With UrdfShapes::kCollision it is left out |
// | collision | ignored, with a note. With kCollision: shape, which a contact can name by the link or, if the
//   collision has a name, by `NAME` |
// | mimic | according to UrdfOptions::mimic; see below |
// | friction, transmission, gazebo, safety_controller, calibration, sensor | ignored, with a note |
//
// The root link is welded to the ground by a joint `base_to_ground`, or floats with `floating_base` (a body
// that is not a joint's child gets a free joint with its name). URDF has no gravity: -9.81 m/s^2 along z is
// set.
//
// Planar joints: their points `JOINT_mount` and `JOINT_plane` have z along the axis and x along the
// projection, normal to the axis, of the coordinate axis of the joint frame that has the largest angle to the
// axis (the first of equals). For the axis (0, 0, 1) these are the axes of the joint frame itself.
//
// A link whose inertia no rigid body can have (common in measured and rounded data) gets `inertia_check =
// false` and a note; a negative mass is an error. Names that Sestina does not allow, or that occur twice
// among links and joints, are changed; the given one is kept in `original_name`: characters outside
// [A-Za-z0-9_] become `_`, a leading digit gets a `_` before it, and a name that is reserved or taken gets
// `_link` or `_joint`, then a number.
//
// A joint with <mimic> follows another one, its leader: q = multiplier q_leader + offset. It starts at its
// position (for q_leader = 0) and
//
//   kFree    moves independently
//   kWeld    is welded there
//   kForce   is pulled to its position by a spring and a damper between the two coordinates: two joint_force
//            elements, JOINT_mimic = k e + c e' on the joint and JOINT_mimic_leader = -multiplier (k e + c
//            e') on the leader, where e = multiplier q_leader + offset - q. The gains are the parameters
//            JOINT_mimic_stiffness and JOINT_mimic_damping: those of a critically damped oscillation of
//            frequency UrdfOptions::mimic_frequency for the bodies that the joint carries, at q = 0.
//   kCouple  follows exactly: a constraint JOINT_mimic of type `coupling`, q - multiplier q_leader = offset
//
// If the leader is not in the file, has no coordinate, or is itself welded for one of these reasons, kForce
// and kCouple weld the joint too; so does kForce if nothing that the joint carries has inertia. A note lists
// the joints. A fixed joint cannot mimic.
//
// If an element that URDF allows once occurs several times, the first one counts, as in urdfdom.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sestina/base/place.h"
#include "sestina/model/system.h"

namespace sestina {

enum class UrdfMimic { kFree, kWeld, kForce, kCouple };

enum class UrdfShapes { kVisual, kCollision };

struct UrdfOptions {
  bool floating_base = false;  // otherwise the root link is welded to the ground
  UrdfMimic mimic = UrdfMimic::kFree;
  double mimic_frequency = 1000.0;  // rad/s, for kForce; positive
  UrdfShapes shapes = UrdfShapes::kVisual;
};

// A change, assumption or omission of the import.
struct ImportNote {
  Place place;
  std::string message;
  bool is_about_mimic = false;  // joints that do not follow others although the file specifies it
};
using ImportNotes = std::vector<ImportNote>;

// `FILE:LINE:COLUMN: joint 'elbow': friction is ignored`
std::string to_string(const ImportNote& note);

// Throw InputError with every fault found. `file_name` is only for messages. The result is not frozen:
// freeze() may find further faults. Calls are thread-safe, but they use the process-wide message handler of
// console_bridge during the work of urdfdom.
System read_urdf(std::string_view text, const std::string& file_name, const UrdfOptions& options = {},
                 ImportNotes* notes = nullptr);
System read_urdf_file(const std::string& path, const UrdfOptions& options = {}, ImportNotes* notes = nullptr);

}  // namespace sestina
