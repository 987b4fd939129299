// Accelerations and poses of a model for given states, in plain text, for the comparisons with other engines.
//
//   sestina_evaluate layout MODEL [--floating-base]
//     One line for each body but the ground: its name, that of its joint, the joint's type, q_start, nq,
//     u_start, nu; names as in the file that the model came from, separated by tabs.
//   sestina_evaluate accelerations MODEL STATES [--floating-base] [--solver NAME]
//     STATES holds rows of q (nq), u (nu) and tau (nu), which is added to the model's own forces. Prints for
//     each row udot (nu) and for each body in the order of the layout p_WB and the rows of R_WB.
//
// MODEL is a model file or, with the ending .urdf, a robot, whose base --floating-base leaves free.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <locale>
#include <map>
#include <string>
#include <vector>

#include "sestina/base/error.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/io/model_file.h"
#include "sestina/io/urdf.h"
#include "sestina/model/freeze.h"

namespace sestina {
namespace {

struct Options {
  std::string command, model, states;
  std::string solver = "recursive";
  bool floating_base = false;
};

System read_system(const Options& options) {
  const bool is_urdf = std::filesystem::path(options.model).extension() == ".urdf";
  if (!is_urdf) return read_model_file(options.model);
  return read_urdf_file(options.model, {.floating_base = options.floating_base});
}

void print_layout(const System& system, const Model& model) {
  std::map<std::string, std::string> originals;
  const auto add = [&](const auto& things) {
    for (const auto& thing : things) {
      originals[thing.name.text] = thing.original_name.empty() ? thing.name.text : thing.original_name;
    }
  };
  add(system.bodies), add(system.joints);
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    const BodyInfo& body = model.bodies()[b];
    std::printf("%s\t%s\t%s\t%d\t%d\t%d\t%d\n", originals[body.name].c_str(),
                originals[body.joint_name].c_str(), joint_info(body.joint_type).keyword.c_str(), body.q_start,
                body.nq, body.u_start, body.nu);
  }
}

void print_pose(const Pose<double>& X) {
  const double values[] = {X.p.x,  X.p.y,  X.p.z,  X.R.xx, X.R.xy, X.R.xz,
                           X.R.yx, X.R.yy, X.R.yz, X.R.zx, X.R.zy, X.R.zz};
  for (const double value : values) std::printf(" %.17g", value);
}

std::vector<double> read_numbers(const std::string& path) {
  std::ifstream stream(path);
  if (!stream) throw InputError(path + ": cannot be read");
  stream.imbue(std::locale::classic());
  return {std::istream_iterator<double>(stream), std::istream_iterator<double>()};
}

void print_accelerations(const Model& model, const Options& options) {
  const std::vector<double> numbers = read_numbers(options.states);
  const auto nq = static_cast<std::size_t>(model.nq()), nu = static_cast<std::size_t>(model.nu());
  const std::size_t row = nq + 2 * nu;
  if (row == 0 || numbers.size() % row != 0) {
    throw InputError(options.states + ": the rows must have " + std::to_string(row) + " numbers");
  }
  const Properties<double> properties = calc_properties(model);
  Kinematics<double> kinematics(model);
  AppliedForces<double> forces(model);
  const auto solver = make_solver(options.solver, model, properties);
  State<double> state = calc_initial_state(model);
  std::vector<double> udot(nu);
  for (auto x = numbers.begin(); x != numbers.end();) {
    for (double& q : state.q) q = *x++;
    for (double& u : state.u) u = *x++;
    update_kinematics(model, properties, state, kinematics);
    update_applied_forces(model, properties, state, kinematics, forces);
    for (double& tau : forces.tau) tau += *x++;
    const auto report = solver->solve(properties, state, kinematics, forces, udot);
    if (report.is_singular) {
      throw ComputationError(
          0.0, "singular mass matrix at " + model.u_names()[static_cast<std::size_t>(report.singular_speed)]);
    }
    for (const double a : udot) std::printf(" %.17g", a);
    for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
      print_pose(calc_body_pose(properties, kinematics, b));
    }
    std::printf("\n");
  }
}

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  std::vector<std::string> plain;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--floating-base") {
      options.floating_base = true;
    } else if (arguments[i] == "--solver" && i + 1 < arguments.size()) {
      options.solver = arguments[++i];
    } else {
      plain.push_back(arguments[i]);
    }
  }
  const bool is_layout = plain.size() == 2 && plain[0] == "layout";
  const bool is_accelerations = plain.size() == 3 && plain[0] == "accelerations";
  if (!is_layout && !is_accelerations) {
    throw InputError(
        "usage: sestina_evaluate layout MODEL | accelerations MODEL STATES, [--floating-base] "
        "[--solver NAME]");
  }
  options.command = plain[0];
  options.model = plain[1];
  if (is_accelerations) options.states = plain[2];
  return options;
}

void run(const std::vector<std::string>& arguments) {
  const Options options = parse(arguments);
  const System system = read_system(options);
  const std::shared_ptr<const Model> model = freeze(system);
  if (options.command == "layout") {
    print_layout(system, *model);
  } else {
    print_accelerations(*model, options);
  }
}

}  // namespace
}  // namespace sestina

int main(int argc, char** argv) {
  try {
    sestina::run({argv + 1, argv + argc});
    return 0;
  } catch (const sestina::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
