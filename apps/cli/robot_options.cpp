#include <map>

#include "commands.h"

namespace sestina::cli {

void RobotOptions::add_to(CLI::App& command) {
  static const std::map<std::string, UrdfMimic> kMimic = {{"free", UrdfMimic::kFree},
                                                          {"weld", UrdfMimic::kWeld},
                                                          {"force", UrdfMimic::kForce},
                                                          {"couple", UrdfMimic::kCouple}};
  command.add_flag_callback(
      "--floating-base",
      [this] {
        urdf.floating_base = true;
        given = "--floating-base";
      },
      "Robot: let the base float instead of welding it to the ground");
  command
      .add_option_function<std::string>(
          "--mimic",
          [this](const std::string& way) {
            urdf.mimic = kMimic.at(way);
            given = "--mimic";
          },
          "Robot: how to treat joints that mimic others: they move independently\n"
          "(free), follow exactly, by constraints (couple), are welded at their offsets\n"
          "(weld), or are pulled by springs and dampers (force)")
      ->default_str("free")
      ->check(CLI::IsMember({"free", "weld", "force", "couple"}).description(""))
      ->type_name("WAY");
  command
      .add_option_function<double>(
          "--mimic-frequency",
          [this](double frequency) {
            urdf.mimic_frequency = frequency;
            given = "--mimic-frequency";
          },
          "With --mimic force: natural frequency of mimicking joints, rad/s")
      ->default_str("1000")
      ->type_name("W");
  command
      .add_option_function<std::string>(
          "--shapes",
          [this](const std::string& which) {
            urdf.shapes = which == "collision" ? UrdfShapes::kCollision : UrdfShapes::kVisual;
            given = "--shapes";
          },
          "Robot: the geometry of links that becomes shapes, which are drawn and which\n"
          "contacts can name: visual or collision")
      ->default_str("visual")
      ->check(CLI::IsMember({"visual", "collision"}).description(""))
      ->type_name("WHICH");
}

}  // namespace sestina::cli
