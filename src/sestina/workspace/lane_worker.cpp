#include "sestina/workspace/lane_worker.h"

#include <algorithm>
#include <chrono>

namespace sestina {

void LaneWorker::work() {
  while (!source_.is_interrupted()) {
    if (queues_.empty()) {
      RunPointer run = take();
      if (run == nullptr) return;
      let_wait(std::move(run));
    }
    const auto longest = std::max_element(queues_.begin(), queues_.end(), [](const Queue& a, const Queue& b) {
      return a.runs.size() < b.runs.size();
    });
    compute_in_lanes(std::string(longest->signature));
  }
}

// Returns the next run for a lane; runs before it that lanes cannot compute are computed right away.
LaneWorker::RunPointer LaneWorker::take() {
  while (!is_exhausted_ && !source_.is_interrupted()) {
    RunPointer run = source_.take(thread_);
    is_exhausted_ = run == nullptr;
    if (is_exhausted_) break;
    const auto start = std::chrono::steady_clock::now();
    if (instruction_set_ && explain_no_lanes(*run->workspace).empty()) {
      run->lane_run = std::make_unique<LaneRun>(*run->workspace);
      run->seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      return run;
    }
    compute_alone(*run);
  }
  return nullptr;
}

std::vector<LaneWorker::Queue>::iterator LaneWorker::find_queue(const std::string& signature) {
  return std::find_if(queues_.begin(), queues_.end(),
                      [&](const Queue& queue) { return queue.signature == signature; });
}

void LaneWorker::let_wait(RunPointer run) {
  const std::string& signature = run->lane_run->signature();
  auto queue = find_queue(signature);
  if (queue == queues_.end()) queue = queues_.insert(queue, {signature, {}});
  queue->runs.push_back(std::move(run));
  ++waiting_;
}

LaneWorker::RunPointer LaneWorker::take_waiting(const std::string& signature) {
  const auto queue = find_queue(signature);
  if (queue == queues_.end()) return nullptr;
  RunPointer run = std::move(queue->runs.back());
  queue->runs.pop_back();
  --waiting_;
  if (queue->runs.empty()) queues_.erase(queue);
  return run;
}

LaneWorker::RunPointer LaneWorker::take_alike(const std::string& signature) {
  if (RunPointer run = take_waiting(signature)) return run;
  while (waiting_ < kMostWaiting) {
    RunPointer run = take();
    if (run == nullptr || run->lane_run->signature() == signature) return run;
    let_wait(std::move(run));
  }
  return nullptr;
}

void LaneWorker::compute_alone(EnsembleRun& run) {
  const auto start = std::chrono::steady_clock::now();
  RunReport report;
  try {
    report = run.workspace->run();
  } catch (const std::exception& error) {
    report.status = RunStatus::kFailed;
    report.failure = error.what();
  }
  run.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.wall_seconds = run.seconds;
  source_.finish(thread_, run, report);
}

void LaneWorker::compute_in_lanes(const std::string& signature) {
  RunPointer run = take_alike(signature);
  if (run == nullptr) return;
  LaneGroup group(*run->lane_run, *instruction_set_, [this] { return source_.is_interrupted(); });
  // A run that failed is repeated separately, to find the reason.
  const LaneGroup::Ended ended = [this, &group](RunPointer one, const RunReport* report) {
    if (report == nullptr) {
      compute_alone(*one);
    } else {
      RunReport complete = *report;
      complete.wall_seconds = one->seconds;
      source_.finish(thread_, *one, complete);
    }
    group.skip_time();
  };
  for (bool has_more = true; !source_.is_interrupted();) {
    while (has_more && group.has_room()) {
      group.charge_time();
      if (run == nullptr) run = take_alike(signature);
      group.skip_time();
      has_more = run != nullptr;
      if (has_more) group.start(std::move(run), ended);
    }
    const int under_way = group.under_way();
    if (under_way == 0) return;
    for (int i = 0; i < kStepsBetweenLooks && group.under_way() == under_way; ++i) {
      if (source_.is_interrupted()) return;
      group.step(ended);
    }
    group.charge_time();
    source_.show_progress(thread_, group.fraction());
  }
}

}  // namespace sestina
