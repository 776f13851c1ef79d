#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/units.h"
#include "report/operators/operator_report.h"
#include "report/writers/html.h"

namespace dlview::report {
namespace {

using aggregate::Limit;
using aggregate::Origin;

constexpr std::string_view kReportStyle = R"css(
:root { color-scheme: light dark; --bg: #f6f7f9; --panel: #fff; --line: #dfe3e9; --text: #1d232c;
  --soft: #667180; --faint: #edf0f4; --accent: #1f6fc4; }
@media (prefers-color-scheme: dark) { :root { --bg: #14171c; --panel: #1b1f26; --line: #2f3641;
  --text: #dfe4ec; --soft: #95a0b0; --faint: #262c35; --accent: #66aef2; } }
* { box-sizing: border-box; }
body { font: 13px/1.5 Inter, system-ui, sans-serif; color: var(--text); background: var(--bg);
  margin: 0 auto; padding: 28px 32px; max-width: 1280px; }
h1 { font-size: 22px; line-height: 1.25; margin: 0 0 8px; overflow-wrap: anywhere; }
h2 { font-size: 15px; margin: 30px 0 10px; }
h3 { font-size: 13px; margin: 0 0 4px; overflow-wrap: anywhere; }
h4 { font-size: 12px; font-weight: 600; margin: 0; color: var(--soft); }
a { color: var(--accent); text-decoration: none; } a:hover { text-decoration: underline; }
ul.facts { list-style: none; margin: 0; padding: 0; color: var(--soft); }
.panel { background: var(--panel); border: 1px solid var(--line); border-radius: 7px;
  padding: 14px 16px; margin: 0 0 12px; break-inside: avoid; }
.soft, .note { color: var(--soft); } .note { font-size: 12px; margin: 6px 0 0; }
.classes { display: flex; height: 22px; border-radius: 4px; overflow: hidden; gap: 1px; }
.classes i { display: block; min-width: 2px; }
.key { display: flex; flex-wrap: wrap; gap: 4px 18px; margin-top: 8px; color: var(--soft); }
.key b { color: var(--text); font-weight: 600; font-variant-numeric: tabular-nums; }
.dot { display: inline-block; width: 9px; height: 9px; border-radius: 2px; margin-right: 6px; }
.scroll { overflow-x: auto; padding: 0; }
table { border-collapse: collapse; width: 100%; font-size: 12px; }
th { text-align: left; font-weight: 600; color: var(--soft); white-space: nowrap; }
th, td { padding: 5px 10px; border-bottom: 1px solid var(--line); vertical-align: top; }
tr:last-child td { border-bottom: 0; } tr:target td { background: var(--faint); }
td { overflow-wrap: anywhere; min-width: 56px; } td:nth-child(2) { min-width: 110px; } td.name { min-width: 180px; max-width: 320px; }
td.shape { font: 11px/1.5 "JetBrains Mono", ui-monospace, monospace; min-width: 120px; max-width: 230px; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; overflow-wrap: normal; }
svg { display: block; width: 100%; height: auto; margin: 2px 0 10px; }
svg text { font: 10px Inter, system-ui, sans-serif; fill: var(--soft); }
.grid { stroke: var(--line); stroke-width: 1; } .gap { fill: var(--faint); }
.edge { stroke: var(--panel); stroke-width: .5; }
.advice li { margin: 0 0 10px; } .advice ul { margin: 6px 0 0; padding-left: 18px; }
@media print { :root { --bg: #fff; --panel: #fff; --line: #cfd5dd; --text: #000; --soft: #444;
  --faint: #eee; --accent: #000; } body { padding: 0; max-width: none; font-size: 11px; }
  .panel { padding: 8px 10px; } thead { display: table-header-group; } tr { break-inside: avoid; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } .scroll { overflow: visible; }
  @page { size: A4 landscape; margin: 12mm; } }
)css";

constexpr double kWidth = 1200, kHeight = 76, kLeft = 34, kTop = 6, kLabel = 14;
constexpr double kLabelWidth = 70, kCharWidth = 5.6;
constexpr std::size_t kMostShape = 160, kMostName = 300;

void write_patterns(std::ostream& out) {
  out << "<svg width=\"0\" height=\"0\" style=\"position:absolute\" aria-hidden=\"true\"><defs>\n";
  for (std::size_t chart = 0; chart < kReportCharts; ++chart) {
    out << fmt::format(
        "<pattern id=\"h{0}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"{1}\" "
        "opacity=\".25\"/><rect width=\"2.6\" height=\"6\" fill=\"{1}\"/></pattern>\n",
        chart, color_of_chart(chart));
  }
  out << "</defs></svg>\n";
}

// A bar for each op or kernel: width = time, height = percent. What overflows is cut at 100%, with
// a mark on top.
void write_chart(const std::vector<ReportBar>& bars, std::size_t chart, bool has_labels,
                 std::ostream& out) {
  int64_t total_ns = 0;
  for (const ReportBar& bar : bars) total_ns += bar.time_ns;
  const double height = kTop + kHeight + (has_labels ? kLabel : 4);
  out << fmt::format("<svg viewBox=\"0 0 {:g} {:g}\" role=\"img\" aria-label=\"{}\">\n", kWidth,
                     height, kReportChartTitles[chart]);
  for (const int percent : {0, 50, 100}) {
    const double y = kTop + kHeight * (1 - percent / 100.0);
    out << fmt::format(
        "<line class=\"grid\" x1=\"{0:g}\" x2=\"{1:g}\" y1=\"{2:g}\" y2=\"{2:g}\"/>"
        "<text x=\"{3:g}\" y=\"{4:g}\" text-anchor=\"end\">{5}%</text>\n",
        kLeft, kWidth, y, kLeft - 5, y + 3.5, percent);
  }
  double x = kLeft;
  for (const ReportBar& bar : bars) {
    const double width = total_ns == 0 ? 0
                                       : (kWidth - kLeft) * static_cast<double>(bar.time_ns) /
                                             static_cast<double>(total_ns);
    const ReportShare& share = bar.shares[chart];
    const std::string tip =
        escape_html(fmt::format("{} · {} · {}", shortened(bar.name, kMostName),
                                base::format_duration(bar.time_ns), share_text(share, chart)));
    if (share.percent) {
      const double percent = std::min(*share.percent, 100.0);
      const double tall = std::max(kHeight * percent / 100, 1.0);
      const std::string fill = share.origin == Origin::estimated
                                   ? fmt::format("url(#h{})", chart)
                                   : std::string(color_of_chart(chart));
      out << fmt::format(
          "<rect class=\"edge\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" "
          "fill=\"{}\"><title>{}</title></rect>\n",
          x, kTop + kHeight - tall, width, tall, fill, tip);
      if (*share.percent > 100 && width > 4) {
        out << fmt::format("<path d=\"M{:.2f} {:.2f}l4 5h-8z\" fill=\"{}\"/>\n", x + width / 2, 0.0,
                           color_of_chart(chart));
      }
    } else {
      // Unknown: nothing but a foot. No form on Tensor Cores: half of that.
      out << fmt::format(
          "<rect class=\"gap\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:g}\">"
          "<title>{}</title></rect>\n",
          x, kTop + kHeight - (share.has_no_form ? 2 : 5), width, share.has_no_form ? 2.0 : 5.0,
          tip);
    }
    if (has_labels && width >= kLabelWidth) {
      const auto most = static_cast<std::size_t>(width / kCharWidth);
      out << fmt::format("<text x=\"{:.2f}\" y=\"{:g}\" text-anchor=\"middle\">{}</text>\n",
                         x + width / 2, kTop + kHeight + 11,
                         escape_html(shortened(bar.name, most)));
    }
    x += width;
  }
  out << "</svg>\n";
}

void write_charts(const std::vector<ReportBar>& bars, std::ostream& out) {
  for (std::size_t chart = 0; chart < kReportCharts; ++chart) {
    out << fmt::format("<h4>{}</h4>\n", kReportChartTitles[chart]);
    write_chart(bars, chart, chart + 1 == kReportCharts, out);
  }
}

std::string save_text(const std::optional<double>& save_ns) {
  return save_ns ? base::format_duration(*save_ns) : "";
}

void write_summary(const OperatorReport& report, std::ostream& out) {
  out << fmt::format("<h1>{}</h1>\n<ul class=\"facts\">\n", escape_html(report.title));
  for (const std::string& fact : report.facts) {
    out << fmt::format("<li>{}</li>\n", escape_html(fact));
  }
  out << "</ul>\n<h2>What limits the kernel time</h2>\n<div class=\"panel\">\n"
         "<div class=\"classes\">";
  for (const OperatorReport::ClassShare& each : report.classes) {
    out << fmt::format("<i style=\"width:{:.2f}%;background:{}\"></i>", each.percent, each.color);
  }
  out << "</div>\n<div class=\"key\">";
  for (const OperatorReport::ClassShare& each : report.classes) {
    out << fmt::format(
        "<span><i class=\"dot\" style=\"background:{}\"></i>{} <b>{}</b> · {}</span>", each.color,
        escape_html(each.name), base::format_percent(each.percent),
        base::format_duration(each.time_ns));
  }
  out << "</div>\n<p class=\"note\">Math, memory, both: at least 70% of that peak. The 70% "
         "threshold is "
         "dlview's. Work from input shapes is a lower bound (attention with an unrecorded mask: an "
         "upper bound): it can prove a limit, never exclude one.</p>\n"
         "</div>\n";
}

void write_network(const OperatorReport& report, std::ostream& out) {
  out << "<h2>Ops in order</h2>\n<div class=\"panel\">\n";
  write_charts(report.network, out);
  out << "<p class=\"note\">One bar for each op, in order of its first kernel: width = kernel "
         "time, height = share of the peak. Filled: counted by Nsight Compute. Hatched: estimated. "
         "Gap: unknown. Thin line: op type without Tensor Core support. A triangle marks more than "
         "100%.</p>\n"
         "</div>\n";
}

void write_advice(const OperatorReport& report, std::ostream& out) {
  out << "<h2>Advice</h2>\n";
  if (report.advice.empty()) {
    out << "<div class=\"panel soft\">Nothing to advise: no op of at least 1% of the kernel time "
           "raises any.</div>\n";
  }
  for (const ReportAdviceGroup& group : report.advice) {
    out << fmt::format("<div class=\"panel advice\">\n<h3>{}</h3>\n<ul>\n",
                       escape_html(group.title));
    std::string_view text;
    for (const ReportAdvice& advice : group.advice) {
      out << "<li>";
      if (advice.op) {
        out << fmt::format("<a href=\"#op{}\">{}</a>", *advice.op,
                           escape_html(shortened(report.ops[*advice.op].name, kMostName)));
      } else {
        out << "The range";
      }
      if (advice.save_ns) {
        out << fmt::format(" · can save at most <b>{}</b>", base::format_duration(*advice.save_ns));
      }
      out << fmt::format("<br><span class=\"soft\">{}.</span>", escape_html(advice.evidence));
      if (advice.advice != text) out << fmt::format("<br>{}.", escape_html(advice.advice));
      text = advice.advice;
      out << "</li>\n";
    }
    out << "</ul>\n</div>\n";
  }
}

void write_table(const OperatorReport& report, std::ostream& out) {
  out << "<h2>Ops</h2>\n<div class=\"panel scroll\">\n<table>\n<thead><tr><th>Op</th>"
         "<th>Type</th><th>Input shapes</th><th>Data type</th><th class=\"n\">Calls</th>"
         "<th class=\"n\">Kernel time</th><th class=\"n\">Share</th><th>Limit</th>"
         "<th>Tensor Cores</th><th>Achieved, of peak</th><th class=\"n\">Can save at most</th>"
         "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < report.ops.size(); ++i) {
    const ReportOp& op = report.ops[i];
    const bool has_detail =
        std::ranges::find(report.details, i, &ReportDetail::op) != report.details.end();
    const std::string name = escape_html(shortened(op.name, kMostName));
    out << fmt::format(
        "<tr id=\"op{}\"><td class=\"name\">{}</td><td>{}</td><td class=\"shape\">{}</td>"
        "<td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
        "<td><i class=\"dot\" style=\"background:{}\"></i>{}</td><td>{}</td><td>{}</td>"
        "<td class=\"n\">{}</td></tr>\n",
        i, has_detail ? fmt::format("<a href=\"#detail{}\">{}</a>", i, name) : name,
        escape_html(op.type), escape_html(shortened(op.shape, kMostShape)),
        escape_html(op.data_type), base::format_count(op.calls), base::format_duration(op.time_ns),
        base::format_percent(op.share_percent), color_of(op.limit), escape_html(op.limit_text),
        escape_html(op.tensor_cores), escape_html(op.achieved), save_text(op.save_ns));
  }
  out << "</tbody>\n</table>\n</div>\n<p class=\"note\">Order: largest possible "
         "savings first (peak clock, perfect overlap); then ops without an estimate, by time. "
         "Achieved: useful work ÷ measured time.</p>\n";
}

void write_details(const OperatorReport& report, std::ostream& out) {
  if (report.details.empty()) return;
  out << fmt::format(
      "<h2>Kernels of the first {}</h2>\n",
      report.details.size() == 1 ? "op" : base::counted(std::ssize(report.details), "ops"));
  for (const ReportDetail& detail : report.details) {
    const ReportOp& op = report.ops[detail.op];
    out << fmt::format("<div class=\"panel\" id=\"detail{}\">\n<h3><a href=\"#op{}\">{}</a></h3>\n",
                       detail.op, detail.op, escape_html(shortened(op.name, kMostName)));
    out << fmt::format(
        "<p class=\"note\">{} · {} · {}{}</p>\n", base::counted(op.calls, "calls"),
        base::format_duration(op.time_ns),
        base::counted(std::ssize(detail.kernels), "kernel names"),
        detail.formula.empty() ? "" : fmt::format(" · FLOP {}", escape_html(detail.formula)));
    write_charts(detail.kernels, out);
    out << "</div>\n";
  }
  out << "<p class=\"note\">Rates of a kernel are those of all its launches in the range, "
         "whichever "
         "op launched it.</p>\n";
}

}  // namespace

void write_operator_html(const OperatorReport& report, std::ostream& out) {
  out << fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "name=\"viewport\" content=\"width=device-width\">\n<title>{}</title>\n<style>{}</style>\n"
      "</head>\n<body>\n",
      escape_html(report.title), kReportStyle);
  write_patterns(out);
  write_summary(report, out);
  write_network(report, out);
  write_advice(report, out);
  write_table(report, out);
  write_details(report, out);
  out << "</body>\n</html>\n";
}

}  // namespace dlview::report
