#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "aggregate/limits/counter_facts.h"
#include "aggregate/limits/counter_join.h"
#include "profile/counters.h"
#include "profile/launch_sizes.h"
#include "report/views/declarations.h"

namespace dlview::report::view {
namespace {

using aggregate::CounterFacts;
using profile::CounterLaunch;
using profile::CounterValue;
using profile::KernelCounters;

Cell counted(const std::optional<double>& value) {
  return value ? Cell(*value) : Cell();
}

Cell counted(double value) {
  return std::isnan(value) ? Cell() : Cell(value);
}

// "outer/inner" of lines "domain/name": without the default domain, which most ranges are in.
std::string ranges_text(std::string_view lines) {
  constexpr std::string_view kDefault = "<default domain>/";
  std::string text;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    std::string_view line = lines.substr(0, end);
    if (line.starts_with(kDefault)) line.remove_prefix(kDefault.size());
    if (!text.empty()) text += " > ";
    text += line;
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return text;
}

std::string_view file_of(const KernelCounters& counters, const CounterLaunch& launch) {
  const std::string_view path = counters.files[launch.file].path;
  return path.substr(path.find_last_of('/') + 1);
}

// What the user must know of the match: why there is none, how many launches stand for how many,
// and durations that are far apart.
std::string match_note(const aggregate::LaunchMatch& match) {
  std::string note = match.reason;
  const auto add = [&note](std::string_view more) {
    note += fmt::format("{}{}", note.empty() ? "" : ". ", more);
  };
  if (match.state != aggregate::MatchState::joined) return note;
  if (!match.by_occurrence) {
    // A run for counters may be longer than the one of the profile.
    add(match.measured_launches > match.profile_launches
            ? fmt::format("{} launches measured, {} in the profile", match.measured_launches,
                          match.profile_launches)
            : fmt::format("{} of {} launches measured", match.measured_launches,
                          match.profile_launches));
  }
  if (match.duration_ratio > 0 && (match.duration_ratio < aggregate::kLeastDurationRatio ||
                                   match.duration_ratio > aggregate::kMostDurationRatio)) {
    add(fmt::format("Durations differ by a factor of {:.2g}", match.duration_ratio));
  }
  return note;
}

}  // namespace

Table ncu_launches(const Input& input) {
  struct Rows {
    std::shared_ptr<const KernelCounters> counters;
    std::shared_ptr<const aggregate::LimitIndex> index;  // whose facts and matches are shown
    std::span<const CounterFacts> facts;
  };
  const auto rows = std::make_shared<Rows>();
  rows->counters = input.profile.counters;
  Table table;
  if (rows->counters) {
    rows->index = limit_index(input);
    rows->facts = rows->index->counter_facts();
    table.row_count = rows->counters->launches.size();
  }
  const auto add = [&](ColumnId id, auto value) {
    table.columns.push_back(column(id, [rows, value](std::size_t i) -> Cell {
      return value(*rows->counters, rows->counters->launches[i]);
    }));
  };
  const auto add_fact = [&](ColumnId id, std::optional<double> CounterFacts::*member) {
    table.columns.push_back(column(
        id, [rows, member](std::size_t i) -> Cell { return counted(rows->facts[i].*member); }));
  };
  using Counters = KernelCounters;
  using Launch = CounterLaunch;
  add("file", [](const Counters& all, const Launch& launch) { return file_of(all, launch); });
  add("launch_id", [](const Counters&, const Launch& launch) { return launch.id; });
  add("process",
      [](const Counters& all, const Launch& launch) { return all.text(launch.process); });
  add("process_id", [](const Counters&, const Launch& launch) {
    return launch.process_id > 0 ? Cell(launch.process_id) : Cell();
  });
  add("kernel_name",
      [](const Counters& all, const Launch& launch) { return all.text(launch.kernel); });
  add("grid", [](const Counters&, const Launch& launch) {
    return launch.grid ? Cell(dim_text(*launch.grid)) : Cell();
  });
  add("block", [](const Counters&, const Launch& launch) {
    return launch.block ? Cell(dim_text(*launch.block)) : Cell();
  });
  add("device", [](const Counters&, const Launch& launch) {
    return launch.device ? Cell(std::to_string(*launch.device)) : Cell();
  });
  add("cc", [](const Counters&, const Launch& launch) {
    return launch.cc_major
               ? Cell(fmt::format("{}.{}", *launch.cc_major, launch.cc_minor.value_or(0)))
               : Cell();
  });
  add("ncu_launches.range", [](const Counters& all, const Launch& launch) {
    return launch.ranges ? Cell(ranges_text(all.text(*launch.ranges))) : Cell();
  });
  const auto add_match = [&](ColumnId id, auto value) {
    table.columns.push_back(column(id, [rows, value](std::size_t i) -> Cell {
      return value(rows->index->join().matches[i]);
    }));
  };
  using Match = aggregate::LaunchMatch;
  add_match("match", [](const Match& match) {
    return match.state == aggregate::MatchState::joined ? Cell(fmt::format("{}", match.level))
                                                        : Cell(to_text(match.state));
  });
  const profile::Profile& profile = input.profile;
  add_match("candidates", [&profile](const Match& match) {
    std::string names;
    for (const profile::StringId name : match.candidates) {
      if (!names.empty()) names += '\n';
      names += profile.text(name);
    }
    return names;
  });
  add_match("profile_launches", [](const Match& match) { return match.profile_launches; });
  add_match("match_note", [](const Match& match) { return match_note(match); });
  add_fact("duration_ns", &CounterFacts::duration_ns);
  add_fact("compute_pct", &CounterFacts::compute_percent);
  add_fact("memory_pct", &CounterFacts::memory_percent);
  add_fact("dram_pct", &CounterFacts::dram_percent);
  add_fact("l1_pct", &CounterFacts::l1_percent);
  add_fact("l2_pct", &CounterFacts::l2_percent);
  add_fact("occupancy_pct", &CounterFacts::occupancy_percent);
  table.columns.push_back(column("occupancy_limit", [rows](std::size_t i) -> Cell {
    return std::string_view(rows->facts[i].occupancy_limit);
  }));
  add_fact("ncu_launches.waves", &CounterFacts::waves);
  table.columns.push_back(column("ncu_launches.registers", [rows](std::size_t i) -> Cell {
    const auto& registers = rows->facts[i].registers;
    // A damaged number is shown as it is: it may not fit 64 bits.
    if (!registers || std::abs(*registers) > 1e15) return counted(registers);
    return Cell(static_cast<int64_t>(std::llround(*registers)));
  }));
  add_fact("dram_read_bytes", &CounterFacts::dram_read_bytes);
  add_fact("dram_write_bytes", &CounterFacts::dram_write_bytes);
  table.columns.push_back(column("sol_rule", [rows](std::size_t i) -> Cell {
    return to_text(rows->facts[i].speed_of_light);
  }));
  table.columns.push_back(column(
      "ncu_rule", [rows](std::size_t i) -> Cell { return std::string_view(rows->facts[i].rule); }));
  return table;
}

Table ncu_metrics(const Input& input) {
  struct Rows {
    std::shared_ptr<const KernelCounters> counters;
    std::vector<profile::Row> launches;  // by value
  };
  const auto rows = std::make_shared<Rows>();
  rows->counters = input.profile.counters;
  Table table;
  if (rows->counters) {
    const KernelCounters& counters = *rows->counters;
    table.row_count = counters.values.size();
    rows->launches.resize(counters.values.size());
    for (std::size_t launch = 0; launch < counters.launches.size(); ++launch) {
      for (std::size_t i = counters.launches[launch].first_value;
           i < counters.end_of_values(launch); ++i) {
        rows->launches[i] = static_cast<profile::Row>(launch);
      }
    }
  }
  const auto add = [&](ColumnId id, auto value) {
    table.columns.push_back(column(id, [rows, value](std::size_t i) -> Cell {
      const KernelCounters& counters = *rows->counters;
      return value(counters, counters.launches[rows->launches[i]], counters.values[i]);
    }));
  };
  using Counters = KernelCounters;
  using Launch = CounterLaunch;
  using Value = CounterValue;
  add("file",
      [](const Counters& all, const Launch& launch, const Value&) { return file_of(all, launch); });
  add("launch_id", [](const Counters&, const Launch& launch, const Value&) { return launch.id; });
  add("section", [](const Counters& all, const Launch&, const Value& value) {
    return std::string_view(all.metrics[value.metric].section);
  });
  add("metric", [](const Counters& all, const Launch&, const Value& value) {
    return std::string_view(all.metrics[value.metric].name);
  });
  add("unit", [](const Counters& all, const Launch&, const Value& value) {
    return std::string_view(all.metrics[value.metric].unit);
  });
  add("value", [](const Counters& all, const Launch&, const Value& value) {
    return std::isnan(value.value) ? Cell(all.text(value.text)) : Cell(value.value);
  });
  add("minimum",
      [](const Counters&, const Launch&, const Value& value) { return counted(value.minimum); });
  add("maximum",
      [](const Counters&, const Launch&, const Value& value) { return counted(value.maximum); });
  return table;
}

}  // namespace dlview::report::view
