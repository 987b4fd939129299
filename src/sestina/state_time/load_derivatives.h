// The derivatives of the applied loads by the motion of the bodies.
//
// Each force element depends on few bodies, so that each is moved alone: 18 numbers for each body that it
// touches, by dual numbers through that element and nothing else.
//   joint j with springs, dampers and given generalised forces     its two bodies: 36 directions
//   spring_damper                                                   its two bodies
//   point_force, point_torque                                       its one body
// Given forces are expressions e of time and of coordinates and speeds z of any joints. For these by the
// chain rule, with the load that e = 1 stands for:
//   d load = (d load / d e) (d e / d z) (d z / d motion of the two bodies of z's joint)                (1)
// d e / d z comes from the tape of all expressions; those z run together that no expression has in common.
//
// Cost: O(elements), and for the expressions O(colours x tape), where the colours are as many as the largest
// number of z that one expression has, or a few more.
#pragma once

#include <array>
#include <vector>

#include "sestina/dynamics/dual_forces.h"
#include "sestina/state_time/load_motion.h"

namespace sestina {

class LoadDerivatives {
 public:
  // The model must outlive this; it has no UserForce.
  LoadDerivatives(const Model& model, const Properties<double>& properties);

  // Adds the derivatives of -loads at the motion of the bodies, whose coordinates and speeds are `state`.
  // `expressions` holds the values of the model's force expressions. No allocation.
  void add(std::span<const BodyInstant> bodies, const State<double>& state,
           std::span<const double> expressions, DerivativeSink& sink);

 private:
  // A joint on which generalised forces act, or whose coordinates or speeds expressions read.
  struct Joint {
    BodyIndex body, parent;
    std::vector<std::size_t> springs, dampers, forces;  // in the lists of the properties
    bool is_read = false;
    std::vector<double> by_motion;  // (36 x (nq + nu)): of q and u by the numbers of child and parent
    bool is_driven() const { return !(springs.empty() && dampers.empty() && forces.empty()); }
  };
  struct Dependence {
    int expression;
    std::size_t joint;  // in joints_
    int local;          // of its q, then of its u
    int colour;
    double value;
  };
  // The bodies on which an element acts, from 0; kNoBody is the ground.
  using Bodies = std::array<int, 2>;

  std::size_t joint_use(BodyIndex body);
  void collect_dependences();
  void set_values(std::span<const BodyInstant> bodies, const State<double>& state,
                  std::span<const double> expressions);
  void rest(int body, const BodyInstant& at);
  template <class Evaluate>
  void add_moves(std::span<const BodyInstant> bodies, int moved, const Bodies& rows, DerivativeSink* sink,
                 Evaluate&& evaluate);
  void clear(const Bodies& rows);
  CenterLoad<Dual> load_on(int body) const;
  void add_joint(std::span<const BodyInstant> bodies, const State<double>& state, Joint& joint,
                 DerivativeSink& sink);
  template <class Element>
  void add_element(std::span<const BodyInstant> bodies, const Bodies& rows, const Element& element,
                   DerivativeSink& sink);
  void update_dependences();
  void add_dependences(const Bodies& rows, int expression, DerivativeSink& sink);
  void add_expressions(DerivativeSink& sink);

  const Model& model_;
  DualForces dual_;
  std::vector<Joint> joints_;
  std::vector<int> joint_of_body_;  // by BodyIndex: in joints_, or -1
  std::vector<Dependence> dependences_;
  int colours_ = 0;
};

}  // namespace sestina
