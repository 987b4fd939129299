// Scenes and motions as bytes: one format for WebSockets, notebooks and files.
//
// A header of JSON text and a block of bytes. docs/studio.md describes both; the header begins with
//   {"format": "sestina scene", "version": 1, ...}
// and the block holds, little-endian,
//   float32 (frames x bodies x 7)  positions x y z (m) and e1 e2 e3 e0 of the bodies but the ground
//                                  and then positions x y z of the particles (m)
//   zeros to the next multiple of 8 bytes
//   float64 (rows x columns)
//   where the header has "forces": uint32 (rows + 1), the first force of each row and the number of all, and
//   for each force its item (uint32), its place (m) and the force (N), ground axes, float32
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sestina/scene/motion.h"
#include "sestina/scene/scene.h"

namespace sestina {

inline constexpr int kSceneVersion = 1;

// The JSON object under "scene" of the header.
std::string to_json(const Scene& scene);

using Provenance = std::vector<std::pair<std::string, std::string>>;
std::string make_header(const Scene& scene, const Motion& motion, const Provenance& provenance = {});
std::vector<std::uint8_t> make_block(const Motion& motion);

}  // namespace sestina
