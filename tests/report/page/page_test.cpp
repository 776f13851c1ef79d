// Pages as files: what they may load, hostile texts in them, and their tables.
#include "report/page/page.h"

#include <numeric>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

#include "report/columns.h"
#include "report/page/markup.h"
#include "report/page/svg.h"
#include "support/tools.h"

namespace dlview::report::page {
namespace {

constexpr std::string_view kHostile =
    "</script><script>alert(1)</script>\"'&<!--\x1b\x7f\xff\xe2\x80\xae"
    "fdp]]>";

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string html_of(const Page& page) {
  std::ostringstream out;
  write_page(page, out);
  return out.str();
}

Page hostile_page() {
  Page page;
  page.title = page.kind = page.heading = kHostile;
  page.facts = {std::string(kHostile)};
  page.sections = {{"first", std::string(kHostile), note(kHostile)}};
  page.data = {{"data_tables", DataBlock::Kind::json, "[" + json_text(kHostile) + "]"}};
  return page;
}

Table two_columns(const std::vector<std::string>& names, const std::vector<int64_t>& times) {
  Table table{"op_nodes", "Ops", Layout::rows, {}, names.size()};
  table.columns = {column("op_node_name", [&names](std::size_t row) { return Cell(names[row]); }),
                   column("op_nodes.gpu_time", [&times](std::size_t row) {
                     return times[row] < 0 ? Cell() : Cell(times[row]);
                   })};
  return table;
}

TEST(Page, AllowsNothingButItself) {
  const std::string html = html_of(hostile_page());
  EXPECT_TRUE(has(html, "default-src 'none'"));
  EXPECT_FALSE(has(html, "unsafe"));
  for (const char* const loading :
       {"src=", "url(h", "@import", "http:", "https:", "fetch(", "cookie", "localStorage",
        "import(", "Worker(", "eval(", "innerHTML", "style="}) {
    EXPECT_FALSE(has(html, loading)) << loading;
  }
}

TEST(Page, KeepsHostileTextsTexts) {
  const std::string html = html_of(hostile_page());
  EXPECT_FALSE(has(html, "<script>alert"));
  EXPECT_FALSE(has(html, "<!--"));
  EXPECT_FALSE(has(html, "\x1b"));
  EXPECT_FALSE(has(html, "\u202e"));
  EXPECT_TRUE(has(html, "\\u202efdp"));
  EXPECT_TRUE(has(html, "\\u003c/script>"));
}

TEST(Page, NamesTheHashesOfItsParts) {
  const std::string html = html_of({});
  const auto between = [&html](std::string_view from, std::string_view to) {
    const std::size_t first = html.find(from) + from.size();
    return html.substr(first, html.find(to, first) - first);
  };
  EXPECT_GT(between("<style>", "</style>").size(), 1000U);
  EXPECT_GT(between("<script>", "</script>").size(), 1000U);
  // Chromium compares them; see tests/app/page_test.py.
  EXPECT_TRUE(std::regex_search(html, std::regex("style-src 'sha256-[A-Za-z0-9+/]{43}='")));
  EXPECT_TRUE(std::regex_search(html, std::regex("script-src 'sha256-[A-Za-z0-9+/]{43}='")));
}

TEST(Page, KnowsItsSize) {
  EXPECT_EQ(size_of(hostile_page()), html_of(hostile_page()).size());
}

TEST(Markup, EncodesBase64) {
  const std::string bytes = "Man is";
  const auto encoded = [&bytes](std::size_t size) {
    return base64({reinterpret_cast<const unsigned char*>(bytes.data()), size});
  };
  EXPECT_EQ(encoded(0), "");
  EXPECT_EQ(encoded(1), "TQ==");
  EXPECT_EQ(encoded(2), "TWE=");
  EXPECT_EQ(encoded(3), "TWFu");
  EXPECT_EQ(encoded(6), "TWFuIGlz");
  EXPECT_EQ(base64_of_hex("4d616e"), "TWFu");
}

TEST(Markup, ShortensLongNames) {
  const std::string shown = shown_text(std::string(100000, 'x'));
  EXPECT_LE(shown.size(), kMostCharacters + 3);
  EXPECT_TRUE(has(shown, "…"));
  EXPECT_EQ(shown_text("a\nb"), "a b");
}

TEST(Markup, ShowsNamesThatBeginAlike) {
  const std::string beginning(90, 'k');
  const std::vector<std::string> names{beginning + "_a", beginning + "_b", "gemm"};
  Table table{"kernels", "Kernels", Layout::rows, {}, names.size()};
  table.columns = {text_column(
      "name", "Name", [&names](std::size_t row) { return Cell(std::string_view(names[row])); })};
  const std::vector<uint32_t> rows{0, 1, 2}, first{0, 2};
  const std::vector<std::size_t> columns{0};
  const auto opened = [&](const std::vector<uint32_t>& shown) {
    const std::string html = table_markup({table, shown, columns, "kernels", "Kernels", {}});
    std::size_t count = 0;
    for (std::size_t at = html.find("name open"); at != std::string::npos;
         at = html.find("name open", at + 1)) {
      ++count;
    }
    return count;
  };
  EXPECT_EQ(opened(rows), 2U);
  EXPECT_EQ(opened(first), 0U);
}

TEST(Markup, LeavesFoldersOut) {
  EXPECT_EQ(shown_text("in \"/srv/ann/code/train.py\" (12)"), "in \"train.py\" (12)");
  EXPECT_EQ(shown_text("C:\\Users\\ann\\run.sqlite"), "run.sqlite");
  EXPECT_EQ(shown_text("/srv/ann/train.py", Folders::keep), "/srv/ann/train.py");
  for (const char* const name : {"/model/blocks.3.attn/linear", "gemm/a.b", "torch/nn/linear.py",
                                 "/ResNet::forward/conv1/conv2d", "train.py(3): step"}) {
    EXPECT_EQ(shown_text(name), name);
  }
}

TEST(Markup, WritesFirstRowsOfTable) {
  const std::vector<std::string> names(60, std::string(kHostile));
  std::vector<int64_t> times(60, 1'284'305);
  times[1] = -1;
  const Table table = two_columns(names, times);
  std::vector<uint32_t> rows(60);
  std::iota(rows.begin(), rows.end(), 0U);
  const std::vector<std::size_t> columns{0, 1};
  const TableView view{table, rows, columns, "op_nodes", "Ops", 1};
  const std::string html = table_markup(view);
  const std::regex row("<tr><th scope=\"row\"");
  EXPECT_EQ(std::distance(std::sregex_iterator(html.begin(), html.end(), row), {}), 50);
  EXPECT_TRUE(has(html, "50 of 60 rows"));
  EXPECT_TRUE(has(html, "<td class=\"n\" title=\"1,284,305 ns\">1.28 ms</td>"));
  EXPECT_TRUE(has(html, "title=\"not recorded\""));
  EXPECT_TRUE(has(html, "GPU time"));
  const std::string json = table_json(view);
  EXPECT_TRUE(has(json, "\"rows\":60"));
  EXPECT_TRUE(has(json, "[[0,0,0"));
  EXPECT_TRUE(has(json, "[1284305,null,1284305"));
  EXPECT_FALSE(has(json, "<"));
}

TEST(Markup, WritesLargeIntegersAsText) {
  const std::vector<std::string> names{"a", "b"};
  const std::vector<int64_t> times{int64_t{1} << 53, (int64_t{1} << 53) - 1};
  const Table table = two_columns(names, times);
  const std::vector<uint32_t> rows{0, 1};
  const std::vector<std::size_t> columns{1};
  EXPECT_TRUE(has(table_json({table, rows, columns, "t", "T", {}}),
                  "[\"9007199254740992\",9007199254740991]"));
}

TEST(Svg, RoundsAxesUp) {
  EXPECT_EQ(round_up(0), 1);
  EXPECT_EQ(round_up(21), 25);
  EXPECT_EQ(round_up(0.3), 0.5);
  const TimeAxis axis = time_axis(31e6);
  EXPECT_EQ(axis.step_ns, 10e6);
  EXPECT_EQ(axis.top_ns, 40e6);
  EXPECT_EQ(axis.text(20e6), "20 ms");
}

TEST(Svg, DrawsBreaksAndIntervals) {
  LineChart chart;
  chart.label = "Step time";
  for (int i = 0; i < 4; ++i) {
    chart.points.push_back({static_cast<double>(i), 0.5, 0.4, 0.6, std::string(kHostile)});
  }
  chart.last_x = 3;
  chart.breaks = {2};
  const std::string svg = line_chart(chart);
  EXPECT_TRUE(has(svg, "class=\"band\""));
  EXPECT_FALSE(has(svg, "<script>"));
  const std::regex move("[M]\\d");
  const std::string line = svg.substr(svg.find("<path", svg.find("class=\"band\"")));
  EXPECT_EQ(std::distance(std::sregex_iterator(line.begin(), line.end(), move), {}), 2);
}

}  // namespace
}  // namespace dlview::report::page
