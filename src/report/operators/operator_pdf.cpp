// The report as PDF: landscape A4. Text flows from page to page; tables repeat their header.
#include <algorithm>
#include <array>
#include <cairo-pdf.h>
#include <cmath>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/unfinished_file.h"
#include "base/units.h"
#include "report/operators/operator_report.h"
#include "report/writers/file.h"
#include "report/writers/pdf_text.h"
#include "report/writers/utf8.h"

namespace dlview::report {
namespace {

using aggregate::Origin;

// Points; A4 on its side.
constexpr double kPaperWidth = 841.89, kPaperHeight = 595.28, kEdge = 30;
constexpr double kTextWidth = kPaperWidth - 2 * kEdge, kBottom = kPaperHeight - kEdge - 12;
constexpr double kChartHeight = 46, kAxis = 26;
constexpr std::size_t kLongestName = 300;

struct DropSurface {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
struct DropPage {
  void operator()(cairo_t* page) const { cairo_destroy(page); }
};

cairo_status_t append_to_file(void* stream, const unsigned char* bytes, unsigned int count) {
  auto& out = *static_cast<std::ostream*>(stream);
  out.write(reinterpret_cast<const char*>(bytes), count);
  return out ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

// "#2b8a4e".
struct Rgb {
  double red = 0, green = 0, blue = 0;
};
Rgb rgb_of(std::string_view text) {
  const auto part = [text](std::size_t at) {
    int value = 0;
    for (const char c : text.substr(at, 2)) {
      value = 16 * value + (c >= 'a' ? c - 'a' + 10 : c - '0');
    }
    return value / 255.0;
  };
  return {part(1), part(3), part(5)};
}
constexpr Rgb kInk{0.11, 0.14, 0.17}, kSoft{0.4, 0.44, 0.5}, kLine{0.85, 0.87, 0.9};

struct TableColumn {
  std::string_view title;
  double width = 0;
  PdfAlign align = PdfAlign::left;
};
constexpr std::array<TableColumn, 10> kOpColumns{{{"Op", 146},
                                                  {"Type", 62},
                                                  {"Input shapes", 112},
                                                  {"Data type", 46},
                                                  {"Calls", 34, PdfAlign::right},
                                                  {"Kernel time", 52, PdfAlign::right},
                                                  {"Share", 38, PdfAlign::right},
                                                  {"Limit", 92},
                                                  {"Achieved, of peak", 88},
                                                  {"Can save at most", 66, PdfAlign::right}}};
constexpr double kColumnGap = 5;

class OperatorPdf {
 public:
  OperatorPdf(const OperatorReport& report, cairo_t* page)
      : report_(report),
        page_(page),
        fonts_(page),
        title_(page, fonts_, 16, true),
        heading_(page, fonts_, 10.5, true),
        bold_(page, fonts_, 7.5, true),
        body_(page, fonts_, 7.5, false),
        small_(page, fonts_, 6, false),
        line_(body_.line_height() + 2.5) {}

  void draw() {
    draw_summary();
    draw_network();
    draw_advice();
    draw_table();
    draw_details();
    end_page();
  }

 private:
  void color(const Rgb& rgb) { cairo_set_source_rgb(page_, rgb.red, rgb.green, rgb.blue); }

  void end_page() {
    color(kSoft);
    small_.draw_line(report_.title, kEdge, kPaperHeight - kEdge, kTextWidth - 80, PdfAlign::left);
    small_.draw_line(fmt::format("page {}", ++pages_), kEdge + kTextWidth - 60,
                     kPaperHeight - kEdge, 60, PdfAlign::right);
    cairo_show_page(page_);
    y_ = kEdge;
  }
  // Starts a page unless so much fits.
  bool need(double height) {
    if (y_ + height <= kBottom) return false;
    end_page();
    return true;
  }
  void paragraph(PdfText& text, std::string_view words, const Rgb& ink, double after = 2,
                 double indent = 0) {
    const double height = text.height(words, kTextWidth - indent);
    need(height);
    color(ink);
    text.draw_paragraph(words, kEdge + indent, y_, kTextWidth - indent, PdfAlign::left);
    y_ += height + after;
  }
  void rule(double y) {
    color(kLine);
    cairo_set_line_width(page_, 0.5);
    cairo_move_to(page_, kEdge, y);
    cairo_line_to(page_, kEdge + kTextWidth, y);
    cairo_stroke(page_);
  }
  void heading(std::string_view words, double with) {
    if (y_ > kEdge) y_ += 10;
    need(heading_.line_height() + with);
    color(kInk);
    heading_.draw_line(words, kEdge, y_, kTextWidth, PdfAlign::left);
    y_ += heading_.line_height() + 4;
  }

  void draw_summary() {
    paragraph(title_, shortened(report_.title, kLongestName), kInk, 4);
    for (const std::string& fact : report_.facts) paragraph(body_, fact, kSoft, 1);
    heading("What limits the kernel time", 40);
    double x = kEdge;
    for (const OperatorReport::ClassShare& each : report_.classes) {
      color(rgb_of(each.color));
      const double width = kTextWidth * each.percent / 100;
      cairo_rectangle(page_, x, y_, width, 13);
      cairo_fill(page_);
      x += width;
    }
    y_ += 18;
    x = kEdge;
    for (const OperatorReport::ClassShare& each : report_.classes) {
      const std::string text =
          fmt::format("{} {} · {}", each.name, base::format_percent(each.percent),
                      base::format_duration(each.time_ns));
      color(rgb_of(each.color));
      cairo_rectangle(page_, x, y_ + 2, 6, 6);
      cairo_fill(page_);
      color(kSoft);
      const double width = body_.width(text);
      body_.draw_line(text, x + 10, y_, width + 1, PdfAlign::left);
      x += width + 26;
    }
    y_ += line_ + 1;
    paragraph(
        small_,
        "Math, memory, both: at least 70% of that peak. The 70% threshold is dlview's. Work from "
        "input shapes is a lower bound (attention with an unrecorded mask: an upper bound): it "
        "can prove a limit, never exclude one.",
        kSoft);
  }

  void hatch(double x, double y, double width, double height, const Rgb& ink) {
    cairo_save(page_);
    cairo_rectangle(page_, x, y, width, height);
    cairo_clip(page_);
    cairo_set_source_rgba(page_, ink.red, ink.green, ink.blue, 0.25);
    cairo_paint(page_);
    color(ink);
    cairo_set_line_width(page_, 1.1);
    for (double at = std::floor((x - height) / 3.4) * 3.4; at < x + width; at += 3.4) {
      cairo_move_to(page_, at, y + height);
      cairo_line_to(page_, at + height, y);
    }
    cairo_stroke(page_);
    cairo_restore(page_);
  }

  void chart(const std::vector<ReportBar>& bars, std::size_t which) {
    color(kSoft);
    body_.draw_line(kReportChartTitles[which], kEdge, y_, kTextWidth, PdfAlign::left);
    y_ += line_ + 3;
    for (const int percent : {0, 50, 100}) {
      const double y = y_ + kChartHeight * (1 - percent / 100.0);
      color(kLine);
      cairo_set_line_width(page_, 0.5);
      cairo_move_to(page_, kEdge + kAxis, y);
      cairo_line_to(page_, kEdge + kTextWidth, y);
      cairo_stroke(page_);
      color(kSoft);
      small_.draw_line(fmt::format("{}%", percent), kEdge, y - 4, kAxis - 4, PdfAlign::right);
    }
    int64_t total_ns = 0;
    for (const ReportBar& bar : bars) total_ns += bar.time_ns;
    const Rgb ink = rgb_of(color_of_chart(which));
    double x = kEdge + kAxis;
    for (const ReportBar& bar : bars) {
      const double width = total_ns == 0 ? 0
                                         : (kTextWidth - kAxis) * static_cast<double>(bar.time_ns) /
                                               static_cast<double>(total_ns);
      const ReportShare& share = bar.shares[which];
      if (share.percent) {
        const double tall = std::max(kChartHeight * std::min(*share.percent, 100.0) / 100, 0.7);
        const double top = y_ + kChartHeight - tall;
        const double gap = width > 2 ? 0.4 : 0;
        if (share.origin == Origin::estimated) {
          hatch(x, top, width - gap, tall, ink);
        } else {
          color(ink);
          cairo_rectangle(page_, x, top, width - gap, tall);
          cairo_fill(page_);
        }
      } else {
        const double tall = share.has_no_form ? 1.2 : 3;
        color(kLine);
        cairo_rectangle(page_, x, y_ + kChartHeight - tall, width, tall);
        cairo_fill(page_);
      }
      if (which + 1 == kReportCharts && width >= 50) {
        color(kSoft);
        small_.draw_line(bar.name, x, y_ + kChartHeight + 2, width - 2, PdfAlign::center);
      }
      x += width;
    }
    y_ += kChartHeight + (which + 1 == kReportCharts ? 13 : 5);
  }

  double charts_height() const { return 3 * (kChartHeight + line_ + 9) + 12; }

  void charts(const std::vector<ReportBar>& bars) {
    for (std::size_t which = 0; which < kReportCharts; ++which) chart(bars, which);
  }

  void draw_network() {
    heading("Ops in order", charts_height() + 16);
    charts(report_.network);
    paragraph(small_,
              "One bar for each op, in order of its first kernel: width = kernel time, height = "
              "share of the peak. Filled: counted by Nsight Compute. Hatched: estimated. Gap: "
              "unknown. Thin line: op type without Tensor Core support. Bars end at 100%.",
              kSoft);
  }

  void draw_advice() {
    heading("Advice", 40);
    if (report_.advice.empty()) {
      paragraph(body_, "Nothing to advise: no op of at least 1% of the kernel time raises any.",
                kSoft);
    }
    for (const ReportAdviceGroup& group : report_.advice) {
      need(3 * line_);
      paragraph(bold_, group.title, kInk, 1);
      std::string_view text;
      for (const ReportAdvice& advice : group.advice) {
        const std::string op = advice.op ? shortened(report_.ops[*advice.op].name, kLongestName)
                                         : std::string("The range");
        paragraph(body_,
                  fmt::format("{}{}", op,
                              advice.save_ns ? fmt::format(" · can save at most {}",
                                                           base::format_duration(*advice.save_ns))
                                             : ""),
                  kInk, 0, 8);
        paragraph(body_, advice.evidence + ".", kSoft, 0, 8);
        if (advice.advice != text) paragraph(body_, advice.advice + ".", kInk, 0, 8);
        text = advice.advice;
        y_ += 3;
      }
      y_ += 3;
    }
  }

  template <typename Draw>
  void each_op_column(const Draw& draw) {
    double x = kEdge;
    for (std::size_t c = 0; c < kOpColumns.size(); ++c) {
      draw(c, x, kOpColumns[c].width - kColumnGap);
      x += kOpColumns[c].width + (kTextWidth - kSumOfWidths) / kOpColumns.size();
    }
  }

  void table_header() {
    color(kSoft);
    each_op_column([&](std::size_t c, double x, double width) {
      bold_.draw_line(kOpColumns[c].title, x, y_, width, kOpColumns[c].align);
    });
    y_ += line_;
    rule(y_ - 1);
  }

  void draw_table() {
    heading("Ops", 60);
    table_header();
    for (const ReportOp& op : report_.ops) {
      if (need(line_)) table_header();
      const std::array<std::string, kOpColumns.size()> cells{
          shortened(op.name, kLongestName),
          op.type,
          shortened(op.shape, kLongestName),
          op.data_type,
          base::format_count(op.calls),
          base::format_duration(op.time_ns),
          base::format_percent(op.share_percent),
          op.limit_text,
          op.achieved,
          op.save_ns ? base::format_duration(*op.save_ns) : ""};
      color(kInk);
      each_op_column([&](std::size_t c, double x, double width) {
        body_.draw_line(cells[c], x, y_, width, kOpColumns[c].align);
      });
      y_ += line_;
      rule(y_ - 1.5);
    }
    y_ += 3;
    paragraph(small_,
              "Order: largest possible savings first (peak clock, perfect overlap); then ops "
              "without an estimate, by time. Achieved: useful work ÷ measured time.",
              kSoft);
  }

  void draw_details() {
    if (report_.details.empty()) return;
    heading("Kernels of the first ops", charts_height() + 40);
    for (const ReportDetail& detail : report_.details) {
      const ReportOp& op = report_.ops[detail.op];
      need(charts_height() + 30);
      paragraph(bold_, shortened(op.name, kLongestName), kInk, 0);
      paragraph(small_,
                fmt::format("{} · {} · Tensor Cores: {}{}", base::counted(op.calls, "calls"),
                            base::format_duration(op.time_ns), op.tensor_cores,
                            detail.formula.empty() ? "" : " · FLOP " + detail.formula),
                kSoft, 3);
      charts(detail.kernels);
      y_ += 6;
    }
  }

  static constexpr double kSumOfWidths = 156 + 62 + 112 + 46 + 34 + 52 + 38 + 92 + 88 + 56;

  const OperatorReport& report_;
  cairo_t* page_;
  PdfFonts fonts_;
  PdfText title_, heading_, bold_, body_, small_;
  double line_, y_ = kEdge;
  int pages_ = 0;
};

}  // namespace

base::Status write_operator_pdf(const OperatorReport& report, const std::filesystem::path& path) {
  base::Result<base::UnfinishedFile> file = base::UnfinishedFile::create(path);
  if (!file) return file.error();
  const std::unique_ptr<cairo_surface_t, DropSurface> surface(
      cairo_pdf_surface_create_for_stream(append_to_file, &file->out(), kPaperWidth, kPaperHeight));
  std::string title;
  append_clean_text(title, report.title);
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE, title.c_str());
  if (const auto date = source_date()) {
    const std::string created = fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", fmt::gmtime(*date));
    cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE, created.c_str());
  }
  {
    const std::unique_ptr<cairo_t, DropPage> page(cairo_create(surface.get()));
    OperatorPdf(report, page.get()).draw();
  }
  cairo_surface_finish(surface.get());
  const cairo_status_t status = cairo_surface_status(surface.get());
  if (status != CAIRO_STATUS_SUCCESS && status != CAIRO_STATUS_WRITE_ERROR) {
    return file->error(cairo_status_to_string(status));
  }
  return file->finish();  // knows why a write failed
}

}  // namespace dlview::report
