#include "import/nsys/gpu_metrics.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/large_memory.h"
#include "base/parallel.h"
#include "base/stop_point.h"
#include "import/times.h"
#include "profile/gpu_metric.h"

namespace dlview::import::nsys {
namespace {

using profile::Column;
using Series = profile::TraceCounters::Series;

constexpr const char* kMetrics = "GPU_METRICS";
constexpr const char* kMetricNames = "TARGET_INFO_GPU_METRICS";
constexpr const char* kGenericEvents = "GENERIC_EVENTS";
constexpr std::string_view kSourceName = "GpuMetrics", kSessionClock = "SessionNs";
constexpr int64_t kGpuMask = 0xff;
constexpr int64_t kWrap = int64_t{1} << 32;
// GPUs have some 60 each; a hostile file has a million.
constexpr std::size_t kMostMetrics = 4096;

// A metric of a source: the type of the event, and its id or its name as JSON has it.
struct MetricKey {
  int64_t type = 0, id = 0;
  std::string name;
  auto operator<=>(const MetricKey&) const = default;
};

std::string name_without_text(const MetricKey& key) {
  return key.name.empty() ? fmt::format("Metric {}", key.id) : unescaped(key.name);
}

struct Sample {
  int64_t time_ns = 0;
  double value = 0;
};

// Metrics in the order of the file, by their keys.
class Metrics {
 public:
  struct Metric {
    MetricKey key;
    std::string name;
    int64_t device = 0;
    std::string unit;
    bool is_clock() const { return unit == "Hz"; }
  };
  std::size_t add(const MetricKey& key, std::string name = "") {
    const auto [entry, is_new] = numbers_.try_emplace(key, all_.size());
    if (is_new) {
      if (name.empty()) name = name_without_text(key);
      std::string unit(profile::unit_of_gpu_metric(name));
      all_.push_back({key, std::move(name), key.type & kGpuMask, std::move(unit)});
    }
    return entry->second;
  }
  std::optional<std::size_t> find(const MetricKey& key) const {
    const auto entry = numbers_.find(key);
    return entry == numbers_.end() ? std::nullopt : std::optional(entry->second);
  }
  const std::vector<Metric>& all() const { return all_; }

 private:
  std::map<MetricKey, std::size_t> numbers_;
  std::vector<Metric> all_;
};

// What one thread reads of a range of rows. Metrics that `known` lacks follow those that it has.
class Piece {
 public:
  struct Note {
    std::string_view reason;
    int64_t rows = 0, first = 0;
    std::string example;
  };

  explicit Piece(const Metrics* known) : known_(known) {}

  void begin_row() { ++rows_; }
  int64_t rows() const { return rows_; }
  // Nothing, and a note, if there are too many metrics.
  std::optional<std::size_t> find(const MetricKey& key) {
    // The next row is of the next metric, or of one of the same.
    for (std::size_t step = 1; step <= std::min<std::size_t>(recent_.size(), 2); ++step) {
      const std::size_t place = (last_ + step) % recent_.size();
      if (recent_[place].first != key) continue;
      last_ = place;
      return recent_[place].second;
    }
    const auto metric = find_anew(key);
    if (metric && recent_.size() < kMostRecent) {
      last_ = recent_.size();
      recent_.emplace_back(key, *metric);
    }
    return metric;
  }
  // Leaves out a value that cannot be one.
  void add(std::size_t metric, int64_t time_ns, double value) {
    const std::size_t known = known_->all().size();
    const Metrics::Metric& its =
        metric < known ? known_->all()[metric] : others_.all()[metric - known];
    if (value < 0 && its.is_clock() && value >= -static_cast<double>(kWrap) / 2) {
      value += static_cast<double>(kWrap);
    }
    if (value < 0) {
      note("its value is below 0", [&] { return fmt::format("{} is {}", its.name, value); });
      return;
    }
    if (samples_.size() <= metric) samples_.resize(metric + 1);
    samples_[metric].push_back({time_ns, value});
  }
  template <typename Describe>
  void note(std::string_view reason, const Describe& describe) {
    const auto known = std::ranges::find(notes_, reason, &Note::reason);
    if (known != notes_.end()) {
      ++known->rows;
    } else {
      notes_.push_back({reason, 1, rows_, describe()});
    }
  }

 private:
  friend class Joiner;
  static constexpr std::size_t kMostRecent = 64;

  std::optional<std::size_t> find_anew(const MetricKey& key) {
    if (const auto known = known_->find(key)) return known;
    const std::size_t before = known_->all().size();
    if (const auto other = others_.find(key)) return before + *other;
    if (before + others_.all().size() < kMostMetrics) return before + others_.add(key);
    note("too many metrics", [&] { return fmt::format("metricId is {}", key.id); });
    return std::nullopt;
  }

  const Metrics* known_;
  Metrics others_;
  // The first ones that were found, in order of the rows; the same may stand there twice.
  std::vector<std::pair<MetricKey, std::size_t>> recent_;
  std::size_t last_ = 0;                            // of these
  std::vector<base::LargeVector<Sample>> samples_;  // by metric
  std::vector<Note> notes_;
  int64_t rows_ = 0;
};

// Joins pieces in the order of the rows: by GPU, then by metric, then by time.
class Joiner {
 public:
  Joiner(Context& context, const char* table) : context_(context), table_(table) {}

  void join(Metrics metrics, std::vector<Piece>& pieces, profile::TraceCounters& counters) {
    take_others(metrics, pieces);
    add_notes(pieces);
    std::vector<std::size_t> counts(metrics.all().size());
    for (const Piece& piece : pieces) {
      for (std::size_t i = 0; i < piece.samples_.size(); ++i) counts[i] += piece.samples_[i].size();
    }
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] > 0) order.push_back(i);
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return metrics.all()[i].device; });
    std::size_t rows = 0;
    for (const std::size_t metric : order) {
      const Metrics::Metric& from = metrics.all()[metric];
      Series& series = counters.series.emplace_back();
      series.counter = from.name;
      series.device = from.device;
      series.first = rows;
      series.kind = profile::CounterKind::sample;
      series.unit = from.unit;
      rows += counts[metric];
    }
    profile::ColumnSlots<int64_t> times(rows);
    profile::ColumnSlots<double> values(rows);
    base::parallel_for(order.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        write(order[i], pieces, times.at(counters.series[i].first),
              values.at(counters.series[i].first), counts[order[i]]);
      }
    });
    counters.time_ns = std::move(times).finish(rows);
    counters.value = std::move(values).finish(rows);
  }

 private:
  static void take_others(Metrics& metrics, std::vector<Piece>& pieces) {
    const std::size_t known = metrics.all().size();
    for (Piece& piece : pieces) {
      std::vector<base::LargeVector<Sample>> samples(std::min(known, piece.samples_.size()));
      for (std::size_t i = 0; i < samples.size(); ++i) samples[i].swap(piece.samples_[i]);
      for (std::size_t i = known; i < piece.samples_.size(); ++i) {
        const MetricKey& key = piece.others_.all()[i - known].key;
        if (!metrics.find(key) && metrics.all().size() >= kMostMetrics) continue;
        const std::size_t metric = metrics.add(key);
        if (samples.size() <= metric) samples.resize(metric + 1);
        samples[metric].swap(piece.samples_[i]);
      }
      piece.samples_ = std::move(samples);
    }
  }
  void add_notes(const std::vector<Piece>& pieces) {
    int64_t before = 0;
    for (const Piece& piece : pieces) {
      for (const Piece::Note& note : piece.notes_) {
        context_.quality.add_rows(table_, note.reason, note.rows, before + note.first,
                                  [&] { return note.example; });
      }
      before += piece.rows_;
    }
  }
  static void write(std::size_t metric, std::vector<Piece>& pieces, int64_t* times, double* values,
                    std::size_t count) {
    base::LargeVector<Sample> all;
    bool is_sorted = true;
    int64_t last_ns = INT64_MIN;
    const auto put = [&](const Sample& sample) {
      *times++ = sample.time_ns;
      *values++ = sample.value;
    };
    for (const Piece& piece : pieces) {
      if (metric >= piece.samples_.size()) continue;
      for (const Sample& sample : piece.samples_[metric]) {
        is_sorted = is_sorted && last_ns <= sample.time_ns;
        last_ns = sample.time_ns;
      }
    }
    if (!is_sorted) all.reserve(count);
    for (Piece& piece : pieces) {
      base::stop_point();
      if (metric >= piece.samples_.size()) continue;
      base::LargeVector<Sample>& samples = piece.samples_[metric];
      if (is_sorted) {
        std::ranges::for_each(samples, put);
      } else {
        all.insert(all.end(), samples.begin(), samples.end());
      }
      base::LargeVector<Sample>().swap(samples);
    }
    std::ranges::stable_sort(all, {}, &Sample::time_ns);
    std::ranges::for_each(all, put);
  }

  Context& context_;
  const char* table_;
};

// Reads a table range by range, each into its piece.
template <typename ReadRow>
base::Status read_table(Context& context, const char* table, const char* stage,
                        std::vector<sqlite::RowColumn> columns, const Metrics& metrics,
                        std::vector<Piece>& pieces, const ReadRow& read_row) {
  const base::Result<sqlite::TableCut> cut =
      sqlite::cut_table(context.database, table, sqlite::kRowId);
  if (!cut) return cut.error();
  context.progress.begin_stage(stage, static_cast<int64_t>(cut->room()));
  for (sqlite::RowColumn& column : columns) {
    if (!context.database.has_column(table, column.name)) column.name.clear();
  }
  pieces.assign(cut->ranges.size(), Piece(&metrics));
  const auto read = [&](sqlite::TableRows& rows, std::size_t range) -> base::Status {
    Piece& piece = pieces[range];
    while (rows.next()) {
      piece.begin_row();
      read_row(rows, piece);
      if (piece.rows() % kRowsBetweenReports == 0) context.progress.add_done(kRowsBetweenReports);
    }
    return rows.status();
  };
  return sqlite::read_ranges(context.database, *cut, columns, read);
}

// From the start of the session; nothing, and a note, for a time that cannot be used.
std::optional<int64_t> usable_time(const Context& context, const sqlite::TableRows& row, int column,
                                   Piece& piece) {
  const auto describe = [&] { return fmt::format("timestamp is {}", row.text(column)); };
  if (!row.is_integer(column)) {
    piece.note("its time is not an integer", describe);
    return std::nullopt;
  }
  const int64_t time_ns = row.integer(column);
  if (time_ns < context.origin_ns - kLatestNs || time_ns > context.origin_ns + kLatestNs) {
    piece.note("it is more than 104 days from the start of the capture", describe);
    return std::nullopt;
  }
  return time_ns - context.origin_ns;
}

base::Status read_metric_names(Context& context, Metrics& metrics) {
  constexpr const char* kColumns[] = {"typeId", "metricId", "metricName"};
  const auto use = [&](const sqlite::Statement& row, int64_t line) {
    if (metrics.all().size() >= kMostMetrics) return;
    metrics.add({row.integer(0), row.integer(1), ""},
                context.texts.valid(kMetricNames, line, row.text(2)));
  };
  return for_each_row(context, kMetricNames, kColumns, use);
}

base::Status read_metric_rows(Context& context, profile::TraceCounters& counters) {
  Metrics metrics;
  DLVIEW_TRY(read_metric_names(context, metrics));
  std::vector<Piece> pieces;
  const auto read_row = [&context](const sqlite::TableRows& row, Piece& piece) {
    const auto time_ns = usable_time(context, row, 0, piece);
    if (!time_ns) return;
    for (const int column : {1, 2, 3}) {
      if (row.is_integer(column)) continue;
      return piece.note("its metric or its value is not an integer", [&] {
        return fmt::format("typeId is {}, metricId is {}, value is {}", row.text(1), row.text(2),
                           row.text(3));
      });
    }
    const auto metric = piece.find({row.integer(1), row.integer(2), ""});
    if (metric) piece.add(*metric, *time_ns, static_cast<double>(row.integer(3)));
  };
  DLVIEW_TRY(read_table(context, kMetrics, "Reading GPU metrics",
                        {{"timestamp"}, {"typeId"}, {"metricId"}, {"value"}}, metrics, pieces,
                        read_row));
  Joiner(context, kMetrics).join(std::move(metrics), pieces, counters);
  return base::Success{};
}

// The text of a member of a JSON object, wherever it stands: "GpuMetrics" of {"Name":
// "GpuMetrics"}.
std::string_view text_of_member(std::string_view json, std::string_view key) {
  const std::size_t at = json.find(fmt::format("\"{}\"", key));
  if (at == std::string_view::npos) return {};
  const std::size_t begin = json.find('"', json.find(':', at));
  if (begin == std::string_view::npos) return {};
  return json.substr(begin + 1, json.find('"', begin + 1) - begin - 1);
}

// Types of events of the sources of GPU metrics, and whether raw times of each are of the session.
base::Result<std::map<int64_t, bool>> find_generic_types(Context& context) {
  constexpr const char* kSourceColumns[] = {"sourceId", "data"};
  constexpr const char* kTypeColumns[] = {"typeId", "sourceId"};
  std::map<int64_t, bool> sources, types;
  DLVIEW_TRY(for_each_row(
      context, "GENERIC_EVENT_SOURCES", kSourceColumns, [&](const sqlite::Statement& row, int64_t) {
        if (text_of_member(row.text(1), "Name") != kSourceName) return;
        sources[row.integer(0)] = text_of_member(row.text(1), "TimeSource") == kSessionClock;
      }));
  DLVIEW_TRY(for_each_row(context, "GENERIC_EVENT_TYPES", kTypeColumns,
                          [&](const sqlite::Statement& row, int64_t) {
                            const auto source = sources.find(row.integer(1));
                            if (source != sources.end()) types[row.integer(0)] = source->second;
                          }));
  return types;
}

base::Status read_generic_events(Context& context, profile::TraceCounters& counters) {
  const base::Result<std::map<int64_t, bool>> types = find_generic_types(context);
  if (!types) return types.error();
  if (types->empty()) return base::Success{};
  const Metrics none;
  std::vector<Piece> pieces;
  const auto read_row = [&](const sqlite::TableRows& row, Piece& piece) {
    const auto type = types->find(row.integer(0));
    if (type == types->end() || !row.is_integer(0)) return;  // of another source
    const bool is_converted = !row.is_null(1);
    if (!is_converted && !type->second) {
      return piece.note("its time is of an unknown clock",
                        [&] { return fmt::format("rawTimestamp is {}", row.text(2)); });
    }
    const auto time_ns = usable_time(context, row, is_converted ? 1 : 2, piece);
    if (!time_ns) return;
    bool has_numbers = true;
    const auto use = [&](std::string_view key, std::string_view text) {
      double value = 0;
      const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (problem != std::errc() || end != text.data() + text.size() ||
          !(value > -1e18 && value < 1e18)) {
        has_numbers = false;
        return;
      }
      const auto metric = piece.find({type->first, 0, std::string(key)});
      if (metric) piece.add(*metric, *time_ns, value);
    };
    if (for_each_member(row.text(3), use) && has_numbers) return;
    piece.note("its JSON text has other values than numbers",
               [&] { return fmt::format("data is {}", row.text(3).substr(0, 80)); });
  };
  using Kind = sqlite::RowColumn::Kind;
  DLVIEW_TRY(read_table(context, kGenericEvents, "Reading GPU metrics",
                        {{"typeId"}, {"timestamp"}, {"rawTimestamp"}, {"data", Kind::text}}, none,
                        pieces, read_row));
  Joiner(context, kGenericEvents).join({}, pieces, counters);
  return base::Success{};
}

void skip_spaces(std::string_view& rest) {
  const std::size_t begin = rest.find_first_not_of(" \t\r\n");
  rest.remove_prefix(begin == std::string_view::npos ? rest.size() : begin);
}

bool skip(std::string_view& rest, char c) {
  skip_spaces(rest);
  if (!rest.starts_with(c)) return false;
  rest.remove_prefix(1);
  return true;
}

// A string without its quotes, or up to the end of a number; nothing for what is neither.
std::optional<std::string_view> take_value(std::string_view& rest) {
  if (!skip(rest, '"')) {
    const std::size_t length = std::min(rest.find_first_of(" \t\r\n,}"), rest.size());
    const std::string_view number = rest.substr(0, length);
    rest.remove_prefix(length);
    const bool is_number = number.find_first_not_of("+-.0123456789eE") == std::string_view::npos;
    return is_number && !number.empty() ? std::optional(number) : std::nullopt;
  }
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == '\\') {
      ++i;
    } else if (rest[i] == '"') {
      const std::string_view text = rest.substr(0, i);
      rest.remove_prefix(i + 1);
      return text;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '\\' && i + 1 < text.size() &&
                           std::string_view("/\"\\").find(text[i + 1]) != std::string_view::npos;
    if (is_escape) ++i;
    plain += text[i];
  }
  return plain;
}

bool for_each_member(std::string_view json, const UseMember& use) {
  if (!skip(json, '{')) return false;
  if (skip(json, '}')) return true;
  do {
    skip_spaces(json);
    if (!json.starts_with('"')) return false;
    const auto key = take_value(json);
    if (!key || !skip(json, ':')) return false;
    const auto value = take_value(json);
    if (!value) return false;
    use(*key, *value);
  } while (skip(json, ','));
  return skip(json, '}');
}

base::Status read_gpu_metrics(Context& context, profile::Trace& trace) {
  if (context.database.has_table(kMetrics)) {
    DLVIEW_TRY(read_metric_rows(context, trace.counters));
  }
  if (trace.counters.size() > 0 || !context.database.has_table(kGenericEvents)) {
    return base::Success{};
  }
  return read_generic_events(context, trace.counters);
}

}  // namespace dlview::import::nsys
