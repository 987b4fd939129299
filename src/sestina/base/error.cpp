#include "sestina/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "sestina/base/quotation.h"
#include "sestina/base/text.h"

namespace sestina {

std::string to_string(const Place& place) {
  std::string text;
  if (place.mark.file) text = *place.mark.file;
  if (place.mark.line > 0) {
    if (!text.empty()) text += ':';
    text += fmt::format("{}:{}", place.mark.line, place.mark.column);
  }
  if (!place.path.empty()) {
    if (!text.empty()) text += ": ";
    text += place.path;
  }
  return text;
}

std::string to_string(const Fault& fault) {
  const std::string place = to_string(fault.place);
  return place.empty() ? fault.message : place + ": " + fault.message;
}

namespace {

std::string join(const std::vector<Fault>& faults) {
  std::string text;
  for (const Fault& fault : faults) {
    if (!text.empty()) text += '\n';
    text += to_string(fault);
  }
  return escape_controls(text);
}

// Shortens messages: they may repeat names, texts or expressions of megabytes.
std::vector<Fault>& shorten(std::vector<Fault>& faults) {
  constexpr std::size_t kLongestMessage = 2000;
  for (Fault& fault : faults) fault.message = shortened(fault.message, kLongestMessage);
  return faults;
}

}  // namespace

InputError::InputError(std::vector<Fault> faults)
    : std::runtime_error(join(shorten(faults))), faults_(std::move(faults)) {}

InputError::InputError(std::string message) : InputError(std::vector<Fault>{{{}, std::move(message)}}) {}

ComputationError::ComputationError(double time, std::string reason)
    : std::runtime_error(escape_controls(fmt::format("t = {} s: {}", time, reason))),
      time_(time),
      reason_(std::move(reason)) {}

void FaultList::add(Place place, std::string message) {
  // A number that breaks two rules is reported once.
  const auto is_same = [&](const Fault& fault) {
    return fault.place.path == place.path && fault.message == message &&
           fault.place.mark.line == place.mark.line && fault.place.mark.column == place.mark.column;
  };
  const auto end = faults_.begin() + static_cast<std::ptrdiff_t>(std::min(faults_.size(), kMostFaults));
  if (std::any_of(faults_.begin(), end, is_same)) return;
  faults_.push_back({std::move(place), std::move(message)});
}

void FaultList::add(const std::vector<Fault>& faults) {
  faults_.insert(faults_.end(), faults.begin(), faults.end());
}

void FaultList::throw_if_any() const {
  if (faults_.empty()) return;
  std::vector<Fault> sorted = faults_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Fault& a, const Fault& b) {
    return std::tie(a.place.mark.line, a.place.mark.column) <
           std::tie(b.place.mark.line, b.place.mark.column);
  });
  if (sorted.size() > kMostFaults) {
    const std::size_t rest = sorted.size() - kMostFaults;
    sorted.resize(kMostFaults);
    sorted.push_back({{}, fmt::format("... and {} more faults", rest)});
  }
  throw InputError(std::move(sorted));
}

}  // namespace sestina
