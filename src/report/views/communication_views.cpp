#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "aggregate/collectives.h"
#include "report/views/declarations.h"

namespace dlview::report::view {
namespace {

using aggregate::CollectiveCall;
using aggregate::CollectiveSum;
using profile::kNoRow;

Cell text_or_none(std::string_view text) {
  return text.empty() ? Cell() : Cell(text);
}

template <typename Number>
Cell optional_cell(const std::optional<Number>& number) {
  return number ? Cell(*number) : Cell();
}

// Of its communication kernels; not recorded without any.
template <typename Times>
Cell exposed_share(const Times& times) {
  if (times.kernel_ns <= 0) return {};
  return 100 * static_cast<double>(times.exposed_ns) / static_cast<double>(times.kernel_ns);
}

}  // namespace

Table collectives(const Input& input) {
  const profile::Profile& profile = input.profile;
  const auto rows = std::make_shared<const std::vector<CollectiveSum>>(
      aggregate::sum_collectives(profile, aggregate::collective_calls(profile, input.aggregation)));
  const auto iterations = static_cast<double>(input.aggregation.selection.range.size());
  Table table;
  const auto add = column_adder(table, rows);
  add("collective", [](const CollectiveSum& sum) { return sum.kind.name; });
  add("data_type", [](const CollectiveSum& sum) { return text_or_none(sum.kind.data_type); });
  add("process_group", [](const CollectiveSum& sum) -> Cell {
    return sum.kind.group.empty() ? Cell() : Cell(sum.kind.group);
  });
  add("group_size", [](const CollectiveSum& sum) { return optional_cell(sum.kind.group_size); });
  add("message_bytes", [](const CollectiveSum& sum) { return optional_cell(sum.kind.bytes); });
  add("collectives.calls", [](const CollectiveSum& sum) { return sum.gpu.count; });
  add("total_bytes",
      [](const CollectiveSum& sum) { return sum.kind.bytes ? Cell(sum.bytes) : Cell(); });
  add("collectives.gpu_time", [](const CollectiveSum& sum) { return sum.gpu.sum; });
  add("collectives.avg", [](const CollectiveSum& sum) { return sum.gpu.average(); });
  add("collectives.min", [](const CollectiveSum& sum) { return sum.gpu.min; });
  add("collectives.max", [](const CollectiveSum& sum) { return sum.gpu.max; });
  add("exposed_time", [](const CollectiveSum& sum) { return sum.exposed_ns; });
  add("exposed_share", [](const CollectiveSum& sum) { return exposed_share(sum); });
  add("collectives.gpu_time_per_iteration", [iterations](const CollectiveSum& sum) {
    return static_cast<double>(sum.gpu.sum) / iterations;
  });
  add("algorithm_bandwidth",
      [](const CollectiveSum& sum) { return optional_cell(sum.algorithm_bandwidth()); });
  add("bus_bandwidth", [](const CollectiveSum& sum) { return optional_cell(sum.bus_bandwidth()); });
  add("collective_key", [](const CollectiveSum& sum) { return to_text(sum.kind); });
  return table;
}

Table collective_calls(const Input& input) {
  const profile::Profile& profile = input.profile;
  const auto rows = std::make_shared<const std::vector<CollectiveCall>>(
      aggregate::collective_calls(profile, input.aggregation));
  Table table;
  const auto add = column_adder(table, rows);
  add("iter_value", [](const CollectiveCall& call) { return call.iteration; });
  add("collective_calls.start", [](const CollectiveCall& call) { return call.start_ns; });
  add("collective",
      [&profile](const CollectiveCall& call) { return aggregate::collective_name(profile, call); });
  add("data_type", [&profile](const CollectiveCall& call) {
    return text_or_none(aggregate::data_type_of(profile, call));
  });
  add("process_group", [&profile](const CollectiveCall& call) -> Cell {
    std::string group = aggregate::group_text(profile, call);
    return group.empty() ? Cell() : Cell(std::move(group));
  });
  add("group_size", [](const CollectiveCall& call) { return optional_cell(call.group_size); });
  add("message_bytes", [](const CollectiveCall& call) { return optional_cell(call.bytes); });
  add("host_time", [](const CollectiveCall& call) { return optional_cell(call.host_ns); });
  add("collective_calls.gpu_time", [](const CollectiveCall& call) { return call.gpu_ns; });
  add("exposed_time", [](const CollectiveCall& call) { return call.exposed_ns; });
  add("exposed_share", [](const CollectiveCall& call) { return exposed_share(call); });
  add("algorithm_bandwidth",
      [](const CollectiveCall& call) { return optional_cell(call.algorithm_bandwidth()); });
  add("bus_bandwidth",
      [](const CollectiveCall& call) { return optional_cell(call.bus_bandwidth()); });
  add("gpu_activities", [](const CollectiveCall& call) { return call.gpu_events; });
  add("kernel_name", [&profile](const CollectiveCall& call) -> Cell {
    if (call.first_kernel == kNoRow) return {};
    return profile.text(profile.kernels.name[call.first_kernel]);
  });
  add("group_ranks", [&profile](const CollectiveCall& call) -> Cell {
    const profile::StringId ranks = profile.trace->collectives.group_ranks[call.row];
    return ranks == profile::kNoText ? Cell() : Cell(profile.text(ranks));
  });
  // Its row in the trace.
  add("collective_key",
      [](const CollectiveCall& call) { return fmt::format("{}", profile::Row{call.row}); });
  return table;
}

}  // namespace dlview::report::view
