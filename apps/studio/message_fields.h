// Values of the messages that the studio receives. All throw InputError for a value of another kind.
#pragma once

#include <string>
#include <string_view>

#include "sestina/io/yaml.h"
#include "sestina/spatial/vec3.h"

namespace sestina::studio {

std::string text_of(const YamlNode& message, std::string_view key);
std::string text_or(const YamlNode& message, std::string_view key, const char* otherwise);
bool truth_or(const YamlNode& message, std::string_view key, bool otherwise);
double number_of(const YamlNode& message, std::string_view key);
// The number N of a text that begins with {"n":N, which may be no valid message; 0: it has none.
double number_of_message(std::string_view text);
// "speed": simulated by wall time, above 0 and at most 100
double speed_of(const YamlNode& message);
Vec3<double> vector_of(const YamlNode& message, std::string_view key);

}  // namespace sestina::studio
