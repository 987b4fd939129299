// The mechanisms of mechanism.h as models of Sestina.
#pragma once

#include <memory>
#include <string>

#include "mechanism.h"
#include "sestina/model/model.h"

namespace peers {

// The name of the body that is link i of the mechanism.
std::string link_name(int i);

std::shared_ptr<const sestina::Model> make_model(const Mechanism& mechanism);

}  // namespace peers
