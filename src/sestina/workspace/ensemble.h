// An ensemble: many runs of one system, each with its own parameters and initial state.
//
//   std::vector<EnsembleMember> members(1000);
//   for (std::size_t i = 0; i < members.size(); ++i) members[i].parameters = {{"l1", 0.5 + 0.001 * i}};
//   const std::vector<RunReport> reports = workspace.run_ensemble(members);
//
// Runs advance on several threads, and on each thread several at once in SIMD lanes if the model and its
// analysis allow this: the recursive solver with an explicit Runge-Kutta rule, of fixed or variable step, and
// neither events nor user forces. Each run has its own time, steps and error; a lane whose run has ended
// takes the next one. A run that does not fit into lanes, or fails there, is computed by itself as by
// Workspace::run. RunReport::lanes shows which was done.
//
// A result does not depend on the number of threads or on the other members, bit for bit. A result from lanes
// equals that of Workspace::run up to rounding, whose last bits depend on the instruction set
// (docs/decisions/batch.md).
#pragma once

#include <utility>

#include "sestina/parallel/instruction_set.h"
#include "sestina/workspace/workspace.h"

namespace sestina {

// Members left empty have the values of the system.
struct EnsembleMember {
  std::vector<ParameterValue> parameters = {};
  std::vector<double> q = {}, u = {};   // (nq), (nu), or both empty
  std::optional<double> duration = {};  // s
};

struct EnsembleOptions {
  int threads = 0;  // 0: default_thread_count()
  bool lanes = true;
  InstructionSet instruction_set = default_instruction_set();
  // Makes the recorder for the rows of a member; may be called by several threads at once. begin() of the
  // recorder is called again if the run fails in a lane and restarts by itself.
  std::function<std::unique_ptr<Recorder>(std::size_t member)> make_recorder = {};
  RunLimits limits = {};  // of each member, in addition to those of the analysis; see Workspace::set_limits
  // As in Workspace::set_interrupt: members that have not ended are reported as interrupted.
  const std::atomic<bool>* interrupt = nullptr;
  std::atomic<std::size_t>* ended = nullptr;  // counts the members that have ended, for display
};

}  // namespace sestina
