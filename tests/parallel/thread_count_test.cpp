// How many threads there are by default.
#include "sestina/parallel/thread_count.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>
#include <string>
#include <thread>

#include "sestina/base/error.h"
#include "sestina/parallel/executor.h"

namespace sestina {
namespace {

// Sets SESTINA_THREADS and puts back what it was.
class WithEnvironment {
 public:
  explicit WithEnvironment(const char* value) {
    if (const char* text = std::getenv(kName)) before_ = text;
    setenv(kName, value, 1);
  }
  ~WithEnvironment() { before_.empty() ? unsetenv(kName) : setenv(kName, before_.c_str(), 1); }
  WithEnvironment(const WithEnvironment&) = delete;
  WithEnvironment& operator=(const WithEnvironment&) = delete;

 private:
  static constexpr const char* kName = "SESTINA_THREADS";
  std::string before_;
};

TEST(ThreadCount, IsTakenFromTheEnvironment) {
  const WithEnvironment environment("3");
  EXPECT_EQ(default_thread_count(), 3);
  EXPECT_EQ(Executor().threads(), 3);
}

TEST(ThreadCount, IsThatOfTheProcessorsWhereTheEnvironmentSaysNothing) {
  const WithEnvironment environment("");
  EXPECT_EQ(default_thread_count(), available_processors());
}

TEST(ThreadCount, RefusesWhatIsNoNumberOfThreads) {
  for (const char* text : {"0", "-1", "1025", "four", "4 ", "4.0", "99999999999999999999"}) {
    const WithEnvironment environment(text);
    try {
      default_thread_count();
      FAIL() << text;
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(),
                "SESTINA_THREADS: '" + std::string(text) + "' is not a number of threads from 1 to 1024");
    }
  }
}

TEST(ThreadCount, CountsTheProcessorsThatTheProcessMayUse) {
  int count = 0;
  std::thread bound([&] {  // affinity belongs to a thread
    cpu_set_t set;
    ASSERT_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
    int first = 0;
    while (!CPU_ISSET(first, &set)) ++first;
    CPU_ZERO(&set);
    CPU_SET(first, &set);
    ASSERT_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
    count = available_processors();
  });
  bound.join();
  EXPECT_EQ(count, 1);
}

TEST(ThreadCount, ReadsTheQuotaOfAControlGroup) {
  EXPECT_EQ(parse_cpu_quota("200000 100000"), 2.0);
  EXPECT_EQ(parse_cpu_quota("150000 100000\n"), 1.5);
  EXPECT_EQ(parse_cpu_quota("max 100000"), std::nullopt);
  for (const char* text : {"", "100000", "100000 ", "100000 0", "-1 100000", "a b", "1a 100000"}) {
    EXPECT_EQ(parse_cpu_quota(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace sestina
