// The two kinds of failure, each with its own exit status on the command line.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "sestina/base/place.h"

namespace sestina {

// One fault of the input: its place, the value given and what is allowed.
struct Fault {
  Place place;
  std::string message;
};

// `FILE:LINE:COLUMN: bodies[1].mass: -0.5 is negative`
std::string to_string(const Fault& fault);

// The input is bad: a model, a file or a command line. Carries every fault that was found, in the order
// of the file, never only the first. Exit status 2; nothing has been written.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Fault> faults);
  explicit InputError(std::string message);  // a single fault without a place
  const std::vector<Fault>& faults() const { return faults_; }

 private:
  std::vector<Fault> faults_;
};

// The computation failed at a time, for a reason that names the joint, body or force at fault:
// a singular mass matrix, a step below the smallest, a force that is not finite. Exit status 1.
class ComputationError : public std::runtime_error {
 public:
  ComputationError(double time, std::string reason);
  double time() const { return time_; }                  // s
  const std::string& reason() const { return reason_; }  // without the time

 private:
  double time_;
  std::string reason_;
};

// Collects faults so that all of them are reported at once.
class FaultList {
 public:
  void add(Place place, std::string message);
  void add(const std::vector<Fault>& faults);
  bool empty() const { return faults_.empty(); }
  std::size_t size() const { return faults_.size(); }
  const std::vector<Fault>& faults() const { return faults_; }
  // Throws InputError with all faults, ordered by line and column, if there is any. Faults beyond kMostFaults
  // are only counted.
  static constexpr std::size_t kMostFaults = 1000;
  void throw_if_any() const;

 private:
  std::vector<Fault> faults_;
};

}  // namespace sestina
