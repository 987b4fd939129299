// sestina render RESULT -o FILE.{png,gif,mp4} [--model MODEL] [--time T] [--width N] [--height N] [--fps N]
//                [--speed X] [--dark]
// A browser without a window draws the page of `sestina view`; ffmpeg joins its frames.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <memory>

#include "browser.h"
#include "commands.h"
#include "printing.h"
#include "replay_options.h"
#include "sestina/base/error.h"
#include "sestina/io/file_uses.h"
#include "sestina/io/output_file.h"
#include "sestina/io/text_file.h"
#include "studio/view_file.h"
#include "terminal.h"

namespace sestina::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostMotionBytes = std::size_t{100} << 20;  // s, end of the motion
constexpr std::size_t kMostText = std::size_t{2} << 30;           // bytes of all frames as text
constexpr int kMostFrames = 3000;
constexpr int kMostOfGif = 50;  // frames per second

struct RenderOptions {
  ReplayOptions replay;
  std::string output;
  std::optional<double> time;  // s
  std::optional<int> mode;     // from 1
  int width = 960, height = 540, fps = 25;
  double speed = 1.0;
  bool is_dark = false;
};

struct DrawingEnded {};

// Runs a program; an interrupt ends it, and the drawing.
int run_until_interrupt(const std::vector<std::string>& words, const fs::path& output) {
  const std::optional<int> status = run_quietly(words, output, catch_interrupt());
  if (!status) throw DrawingEnded{};
  return *status;
}

// Returns the address of a file, whose name may have any letters.
std::string address_of(const fs::path& file) {
  std::string address = "file://";
  for (const char c : file.string()) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                          std::string_view("/._-~").find(c) != std::string_view::npos;
    address += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return address;
}

// A folder that is removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "sestina_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw std::system_error(errno, std::generic_category(), "no folder for the frames");
    }
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

fs::path need_program(const std::vector<std::string>& names, const char* what) {
  if (const auto program = find_program(names)) return *program;
  throw InputError(
      fmt::format("{} is not installed ({}); Result.draw and Result.animate of the Python package do without",
                  names.front(), what));
}

int value_of_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

std::string from_base64(std::string_view text) {
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    const int value = value_of_digit(c);
    if (value < 0) break;
    bits = bits << 6 | static_cast<unsigned>(value);
    if ((count += 6) >= 8) bytes += static_cast<char>(bits >> (count -= 8) & 0xffu);
  }
  return bytes;
}

// Extracts the pictures contained in the text of the page.
std::vector<std::string> frames_of(const std::string& page) {
  static constexpr std::string_view kMark = ";base64,";
  std::vector<std::string> frames;
  const std::size_t start = page.find("id=\"sestina-frames\"");
  for (std::size_t at = page.find(kMark, start); start != std::string::npos && at != std::string::npos;
       at = page.find(kMark, at + 1)) {
    const std::size_t first = at + kMark.size();
    frames.push_back(
        from_base64(std::string_view(page).substr(first, page.find_first_of("\n<", first) - first)));
  }
  return frames;
}

int frame_count(const RenderOptions& options, const Motion& motion) {
  if (motion.frames_per_mode > 0) return static_cast<int>(motion.frames_per_mode);
  const std::size_t width = motion.columns.size();
  const double length = motion.values[(motion.rows - 1) * width] - motion.values[0];
  const double seconds = motion.x == "t" ? length / options.speed : 5.0 / options.speed;
  const double frames = std::round(seconds * options.fps) + 1.0;
  if (frames > kMostFrames) {
    throw InputError(fmt::format("that would be {:.0f} frames, of which there may be {}: --speed, --fps",
                                 frames, kMostFrames));
  }
  return std::max(2, static_cast<int>(frames));
}

// Lets the browser draw, and returns the frames.
std::vector<std::string> draw(const RenderOptions& options, const std::string& page, int count,
                              const char* kind, const TemporaryFolder& folder) {
  const fs::path browser =
      need_program({"chromium", "chromium-browser", "google-chrome"}, "it draws the frames");
  write_whole_file(folder / "page.html", page);
  std::string address =
      fmt::format("{}?frames={}&width={}&height={}&kind={}&theme={}", address_of(folder / "page.html"), count,
                  options.width, options.height, kind, options.is_dark ? "dark" : "light");
  if (options.time) address += fmt::format("&to={}", *options.time);
  if (options.mode) address += fmt::format("&mode={}", *options.mode);
  std::vector<std::string> words = {browser.string(),
                                    "--headless=new",
                                    "--use-angle=swiftshader",
                                    "--enable-unsafe-swiftshader",
                                    "--user-data-dir=" + (folder / "profile").string(),
                                    "--dump-dom",
                                    address};
  if (geteuid() == 0) words.insert(words.begin() + 1, "--no-sandbox");
  run_until_interrupt(words, folder / "page.txt");
  std::vector<std::string> frames = frames_of(read_text_file(folder / "page.txt", kMostText));
  if (frames.size() != static_cast<std::size_t>(count)) {
    throw ComputationError(0.0,
                           fmt::format("{} drew {} of {} frames", browser.string(), frames.size(), count));
  }
  return frames;
}

void join(const RenderOptions& options, const std::vector<std::string>& frames, const std::string& suffix,
          const TemporaryFolder& folder) {
  const bool is_gif = suffix == ".gif";
  const fs::path ffmpeg = need_program({"ffmpeg"}, "it joins the frames");
  const char* end = is_gif ? "png" : "jpg";
  for (std::size_t i = 0; i < frames.size(); ++i) {
    write_whole_file(folder / fmt::format("frame{:05}.{}", i, end), frames[i]);
  }
  const std::string result = (folder / ("motion" + suffix)).string();
  std::vector<std::string> words = {ffmpeg.string(),
                                    "-nostdin",
                                    "-y",
                                    "-framerate",
                                    std::to_string(options.fps),
                                    "-i",
                                    (folder / fmt::format("frame%05d.{}", end)).string()};
  const std::vector<std::string> as_gif = {"-vf", "split[a][b];[a]palettegen[p];[b][p]paletteuse", result};
  const std::vector<std::string> as_mp4 = {"-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "20", result};
  words.insert(words.end(), (is_gif ? as_gif : as_mp4).begin(), (is_gif ? as_gif : as_mp4).end());
  if (run_until_interrupt(words, folder / "ffmpeg.txt") != 0)
    throw ComputationError(0.0, "ffmpeg could not join the frames");
  write_whole_file(options.output, read_text_file(result, kMostText));
}

void make_file(const RenderOptions& options, const std::string& page, int count, const std::string& suffix) {
  catch_interrupt();  // before there is something to be removed
  const TemporaryFolder folder;
  const std::vector<std::string> frames =
      draw(options, page, count, suffix == ".mp4" ? "jpeg" : "png", folder);
  if (suffix == ".png") {
    write_whole_file(options.output, frames.front());
  } else {
    join(options, frames, suffix, folder);
  }
}

void check_mode(const RenderOptions& options, const Motion& motion) {
  if (!options.mode) return;
  if (motion.frames_per_mode == 0) throw InputError("--mode: the result has no modes");
  if (*options.mode < 1 || static_cast<std::size_t>(*options.mode) > motion.rows) {
    throw InputError(fmt::format("--mode {}: the result has modes 1 to {}", *options.mode, motion.rows));
  }
}

void check_time(const RenderOptions& options, const Motion& motion) {
  if (!options.time) return;
  if (motion.x != "t") throw InputError("--time: the result has no time");
  const double start = motion.values[0], end = motion.values[(motion.rows - 1) * motion.columns.size()];
  if (!(*options.time >= start && *options.time <= end)) {
    throw InputError(fmt::format("--time: {} is not a time of the result, which are {} to {} s",
                                 *options.time, start, end));
  }
}

int render(RenderOptions& options) {
  const std::string suffix = fs::path(options.output).extension().string();
  if (suffix != ".png" && suffix != ".gif" && suffix != ".mp4") {
    throw InputError(fmt::format("'{}': the name of a picture ends in .png, .gif or .mp4", options.output));
  }
  if (options.time && suffix != ".png") throw InputError("--time: is for one picture (.png)");
  // Viewers play shorter delays between the pictures of a GIF, in hundredths of a second, much slower.
  if (suffix == ".gif" && options.fps > kMostOfGif)
    throw InputError(fmt::format("--fps {}: of a .gif at most {}", options.fps, kMostOfGif));
  if (suffix == ".mp4" && (options.width % 2 != 0 || options.height % 2 != 0)) {
    throw InputError(fmt::format("--width, --height: {} x {}; films (.mp4) have even numbers of pixels",
                                 options.width, options.height));
  }
  RunReport report;
  const studio::Replay replay = options.replay.load(report);
  FileUses files;
  files.add_input("the result", options.replay.result);
  files.add_inputs_of(replay.workspace->described());
  files.add_output("the picture", options.output);
  files.check();
  const Scene scene = studio::make_scene(replay);
  const Motion motion = studio::make_motion(replay, scene, kMostMotionBytes);
  check_time(options, motion);
  check_mode(options, motion);
  const std::string page = studio::make_view_page(scene, motion, {});
  const int count = suffix == ".png" ? 1 : frame_count(options, motion);
  try {
    make_file(options, page, count, suffix);
  } catch (const DrawingEnded&) {
    print_error("sestina: interrupted\n");
    return kInterrupted;
  }
  for (const std::string& note : scene.notes) print_error("note: {}\n", note);
  print("{}: {} {}, {} x {}\n", options.output, count, count == 1 ? "picture" : "frames", options.width,
        options.height);
  if (report.status == RunStatus::kComplete) return kSuccess;
  print_error("sestina: the computation failed: {}\n", report.failure);
  return kComputationFailed;
}

}  // namespace

void add_render(CLI::App& app, int& status) {
  auto options = std::make_shared<RenderOptions>();
  CLI::App* command = app.add_subcommand("render", "Draw a motion as a picture or a film");
  options->replay.add_to(*command);
  command->add_option("-o,--out", options->output, "Picture (.png) or film (.gif, .mp4)")
      ->required()
      ->type_name("FILE")
      ->check(check_file_name);
  command->add_option("--time", options->time, "Picture: its time (default: the end)")->type_name("SECONDS");
  command->add_option("--mode", options->mode, "Of modes: its number (default: 1)")->type_name("NUMBER");
  command->add_option("--width", options->width, "Pixels; of a film (.mp4) even, as is the height")
      ->capture_default_str()
      ->check(CLI::Range(64, 4096).description(""));
  command->add_option("--height", options->height, "Pixels")
      ->capture_default_str()
      ->check(CLI::Range(64, 4096).description(""));
  command->add_option("--fps", options->fps, "Film: frames per second")
      ->capture_default_str()
      ->check(CLI::Range(1, 120).description(""));
  command->add_option("--speed", options->speed, "Film: simulated seconds per second")
      ->capture_default_str()
      ->check(CLI::Range(1e-6, 1e6).description(""));
  command->add_flag("--dark", options->is_dark, "Dark instead of light");
  command->callback([options, &status] { status = render(*options); });
}

}  // namespace sestina::cli
