#include "ui/chart/iteration_name.h"

#include <cstdlib>

#include <fmt/format.h>

#include "base/units.h"

namespace dlview::ui {
namespace {

using aggregate::Iterations;

// Only one of both: of iterations that begin with their ranges the last one ends with its own, of
// those that end with their ranges the first one begins with its own.
std::string_view edge_of_ranges(const Iterations& iterations, std::size_t iteration) {
  const std::vector<aggregate::Iteration>& rows = iterations.rows;
  const std::vector<aggregate::KeyRange>& ranges = iterations.ranges;
  const std::size_t last = rows.size() - 1;
  if (iteration == 0 && rows[0].start_ns > rows[0].host_time().start_ns) {
    return "Begins when earlier GPU activity ended, not with its marker";
  }
  if (iteration == last && rows[last - 1].host_time().stop_ns > ranges[last - 1].stop_ns) {
    return rows[last].stop_ns > ranges[last].stop_ns
               ? "Ends with its last kernel, not at the next iteration"
               : "Ends with its marker, not at the next iteration";
  }
  if (iteration == 0 && rows[1].host_time().start_ns < ranges[1].start_ns) {
    return "Begins with its marker, not after the previous iteration";
  }
  return "";
}

}  // namespace

std::string iteration_number(const Iterations& iterations, int64_t iteration) {
  const std::string number = base::format_count(iteration);
  const std::string label = aggregate::range_label(iterations, iteration);
  return label.empty() ? number : number + " · " + label;
}

std::string iteration_name(const Iterations& iterations, int64_t iteration) {
  return "Iteration " + iteration_number(iterations, iteration);
}

std::string range_text(const aggregate::IterationRange& range) {
  const std::string first = base::format_count(range.first);
  return range.size() == 1 ? "iteration " + first
                           : "iterations " + first + "–" + base::format_count(range.last);
}

std::string_view edge_note(const profile::Profile& profile, const Iterations& iterations,
                           int64_t iteration) {
  const auto row = static_cast<std::size_t>(iteration);
  if (iterations.rows.size() == 1) return "";
  if (!iterations.ranges.empty()) return edge_of_ranges(iterations, row);
  if (row == 0 && iterations.rows[row].start_ns == profile.first_ns) {
    return profile.first_ns == 0 ? "Begins with the capture, not with a step"
                                 : "Begins with the first op of the capture";
  }
  const bool is_last = row + 1 == iterations.rows.size();
  if (is_last && iterations.rows[row].stop_ns == profile.last_ns) {
    return "Ends with the capture; may be incomplete";
  }
  return "";
}

std::optional<ComparedIterations> compared_iterations(const Model& model, int64_t slowest) {
  if (!model.outliers || !model.aggregation) return std::nullopt;
  if (model.aggregation->iteration_table->iterations.rows.size() < 2) return std::nullopt;
  const workspace::IterationPair& chosen = model.compared;
  const int64_t typical = model.outliers->typical;
  const int64_t iteration = chosen.iteration.value_or(slowest);
  const int64_t baseline = chosen.baseline.value_or(typical);
  return ComparedIterations{iteration, baseline, iteration == slowest, baseline == typical};
}

std::string describe_compared(const ComparedIterations& compared) {
  const std::string first =
      fmt::format("{} {}", compared.is_slowest ? "Slowest of the range: iteration" : "Iteration",
                  base::format_count(compared.iteration));
  if (compared.is_typical && compared.iteration == compared.baseline) {
    return first + " is the typical one";
  }
  return fmt::format("{} vs. {}{}", first, compared.is_typical ? "the typical " : "",
                     base::format_count(compared.baseline));
}

std::string format_difference(int64_t difference_ns) {
  if (difference_ns == 0) return "0";
  return (difference_ns < 0 ? "−" : "+") + base::format_duration(std::abs(difference_ns));
}

}  // namespace dlview::ui
