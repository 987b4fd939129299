// The number of threads that this process can use.
#pragma once

#include <optional>
#include <string_view>

namespace sestina {

inline constexpr int kMaxThreads = 1024;

// Processors on which this process may run: its affinity, limited by the CPU quota of its control group
// (rounded down: a throttled team waits at every join for the rest of the period). At least 1.
int available_processors();

// SESTINA_THREADS of the environment, otherwise available_processors(). Throws InputError if SESTINA_THREADS
// is not a number from 1 to kMaxThreads; empty counts as not set.
int default_thread_count();

// Parses a number of threads; throws InputError with `source` if it is not 1 to kMaxThreads.
int parse_thread_count(std::string_view text, std::string_view source);

// Processors granted by a cpu.max file of a control group (version 2): "QUOTA PERIOD", both in microseconds.
// Nothing for "max PERIOD", which is not a limit, and for other text.
std::optional<double> parse_cpu_quota(std::string_view cpu_max);

}  // namespace sestina
