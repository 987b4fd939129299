// The derivatives of the applied loads with respect to the motion of the bodies.
//
// Each force element depends on few bodies and is therefore differentiated separately, with dual numbers in
// 18 directions for each of its bodies:
//   joint j with springs, dampers and given generalised forces     its two bodies: 36 directions
//   spring_damper                                                   its two bodies
//   point_force, point_torque                                       its one body
// Given forces are expressions e of time and of coordinates and speeds z of any joints. They use the chain
// rule, with the load for e = 1:
//   d load = (d load / d e) (d e / d z) (d z / d motion of the two bodies of z's joint)                (1)
// d e / d z comes from the tape of all expressions; coordinates z that share no expression share a pass.
//
// Cost: O(elements), and for the expressions O(colours x tape); the number of colours is the largest number
// of z in one expression, or slightly more.
#pragma once

#include <array>
#include <vector>

#include "sestina/dynamics/dual_forces.h"
#include "sestina/state_time/load_motion.h"

namespace sestina {

class LoadDerivatives {
 public:
  // Keeps a reference: the model, which has no UserForce, must outlive this object.
  LoadDerivatives(const Model& model, const Properties<double>& properties);

  // Adds the derivatives of -loads at the motion `bodies`, whose coordinates and speeds are `state`.
  // `expressions` holds the values of the model's force expressions. No allocation.
  void add(std::span<const BodyInstant> bodies, const State<double>& state,
           std::span<const double> expressions, DerivativeSink& sink);

 private:
  // A joint with generalised forces, or whose coordinates or speeds occur in expressions.
  struct Joint {
    BodyIndex body, parent;
    std::vector<std::size_t> springs, dampers, forces;  // in the lists of the properties
    bool is_read = false;
    std::vector<double> by_motion;  // (36 x (nq + nu)): q and u by the numbers of child and parent
    bool is_driven() const { return !(springs.empty() && dampers.empty() && forces.empty()); }
  };
  struct Dependence {
    int expression;
    std::size_t joint;  // in joints_
    int local;          // its q, then its u
    int colour;
    double value;
  };
  // The bodies on which an element acts, numbered from 0; kNoBody is the ground.
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
