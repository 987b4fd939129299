// The mechanisms of mechanism.h as models of Sestina.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mechanism.h"
#include "sestina/model/model.h"
#include "sestina/model/system.h"

namespace peers {

// The name of the body that is link i of the mechanism.
std::string link_name(int i);

sestina::System make_system(const Mechanism& mechanism);
std::shared_ptr<const sestina::Model> make_model(const Mechanism& mechanism);

// A model has an order of bodies of its own, and so of coordinates and speeds. The arguments last as long as
// this does.
class LinkOrder {
 public:
  LinkOrder(const Mechanism& mechanism, const sestina::Model& model);

  std::vector<double> reorder_q(const std::vector<double>& q) const;
  std::vector<double> reorder_u(const std::vector<double>& u) const;
  std::vector<double> restore_u(const std::vector<double>& ours) const;
  int ours_of_speed(int speed) const;
  const std::vector<sestina::BodyIndex>& bodies() const { return bodies_; }  // of each link

 private:
  template <class Start, class OurStart>
  std::vector<double> reorder(const std::vector<double>& x, Start start, OurStart our_start,
                              int Link::*count) const;

  const Mechanism& mechanism_;
  const sestina::Model& model_;
  std::vector<sestina::BodyIndex> bodies_;
};

}  // namespace peers
