#include "sestina/joints/joint_info.h"

#include "sestina/joints/joint_list.h"

namespace sestina {
namespace {

template <template <class> class Joint>
JointInfo describe() {
  using J = Joint<double>;
  JointInfo info;
  info.keyword = J::kKeyword;
  info.nq = J::kNq;
  info.nu = J::kNu;
  for (int i = 0; i < J::kNq; ++i) info.q_units.emplace_back(J::kQUnits[static_cast<std::size_t>(i)]);
  for (int i = 0; i < J::kNu; ++i) info.u_units.emplace_back(J::kUUnits[static_cast<std::size_t>(i)]);
  info.has_axis = requires(J joint) { joint.axis; };
  info.has_second_axis = requires(J joint) { joint.second_axis; };
#define SESTINA_HAS(name, ...) \
  info.numbers.name = requires(J joint) { joint.name; };
  SESTINA_JOINT_NUMBERS(SESTINA_HAS)
#undef SESTINA_HAS
  if constexpr (J::kNq != J::kNu) info.euler_parameters_start = J::kNq - 4;
  return info;
}

const std::vector<JointInfo>& all_infos() {
  static const std::vector<JointInfo> infos{
#define SESTINA_DESCRIBE(Type) describe<Type>(),
      SESTINA_FOR_EACH_JOINT(SESTINA_DESCRIBE)
#undef SESTINA_DESCRIBE
  };
  return infos;
}

}  // namespace

const JointInfo& joint_info(JointType type) { return all_infos()[static_cast<std::size_t>(type)]; }

std::optional<JointType> joint_type_from_keyword(std::string_view keyword) {
  const auto& infos = all_infos();
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].keyword == keyword) return static_cast<JointType>(i);
  }
  return std::nullopt;
}

const std::vector<std::string>& joint_keywords() {
  static const std::vector<std::string> keywords = [] {
    std::vector<std::string> words;
    for (const JointInfo& info : all_infos()) words.push_back(info.keyword);
    return words;
  }();
  return keywords;
}

}  // namespace sestina
