// Two runs compared: from the mean iteration of one to that of the other.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "aggregate/aggregator.h"
#include "base/units.h"
#include "profile/recorded.h"
#include "report/page/sections.h"
#include "report/page/svg.h"

namespace dlview::report::page {
namespace {

using aggregate::Comparison;
using aggregate::StackPart;

std::string_view tone_of(StackPart part) {
  switch (part) {
    case StackPart::tensor_core_kernels:
      return "tone_tensor_core_kernels";
    case StackPart::other_kernels:
      return "tone_other_kernels";
    case StackPart::exposed_communication:
      return "tone_communication";
    case StackPart::memory:
      return "tone_memory";
    case StackPart::data_loader:
      return "tone_data_loader";
    case StackPart::io:
      return "tone_io";
    case StackPart::cpu:
      return "tone_cpu";
    case StackPart::other:
      break;
  }
  return "tone_other";
}

// The smallest value before and after all parts that are shown, and the largest.
struct Span {
  double low = 0, high = 1;
};

Span span_of(const aggregate::Waterfall& waterfall) {
  auto reached = static_cast<double>(waterfall.iteration.before_ns);
  Span span{reached, reached};
  for (const aggregate::PartBar& part : waterfall.parts) {
    reached += static_cast<double>(part.difference_ns());
    span.low = std::min(span.low, reached);
    span.high = std::max(span.high, reached);
  }
  const double padding = std::max(0.12 * (span.high - span.low), 0.002 * span.high);
  span.low = std::max(0.0, span.low - 2 * padding);
  span.high += padding;
  return span;
}

// The difference in percent of the iteration before.
double share_of_iteration(const aggregate::Waterfall& waterfall, const aggregate::Bar& bar) {
  const auto whole = static_cast<double>(waterfall.iteration.before_ns);
  return whole == 0 ? 0 : 100 * static_cast<double>(bar.difference_ns()) / whole;
}

base::ComparedTable texts_of(const aggregate::Waterfall& waterfall) {
  base::ComparedTable texts;
  texts.add(waterfall.iteration.after_ns, waterfall.iteration.before_ns);
  for (const aggregate::PartBar& part : waterfall.parts) texts.add(part.after_ns, part.before_ns);
  return texts;
}

// Rows from "Before" to "After": each part begins where the one before it ended. To the right and
// striped when slower, to the left and full when faster. The axis begins near the smallest value:
// the two long bars have a break.
std::string waterfall_chart(const Comparison& comparison) {
  constexpr double kWidth = 1180, kRow = 26, kBar = 16, kLeft = 190, kRight = 150, kTop = 4;
  const base::ComparedTable texts = texts_of(comparison.waterfall);
  const aggregate::Waterfall waterfall =
      aggregate::in_steps_of(comparison.waterfall, texts.step_ns());
  std::vector<const aggregate::PartBar*> changed;
  std::string unchanged;
  for (const aggregate::PartBar& part : waterfall.parts) {
    if (part.difference_ns() != 0) {
      changed.push_back(&part);
    } else if (part.before_ns != 0) {
      unchanged +=
          fmt::format("{}{}", unchanged.empty() ? "" : ", ", aggregate::title_of(part.part));
    }
  }
  const Span span = span_of(waterfall);
  const auto x_of = [&span](double ns) {
    return kLeft + (kWidth - kLeft - kRight) *
                       std::clamp((ns - span.low) / (span.high - span.low), 0.0, 1.0);
  };
  const double height = kTop + kRow * static_cast<double>(changed.size() + 2) + 6;
  Svg svg(kWidth, height,
          "Waterfall from the iteration before to the one after; the table below has it");
  double y = kTop;
  const auto whole = [&](std::string_view label, int64_t ns, std::string_view style,
                         std::string_view value) {
    const double x = x_of(static_cast<double>(ns));
    svg.label(kLeft - 12, y + 17, label, Svg::Anchor::end, "strong");
    svg.box(kLeft, y + 5, std::max(x - kLeft, 1.0), kBar, style);
    if (span.low > 0) {
      svg.path(fmt::format("M{:.1f} {:.1f}l5 -{:.0f}h5l-5 {:.0f}z", kLeft + 14, y + 5 + kBar + 2,
                           kBar + 4, kBar + 4),
               "break");
    }
    svg.label(std::min(x + 8, kWidth - kRight + 8), y + 17, value, Svg::Anchor::start, "strong");
    y += kRow;
  };
  const base::ComparedDurations total =
      texts.format(waterfall.iteration.after_ns, waterfall.iteration.before_ns);
  whole("Before", waterfall.iteration.before_ns, "before", total.baseline);
  auto reached = static_cast<double>(waterfall.iteration.before_ns);
  for (const aggregate::PartBar* const part : changed) {
    const auto difference = static_cast<double>(part->difference_ns());
    const double from = x_of(reached), to = x_of(reached + difference);
    const double left = std::min(from, to), width = std::max(std::abs(to - from), 1.0);
    svg.line(from, y - 5, from, y + 5, "thread");
    svg.label(kLeft - 12, y + 17, aggregate::title_of(part->part), Svg::Anchor::end);
    svg.box(
        left, y + 5, width, kBar, tone_of(part->part),
        fmt::format("{}: {} before, {} after", aggregate::title_of(part->part),
                    base::format_duration(part->before_ns), base::format_duration(part->after_ns)));
    if (difference > 0) svg.box(left, y + 5, width, kBar, "hatched");
    // Of the exact numbers, as the table has it.
    const auto& exact =
        comparison.waterfall.parts[static_cast<std::size_t>(part - waterfall.parts.data())];
    const double share = share_of_iteration(comparison.waterfall, exact);
    svg.label(left + width + 8, y + 17,
              fmt::format("{} · {}", texts.format(part->after_ns, part->before_ns).difference,
                          base::with_sign(share, base::format_percent(std::abs(share)))));
    reached += difference;
    y += kRow;
  }
  const double end = x_of(reached);
  svg.line(end, y - 5, end, y + 5, "thread");
  whole("After", waterfall.iteration.after_ns, "after", total.value);
  std::string out = "<div class=\"wide waterfall\">" + svg.markup() + "</div>\n";
  if (!unchanged.empty()) out += note("Without a difference: " + unchanged + ".");
  return out;
}

std::string waterfall_table(const Comparison& comparison) {
  const aggregate::Waterfall& waterfall = comparison.waterfall;
  const base::ComparedTable texts = texts_of(waterfall);
  // In whole steps of the shown digits, so that the shown parts add up.
  const aggregate::Waterfall shown = aggregate::in_steps_of(waterfall, texts.step_ns());
  PlainTable table{"Mean iteration, per GPU",
                   {"Part", "Before", "After", "Difference", "Change of the iteration"},
                   {},
                   {1, 2, 3, 4}};
  const auto cell = [](int64_t exact_ns, const std::string& value) {
    return fmt::format("<span title=\"{} ns\">{}</span>", base::format_count(exact_ns),
                       text(value));
  };
  const auto add = [&](std::string label, const aggregate::Bar& exact, const aggregate::Bar& bar) {
    const base::ComparedDurations durations = texts.format(bar.after_ns, bar.before_ns);
    const double share = share_of_iteration(waterfall, exact);
    table.rows.push_back({std::move(label), cell(exact.before_ns, durations.baseline),
                          cell(exact.after_ns, durations.value),
                          cell(exact.difference_ns(), durations.difference),
                          text(base::with_sign(share, base::format_percent(std::abs(share))))});
  };
  for (std::size_t i = 0; i < waterfall.parts.size(); ++i) {
    const aggregate::PartBar& part = waterfall.parts[i];
    if (part.before_ns == 0 && part.after_ns == 0) continue;
    add(fmt::format("<span class=\"swatch {}\"></span>{}", tone_of(part.part),
                    text(aggregate::title_of(part.part))),
        part, shown.parts[i]);
  }
  add("Iteration", waterfall.iteration, shown.iteration);
  table.has_total = true;
  return plain_table(table);
}

std::vector<int64_t> durations_of(const aggregate::ComparedRun& run,
                                  const aggregate::IterationRange& range) {
  std::vector<int64_t> durations;
  for (int64_t i = range.first; i <= range.last; ++i) {
    durations.push_back(run.table->iterations.rows[static_cast<std::size_t>(i)].duration_ns());
  }
  std::ranges::sort(durations);
  return durations;
}

struct Sides {
  std::vector<int64_t> before, after;  // ascending
};

// Histograms over one axis, without the slowest 2% of either side.
std::string distribution_chart(const Sides& sides) {
  constexpr int kBins = 60;
  constexpr double kWidth = 1180, kHeight = 190, kLeft = 10, kRight = 10, kTop = 22, kBottom = 26;
  const auto low = static_cast<double>(std::min(sides.before.front(), sides.after.front()));
  const auto high = std::max(
      low + kBins, static_cast<double>(std::max(aggregate::percentile(sides.before, 0.98),
                                                aggregate::percentile(sides.after, 0.98))));
  const double bottom = kHeight - kBottom;
  const auto x_of = [&](double ns) {
    return kLeft + (kWidth - kLeft - kRight) * (ns - low) / (high - low);
  };
  std::array<std::vector<double>, 2> shares;
  double most = 0;
  for (std::size_t side = 0; side < 2; ++side) {
    const std::vector<int64_t>& values = side == 0 ? sides.before : sides.after;
    shares[side].resize(kBins);
    for (const int64_t value : values) {
      const double place = (static_cast<double>(value) - low) / (high - low) * kBins;
      if (place > kBins) continue;
      shares[side][std::min<std::size_t>(static_cast<std::size_t>(place), kBins - 1)] +=
          1.0 / static_cast<double>(values.size());
    }
    most = std::max(most, *std::ranges::max_element(shares[side]));
  }
  Svg svg(kWidth, kHeight,
          "Distribution of iteration durations before and after; the table below has percentiles");
  svg.line(kLeft, bottom, kWidth - kRight, bottom, "axis");
  for (std::size_t side = 0; side < 2; ++side) {
    std::string path;
    bool is_open = false;
    for (int bin = 0; bin < kBins; ++bin) {
      const double left = x_of(low + (high - low) * bin / kBins);
      if (shares[side][static_cast<std::size_t>(bin)] == 0) {
        if (is_open) path += fmt::format("V{:.1f}", bottom);
        is_open = false;
        continue;
      }
      if (!is_open) path += fmt::format("M{:.1f} {:.1f}", left, bottom);
      is_open = true;
      const double y =
          bottom - (bottom - kTop) * shares[side][static_cast<std::size_t>(bin)] / most;
      path += fmt::format("V{:.1f}H{:.1f}", y, x_of(low + (high - low) * (bin + 1) / kBins));
    }
    if (is_open) path += fmt::format("V{:.1f}", bottom);
    const std::string_view name = side == 0 ? "before" : "after";
    svg.path(path, fmt::format("{}_area", name));
    svg.path(path, fmt::format("{}_line", name));
  }
  const std::array<double, 2> medians{static_cast<double>(aggregate::percentile(sides.before, 0.5)),
                                      static_cast<double>(aggregate::percentile(sides.after, 0.5))};
  for (std::size_t side = 0; side < 2; ++side) {
    const double x = x_of(std::min(medians[side], high));
    // The labels stand on the sides that face away from each other.
    const bool is_left = side == 0 ? medians[0] <= medians[1] : medians[1] < medians[0];
    svg.line(x, kTop - 8, x, bottom, side == 0 ? "before_line" : "after_line");
    svg.label(
        x + (is_left ? -6 : 6), kTop - 9,
        fmt::format("{} {}", side == 0 ? "before" : "after", base::format_duration(medians[side])),
        is_left ? Svg::Anchor::end : Svg::Anchor::start, "strong");
  }
  for (int mark = 0; mark <= 4; ++mark) {
    const double ns = low + (high - low) * mark / 4;
    svg.label(x_of(ns), kHeight - 8, base::format_duration(ns),
              mark == 0   ? Svg::Anchor::start
              : mark == 4 ? Svg::Anchor::end
                          : Svg::Anchor::middle);
  }
  return "<div class=\"wide\">" + svg.markup() + "</div>\n";
}

std::string distribution_table(const Sides& sides) {
  PlainTable table{"Iteration durations", {"", "Before", "After", "Difference"}, {}, {1, 2, 3}};
  const auto add = [&](std::string label, int64_t before, int64_t after) {
    const base::ComparedDurations texts = base::format_compared(after, before);
    table.rows.push_back(
        {std::move(label), text(texts.baseline), text(texts.value), text(texts.difference)});
  };
  table.rows.push_back({"Iterations", base::format_count(static_cast<int64_t>(sides.before.size())),
                        base::format_count(static_cast<int64_t>(sides.after.size())), ""});
  add("Shortest", sides.before.front(), sides.after.front());
  for (const auto& [label, fraction] : {std::pair{"Median", 0.5}, std::pair{"90th percentile", 0.9},
                                        std::pair{"99th percentile", 0.99}}) {
    add(label, aggregate::percentile(sides.before, fraction),
        aggregate::percentile(sides.after, fraction));
  }
  add("Longest", sides.before.back(), sides.after.back());
  return plain_table(table);
}

std::string checks(const Comparison& comparison) {
  std::string out;
  for (const aggregate::Reason& reason : comparison.comparability.reasons) {
    out += fmt::format("<li><b>{}</b>: {}</li>", text(aggregate::to_text(reason.level)),
                       text(reason.text));
  }
  if (out.empty()) return "";
  return panel("<h3>Before reading the difference as an effect</h3>\n<ul class=\"plain\">" + out +
               "</ul>\n");
}

// The figures of both runs next to each other.
std::string both_figures(const RunParts& run) {
  const SharedRunComparison& shared = run.input.comparison;
  const aggregate::RangePair& ranges = shared->ranges;
  const aggregate::ComparedRun &from = shared->runs->before(), &to = shared->runs->after();
  const auto aggregated = [](const aggregate::ComparedRun& side,
                             const aggregate::IterationRange& range) {
    return aggregate::make_cpu_aggregator(side.profile)
        ->aggregate(aggregate::Selection{.cut = side.cut, .range = range});
  };
  // That of the page may be of another range, or filtered.
  const aggregate::Aggregation& of_page = run.aggregation();
  std::optional<aggregate::Aggregation> own_before;
  if (of_page.selection.range != ranges.before || !of_page.selection.filters.empty()) {
    own_before = aggregated(from, ranges.before);
  }
  const aggregate::Aggregation& before = own_before ? *own_before : of_page;
  std::optional<aggregate::Aggregation> own_after;
  if (run.input.after == nullptr) own_after = aggregated(to, ranges.after);
  const aggregate::Aggregation& after = own_after ? *own_after : *run.input.after;
  PlainTable table{
      "Both runs",
      {"", "Before: " + file_name(*from.profile), "After: " + file_name(*to.profile), "Difference"},
      {},
      {1, 2, 3}};
  const auto add = [&table](std::string title, const std::string& one, const std::string& other,
                            const std::string& difference = "") {
    table.rows.push_back({text(title), text(one), text(other), text(difference)});
  };
  const auto range = [](const aggregate::IterationRange& iterations) {
    return fmt::format("{}–{} ({})", iterations.first, iterations.last,
                       base::format_count(iterations.size()));
  };
  add("Iterations", range(ranges.before), range(ranges.after));
  const auto add_time = [&add](std::string title, int64_t one, int64_t other) {
    const base::ComparedDurations times = base::format_compared(other, one);
    add(std::move(title), times.baseline, times.value, times.difference);
  };
  const std::vector<int64_t> sorted_before = durations_of(from, ranges.before),
                             sorted_after = durations_of(to, ranges.after);
  if (sorted_before.size() > 1 || sorted_after.size() > 1) {
    add_time("Iteration, median", aggregate::percentile(sorted_before, 0.5),
             aggregate::percentile(sorted_after, 0.5));
  }
  add_time(sorted_before.size() > 1 ? "Iteration, mean" : "Iteration",
           shared->waterfall.iteration.before_ns, shared->waterfall.iteration.after_ns);
  const auto has_gpu = [](const aggregate::ComparedRun& side,
                          const aggregate::Aggregation& aggregation) {
    return profile::tells_of(*side.profile, profile::Evidence::gpu_work) &&
           !aggregation.devices.empty();
  };
  if (has_gpu(from, before) && has_gpu(to, after)) {
    const double one = before.gpu_utilization(), other = after.gpu_utilization();
    add("GPU utilization", base::format_percent(one), base::format_percent(other),
        base::with_sign(other - one, fmt::format("{:.1f} points", std::abs(other - one))));
    const Cell launches = launches_per_gpu(*from.profile, before),
               launches_after = launches_per_gpu(*to.profile, after);
    const double count = std::get<double>(launches), count_after = std::get<double>(launches_after);
    add("Kernel launches per iteration and GPU", base::format_number(count),
        base::format_number(count_after),
        base::with_sign(count_after - count, base::format_number(std::abs(count_after - count))));
  }
  return plain_table(table);
}

}  // namespace

std::string comparison_lead(const Comparison& comparison) {
  std::string lead = "<p>" + text(aggregate::verdict_text(comparison)) + "</p>";
  const std::string changes = aggregate::changes_text(comparison);
  if (!changes.empty()) lead += "<p>" + text("What changed: " + changes + ".") + "</p>";
  return lead;
}

Section comparison_section(const RunParts& run) {
  const SharedRunComparison& shared = run.input.comparison;
  const Comparison& comparison = *shared;
  const aggregate::RunPair& runs = *comparison.runs;
  const aggregate::IterationRange &before = comparison.ranges.before,
                                  &after = comparison.ranges.after;
  const Sides sides{durations_of(runs.before(), before), durations_of(runs.after(), after)};
  const auto rate = [](const aggregate::MatchRate& match) {
    const aggregate::MatchShare& share = match.gpu.all_ns > 0 ? match.gpu : match.cpu;
    return base::format_percent(100 * share.rate());
  };
  std::string body = "<ul class=\"facts\">";
  const auto add_fact = [&body](const std::string& fact) {
    body += fmt::format("<li>{}</li>", text(fact));
  };
  add_fact(fmt::format("{} and {} of the time in matched ops", rate(comparison.rate_before),
                       rate(comparison.rate_after)));
  add_fact(fmt::format("Two captures of one state differ by {}",
                       aggregate::floor_text(comparison.floor)));
  body += "</ul>\n" + both_figures(run) + checks(comparison);
  body += "<div class=\"panel\">\n" + subtitle("From before to after") +
          waterfall_chart(comparison) + waterfall_table(comparison) + "</div>\n";
  if (sides.before.size() > 1 && sides.after.size() > 1) {
    body += "<div class=\"panel\">\n" + subtitle("Distributions") + distribution_chart(sides) +
            distribution_table(sides) + "</div>\n";
  }
  // Of next to no difference, shares say nothing.
  const bool has_shares =
      std::abs(share_of_iteration(comparison.waterfall, comparison.waterfall.iteration)) >= 1;
  const std::string_view share = has_shares ? "share_of_difference" : "";
  body += run.parts.add_table(make_op_changes(shared),
                              {"ops_changed",
                               "Ops compared",
                               {"changed_name", "change", "stack_part", "before_calls",
                                "after_calls", "before_ns", "after_ns", "difference_ns", share,
                                "median_change_pct", "interval_low_pct", "interval_high_pct"}});
  body +=
      run.parts.add_table(make_kernel_changes(shared),
                          {"kernels_changed",
                           "Kernels compared",
                           {"kernel_before", "kernel_after", "change", "stack_part", "before_calls",
                            "after_calls", "before_ns", "after_ns", "difference_ns", share}});
  return {"comparison", "Compared", body};
}

}  // namespace dlview::report::page
