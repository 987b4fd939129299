// Pinocchio, compiled from its headers with the flags of this program.
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include "pinocchio_model.h"

namespace peers {
namespace {

// Row after row.
template <class Matrix>
std::vector<double> to_std_matrix(const Matrix& m) {
  std::vector<double> rows;
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    for (Eigen::Index j = 0; j < m.cols(); ++j) rows.push_back(m(i, j));
  }
  return rows;
}

class PinocchioEngine final : public Engine {
 public:
  PinocchioEngine(const Mechanism& mechanism, const States& states)
      : mechanism_(mechanism),
        states_(states),
        model_(make_pinocchio_model(mechanism)),
        data_(model_),
        native_(make_pinocchio_states(mechanism, states)) {}

  std::vector<Routine> routines() override {
    std::vector<Routine> list;
    for (const auto convention : {pin::Convention::LOCAL, pin::Convention::WORLD}) {
      const bool is_local = convention == pin::Convention::LOCAL;
      add(
          list, Kernel::kForwardDynamics, is_local ? "aba LOCAL" : "aba WORLD",
          [this, convention](const PinocchioState& s) {
            pin::aba(model_, data_, s.q, s.v, s.tau, convention);
          },
          [this](int k) { return udot_from_engine(mechanism_, state(k), to_std(data_.ddq), kConvention); });
      if (mechanism_.nu > kLargestMatrix) continue;
      add(
          list, Kernel::kMassMatrix, is_local ? "crba LOCAL" : "crba WORLD",
          [this, convention](const PinocchioState& s) { pin::crba(model_, data_, s.q, convention); },
          [this](int k) {
            const Eigen::MatrixXd M = data_.M.selfadjointView<Eigen::Upper>();
            return matrix_from_engine(mechanism_, state(k), to_std_matrix(M), kConvention);
          });
    }
    add(
        list, Kernel::kInverseDynamics, "rnea",
        [this](const PinocchioState& s) { pin::rnea(model_, data_, s.q, s.v, s.a); },
        [this](int k) { return from_engine(mechanism_, state(k), to_std(data_.tau), kConvention); });
    add(
        list, Kernel::kKinematics, "forwardKinematics(q, v)",
        [this](const PinocchioState& s) { pin::forwardKinematics(model_, data_, s.q, s.v); },
        [this](int) { return kinematics(); });
    if (mechanism_.nu <= kLargestMatrix) {
      add(
          list, Kernel::kDerivatives, "computeABADerivatives",
          [this](const PinocchioState& s) { pin::computeABADerivatives(model_, data_, s.q, s.v, s.tau); },
          [this](int k) { return derivatives(k); });
    }
    return list;
  }

 private:
  template <class F, class R>
  void add(std::vector<Routine>& list, Kernel kernel, const char* method, F evaluate, R result) {
    list.push_back(make_routine(
        kernel, "Pinocchio", method, static_cast<int>(native_.size()),
        [this, evaluate](int k) { evaluate(native_[static_cast<std::size_t>(k)]); }, result));
  }

  const DrivenState& state(int k) const { return states_[static_cast<std::size_t>(k)]; }

  std::vector<double> kinematics() const {
    std::vector<double> positions, angular_velocities;
    for (std::size_t i = 1; i < data_.oMi.size(); ++i) {
      const Eigen::Vector3d p = data_.oMi[i].translation();
      const Eigen::Vector3d w = data_.oMi[i].rotation() * data_.v[i].angular();
      positions.insert(positions.end(), p.data(), p.data() + 3);
      angular_velocities.insert(angular_velocities.end(), w.data(), w.data() + 3);
    }
    positions.insert(positions.end(), angular_velocities.begin(), angular_velocities.end());
    return positions;
  }

  std::vector<double> derivatives(int k) const {
    const std::vector<double> by_tau =
        matrix_from_engine(mechanism_, state(k), to_std_matrix(data_.Minv), kConvention);
    if (!mechanism_.is_revolute()) return by_tau;
    std::vector<double> all = to_std_matrix(data_.ddq_dq);
    const std::vector<double> by_u = to_std_matrix(data_.ddq_dv);
    all.insert(all.end(), by_u.begin(), by_u.end());
    all.insert(all.end(), by_tau.begin(), by_tau.end());
    return all;
  }

  const Mechanism& mechanism_;
  const States& states_;
  pin::Model model_;
  pin::Data data_;
  std::vector<PinocchioState> native_;
};

}  // namespace

std::unique_ptr<Engine> make_pinocchio_engine(const Mechanism& mechanism, const States& states) {
  return std::make_unique<PinocchioEngine>(mechanism, states);
}

std::string pinocchio_version() { return PINOCCHIO_VERSION; }

}  // namespace peers
