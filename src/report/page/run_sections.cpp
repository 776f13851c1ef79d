// Key figures, iterations, and where their time goes.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include <fmt/format.h>

#include "base/units.h"
#include "profile/recorded.h"
#include "report/page/sections.h"
#include "report/page/svg.h"
#include "report/views/views.h"

namespace dlview::report::page {
namespace {

using aggregate::Aggregation;
using aggregate::Category;

constexpr std::string_view kUnknownValue = "unknown";

std::string full_ns(double ns) {
  return fmt::format("{} ns", base::format_count(std::llround(ns)));
}
std::string full_percent_text(double percent) {
  return fmt::format("{:.6f}%", percent);
}

bool has_gpu_activity(const RunParts& run) {
  return profile::tells_of(run.profile(), profile::Evidence::gpu_work) &&
         std::ranges::any_of(run.aggregation().devices, &aggregate::DeviceAggregate::is_kept);
}

KeyFigure median_iteration(const Aggregation& aggregation) {
  const int64_t median = aggregate::percentile(aggregate::sorted_durations(aggregation), 0.5);
  const double average = aggregation.average_iteration_ns();
  KeyFigure figure{"median_iteration",
                   "Median iteration",
                   base::format_duration(median),
                   full_ns(static_cast<double>(median)),
                   "",
                   "median_iteration"};
  if (aggregation.selection.range.size() == 1) {
    figure.note = "one iteration only";
    return figure;
  }
  const double deviation = aggregation.iteration_standard_deviation_ns();
  figure.note = fmt::format("average {} · σ {}", base::format_duration(average),
                            base::format_duration(deviation));
  figure.full += fmt::format(" · average {} · σ {}", full_ns(average), full_ns(deviation));
  return figure;
}

KeyFigure utilization(const RunParts& run) {
  KeyFigure figure{"gpu_utilization",           "GPU utilization", std::string(kUnknownValue), "",
                   "GPU activity not recorded", "gpu_utilization"};
  if (!has_gpu_activity(run)) return figure;
  const Aggregation& aggregation = run.aggregation();
  const auto gpus =
      std::ranges::count_if(aggregation.devices, &aggregate::DeviceAggregate::is_kept);
  figure.value = base::format_percent(aggregation.gpu_utilization());
  figure.full = full_percent_text(aggregation.gpu_utilization());
  figure.note = gpus == 1 ? "time with a kernel running" : fmt::format("mean of {} GPUs", gpus);
  return figure;
}

KeyFigure savings(const RunParts& run) {
  KeyFigure figure{"largest_savings", "Largest potential savings", "–", "", "no findings",
                   "time_at_stake"};
  for (const aggregate::Finding& finding : run.findings.findings) {
    figure.note = "savings unknown";
    if (!finding.stake_ns) continue;
    figure.value = base::format_duration(*finding.stake_ns);
    figure.full = full_ns(static_cast<double>(*finding.stake_ns));
    figure.note = title_of(finding) + ", per iteration";
    return figure;
  }
  return figure;
}

KeyFigure exposed_communication(const RunParts& run) {
  const Aggregation& aggregation = run.aggregation();
  const int64_t parts = std::max<int64_t>(1, aggregation.iteration_table->device_count) *
                        std::max<int64_t>(1, aggregation.selection.range.size());
  const aggregate::CommunicationTime& time = aggregation.communication;
  return {"communication_exposed",
          "Exposed communication",
          base::format_duration(time.exposed_ns / parts),
          full_ns(static_cast<double>(time.exposed_ns / parts)),
          fmt::format("{} of the iteration · {} overlapped",
                      base::format_percent(aggregation.share(time.exposed_ns)),
                      base::format_duration(time.overlapped_ns() / parts)),
          "communication_exposed"};
}

KeyFigure efficiency(const RunParts& run) {
  KeyFigure figure{"tensor_core_efficiency",     "Tensor Core efficiency",
                   std::string(kUnknownValue),   "",
                   "use or eligibility unknown", "tensor_core_efficiency"};
  const Table table = run_table(run, "tc_utilization");
  for (const Column& column : table.columns) {
    const Cell cell = column.cell(0);
    const auto* percent = std::get_if<double>(&cell);
    if (percent == nullptr) continue;
    if (column.id == "tc_utilization") {
      figure.value = base::format_percent(*percent);
      figure.full = full_percent_text(*percent);
      figure.note = "of kernel time of eligible ops";
    } else if (column.id == "tc_utilization_known" && *percent < 100 && !figure.full.empty()) {
      figure.note = fmt::format("{} of kernel time known", base::format_percent(*percent));
    }
  }
  return figure;
}

KeyFigure launches(const RunParts& run) {
  KeyFigure figure{"kernel_launches",           "Kernel launches", std::string(kUnknownValue), "",
                   "GPU activity not recorded", "kernel_launches"};
  if (!profile::tells_of(run.profile(), profile::Evidence::gpu_work)) return figure;
  const Aggregation& aggregation = run.aggregation();
  const double per_iteration = static_cast<double>(aggregation.kernel_launches) /
                               static_cast<double>(aggregation.selection.range.size());
  figure.value = base::format_count(aggregation.kernel_launches);
  figure.note = fmt::format("{} per iteration{}", base::format_count(std::llround(per_iteration)),
                            aggregation.iteration_table->device_count > 1 ? ", all GPUs" : "");
  return figure;
}

// The charts of iterations show this many columns without a script, each the longest of its
// iterations.
constexpr int64_t kMostBars = 400;

struct ChartPart {
  std::string_view id, label;
  std::vector<int64_t> ns;  // of each bar, per GPU
};

// The parts of iterations as charts stack them: exposed communication out of the kernels.
std::vector<ChartPart> chart_parts(const RunParts& run, const std::vector<int64_t>& bars) {
  std::vector<ChartPart> parts;
  for (const TimePart& part : time_parts(run.profile(), run.aggregation())) {
    parts.push_back({part.id, part.label, {}});
  }
  const aggregate::IterationTable& table = *run.aggregation().iteration_table;
  const int64_t gpus = std::max<int64_t>(1, table.device_count);
  for (const int64_t bar : bars) {
    const aggregate::IterationFacts& facts = table.facts[static_cast<std::size_t>(bar)];
    const int64_t exposed = table.has_communication ? facts.communication_device_sum.exposed_ns : 0;
    const int64_t of_other = std::min(exposed, facts.device_sum[Category::other_kernels]);
    std::size_t category = 0;
    for (ChartPart& part : parts) {
      int64_t ns = exposed;
      if (part.id != "communication") {
        ns = facts.device_sum.ns[category++];
        if (part.id == "other_kernels") ns -= of_other;
        if (part.id == "tensor_core_kernels") ns -= exposed - of_other;
      }
      part.ns.push_back(ns / gpus);
    }
  }
  return parts;
}

// The longest iteration of each column of the chart.
std::vector<int64_t> bars_of(const aggregate::IterationTable& table) {
  const auto& rows = table.iterations.rows;
  const auto count = static_cast<int64_t>(rows.size()), bars = std::min(count, kMostBars);
  std::vector<int64_t> longest;
  for (int64_t bar = 0; bar < bars; ++bar) {
    const auto first = rows.begin() + count * bar / bars,
               last = rows.begin() + count * (bar + 1) / bars;
    const auto worst = std::max_element(first, last, [](const auto& a, const auto& b) {
      return a.duration_ns() < b.duration_ns();
    });
    longest.push_back(worst - rows.begin());
  }
  return longest;
}

// One iteration of many times the usual must not flatten all others.
double chart_top_ns(const aggregate::IterationTable& table) {
  const auto& order = table.by_duration;
  const auto duration = [&](std::size_t place) {
    return static_cast<double>(table.iterations.rows[order[place]].duration_ns());
  };
  const double longest = duration(order.size() - 1), usual = duration((order.size() - 1) * 9 / 10);
  return longest > 3 * usual && usual > 0 ? 1.6 * usual : longest;
}

std::string iteration_chart(const RunParts& run) {
  constexpr double kWidth = 1180, kHeight = 240, kLeft = 58, kTop = 10, kBottom = 24;
  const aggregate::IterationTable& table = *run.aggregation().iteration_table;
  const auto count = static_cast<double>(table.iterations.rows.size());
  const std::vector<int64_t> bars = bars_of(table);
  const TimeAxis axis = time_axis(chart_top_ns(table), 4);
  const double bottom = kHeight - kBottom, scale = (bottom - kTop) / axis.top_ns;
  const double step = (kWidth - kLeft) / static_cast<double>(bars.size());
  const double gap = step > 6 ? 1 : 0;
  Svg svg(kWidth, kHeight,
          fmt::format("Durations of {} iterations by category; the table below has them",
                      base::format_count(static_cast<int64_t>(table.iterations.rows.size()))));
  for (double ns = 0; ns <= axis.top_ns * 1.001; ns += axis.step_ns) {
    const double y = bottom - ns * scale;
    svg.line(kLeft, y, kWidth, y, "grid");
    svg.label(kLeft - 8, y + 4, axis.text(ns), Svg::Anchor::end);
  }
  const auto& range = run.aggregation().selection.range;
  std::vector<double> reached(bars.size(), 0);
  for (const ChartPart& part : chart_parts(run, bars)) {
    std::string inside, outside;
    for (std::size_t i = 0; i < bars.size(); ++i) {
      const double from = std::min(reached[i], axis.top_ns);
      reached[i] += static_cast<double>(part.ns[i]);
      const double height = (std::min(reached[i], axis.top_ns) - from) * scale;
      if (height < 0.05) continue;
      const bool is_inside = bars[i] >= range.first && bars[i] <= range.last;
      fmt::format_to(std::back_inserter(is_inside ? inside : outside),
                     "M{:.1f} {:.1f}h{:.1f}v-{:.1f}h-{:.1f}z",
                     kLeft + step * static_cast<double>(i), bottom - from * scale,
                     std::max(step - gap, 0.6), height, std::max(step - gap, 0.6));
    }
    const std::string tone = fmt::format("tone_{}", part.id);
    if (!inside.empty()) svg.path(inside, tone);
    if (!outside.empty()) svg.path(outside, tone + " faded");
  }
  for (std::size_t i = 0; i < bars.size(); ++i) {
    if (reached[i] <= axis.top_ns * 1.0001) continue;
    const double x = kLeft + step * (static_cast<double>(i) + 0.5);
    svg.path(
        fmt::format("M{:.1f} {:.1f}l4 6h-8z", x, kTop - 7), "over",
        fmt::format("Iteration {}: {}", bars[i],
                    base::format_duration(
                        table.iterations.rows[static_cast<std::size_t>(bars[i])].duration_ns())));
  }
  const double marks = round_up(count / 10);
  for (double i = 0; i < count; i += std::max(1.0, marks)) {
    svg.label(kLeft + (kWidth - kLeft) * (i + 0.5) / count, kHeight - 6,
              base::format_count(std::llround(i)), Svg::Anchor::middle);
  }
  return svg.markup();
}

std::string legend(const std::vector<TimePart>& parts) {
  std::string out = "<ul class=\"legend\">";
  for (const TimePart& part : parts) {
    if (!part.is_recorded) continue;
    out +=
        fmt::format("<li><span class=\"swatch tone_{}\"></span>{}</li>", part.id, text(part.label));
  }
  return out + "</ul>\n";
}

std::string part_table(const RunParts& run, const std::vector<TimePart>& parts) {
  const int64_t gpus = std::max<int64_t>(1, run.aggregation().iteration_table->device_count);
  PlainTable table{
      "Mean iteration", {"Part", "Per iteration", "Share", "In the range"}, {}, {1, 2, 3}};
  for (const TimePart& part : parts) {
    const std::string label = fmt::format("<span class=\"swatch tone_{}\"></span>{}", part.id,
                                          metric_link(part.metric, part.label));
    if (!part.is_recorded) {
      table.rows.push_back({label, "not recorded", "", ""});
      continue;
    }
    const auto number = [](std::string_view kind, int64_t ns) {
      return fmt::format("<span data-part=\"{}\" title=\"{}\">{}</span>", kind,
                         full_ns(static_cast<double>(ns)), text(base::format_duration(ns)));
    };
    table.rows.push_back(
        {label, number("mean", part.mean_ns),
         fmt::format("<span data-part=\"share\" title=\"{}\">{}</span>",
                     full_percent_text(part.percent), text(base::format_percent(part.percent))),
         number("sum", part.sum_ns / gpus)});
  }
  return "<div id=\"parts\">" + plain_table(table) + "</div>\n";
}

std::string communication_note(const RunParts& run) {
  const Aggregation& aggregation = run.aggregation();
  if (!aggregation.iteration_table->has_communication) return "";
  const int64_t parts = std::max<int64_t>(1, aggregation.iteration_table->device_count) *
                        std::max<int64_t>(1, aggregation.selection.range.size());
  const aggregate::CommunicationTime& time = aggregation.communication;
  const auto duration = [parts](int64_t ns) { return base::format_duration(ns / parts); };
  return "<p class=\"note\" id=\"communication\">" +
         text(fmt::format("Communication {} ({}): {} exposed, {} overlapped by other kernels.",
                          duration(time.ns), base::format_percent(aggregation.share(time.ns)),
                          duration(time.exposed_ns), duration(time.overlapped_ns()))) +
         "</p>\n";
}

}  // namespace

Table run_table(const RunParts& run, std::string_view name) {
  ViewArguments arguments;
  if (run.input.limits != nullptr) {
    // Not owned: it outlives the page.
    arguments.limits = std::shared_ptr<const aggregate::LimitIndex>(std::shared_ptr<const void>(),
                                                                    run.input.limits);
  }
  auto table = make_view(name, run.profile(), run.aggregation(), arguments);
  if (table) return *std::move(table);
  return Table{std::string(name), std::string(name), Layout::rows, {}, 0};
}

Section key_figure_section(const RunParts& run) {
  const Aggregation& aggregation = run.aggregation();
  std::vector<KeyFigure> figures{median_iteration(aggregation), utilization(run), savings(run)};
  if (aggregation.iteration_table->has_communication) {
    figures.push_back(exposed_communication(run));
  }
  figures.push_back(efficiency(run));
  figures.push_back(launches(run));
  const auto& range = aggregation.selection.range;
  figures.push_back({"wall_time", "Wall clock time", base::format_duration(aggregation.wall_ns),
                     full_ns(static_cast<double>(aggregation.wall_ns)),
                     fmt::format("iterations {}–{}", base::format_count(range.first),
                                 base::format_count(range.last)),
                     "wall_time"});
  figures.push_back(
      {"profiled_iterations", "Iterations in the range", base::format_count(range.size()), "",
       "of " + base::format_count(
                   static_cast<int64_t>(aggregation.iteration_table->iterations.rows.size())),
       "profiled_iterations"});
  for (const KeyFigure& figure : figures) run.parts.add_metric(figure.metric);
  run.parts.add_metric("average_iteration");
  run.parts.add_metric("iteration_deviation");
  std::string about;
  if (run.input.comparison) {
    about = note(fmt::format("All sections but Compared are about the run before, {}.",
                             file_name(run.profile())));
  }
  return {"summary", run.input.comparison ? "Key figures of the run before" : "Key figures",
          key_figures(figures) + about};
}

Section iteration_section(const RunParts& run) {
  const Aggregation& aggregation = run.aggregation();
  const std::vector<TimePart> parts = time_parts(run.profile(), aggregation);
  Section section{"iterations", "Iterations", ""};
  section.body = "<div class=\"panel\" id=\"iteration_panel\">\n<div id=\"iteration_chart\">" +
                 iteration_chart(run) + "</div>\n" + legend(parts);
  const auto count = static_cast<int64_t>(aggregation.iteration_table->iterations.rows.size());
  if (count > kMostBars) {
    const std::string each =
        note(fmt::format("Each bar is the longest of about {} iterations.",
                         base::format_count((count + kMostBars - 1) / kMostBars)));
    section.body += "<div class=\"bars_note\">" + each + "</div>\n";
  }
  section.body += "</div>\n";
  const Table table = run_table(run, "iterations_profiled");
  std::vector<uint32_t> rows(table.row_count);
  std::iota(rows.begin(), rows.end(), 0U);
  const int64_t first = aggregation.selection.range.first;
  const auto& all = aggregation.iteration_table->iterations.rows;
  std::ranges::stable_sort(rows, [&](uint32_t a, uint32_t b) {
    const auto duration = [&](uint32_t row) {
      return all[static_cast<std::size_t>(first + row)].duration_ns();
    };
    return duration(a) > duration(b);
  });
  section.body += run.parts.add_head_only(
      table,
      {"iterations_profiled",
       "Iterations of the range",
       {"iter_value", "duration", "start_time", "total_kernel_count", "using_tc_kernel_count",
        "tc_duration", "non_tc_duration", "memory_duration", "dataloader_duration", "io_duration",
        "cpu_duration", "other_duration"},
       "duration",
       0,
       "Times of categories are means over GPUs; kernels include exposed communication."},
      std::move(rows));
  return section;
}

Section breakdown_section(const RunParts& run) {
  const Aggregation& aggregation = run.aggregation();
  const std::vector<TimePart> parts = time_parts(run.profile(), aggregation);
  std::vector<BarPart> stack;
  for (const TimePart& part : parts) {
    run.parts.add_metric(part.metric);
    stack.push_back({std::string(part.label),
                     fmt::format("{} · {}", base::format_duration(part.mean_ns),
                                 base::format_percent(part.percent)),
                     fmt::format("tone_{}", part.id), static_cast<double>(part.sum_ns)});
  }
  run.parts.add_metric("communication");
  const int64_t gpus = std::max<int64_t>(1, aggregation.iteration_table->device_count);
  Section section{"breakdown", "Breakdown", ""};
  section.body = "<div class=\"panel\">\n<div id=\"part_bar\">" +
                 stacked_bar(stack, "Parts of the mean iteration; the table below has them") +
                 "</div>\n" + communication_note(run) +
                 (gpus > 1 ? note(fmt::format("Times are means over {} GPUs.", gpus)) : "") +
                 part_table(run, parts) + "</div>\n";
  if (gpus > 1) {
    section.body += run.parts.add_table(
        run_table(run, "gpu_devices"),
        {"gpu_devices", "GPUs", {"device_id", "gpu_name", "device_gpu_utilization"}});
  }
  return section;
}

}  // namespace dlview::report::page
