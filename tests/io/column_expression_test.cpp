// Columns calculated from those of a result.
#include "sestina/io/column_expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "message_of.h"
#include "sestina/io/plot.h"
#include "sestina/io/text_file.h"

namespace sestina {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::message_of;

ResultTable make_table() {
  ResultHeader header;
  header.columns = {{"t", "s"}, {"hip.q", "rad"}, {"knee.q", "rad"}, {"hip.u", "rad/s"}, {"base.q[0]", "m"}};
  ResultTable table(header);
  table.append_row(std::vector<double>{0.0, 1.0, 0.5, 2.0, 3.0});
  table.append_row(std::vector<double>{1.0, 2.0, 0.25, -2.0, 4.0});
  return table;
}

TEST(CalculatedColumn, HasAValueForEachRow) {
  const ResultTable table = make_table();
  EXPECT_THAT(calc_column(table, "hip.q + knee.q").values, ElementsAre(1.5, 2.25));
  EXPECT_THAT(calc_column(table, "base.q[0]^2 - t").values, ElementsAre(9.0, 15.0));
  EXPECT_THAT(calc_column(table, "2*pi").values, ElementsAre(2.0 * M_PI, 2.0 * M_PI));
}

TEST(CalculatedColumn, HasTheUnitOfASumOfMultiples) {
  const ResultTable table = make_table();
  EXPECT_EQ(calc_column(table, "hip.q + knee.q").column.unit, "rad");
  EXPECT_EQ(calc_column(table, "(2*hip.q - knee.q)/3 + 1").column.unit, "rad");
  EXPECT_EQ(calc_column(table, "hip.q + hip.u").column.unit, "");
  EXPECT_EQ(calc_column(table, "hip.q*hip.u").column.unit, "");
  EXPECT_EQ(calc_column(table, "sin(hip.q)").column.unit, "");
  EXPECT_EQ(calc_column(table, "2*sin(hip.q) + hip.q").column.unit, "");
  EXPECT_EQ(calc_column(table, "7").column.unit, "");
}

TEST(CalculatedColumn, TellsWhatIsNoColumn) {
  const ResultTable table = make_table();
  EXPECT_THAT(message_of([&] { calc_column(table, "hip.q + kne.q"); }),
              HasSubstr("there is no column 'kne.q' (did you mean 'knee.q'?) in 'hip.q + kne.q'"));
  EXPECT_THAT(message_of([&] { calc_column(table, "hip.q +"); }), HasSubstr("in 'hip.q +'"));
}

TEST(CalculatedColumn, KnowsConstants) {
  Graph graph;
  const ResultTable table = make_table();
  const Expr expression = graph.multiply(graph.symbol("m"), graph.symbol("hip.u"));
  const std::vector<std::pair<std::string, double>> constants{{"m", 3.0}};
  EXPECT_THAT(calc_column(table, graph, expression, "p", constants).values, ElementsAre(6.0, -6.0));
  EXPECT_THAT(message_of([&] { calc_column(table, graph, expression, "p"); }),
              HasSubstr("there is no column 'm'"));
}

TEST(PickedColumns, StandOnceEach) {
  const std::vector<std::string> names{"t", "hip.q + knee.q", "hip.u", "t"};
  const ResultTable picked = pick_columns(make_table(), names);
  EXPECT_THAT(picked.header().names(), ElementsAre("t", "hip.q + knee.q", "hip.u"));
  EXPECT_EQ(picked.at(1, 1), 2.25);
  EXPECT_EQ(picked.unit("hip.u"), "rad/s");
}

TEST(PlotOfExpressions, SelectsThemAsTheyAre) {
  PlotOptions options;
  options.columns = {"2*hip.q", "*.q", "hip.q + knee.q"};
  EXPECT_THAT(select_columns(make_table(), options),
              ElementsAre("2*hip.q", "hip.q", "knee.q", "hip.q + knee.q"));
  options.columns = {"hip.v"};
  EXPECT_THAT(message_of([&] { select_columns(make_table(), options); }),
              HasSubstr("unknown column 'hip.v'"));
  options.columns = {"2*hip.v"};
  EXPECT_THAT(message_of([&] { select_columns(make_table(), options); }),
              HasSubstr("no column matches '2*hip.v'; as an expression: there is no column 'hip.v'"));
}

TEST(PlotOfExpressions, NamesThem) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "sestina-column-expression.svg";
  PlotOptions options;
  options.columns = {"hip.q + knee.q"};
  options.x = "2*t";
  options.output = path;
  plot_result(make_table(), options);
  const std::string text = read_text_file(path, 1 << 20);
  EXPECT_THAT(text, HasSubstr("hip.q + knee.q [rad] over 2*t"));
  options.x = "tt";
  EXPECT_THAT(message_of([&] { plot_result(make_table(), options); }), HasSubstr("unknown column 'tt'"));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace sestina
