// Tables in every format, read back by programs that are not ours where those are installed.

#include "report/writers/export.h"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <numeric>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/writers/delimited.h"
#include "report/writers/pdf.h"
#include "report/writers/xlsx.h"
#include "support/test_data.h"
#include "support/tools.h"

namespace dlview::report {
namespace {

namespace fs = std::filesystem;
using aggregate::Unit;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kLarge = 9'007'199'254'740'993;  // no double

// A row of ordinary, one of awkward and one of missing cells, and others alike.
Table mixed_table(std::size_t rows = 3) {
  const auto of_row = [](std::vector<Cell> cells) {
    return [cells](std::size_t row) { return cells[row % cells.size()]; };
  };
  Table table{"mixed", "Mixed <Table>", Layout::rows, {}, rows};
  table.columns = {
      text_column(
          "name", "Name",
          of_row({std::string_view("gemm"), std::string("a \"b\", <c>\n&\tՀայ Ü"), Cell()})),
      word_column("direction", "Direction", of_row({std::string_view("fprop"), Cell(), Cell()})),
      integer_column("time", "Total Time", Unit::ns,
                     of_row({int64_t{1234567890123}, kLarge, Cell()})),
      real_column("share", "Share", Unit::percent, of_row({33.25, 0.0103634, Cell()})),
      flag_column("uses_tc", "Uses TC", of_row({true, false, Cell()})),
  };
  table.columns[2].csv_for_missing = int64_t{0};
  return table;
}

std::vector<uint32_t> first_rows(std::size_t count) {
  std::vector<uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

class Export : public ::testing::Test {
 protected:
  ShownTable shown(const Table& table, std::span<const uint32_t> rows) const {
    return {table, rows, "ResNet & Söhne", selection_};
  }
  std::string text(const Table& table, std::span<const uint32_t> rows, ExportFormat format) {
    std::ostringstream out;
    export_to_stream(shown(table, rows), format, out, progress_);
    return out.str();
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }

  const testing::TemporaryFolder folder_;
  const Table table_ = mixed_table();
  const aggregate::Selection selection_{
      {}, {5, 9}, {{.kind = aggregate::FilterKind::op_type, .text = "a<b"}}};
  base::Progress progress_;
};

TEST_F(Export, CsvHasIdsNumbersAndRows) {
  const std::vector<uint32_t> rows{1, 0, 2};
  EXPECT_EQ(text(table_, rows, ExportFormat::csv),
            "name,direction,time,share,uses_tc\n"
            "\"a \"\"b\"\", <c>\n&\tՀայ Ü\",,9007199254740993,0.010363,0\n"
            "gemm,fprop,1234567890123,33.25,1\n"
            ",,0,,\n");
}

TEST_F(Export, TsvHasOneLinePerRow) {
  const std::vector<uint32_t> rows{0, 1};
  EXPECT_EQ(tsv_text(shown(table_, rows)),
            "Name\tDirection\tTotal Time (ns)\tShare (%)\tUses TC\n"
            "gemm\tfprop\t1234567890123\t33.25\t1\n"
            "a \"b\", <c> & Հայ Ü\t\t9007199254740993\t0.010363\t0\n");
}

TEST_F(Export, JsonHasTypedCells) {
  const std::vector<uint32_t> rows{1, 2};
  const auto json = nlohmann::json::parse(text(table_, rows, ExportFormat::json));
  EXPECT_EQ(json["table"], "mixed");
  EXPECT_EQ(json["profile_name"], "ResNet & Söhne");
  EXPECT_EQ(json["iterations"], nlohmann::json({5, 9}));
  EXPECT_EQ(json["only"], nlohmann::json({"op_type=a<b"}));
  EXPECT_EQ(json["columns"][2],
            nlohmann::json({{"name", "time"}, {"title", "Total Time"}, {"unit", "ns"}}));
  EXPECT_EQ(json["rows"][0],
            nlohmann::json({"a \"b\", <c>\n&\tՀայ Ü", nullptr, kLarge, 0.0103634, false}));
  EXPECT_EQ(json["rows"][1], nlohmann::json({nullptr, nullptr, nullptr, nullptr, nullptr}));
}

TEST_F(Export, HtmlEscapesAndNamesTheProfile) {
  const std::vector<uint32_t> rows{0, 1, 2};
  const std::string page = text(table_, rows, ExportFormat::html);
  EXPECT_THAT(page, HasSubstr("<title>Mixed &lt;Table&gt; · ResNet &amp; Söhne</title>"));
  EXPECT_THAT(page,
              HasSubstr("ResNet &amp; Söhne · Iterations 5:9, only op_type=a&lt;b · 3 of 3 rows"));
  EXPECT_THAT(page, HasSubstr("<th class=\"n\">Total Time (ns)</th>"));
  EXPECT_THAT(page, HasSubstr("<td>a &quot;b&quot;, &lt;c&gt;\n&amp;\tՀայ Ü</td>"));
  EXPECT_THAT(page, HasSubstr("<td class=\"n\">9007199254740993</td>"));
  EXPECT_THAT(page, HasSubstr("<td class=\"m\">not recorded</td>"));
  EXPECT_THAT(page, HasSubstr("position: sticky"));
  EXPECT_THAT(page, Not(HasSubstr("http")));
}

TEST_F(Export, FilesAreCompleteOrNotThere) {
  const auto rows = first_rows(3);
  for (const ExportFormatInfo& known : kExportFormats) {
    const fs::path path = folder_.path() / fmt::format("table.{}", known.name);
    const auto written = export_to_file(shown(table_, rows), known.format, path, progress_);
    EXPECT_TRUE(written.ok()) << known.name;
    EXPECT_GT(fs::file_size(path), 50U) << known.name;
    EXPECT_EQ(progress_.snapshot().fraction(), 1.0F) << known.name;
    const auto lost = export_to_file(shown(table_, rows), known.format,
                                     folder_.path() / "no folder" / "x", progress_);
    EXPECT_FALSE(lost.ok()) << known.name;
  }
  EXPECT_EQ(files(), kExportFormats.size());
}

TEST_F(Export, ACanceledOneLeavesNothing) {
  const auto rows = first_rows(3);
  progress_.cancel();
  for (const ExportFormatInfo& known : kExportFormats) {
    const auto written =
        export_to_file(shown(table_, rows), known.format, folder_.path() / "x", progress_);
    ASSERT_FALSE(written.ok()) << known.name;
    EXPECT_EQ(written.error().title, "Canceled");
  }
  EXPECT_EQ(files(), 0U);
}

TEST_F(Export, FormatsAreKnownByName) {
  EXPECT_EQ(*parse_export_format("pdf"), ExportFormat::pdf);
  EXPECT_EQ(parse_export_format("doc").error().advice,
            "Valid values: csv, json, xlsx, pdf, html, tsv");
}

TEST(XlsxText, TruncatesAtWholeCharacters) {
  EXPECT_EQ(xlsx_text(std::string(kXlsxCellLimit, 'a')), std::string(kXlsxCellLimit, 'a'));
  const std::string cut = xlsx_text(std::string(kXlsxCellLimit + 1, 'a'));
  EXPECT_LE(cut.size(), kXlsxCellLimit + 2);  // two bytes more than characters
  EXPECT_THAT(cut, HasSubstr("aa […] truncated: a cell has at most 32,767 characters"));
  std::string wide;
  for (std::size_t i = 0; i < kXlsxCellLimit; ++i) wide += "😀";  // two units each
  EXPECT_LT(xlsx_text(wide).size(), wide.size() / 2 + 100);
}

TEST(XlsxText, IsCleanUtf8) {
  EXPECT_EQ(xlsx_text("a\xff\x01"
                      "b\tc\n\xef\xbf\xbf"),
            "a\ufffd\ufffdb\tc\n\ufffd");
}

TEST(XlsxText, HoldsNoCodesOfCharacters) {
  EXPECT_EQ(xlsx_text("tile_x1024_y"), "tile_x005F_x1024_y");
  EXPECT_EQ(xlsx_text("_x00e9_x00E9_"), "_x005F_x00e9_x005F_x00E9_");
  EXPECT_EQ(xlsx_text("tile_x102_y _x12g4_ _x1024"), "tile_x102_y _x12g4_ _x1024");
}

// Returns all sheets as CSV, one after the other.
std::string read_by_openpyxl(const fs::path& path) {
  return testing::output_of(fmt::format("'{}' '{}/tests/report/read_xlsx.py' '{}'",
                                        DLVIEW_TEST_PYTHON, DLVIEW_SOURCE_DIR, path.string()));
}

TEST_F(Export, OpenpyxlReadsXlsx) {
  const std::vector<uint32_t> rows{0, 1, 2, 0};
  ASSERT_TRUE(write_xlsx(shown(table_, rows), folder_.path() / "t.xlsx", progress_, 2).ok());
  EXPECT_EQ(read_by_openpyxl(folder_.path() / "t.xlsx"),
            "[1]\n"
            "Name,Direction,Total Time (ns),Share (%),Uses TC\n"
            "gemm,fprop,1234567890123,33.25,True\n"
            "\"a \"\"b\"\", <c>\n&\tՀայ Ü\",,9007199254740993,0.0103634,False\n"
            "[2]\n"
            "Name,Direction,Total Time (ns),Share (%),Uses TC\n"
            ",,,,\n"
            "gemm,fprop,1234567890123,33.25,True\n");
}

std::string part_of(const fs::path& workbook, const char* part) {
  return testing::output_of(
      fmt::format("'{}' -c 'import sys, zipfile; "
                  "print(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]).decode())' "
                  "'{}' {}",
                  DLVIEW_TEST_PYTHON, workbook.string(), part));
}

TEST_F(Export, XlsxTextsAreNeverFormulas) {
  const std::vector<std::string> names{"=1+1", "+1",           "-1",    "@SUM(A1)",
                                       "{=1}", "http://a.org", "'<&>\""};
  Table table{"names", "Names", Layout::rows, {}, names.size()};
  table.columns = {text_column("name", "Name", [&](std::size_t row) { return Cell(names[row]); })};
  const auto rows = first_rows(names.size());
  const fs::path path = folder_.path() / "t.xlsx";
  ASSERT_TRUE(write_xlsx(shown(table, rows), path, progress_).ok());
  const std::string sheet = part_of(path, "xl/worksheets/sheet1.xml");
  for (const char* name : {">=1+1<", ">+1<", ">-1<", ">@SUM(A1)<", ">{=1}<", ">http://a.org<"}) {
    EXPECT_THAT(sheet, HasSubstr(name));
  }
  EXPECT_THAT(sheet, HasSubstr("&lt;&amp;&gt;"));
  EXPECT_THAT(sheet, Not(HasSubstr("<f>")));
  EXPECT_THAT(sheet, Not(HasSubstr("hyperlink")));
}

TEST_F(Export, XlsxHeaderHasNoPicture) {
  const auto rows = first_rows(1);
  const fs::path path = folder_.path() / "t.xlsx";
  const ShownTable named{table_, rows, "R&G &[Picture]", shown(table_, rows).selection};
  ASSERT_TRUE(write_xlsx(named, path, progress_).ok());
  EXPECT_THAT(part_of(path, "xl/worksheets/sheet1.xml"),
              HasSubstr("&amp;CR&amp;&amp; G &amp;&amp; [Picture]&amp;R"));
}

TEST_F(Export, XlsxWritesNothingOnFullDisks) {
  const auto write = [this] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto rows = first_rows(3);
    const auto lost = write_xlsx(shown(table_, rows), folder_.path() / "t.xlsx", progress_);
    std::cerr << lost.error().detail;
    _exit(lost.ok() ? 0 : 2);
  };
  EXPECT_EXIT(write(), ::testing::ExitedWithCode(2),
              AllOf(HasSubstr("t.xlsx: File too large"), Not(HasSubstr("ERROR"))));
}

class DatedExport : public Export {
 protected:
  DatedExport() { setenv("SOURCE_DATE_EPOCH", "1000000000", 1); }
  ~DatedExport() override { unsetenv("SOURCE_DATE_EPOCH"); }
};

TEST_F(DatedExport, UsesTheSourceDate) {
  const auto rows = first_rows(3);
  const fs::path book = folder_.path() / "t.xlsx", document = folder_.path() / "t.pdf";
  ASSERT_TRUE(write_xlsx(shown(table_, rows), book, progress_).ok());
  EXPECT_THAT(part_of(book, "docProps/core.xml"),
              HasSubstr(">2001-09-09T01:46:40Z</dcterms:created"));
  ASSERT_TRUE(write_pdf(shown(table_, rows), document, progress_).ok());
  // Of the document's facts alone: what is compressed holds any byte.
  EXPECT_THAT(testing::output_of(fmt::format("grep -a CreationDate '{}'", document.string())),
              ContainsRegex("[(](D:)?20010909014640"));
}

TEST_F(Export, WritesEveryFormatToADevice) {
  const auto rows = first_rows(3);
  for (const ExportFormatInfo& known : kExportFormats) {
    const auto lost = export_to_file(shown(table_, rows), known.format, "/dev/full", progress_);
    ASSERT_FALSE(lost.ok()) << known.name;
    EXPECT_THAT(lost.error().detail, HasSubstr("No space left on device")) << known.name;
    const auto written = export_to_file(shown(table_, rows), known.format, "/dev/null", progress_);
    EXPECT_TRUE(written.ok()) << known.name;
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
  }
}
constexpr const char* kNoPdf = "this build has no PDF (DLVIEW_PDF=OFF)";

std::string pdf_text(const fs::path& path) {
  return testing::output_of(fmt::format("pdftotext -layout '{}' -", path.string()));
}

TEST_F(Export, SaysWhatToDoWithoutPdf) {
  if (can_write_pdf()) return;
  const auto rows = first_rows(1);
  const auto written = write_pdf(shown(table_, rows), folder_.path() / "t.pdf", progress_);
  ASSERT_FALSE(written.ok());
  EXPECT_THAT(written.error().advice, HasSubstr("HTML"));
  EXPECT_EQ(files(), 0U);
}

TEST_F(Export, PdfIsReadByPdftotext) {
  if (!can_write_pdf()) GTEST_SKIP() << kNoPdf;
  DLVIEW_REQUIRE_TOOL("pdftotext");
  const auto rows = first_rows(3);
  const fs::path path = folder_.path() / "t.pdf";
  ASSERT_TRUE(write_pdf(shown(table_, rows), path, progress_).ok());
  const std::string text = pdf_text(path);
  for (const char* part : {"Mixed <Table>", "ResNet & Söhne · Iterations 5:9, only op_type=a<b",
                           "3 of 3 rows · page 1 of 1", "Total Time", "1234567890123",
                           "9007199254740993", "0.010363", "Հայ Ü", "not recorded"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST_F(Export, PdfShowsEveryCharacter) {
  if (!can_write_pdf()) GTEST_SKIP() << kNoPdf;
  DLVIEW_REQUIRE_TOOL("pdftotext");
  Table table = mixed_table(1);
  const std::string_view name = "s1688gemm_128x128_32x5_tn<a->b, fi!=ff>";
  table.columns[0].cell = [name](std::size_t) { return Cell(name); };
  const auto rows = first_rows(1);
  const fs::path path = folder_.path() / "t.pdf";
  ASSERT_TRUE(write_pdf(shown(table, rows), path, progress_).ok());
  EXPECT_THAT(pdf_text(path), HasSubstr(std::string(name)));
}

TEST_F(Export, PdfPagesHaveFullNumbers) {
  if (!can_write_pdf()) GTEST_SKIP() << kNoPdf;
  DLVIEW_REQUIRE_TOOL("pdftotext");
  Table table = mixed_table(200);
  const std::string long_name(3'000, 'w');
  table.columns[0].cell = [&long_name](std::size_t) { return Cell(std::string_view(long_name)); };
  for (int copy = 0; copy < 20; ++copy) {
    table.columns.push_back(integer_column(
        fmt::format("n{}", copy), "Number", Unit::ns,
        [copy](std::size_t row) { return static_cast<int64_t>(row) * 1'000'000'007 + copy; }));
  }
  const auto rows = first_rows(200);
  const fs::path path = folder_.path() / "t.pdf";
  ASSERT_TRUE(write_pdf(shown(table, rows), path, progress_).ok());
  const std::string text = pdf_text(path);
  EXPECT_THAT(text, HasSubstr("page 1 of 2"));
  EXPECT_THAT(text, HasSubstr("page 2 of 2"));
  EXPECT_THAT(text, HasSubstr("www…www"));
  for (const int64_t number : {int64_t{199} * 1'000'000'007 + 19, int64_t{111} * 1'000'000'007}) {
    EXPECT_THAT(text, HasSubstr(std::to_string(number)));
  }
}

TEST_F(Export, RejectsTooLongPdfs) {
  if (!can_write_pdf()) GTEST_SKIP() << kNoPdf;
  const Table table = mixed_table(kMostPdfRows + 1);
  const auto rows = first_rows(kMostPdfRows + 1);
  const auto written = write_pdf(shown(table, rows), folder_.path() / "t.pdf", progress_);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().detail, "it has 50001 rows; a PDF has at most 50000");
  EXPECT_EQ(files(), 0U);
}

}  // namespace
}  // namespace dlview::report
