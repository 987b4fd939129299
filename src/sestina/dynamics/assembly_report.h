// What an assembly reports: the joints whose given coordinates or speeds it has changed, and why it failed.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sestina/dynamics/assembly.h"
#include "sestina/dynamics/constraint_rows.h"

namespace sestina {

// "; held: hip": the joints that are held.
std::string holds(const Model& model);

// Throws InputError at the place of the joint or constraint of this name.
[[noreturn]] void fail(const Model& model, const std::string& name, const std::string& what);

// Adds the joints of the tree whose given coordinates or speeds (`is_given`: nu) differ by `changes` (nu),
// and beams by the largest change of a node.
void find_moved(const Model& model, std::span<const double> changes, const std::vector<bool>& is_given,
                bool is_speed, std::vector<AssemblyReport::Moved>& moved);

// The same for joints that close loops, whose coordinates and speeds should be `q_wanted` and `u_wanted` and
// are those of `rows`.
void find_moved_cut_joints(const Model& model, const Properties<double>& properties,
                           std::span<const double> q_wanted, std::span<const double> u_wanted,
                           const ConstraintRows<double>& rows, std::vector<AssemblyReport::Moved>& moved);

// Adds the beams that have another shape than before.
void find_deformed(const Model& model, const State<double>& before, const State<double>& after,
                   std::vector<AssemblyReport::Moved>& moved);

}  // namespace sestina
