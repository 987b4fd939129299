// Converts the beams of a description to chains of nodes.
//
// A beam of n elements becomes n + 1 floating bodies BEAM_0 ... BEAM_n at the cross-sections between its
// elements; one force element for each element (forces/beam_force.h) holds them together. The first node
// takes the beam's place in System::bodies; the others follow all other bodies. A joint at a point of a beam
// becomes a cut joint, so that no body is carried by a beam or carries one.
//
// Nodes of a cable (formulation ancf_cable) are particles. The slope at a node is represented by three joints
// BEAM_k_slope_x, _y, _z, which move nothing else, as for the modes of a reduced body. A weld at a cable's
// point becomes a spherical joint and a constraint JOINT_tangent (constraints/tangent.h).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sestina/model/system.h"

namespace sestina {

// The beams of an expanded System.
struct BeamLayout {
  std::string name;
  BodySpec body;                 // as described
  int position = 0;              // in System::bodies: of the beam, and of its node 0
  std::vector<int> nodes;        // positions of the nodes, in the order of the arc length; of a closed
                                 // cable the last one is the first
  std::vector<double> stations;  // of the nodes: arc length over the beam's length, from 0 to 1
  bool is_cable = false, is_closed = false;
  std::vector<int> slopes;  // of a cable, by node: position of the body of the slope's x; y and z follow
  // Points of the beam, `start` and `end` among them, and their nodes.
  std::vector<std::pair<std::string, int>> points;

  std::size_t node_count() const { return stations.size() - (is_closed ? 1 : 0); }
};

// A hydraulic actuator of an expanded System (model/expand_hydraulics.h).
struct HydraulicLayout {
  int force = 0;  // position in System::forces
  int state = 0;  // position in System::states of p1; p2 follows
};

// Equations of second order of an expanded System (model/expand_second_order.h).
struct SecondOrderLayout {
  int force = 0;  // position in System::forces
  int state = 0;  // position in System::states of the first coordinate
  int n = 0;      // number of coordinates; their rates follow them
};

// A contact of a cable with a pulley of an expanded System (model/expand_belts.h).
struct BeltLayout {
  int force = 0;             // position in System::forces
  int state = 0, count = 0;  // of its bristles, in System::states
};

// Friction by bristles of an expanded System (model/expand_lugre.h).
struct LugreLayout {
  int force = 0;  // position in System::forces
  int state = 0;  // position in System::states of the first bristle, one for each speed of the joint
};

// A contact with bristles of an expanded System (model/expand_bristles.h).
struct BristleLayout {
  std::string contact;
  int state = 0;  // position in System::states of the first bristle, three for each pair of shapes
};

// A reduced body of an expanded System (model/expand_reduced.h).
struct ReducedLayout {
  std::string name;
  int body = 0;        // position of B in System::bodies
  int first_mode = 0;  // position there of the first mode's body; those of other modes follow
};

struct ExpandedSystem {
  System system;
  std::vector<BeamLayout> beams;
  std::vector<ReducedLayout> reduced_bodies;
  std::vector<HydraulicLayout> hydraulics;
  std::vector<SecondOrderLayout> second_orders;
  std::vector<BeltLayout> belts;
  std::vector<LugreLayout> lugres;
  std::vector<BristleLayout> bristles;
  std::size_t described_states = 0, described_columns = 0;  // the first ones; others were added
};

inline constexpr const char* kCableFormulation = "ancf_cable";

bool has_beams(const System& system);

// Faulty numbers are replaced by valid ones: freeze() reports the faults.
ExpandedSystem expand_beams(const System& system);

// The body that is node k: "boom_3".
std::string name_of_node(const std::string& beam, int node);

}  // namespace sestina
