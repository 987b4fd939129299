// MuJoCo, the library of its Python package.
#include <mujoco/mujoco.h>

#include <algorithm>
#include <stdexcept>

#include "engine.h"

namespace peers {
namespace {

// Speeds of a ball are in the axes of M; of a free base the linear ones come first and are in ground axes.
constexpr SpeedConvention kConvention{false, false};

void add_body(mjsBody* body, const Link& link) {
  std::copy(link.position.begin(), link.position.end(), body->pos);
  std::copy(link.orientation.begin(), link.orientation.end(), body->quat);
  std::copy(link.center_of_mass.begin(), link.center_of_mass.end(), body->ipos);
  std::copy(link.inertia.begin(), link.inertia.end(), body->fullinertia);
  body->mass = link.mass;
  body->explicitinertial = 1;
  mjsJoint* joint = mjs_addJoint(body, nullptr);
  joint->type = link.joint == Joint::kRevolute    ? mjJNT_HINGE
                : link.joint == Joint::kPrismatic ? mjJNT_SLIDE
                : link.joint == Joint::kSpherical ? mjJNT_BALL
                                                  : mjJNT_FREE;
  for (int k = 0; k < 3; ++k) joint->axis[k] = k == link.axis;
}

mjModel* make_model(const Mechanism& mechanism) {
  mjSpec* spec = mj_makeSpec();
  std::copy(mechanism.gravity.begin(), mechanism.gravity.end(), spec->option.gravity);
  // Nothing but the smooth dynamics.
  spec->option.disableflags = mjDSBL_CONSTRAINT | mjDSBL_EQUALITY | mjDSBL_FRICTIONLOSS | mjDSBL_LIMIT |
                              mjDSBL_CONTACT | mjDSBL_SPRING | mjDSBL_DAMPER | mjDSBL_ACTUATION |
                              mjDSBL_SENSOR | mjDSBL_WARMSTART | mjDSBL_ISLAND;
  std::vector<mjsBody*> bodies;
  for (const Link& link : mechanism.links) {
    mjsBody* parent =
        link.parent < 0 ? mjs_findBody(spec, "world") : bodies[static_cast<std::size_t>(link.parent)];
    bodies.push_back(mjs_addBody(parent, nullptr));
    add_body(bodies.back(), link);
  }
  mjModel* model = mj_compile(spec, nullptr);
  const std::string error = model ? "" : mjs_getError(spec);
  mj_deleteSpec(spec);
  if (!model) throw std::runtime_error("MuJoCo does not take " + mechanism.name + ": " + error);
  if (model->nv != mechanism.nu || model->nbody != static_cast<int>(mechanism.links.size()) + 1) {
    throw std::runtime_error("MuJoCo changed " + mechanism.name);
  }
  return model;
}

struct MujocoState {
  std::vector<double> q, v, tau, a;
};

class MujocoEngine final : public Engine {
 public:
  MujocoEngine(const Mechanism& mechanism, const States& states)
      : mechanism_(mechanism),
        states_(states),
        model_(make_model(mechanism), mj_deleteModel),
        data_(mj_makeData(model_.get()), mj_deleteData) {
    for (const DrivenState& state : states) {
      native_.push_back({state.q, to_engine(mechanism, state, state.u, kConvention),
                         to_engine(mechanism, state, state.tau, kConvention),
                         udot_to_engine(mechanism, state, state.udot, kConvention)});
    }
  }

  std::vector<Routine> routines() override {
    mjModel* m = model_.get();
    mjData* d = data_.get();
    const auto udot = [this, d](int k) {
      return udot_from_engine(mechanism_, state(k), speeds(d->qacc), kConvention);
    };
    std::vector<Routine> list;
    add(
        list, Kernel::kForwardDynamics, "mj_forward",
        [m, d](const MujocoState& s) {
          set(d, s);
          std::copy(s.tau.begin(), s.tau.end(), d->qfrc_applied);
          mj_forward(m, d);
        },
        udot);
    // The stages of mj_forward that the accelerations need.
    add(
        list, Kernel::kForwardDynamics, "stages",
        [m, d](const MujocoState& s) {
          update_velocities(m, d, s);
          mj_makeM(m, d);
          mj_factorM(m, d);
          mj_rne(m, d, 0, d->qfrc_bias);
          for (int i = 0; i < m->nv; ++i) {
            d->qfrc_smooth[i] = s.tau[static_cast<std::size_t>(i)] - d->qfrc_bias[i];
          }
          mj_solveM(m, d, d->qacc, d->qfrc_smooth, 1);
        },
        udot);
    add(
        list, Kernel::kInverseDynamics, "stages, mj_rne",
        [m, d](const MujocoState& s) {
          update_velocities(m, d, s);
          std::copy(s.a.begin(), s.a.end(), d->qacc);
          mj_rne(m, d, 1, d->qfrc_inverse);
        },
        [this, d](int k) { return from_engine(mechanism_, state(k), speeds(d->qfrc_inverse), kConvention); });
    add(
        list, Kernel::kKinematics, "stages, mj_comVel",
        [m, d](const MujocoState& s) { update_velocities(m, d, s); }, [this](int) { return kinematics(); });
    if (mechanism_.nu > kLargestMatrix) return list;
    add(
        list, Kernel::kMassMatrix, "stages, mj_makeM",
        [m, d](const MujocoState& s) {
          set(d, s);
          mj_kinematics(m, d);
          mj_comPos(m, d);
          mj_makeM(m, d);
        },
        [this, m, d](int k) {
          std::vector<double> M(static_cast<std::size_t>(m->nv * m->nv));
          mj_fullM(m, d, M.data());
          return matrix_from_engine(mechanism_, state(k), M, kConvention);
        });
    return list;
  }

 private:
  template <class F, class R>
  void add(std::vector<Routine>& list, Kernel kernel, const char* method, F evaluate, R result) {
    list.push_back(make_routine(
        kernel, "MuJoCo", method, static_cast<int>(native_.size()),
        [this, evaluate](int k) { evaluate(native_[static_cast<std::size_t>(k)]); }, result));
  }

  static void set(mjData* d, const MujocoState& s) {
    std::copy(s.q.begin(), s.q.end(), d->qpos);
    std::copy(s.v.begin(), s.v.end(), d->qvel);
  }

  static void update_velocities(const mjModel* m, mjData* d, const MujocoState& s) {
    set(d, s);
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_comVel(m, d);
  }

  const DrivenState& state(int k) const { return states_[static_cast<std::size_t>(k)]; }
  std::vector<double> speeds(const mjtNum* x) const { return {x, x + model_->nv}; }

  std::vector<double> kinematics() const {
    std::vector<double> positions(data_->xpos + 3, data_->xpos + 3 * model_->nbody);
    for (int b = 1; b < model_->nbody; ++b) {
      positions.insert(positions.end(), data_->cvel + 6 * b, data_->cvel + 6 * b + 3);
    }
    return positions;
  }

  const Mechanism& mechanism_;
  const States& states_;
  std::unique_ptr<mjModel, decltype(&mj_deleteModel)> model_;
  std::unique_ptr<mjData, decltype(&mj_deleteData)> data_;
  std::vector<MujocoState> native_;
};

}  // namespace

std::unique_ptr<Engine> make_mujoco_engine(const Mechanism& mechanism, const States& states) {
  return std::make_unique<MujocoEngine>(mechanism, states);
}

std::string mujoco_version() { return mj_versionString(); }

}  // namespace peers
