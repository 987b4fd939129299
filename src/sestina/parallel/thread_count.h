// How many threads this process may usefully run.
#pragma once

#include <optional>
#include <string_view>

namespace sestina {

inline constexpr int kMaxThreads = 1024;

// Processors on which this process may run: its affinity, and no more than the CPU quota of its control
// group (rounded down: a team that is throttled waits at every join for the rest of the period). At least 1.
int available_processors();

// SESTINA_THREADS of the environment, else available_processors(). InputError where SESTINA_THREADS is not a
// number from 1 to kMaxThreads; empty counts as not set.
int default_thread_count();

// The number of threads that a user wrote; InputError names `source` where it is not 1 to kMaxThreads.
int parse_thread_count(std::string_view text, std::string_view source);

// Processors that a cpu.max file of a control group (version 2) grants: "QUOTA PERIOD", both in microseconds.
// Nothing for "max PERIOD", which is no limit, and for what is not such a file.
std::optional<double> parse_cpu_quota(std::string_view cpu_max);

}  // namespace sestina
