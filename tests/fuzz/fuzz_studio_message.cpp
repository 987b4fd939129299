// Any message leaves a session of the studio as it can be used: it answers, and continues. This holds for
// each kind of session: of a model, of a sweep, and of a result with a second run.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "sestina/io/model_file.h"
#include "sestina/sweep/sweep.h"
#include "studio/session.h"

namespace {

namespace fs = std::filesystem;
using sestina::studio::Message;
using sestina::studio::Replay;
using sestina::studio::Send;
using sestina::studio::Session;

constexpr const char* kModel =
    "sestina: 1\n"
    "parameters: {l: 0.8}\n"
    "bodies: [{name: rod, mass: 1, center_of_mass: [0, -l, 0]}]\n"
    "joints: [{name: hip, type: revolute, parent: ground.origin, child: rod.origin, axis: [0, 0, 1], q: 1}]\n"
    "analysis: {duration: 0.01}\n";

// A sweep of two runs, in a file that lasts as long as the object.
class SweepOfTwo {
 public:
  SweepOfTwo()
      : file_(fs::temp_directory_path() / ("sestina_fuzz_" + std::to_string(getpid()) + ".sweep.h5")) {
    sestina::SweepOptions options;
    options.out = file_;
    sestina::run_sweep(sestina::parse_model_tree(kModel, "model"),
                       sestina::parse_sweep_axes({"parameters.l=[0.5, 1]"}), options);
  }
  ~SweepOfTwo() {
    std::error_code ignored;
    fs::remove(file_, ignored);
  }
  SweepOfTwo(const SweepOfTwo&) = delete;
  SweepOfTwo& operator=(const SweepOfTwo&) = delete;
  sestina::studio::SweepReplay read() const { return sestina::studio::SweepReplay(file_); }

 private:
  fs::path file_;
};

Replay make_replay() {
  sestina::RunReport report;
  return sestina::studio::run_replay(sestina::read_model(kModel, "model"), false, report);
}

// Lines are messages, so that one input can be a conversation. The second client watches.
void talk(Session& session, const std::string& text, const int& answers) {
  session.join(1);
  session.join(2);
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    session.handle(2, line);
    session.handle(1, line);
    session.tick();
    session.handle(1, R"({"type":"stop"})");  // a run of a valid model may be long
    session.tick();
    at = end + 1;
  }
  const int before = answers;
  session.handle(1, "{}");
  if (answers != before + 1) std::abort();
  session.leave(1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const SweepOfTwo kSweep;
  static const Replay kReplay = make_replay();
  int answers = 0;
  const Send count = [&](int, const std::shared_ptr<const Message>&) { ++answers; };
  const std::string text(reinterpret_cast<const char*>(data), size);
  {
    Session session({}, "/nonexistent", count);  // a save would write to the disk
    session.add_control({"gain", true, 0.0, 2.0, 1.0});
    talk(session, text, answers);
  }
  {
    Session session(kSweep.read(), count);
    talk(session, text, answers);
  }
  Session session(kReplay, count, sestina::studio::make_ghost(kReplay, "other", 1u << 20));
  talk(session, text, answers);
  return 0;
}
