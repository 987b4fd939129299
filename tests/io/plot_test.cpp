#include "sestina/io/plot.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>

#include "io/result_testing.h"
#include "sestina/io/output_file.h"
#include "sestina/io/plot_panel.h"
#include "sestina/io/plot_series.h"
#include "sestina/io/plot_ticks.h"

// fontconfig keeps what it has read of the fonts until the program ends.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig"; }

namespace sestina {
namespace {

using test::TemporaryDirectory;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing_support::message_of;

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

ResultTable pendulum(std::size_t rows = 200) {
  ResultHeader header;
  header.columns = {{"t", "s"},           {"hip.q", "rad"},        {"hip.u", "rad/s"},
                    {"base.q[0]", "m"},   {"base.q[1]", "m"},      {"upper.origin.x", "m"},
                    {"slack.force", "N"}, {"energy.kinetic", "J"}, {"energy.total", "J"}};
  ResultTable table(header);
  for (std::size_t i = 0; i < rows; ++i) {
    const double t = 0.05 * static_cast<double>(i);
    table.append_row(std::vector<double>{t, std::sin(t), std::cos(t), t, t * t, std::cos(t),
                                         std::numeric_limits<double>::quiet_NaN(), t, 12.5});
  }
  return table;
}

PlotOptions options_for(const std::filesystem::path& output, std::vector<std::string> columns = {}) {
  PlotOptions options;
  options.output = output;
  options.columns = std::move(columns);
  return options;
}

TEST(Plot, WritesTheFormatThatTheSuffixNames) {
  const TemporaryDirectory directory;
  for (const auto& [name, start] : {std::pair("a.png", "\x89PNG\r\n"), std::pair("a.svg", "<?xml"),
                                    std::pair("a.pdf", "%PDF-"), std::pair("a.PNG", "\x89PNG\r\n")}) {
    plot_result(pendulum(), options_for(directory / name));
    EXPECT_THAT(content(directory / name), StartsWith(start));
    EXPECT_GT(std::filesystem::file_size(directory / name), 4000u) << name;  // an empty page has 1 kB
  }
  EXPECT_EQ(directory.files(), 4u);  // and no temporary file
  EXPECT_EQ(message_of([&] { plot_result(pendulum(), options_for("a.jpg")); }),
            "'a.jpg' is not a figure: its name must end in .png, .svg or .pdf");
}

TEST(Plot, TellsInAnSvgWhatItShows) {
  const TemporaryDirectory directory;
  PlotOptions options = options_for(directory / "a.svg", {"hip.*", "energy.total"});
  options.title = "a < b & c";
  plot_result(pendulum(), options);
  const std::string svg = content(options.output);
  EXPECT_THAT(svg, HasSubstr("<title>a &lt; b &amp; c</title>"));
  EXPECT_THAT(svg, HasSubstr("<desc>hip.q [rad], hip.u [rad/s], energy.total [J] over t [s]</desc>"));
}

TEST(Plot, HasTheSizeAskedFor) {
  const TemporaryDirectory directory;
  PlotOptions options = options_for(directory / "a.png", {"hip.q"});
  options.width = 90;
  options.height = 60;
  plot_result(pendulum(), options);
  const std::string png = content(options.output);
  const auto number_at = [&png](std::size_t i) {  // big-endian
    return (static_cast<unsigned char>(png[i + 2]) << 8) + static_cast<unsigned char>(png[i + 3]);
  };
  EXPECT_EQ(number_at(16), 1063);  // 90 mm at 300 dots per inch
  EXPECT_EQ(number_at(20), 709);
  options.height = 10;
  EXPECT_THROW(plot_result(pendulum(), options), InputError);
  options.height = 1e5;
  EXPECT_THROW(plot_result(pendulum(), options), InputError);
  options.height = 60;
  options.width = 30;
  EXPECT_THROW(plot_result(pendulum(), options), InputError);
}

TEST(Plot, DrawsAtDotsThatDependOnTheData) {
  const TemporaryDirectory directory;
  plot_result(pendulum(), options_for(directory / "a.png", {"hip.q"}));
  plot_result(pendulum(), options_for(directory / "b.png", {"hip.q"}));
  plot_result(pendulum(150), options_for(directory / "c.png", {"hip.q"}));
  EXPECT_EQ(content(directory / "a.png"), content(directory / "b.png"));
  EXPECT_NE(content(directory / "a.png"), content(directory / "c.png"));
}

TEST(Plot, TakesWhateverARunLeaves) {
  const TemporaryDirectory directory;
  const std::filesystem::path output = directory / "a.png";
  plot_result(pendulum(1), options_for(output));                   // a single row
  plot_result(pendulum(), options_for(output, {"slack.force"}));   // no finite number
  plot_result(pendulum(), options_for(output, {"energy.total"}));  // constant
  PlotOptions phase = options_for(output, {"hip.u"});
  phase.x = "hip.q";
  plot_result(pendulum(), phase);
  PlotOptions path = options_for(output, {"base.q[0]"});  // the same unit on both axes
  path.x = "upper.origin.x";
  plot_result(pendulum(), path);
  ResultTable diverged = pendulum();
  const double largest = std::numeric_limits<double>::max();
  diverged.append_row(std::vector<double>{10, largest, -largest, 1e300, -1e300, 0, 0, 1e-310, largest});
  plot_result(diverged, options_for(output, {"*"}));
  EXPECT_THAT(message_of([&] { plot_result(pendulum(0), options_for(output)); }), HasSubstr("no rows"));
}

TEST(Plot, RefusesWhatIsNotInTheResult) {
  const TemporaryDirectory directory;
  const std::filesystem::path output = directory / "a.png";
  EXPECT_EQ(message_of([&] {
              plot_result(pendulum(), options_for(output, {"hip.w", "x.*"}));
            }),
            "unknown column 'hip.w' (did you mean 'hip.q'?)\nno column matches 'x.*'");
  PlotOptions options = options_for(output, {"hip.q"});
  options.x = "hip.w";
  EXPECT_THAT(message_of([&] { plot_result(pendulum(), options); }), HasSubstr("hip.q"));
  EXPECT_EQ(directory.files(), 0u);
}

TEST(Plot, SaysWhyItCannotBeWritten) {
  EXPECT_EQ(message_of([] { write_whole_file("/dev/full", "figure"); }),
            "cannot write '/dev/full': No space left on device");
  EXPECT_THAT(message_of([] { plot_result(pendulum(), options_for("/nowhere/a.png")); }),
              HasSubstr("there is no directory '/nowhere'"));
}

// By trying all lengths for all stars this would not end.
TEST(SelectColumns, TakesPatternsOfManyStars) {
  ResultHeader header;
  const std::string name(2000, 'a');
  header.columns = {{"t", "s"}, {name + "b", "1"}, {name + "c", "1"}};
  PlotOptions options;
  for (int i = 0; i < 40; ++i) options.columns.resize(1), options.columns[0] += "a*";
  options.columns[0] += "b*";
  EXPECT_THAT(select_columns(ResultTable(header), options), ElementsAre(name + "b"));
  for (const char* pattern : {"*", "**", "a*b", "*ab", "*a*a*b", "a*ab*"}) {
    options.columns = {pattern};
    EXPECT_THAT(select_columns(ResultTable(header), options), ::testing::Contains(name + "b")) << pattern;
  }
  for (const char* pattern : {"b*", "*a", "a*d*", "*bb"}) {
    options.columns = {pattern};
    EXPECT_THROW(select_columns(ResultTable(header), options), InputError) << pattern;
  }
}

TEST(SelectColumns, ChoosesCoordinatesAndEnergiesByItself) {
  EXPECT_THAT(select_columns(pendulum(), {}),
              ElementsAre("hip.q", "base.q[0]", "base.q[1]", "energy.kinetic", "energy.total"));
}

TEST(SelectColumns, UnderstandsPatterns) {
  const auto select = [](std::vector<std::string> patterns) {
    return select_columns(pendulum(), options_for("", std::move(patterns)));
  };
  EXPECT_THAT(select({"*.q*"}), ElementsAre("hip.q", "base.q[0]", "base.q[1]"));
  EXPECT_THAT(select({"hip.u", "hip.*"}), ElementsAre("hip.u", "hip.q"));  // each once
  EXPECT_THAT(select({"*.*.*"}), ElementsAre("upper.origin.x"));
  EXPECT_THAT(select({"t*"}), ElementsAre());    // over t itself
  EXPECT_THAT(select({"t"}), ElementsAre("t"));  // unless requested
}

TEST(Panels, HoldOneUnitEach) {
  const std::vector<Panel> panels =
      make_panels(pendulum(), {"hip.q", "base.q[0]", "hip.u", "upper.origin.x"});
  ASSERT_EQ(panels.size(), 3u);
  EXPECT_EQ(panels[1].unit, "m");
  EXPECT_EQ(panels[1].series[1].name, "upper.origin.x");
}

// On request; a number without a logarithm becomes a gap, and ten to the power of zero has no minus.
TEST(Panels, AreLogarithmicOnRequest) {
  ResultHeader header;
  header.columns = {{"t", ""}, {"g3", ""}};
  ResultTable table(header);
  for (const double t : {0.0, 1.0, 10.0, 1000.0}) table.append_row(std::vector{t, 2.0 * t});
  const Panel panel = make_panels(table, {"g3"}, true).front();
  EXPECT_TRUE(std::isnan(panel.series[0].values[0]));
  EXPECT_DOUBLE_EQ(panel.series[0].values[2], std::log10(20.0));
  HorizontalAxis axis = make_horizontal_axis(table, "t", true);
  EXPECT_DOUBLE_EQ(axis.series.values[3], 3.0);
  set_ticks(axis, "", 100.0, 20.0);
  ASSERT_FALSE(axis.ticks.names.empty());
  EXPECT_EQ(axis.ticks.names.front(), "10⁰");
}

TEST(Panels, AreNamedByWhatTheirColumnsShare) {
  const auto quantity = [](std::vector<std::string> names) {
    std::vector<Series> series;
    for (std::string& name : names) series.push_back({std::move(name), {}});
    return common_quantity(series);
  };
  EXPECT_EQ(quantity({"hip.q"}), "hip.q");
  EXPECT_EQ(quantity({"hip.q", "knee.q"}), "q");
  EXPECT_EQ(quantity({"base.q[0]", "hip.q"}), "q");
  EXPECT_EQ(quantity({"base.q[0]", "base.q[1]"}), "base.q");
  EXPECT_EQ(quantity({"energy.kinetic", "energy.total"}), "energy");
  EXPECT_EQ(quantity({"upper.origin.x", "upper.origin.y"}), "upper.origin");
  EXPECT_EQ(quantity({"upper.origin.x", "upper.tip.y"}), "upper");
  EXPECT_EQ(quantity({"hip.q", "energy.total"}), "");
}

struct TickCase {
  double low, high;
  int most;
  std::vector<std::string> labels;
  std::string axis;
};

TEST(Ticks, AreRoundNumbersAndFewDigits) {
  const std::vector<TickCase> cases = {
      {0, 10, 6, {"0", "2", "4", "6", "8", "10"}, "x [m]"},
      {0, 5, 5, {"0", "2", "4"}, "x [m]"},
      {-1.1, 1.1, 5, {"−1.0", "−0.5", "0.0", "0.5", "1.0"}, "x [m]"},
      {0, 1, 5, {"0.00", "0.25", "0.50", "0.75", "1.00"}, "x [m]"},
      {0.13, 0.38, 6, {"0.15", "0.20", "0.25", "0.30", "0.35"}, "x [m]"},
      {0, 2e-3, 5, {"0.0", "0.5", "1.0", "1.5", "2.0"}, "x [10⁻³ m]"},
      {-4.2e7, 1e6, 5, {"−40", "−30", "−20", "−10", "0"}, "x [10⁶ m]"},
      {9000, 9990, 3, {"9000", "9500"}, "x [m]"},
      {12.5 - 2e-9, 12.5 + 2e-9, 5, {"−2", "−1", "0", "1", "2"}, "x − 12.5 [10⁻⁹ m]"},
      {-7.0003, -6.9998, 3, {"−200", "0", "200"}, "x + 7 [10⁻⁶ m]"},
  };
  for (const TickCase& one : cases) {
    SCOPED_TRACE(one.low);
    const Ticks ticks = calc_ticks(one.low, one.high, one.most);
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < ticks.values.size(); ++i) labels.push_back(ticks.label(i));
    EXPECT_EQ(labels, one.labels);
    EXPECT_EQ(axis_label("x", "m", ticks), one.axis);
  }
}

TEST(Ticks, LieWithinTheAxisAndAreNeitherTooManyNorTooFew) {
  for (double low = -3.7; low < 3; low += 0.31) {
    for (double width = 1e-9; width < 1e12; width *= 3.3) {
      for (const int most : {3, 5, 9}) {
        const Ticks ticks = calc_ticks(low, low + width, most);
        ASSERT_GE(ticks.values.size(), static_cast<std::size_t>(most) / 3)
            << low << ' ' << width << ' ' << most;
        ASSERT_LE(ticks.values.size(), static_cast<std::size_t>(most));
        // Rounding of the products, relative to the larger of offset and width.
        const double rounding = 1e-8 * width;
        ASSERT_GE(ticks.values.front(), low - rounding);
        ASSERT_LE(ticks.values.back(), low + width + rounding);
        for (std::size_t i = 1; i < ticks.values.size(); ++i) ASSERT_NE(ticks.label(i), ticks.label(i - 1));
      }
    }
  }
}

TEST(Ticks, TypesetUnits) {
  const Ticks plain = calc_ticks(0, 1, 5);
  EXPECT_EQ(axis_label("", "kg m^2", plain), "[kg m²]");
  EXPECT_EQ(axis_label("p", "N*s^-1", plain), "p [N·s⁻¹]");
  EXPECT_EQ(axis_label("e", "1", plain), "e");
  EXPECT_EQ(axis_label("e", "", calc_ticks(0, 1e-3, 5)), "e [10⁻³]");
}

TEST(AxisRange, ShowsWhatVariesOnlyByRoundingAsConstant) {
  const Range range = calc_axis_range({9.81, std::nextafter(9.81, 10)}, 0.05);
  EXPECT_LT(range.low, 9);
  EXPECT_GT(range.high, 10);
  const Range zero = calc_axis_range({0, 0}, 0.05);
  EXPECT_EQ(zero.low, -1);
  EXPECT_EQ(zero.high, 1);
}

TEST(ThinOut, KeepsEveryPeak) {
  std::vector<double> x, y;
  for (int i = 0; i < 1'000'000; ++i) {
    x.push_back(i * 1e-4);  // 100 mm
    y.push_back(i == 654'321 ? 7.0 : i == 654'400 ? -3.0 : std::sin(i * 0.01));
  }
  const Strokes strokes = thin_out(x, y, 0.1);
  ASSERT_EQ(strokes.size(), 1u);
  EXPECT_LE(strokes[0].size(), 4004u);  // 4 in each of 1000 columns
  double low = 0, high = 0;
  for (const PagePoint& point : strokes[0]) {
    low = std::min(low, point.y);
    high = std::max(high, point.y);
  }
  EXPECT_EQ(high, 7);
  EXPECT_EQ(low, -3);
  EXPECT_EQ(strokes[0].back().x, x.back());
}

TEST(ThinOut, KeepsTheWayOfACurveThatTurnsBack) {
  std::vector<double> x, y;
  for (int i = 0; i < 500'000; ++i) {
    x.push_back(50 * std::cos(i * 1e-5));
    y.push_back(50 * std::sin(i * 1e-5));
  }
  const Strokes strokes = thin_out(x, y, 0.1);
  ASSERT_EQ(strokes.size(), 1u);
  EXPECT_LT(strokes[0].size(), 11'000u);  // 250 mm in steps of 0.025 mm
  EXPECT_GT(strokes[0].size(), 5'000u);
}

TEST(ThinOut, BreaksTheCurveAtGaps) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> x = {0, 1, 2, 3, 4, 5};
  const std::vector<double> y = {nan, 1, 2, nan, 4, nan};
  const Strokes strokes = thin_out(x, y, 0.1);
  ASSERT_EQ(strokes.size(), 2u);
  EXPECT_EQ(strokes[0].size(), 2u);
  EXPECT_EQ(strokes[1].size(), 1u);
}

}  // namespace
}  // namespace sestina
