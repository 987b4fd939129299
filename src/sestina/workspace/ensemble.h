// An ensemble: many runs of one system, each with parameters and an initial state of its own.
//
//   std::vector<EnsembleMember> members(1000);
//   for (std::size_t i = 0; i < members.size(); ++i) members[i].parameters = {{"l1", 0.5 + 0.001 * i}};
//   const std::vector<RunReport> reports = workspace.run_ensemble(members);
//
// Runs advance on several threads, and on each thread several at once in the lanes of SIMD registers, where
// the model and its analysis allow: the recursive solver with an explicit Runge-Kutta rule, of fixed or
// variable step, and neither events nor user forces. Each has its own time, steps and error; a lane whose run
// has ended takes the next one. What does not go into lanes, and a run that fails there, is computed by
// itself, as Workspace::run does. RunReport::lanes tells which way it was.
//
// A result does not depend on the number of threads, nor on the other members, bit for bit. That of a run in
// lanes is the one of Workspace::run but for rounding, whose last bits depend on the instruction set
// (docs/decisions/batch.md).
#pragma once

#include <utility>

#include "sestina/batch/instruction_set.h"
#include "sestina/workspace/workspace.h"

namespace sestina {

// What is left empty is that of the system.
struct EnsembleMember {
  std::vector<ParameterValue> parameters = {};
  std::vector<double> q = {}, u = {};   // (nq), (nu), or both empty
  std::optional<double> duration = {};  // s
};

struct EnsembleOptions {
  int threads = 0;  // 0: default_thread_count()
  bool lanes = true;
  InstructionSet instruction_set = default_instruction_set();
  // Where the rows of a member go; nowhere unless given. Called by several threads at once. begin() of the
  // recorder is called again where the run fails in a lane and starts anew by itself.
  std::function<std::unique_ptr<Recorder>(std::size_t member)> make_recorder = {};
  RunLimits limits = {};  // of each member, beside those of the analysis; see Workspace::set_limits
  // As Workspace::set_interrupt: members that have not ended are reported as interrupted.
  const std::atomic<bool>* interrupt = nullptr;
  std::atomic<std::size_t>* ended = nullptr;  // counts the members that have ended, for who looks on
};

}  // namespace sestina
