#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "aggregate/gaps/gap_text.h"
#include "aggregate/rules/rule_index.h"
#include "profile/display_name.h"
#include "report/views/declarations.h"

namespace dlview::report {
namespace {

using aggregate::IdleGap;
using profile::Profile;
using profile::StringId;

constexpr std::size_t kMostGaps = 1000;

}  // namespace

Table make_idle_gaps(const Profile& profile, const aggregate::Aggregation& aggregation,
                     const aggregate::RuleIndex& rules) {
  const auto gaps = std::make_shared<const std::vector<IdleGap>>(
      rules.idle_gaps().longest(aggregation, kMostGaps));
  const auto number = [gaps](ColumnId id, auto value) {
    return column(id, [gaps, value](std::size_t row) -> Cell { return value((*gaps)[row]); });
  };
  const auto text = [gaps](auto value) {
    return [gaps, value](std::size_t row) -> Cell { return value((*gaps)[row]); };
  };
  const auto op_text = [&profile](const IdleGap& gap, const auto& texts) -> Cell {
    if (gap.host.instance == profile::kNoRow) return {};
    return profile.text(texts[profile.instances.op[gap.host.instance]]);
  };
  const auto thread_number = [&profile](int64_t profile::Thread::*id) {
    return [&profile, id](const IdleGap& gap) { return profile.threads[gap.host.thread].*id; };
  };
  Table table;
  table.row_count = gaps->size();
  table.columns = {
      number("device_id",
             [&profile](const IdleGap& gap) { return profile.devices[gap.device].device_id; }),
      number("idle_gaps.duration", [](const IdleGap& gap) { return gap.duration_ns(); }),
      number("idle_gaps.start", [](const IdleGap& gap) { return gap.start_ns; }),
      number("iter_value", [](const IdleGap& gap) { return gap.iteration; }),
      column("cause",
             text([](const IdleGap& gap) -> Cell { return aggregate::to_text(gap.host.cause); })),
      number("cause_time", [](const IdleGap& gap) { return gap.host.cause_ns; }),
      column("op_node_id", text([&profile, op_text](const IdleGap& gap) -> Cell {
               return op_text(gap, profile.ops.id);
             })),
      column("idle_gaps.op_node_name", text([&profile, op_text](const IdleGap& gap) -> Cell {
               // An op or a range, never both.
               const bool is_range = gap.host.range != profile::kNoText;
               return is_range ? profile::bare_range_name(profile.text(gap.host.range))
                               : op_text(gap, profile.ops.name);
             })),
      column("idle_gaps.api_call", text([&profile](const IdleGap& gap) -> Cell {
               return gap.host.call == 0 ? Cell()
                                         : Cell(profile::call_name(profile.text(gap.host.call)));
             })),
      number("asleep_time",
             [&profile](const IdleGap& gap) -> Cell {
               const bool is_recorded = profile.trace && profile.trace->switches.size() > 0;
               return is_recorded ? Cell(gap.host.asleep_ns) : Cell();
             }),
      column("busy_thread", text([&profile](const IdleGap& gap) -> Cell {
               if (!gap.host.other) return {};
               return aggregate::thread_text(profile, gap.host.other->id);
             })),
      number("busy_time",
             [](const IdleGap& gap) -> Cell {
               return gap.host.other ? Cell(gap.host.other->busy_ns) : Cell();
             }),
      column("busy_in", text([&profile](const IdleGap& gap) -> Cell {
               if (!gap.host.other) return {};
               std::string place = aggregate::busy_in_text(profile, *gap.host.other);
               return place.empty() ? Cell() : Cell(std::move(place));
             })),
      column("next_name", text([&profile](const IdleGap& gap) -> Cell {
               return profile::call_name(profile.text(gap.next));
             })),
      number("process_id", thread_number(&profile::Thread::process_id)),
      number("thread_id", thread_number(&profile::Thread::thread_id)),
  };
  return table;
}

Table view::idle_gaps(const Input& input) {
  return make_idle_gaps(input.profile, input.aggregation, aggregate::RuleIndex(input.profile));
}

}  // namespace dlview::report
