#include "import/ncu/blocks.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <functional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/stop_point.h"

namespace dlview::import::ncu {
namespace {

using profile::CounterPage;
using profile::CounterValue;
using profile::Dim3;

constexpr std::size_t kShownBytes = 120;  // of a line in a message
constexpr std::size_t kRowsPerStopPoint = 256;
// Beyond these a number is damaged, or its sums would overflow: three years, as in profiles.
constexpr double kMostDurationNs = 1e17;
constexpr int64_t kMostInvocations = 1'000'000'000'000;

template <typename Number>
std::optional<Number> whole(std::string_view text) {
  Number number{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

// A count that may be written in groups: "1.024" of the column Invocations. nullopt: out of range.
// 1 if there is none.
std::optional<int64_t> invocations_of(std::string_view text) {
  const CellNumber number = read_number(text);
  if (number.kind != CellNumber::Kind::number) return 1;
  if (number.decimals != 0 || !(number.digits >= 1) ||
      number.digits > static_cast<double>(kMostInvocations)) {
    return std::nullopt;
  }
  return static_cast<int64_t>(number.digits);
}

// "(256, 1, 1)". nullopt: no size. `is_outside`: a number is negative or has more than 32 bits.
std::optional<Dim3> size_of(std::string_view text, bool& is_outside) {
  std::array<int32_t, 3> sizes{1, 1, 1};
  if (text.size() < 3 || text.front() != '(' || text.back() != ')') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::size_t comma = text.find(',');
    std::string_view number = text.substr(0, comma);
    while (!number.empty() && number.front() == ' ') number.remove_prefix(1);
    const char* end = number.data() + number.size();
    const auto read = std::from_chars(number.data(), end, sizes[i]);
    if (read.ptr != end || read.ec == std::errc::invalid_argument) return std::nullopt;
    if (read.ec != std::errc() || sizes[i] < 0) {
      is_outside = true;
      return std::nullopt;
    }
    if (comma == std::string_view::npos) break;
    text = text.substr(comma + 1);
  }
  return Dim3{sizes[0], sizes[1], sizes[2]};
}

// "gpu__time_duration.sum", or "Duration" of the details page, with a unit of time.
bool is_duration(const profile::CounterMetric& metric) {
  return metric.unit == "ns" && (metric.name.starts_with("Duration") ||
                                 metric.name.find("gpu__time_duration") != std::string::npos);
}

class BlockReader {
 public:
  BlockReader(const TableContext& context, Block& block, const char* end, bool is_end)
      : context_(context), shape_(*context.shape), block_(block), end_(end), is_end_(is_end) {
    if (shape_.page == CounterPage::raw) make_raw_metrics();
    block_.texts.emplace_back();
    cells_.resize(shape_.roles.size());
  }

  void read() {
    const char* at = block_.begin;
    counted_ = at;
    std::size_t rows = 0;
    while (at < block_.limit && at < end_) {
      if (++rows % kRowsPerStopPoint == 0) base::stop_point();
      const char* next = read_line(at);
      if (next == nullptr) break;
      at = next;
    }
    block_.end = at;
    line_of(at);
    block_.lines = line_;
  }

 private:
  void make_raw_metrics() {
    raw_metrics_.assign(shape_.roles.size(), BlockValue::kDropped);
    for (std::size_t i = 0; i < shape_.roles.size(); ++i) {
      if (shape_.roles[i] != Role::other) continue;
      raw_metrics_[i] = static_cast<uint32_t>(block_.metrics.size());
      const BaseUnit& unit = context_.raw_units[i];
      block_.metrics.push_back({{"", shape_.names[i], unit.name}, unit.factor});
      block_.metrics.back().is_duration = is_duration(block_.metrics.back().metric);
    }
  }

  // Line ends before a place; places only go up.
  int64_t line_of(const char* place) {
    if (place > counted_) {
      line_ += std::count(counted_, place, '\n');
      counted_ = place;
    }
    return line_;
  }

  void add_message(const char* place, bool is_error, std::string text) {
    if (block_.messages.size() == kMostMessages) {
      ++block_.messages_left_out;
      return;
    }
    block_.messages.push_back({place, {is_error, std::move(text), line_of(place)}});
  }

  // Returns the next line; null = the text ends within this one, or another table begins.
  const char* read_line(const char* at) {
    row_ = at;
    const bool is_row = context_.is_quoted ? *at == '"' : !starts_with(at, "==");
    if (!is_row) return read_log_line(at);
    if (is_header(rest(at))) {
      block_.at_header = true;
      return nullptr;
    }
    if (shape_.page == CounterPage::raw) return read_raw_row(at);
    return shape_.is_regular ? read_regular_row(at) : read_any_row(at);
  }

  std::string_view rest(const char* at) const {
    return {at, static_cast<std::size_t>(std::min<std::ptrdiff_t>(end_ - at, 64))};
  }
  bool starts_with(const char* at, std::string_view text) const {
    return rest(at).starts_with(text);
  }

  const char* read_log_line(const char* at) {
    const auto* line =
        static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end_ - at)));
    if (line == nullptr && !is_end_) return nullptr;
    std::string_view text(at, static_cast<std::size_t>((line != nullptr ? line : end_) - at));
    while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
    const bool is_error = text.starts_with("==ERROR==");
    if (is_error || text.starts_with("==WARNING==")) add_message(at, is_error, std::string(text));
    return line != nullptr ? line + 1 : end_;
  }

  // A row that cannot be used; `next` is the line after it.
  void skip_row(const char* at, const char* next, std::string_view why) {
    std::string_view text(at, static_cast<std::size_t>(next - at));
    text = text.substr(0, std::min(text.find('\n'), kShownBytes));
    add_message(at, true, fmt::format("Row skipped, {}: {}", why, text));
  }
  const char* unclosed(const char* at, const char* next) {
    skip_row(at, next,
             next == end_ && is_end_ ? "the file ends within it" : "a quote is not closed");
    return next;
  }

  const char* read_raw_row(const char* row) {
    const char* at = row;
    const std::size_t columns = shape_.roles.size();
    const std::size_t first_value = block_.values.size(), first_open = block_.open.size(),
                      first_message = block_.messages.size();
    std::size_t column = 0;
    After after = After::cell;
    for (; column < columns && after == After::cell; ++column) {
      Cell& cell = cells_[column];
      after = read_cell(at, end_, is_end_, cell, block_.unclosed);
      if (raw_metrics_[column] != BlockValue::kDropped && after <= After::line) {
        add_value(raw_metrics_[column], cell.raw());
      }
    }
    if (after == After::cell) after = skip_cells(at);  // of a comma at the end
    if (after == After::line && column == columns) {
      if (const std::string why = why_unusable(); !why.empty()) {
        block_.values.resize(first_value);
        block_.open.resize(first_open);
        skip_row(row, at, why);
        return at;
      }
      add_launch(row, {row, static_cast<std::size_t>(at - row)}, first_value);
      return at;
    }
    block_.values.resize(first_value);
    block_.open.resize(first_open);
    block_.messages.resize(first_message);
    if (after == After::more) return nullptr;
    if (after == After::unclosed) return unclosed(row, at);
    if (is_blank(row, at)) return at;
    skip_row(row, at,
             at == end_ && is_end_ ? std::string("the file ends within it")
                                   : fmt::format("it has {} of {} cells", column, columns));
    return at;
  }

  static bool is_blank(const char* begin, const char* end) {
    return std::all_of(begin, end, [](char c) { return c == '\n' || c == '\r' || c == ' '; });
  }

  After skip_cells(const char*& at) {
    Cell ignored;
    After after = After::cell;
    while (after == After::cell) after = read_cell(at, end_, is_end_, ignored, block_.unclosed);
    return after;
  }

  // The launch's cells, metric and values at their places: compared with the row before.
  const char* read_regular_row(const char* row) {
    const char* at = row;
    const bool is_same = !key_.empty() && static_cast<std::size_t>(end_ - row) > key_.size() &&
                         std::memcmp(row, key_.data(), key_.size()) == 0;
    if (is_same) {
      at += key_.size();
    } else {
      for (std::size_t i = 0; i < shape_.key_columns; ++i) {
        const After after = read_cell(at, end_, is_end_, cells_[i], block_.unclosed);
        if (after != After::cell) return read_any_row(row);
      }
    }
    const std::string_view key(row, static_cast<std::size_t>(at - row));
    const uint32_t metric = read_metric(at);
    if (metric == BlockValue::kDropped) return read_any_row(row);
    std::array<Cell, 4> values;
    After after = After::cell;
    std::size_t count = 0;
    for (; count < shape_.value_columns && after == After::cell; ++count) {
      after =
          read_cell(at, end_, is_end_, values[std::min<std::size_t>(count, 3)], block_.unclosed);
    }
    if (count < shape_.value_columns) return read_any_row(row);
    if (after == After::cell) after = skip_cells(at);
    if (after != After::line) return read_any_row(row);
    if (at == end_ && is_end_ && end_[-1] != '\n' && end_[-1] != '"' && end_[-1] != ',') {
      return read_any_row(row);
    }
    if (!is_same) {
      if (const std::string why = why_unusable(); !why.empty()) {
        skip_row(row, at, why);
        return at;
      }
      key_ = key;
      add_launch(row, key, block_.values.size());
    }
    if (shape_.page == CounterPage::details) {
      add_once(metric, values[0].raw());
      return at;
    }
    std::array<std::string_view, 3> summary;
    const auto first = static_cast<int>(shape_.key_columns + shape_.metric_columns);
    for (const auto& [role, place] :
         {std::pair(Role::average, 0), std::pair(Role::minimum, 1), std::pair(Role::maximum, 2)}) {
      const int column = shape_.at(role);
      if (column != TableShape::kAbsent && column - first < 4) {
        summary[static_cast<std::size_t>(place)] =
            values[static_cast<std::size_t>(column - first)].raw();
      }
    }
    add_summary(metric, summary);
    return at;
  }

  // Section, item, name and unit; kDropped if the row has none, or has to be read in full.
  uint32_t read_metric(const char*& at) {
    if (last_ < following_.size()) {
      const Following& expected = following_[last_];
      if (expected.text.size() < static_cast<std::size_t>(end_ - at) && !expected.text.empty() &&
          std::memcmp(at, expected.text.data(), expected.text.size()) == 0) {
        at += expected.text.size();
        last_ = expected.key;
        return keys_[last_];
      }
    }
    const char* begin = at;
    for (std::size_t i = 0; i < shape_.metric_columns; ++i) {
      const After after =
          read_cell(at, end_, is_end_, cells_[shape_.key_columns + i], block_.unclosed);
      if (after != After::cell) return BlockValue::kDropped;
    }
    const std::string_view text(begin, static_cast<std::size_t>(at - begin));
    const auto [found, is_new] = key_numbers_.try_emplace(text, keys_.size());
    if (is_new) {
      if (cell(Role::metric).raw().empty()) {
        key_numbers_.erase(found);
        return BlockValue::kDropped;
      }
      keys_.push_back(metric_number());
      following_.emplace_back();
    }
    if (last_ < following_.size()) following_[last_] = {text, found->second};
    last_ = found->second;
    return keys_[last_];
  }

  const Cell& cell(Role role) const {
    static const Cell kNone;
    const int place = shape_.at(role);
    return place == TableShape::kAbsent ? kNone : cells_[static_cast<std::size_t>(place)];
  }

  // Of the metric in the cells.
  uint32_t metric_number() {
    BaseUnit unit = base_unit(cell(Role::unit).raw());
    BlockMetric metric{
        {cell(Role::section).text(), cell(Role::metric).text(), std::move(unit.name)}, unit.factor};
    const auto [begin, end] = metric_numbers_.equal_range(metric.metric);
    for (auto same = begin; same != end; ++same) {
      if (block_.metrics[same->second].factor == metric.factor) return same->second;
    }
    const auto number = static_cast<uint32_t>(block_.metrics.size());
    metric_numbers_.emplace(metric.metric, number);
    metric.is_duration = is_duration(metric.metric);
    block_.metrics.push_back(std::move(metric));
    seen_.emplace_back();
    return number;
  }

  // Any row, cell by cell: of rules, of tables whose columns have another order, damaged ones.
  const char* read_any_row(const char* row) {
    const char* at = row;
    After after = After::cell;
    std::fill(cells_.begin(), cells_.end(), Cell{});
    std::size_t column = 0;
    for (; after == After::cell; ++column) {
      Cell ignored;
      after = read_cell(at, end_, is_end_, column < cells_.size() ? cells_[column] : ignored,
                        block_.unclosed);
    }
    if (after == After::more) return nullptr;
    if (after == After::unclosed) return unclosed(row, at);
    if (is_blank(row, at)) return at;
    const int value = shape_.at(shape_.page == CounterPage::details ? Role::value : Role::average);
    const bool is_cut = at == end_ && is_end_ && end_[-1] != '\n' && end_[-1] != '"' &&
                        end_[-1] != ',' && column <= static_cast<std::size_t>(value) + 1;
    if (is_cut || column <= static_cast<std::size_t>(value)) {
      skip_row(row, at,
               at == end_ && is_end_
                   ? std::string("the file ends within it")
                   : fmt::format("it has {} of {} cells", column, shape_.roles.size()));
      return at;
    }
    std::string key;
    for (std::size_t i = 0; i < shape_.roles.size(); ++i) {
      if (names_launch(shape_.roles[i])) key.append(cells_[i].raw()).append(1, '\x1f');
    }
    // The cells of a regular table are the beginning of its rows.
    const char* key_end = row;
    if (shape_.key_columns > 0) {
      Cell ignored;
      for (std::size_t i = 0; i < shape_.key_columns; ++i) {
        read_cell(key_end, end_, is_end_, ignored, block_.unclosed);
      }
    }
    const std::string_view view(row, static_cast<std::size_t>(key_end - row));
    const bool is_same = shape_.key_columns > 0 ? view == key_ : key == any_key_;
    if (!is_same || block_.launches.empty()) {
      if (const std::string why = why_unusable(); !why.empty()) {
        skip_row(row, at, why);
        return at;
      }
      key_ = view;
      any_key_ = key;
      if (shape_.key_columns == 0) block_.keys.push_back(key);
      add_launch(row, shape_.key_columns > 0 ? view : block_.keys.back(), block_.values.size());
    }
    if (!cell(Role::rule_name).raw().empty()) return add_rule(), at;
    if (cell(Role::metric).raw().empty()) return at;
    const uint32_t metric = metric_number();
    if (shape_.page == CounterPage::details) {
      add_once(metric, cell(Role::value).raw());
    } else {
      add_summary(metric, {cell(Role::average).raw(), cell(Role::minimum).raw(),
                           cell(Role::maximum).raw()});
    }
    return at;
  }

  void add_rule() {
    profile::CounterRule rule;
    rule.launch = static_cast<profile::Row>(block_.launches.size() - 1);
    rule.section = cell(Role::section).text();
    rule.name = cell(Role::rule_name).text();
    rule.type = cell(Role::rule_type).text();
    rule.description = cell(Role::rule_description).text();
    rule.speedup_type = cell(Role::speedup_type).text();
    const CellNumber speedup = read_number(cell(Role::speedup).raw());
    if (speedup.kind == CellNumber::Kind::number) rule.speedup_percent = speedup.times(1);
    block_.rules.push_back(std::move(rule));
  }

  // Of the launch in the cells; empty = it can be used.
  std::string why_unusable() const {
    const std::string_view invocations = cell(Role::invocations).raw();
    if (!invocations_of(invocations)) return fmt::format("it has {} invocations", invocations);
    for (const Role role : {Role::grid, Role::block}) {
      bool is_outside = false;
      size_of(cell(role).raw(), is_outside);
      if (is_outside) {
        return fmt::format("its {} is {}", role == Role::grid ? "grid" : "block", cell(role).raw());
      }
    }
    return "";
  }

  void add_launch(const char* row, std::string_view key, std::size_t first_value) {
    BlockLaunch launch;
    launch.key = key;
    launch.place = row;
    launch.line = line_of(row);
    launch.first_value = first_value;
    launch.process = cell(Role::process);
    launch.host = cell(Role::host);
    launch.kernel = cell(Role::kernel);
    launch.range = cell(Role::range);
    launch.domain = cell(Role::domain);
    launch.push_pop = cell(Role::push_pop_ranges);
    launch.id = whole<int64_t>(cell(Role::id).raw()).value_or(-1);
    launch.process_id = whole<int64_t>(cell(Role::process_id).raw()).value_or(0);
    launch.invocations = invocations_of(cell(Role::invocations).raw()).value_or(1);
    launch.context = whole<int64_t>(cell(Role::context).raw());
    launch.stream = whole<int64_t>(cell(Role::stream).raw());
    launch.device = whole<int64_t>(cell(Role::device).raw());
    bool is_outside = false;
    launch.grid = size_of(cell(Role::grid).raw(), is_outside);
    launch.block = size_of(cell(Role::block).raw(), is_outside);
    const std::string_view cc = cell(Role::cc).raw();
    if (const std::size_t dot = cc.find('.'); dot != std::string_view::npos) {
      launch.cc_major = whole<int32_t>(cc.substr(0, dot));
      launch.cc_minor = whole<int32_t>(cc.substr(dot + 1));
    }
    block_.launches.push_back(launch);
  }

  // Returns whether there is a value: kept as BlockValue::value, or as text.
  bool read_value(std::string_view cell, uint32_t metric, std::size_t place, uint8_t which,
                  double& value, uint32_t* text) {
    const double factor = block_.metrics[metric].factor;
    const CellNumber number = read_number(cell);
    if (number.kind == CellNumber::Kind::missing) return false;
    if (number.kind == CellNumber::Kind::text) {
      if (text == nullptr) return false;
      *text = text_number(cell);
      return true;
    }
    block_.votes.add(number, cell);
    value = number.times(factor);
    if (!std::isfinite(value) ||
        (block_.metrics[metric].is_duration && !(value >= 0 && value < kMostDurationNs))) {
      value = CounterValue::kNone;
      add_message(row_, true,
                  fmt::format("Value skipped, out of range: {} of {}", cell.substr(0, kShownBytes),
                              block_.metrics[metric].metric.name));
      return false;
    }
    if (number.open == OpenSeparator::none) return true;
    const auto decimal = is_decimal(number.open, context_.styles);
    if (!decimal) {
      block_.open.push_back({place, which, number.open, number.digits, factor});
    } else if (*decimal) {
      value = CellNumber{.digits = number.digits, .decimals = 3}.times(factor);
    }
    return true;
  }

  uint32_t text_number(std::string_view cell) {
    const auto [found, is_new] =
        text_numbers_.try_emplace(cell, static_cast<uint32_t>(block_.texts.size()));
    if (is_new) block_.texts.push_back(cell);
    return found->second;
  }

  void add_value(uint32_t metric, std::string_view cell) {
    BlockValue value;
    value.metric = metric;
    if (read_value(cell, metric, block_.values.size(), 0, value.value, &value.text)) {
      block_.values.push_back(value);
    }
  }

  // On the details page a metric stands in each chart or table that shows it.
  void add_once(uint32_t metric, std::string_view cell) {
    Seen& seen = seen_[metric];
    const std::size_t launch = block_.launches.size();
    if (seen.launch == launch && seen.cell == cell) return;
    seen = {launch, cell};
    add_value(metric, cell);
  }

  void add_summary(uint32_t metric, const std::array<std::string_view, 3>& cells) {
    BlockValue value;
    value.metric = metric;
    const std::size_t place = block_.values.size();
    double minimum = CounterValue::kNone, maximum = CounterValue::kNone;
    const std::size_t open = block_.open.size();
    bool is_known = read_value(cells[0], metric, place, 0, value.value, &value.text);
    is_known |= read_value(cells[1], metric, place, 1, minimum, nullptr);
    is_known |= read_value(cells[2], metric, place, 2, maximum, nullptr);
    if (!is_known) {
      block_.open.resize(open);
      return;
    }
    block_.values.push_back(value);
    block_.ranges.emplace_back(minimum, maximum);
  }

  struct Following {
    std::string_view text;  // of the metric's cells
    std::size_t key = 0;
  };
  struct Seen {
    std::size_t launch = 0;  // its number, from 1
    std::string_view cell;
  };

  const TableContext& context_;
  const TableShape& shape_;
  Block& block_;
  const char* end_;
  const bool is_end_;
  std::vector<Cell> cells_;  // of the row, by column
  std::vector<uint32_t> raw_metrics_;
  std::string_view key_;  // of the launch of the last row
  std::string any_key_;
  // Cells of metrics as they are in the file, numbered; the number of the metric, and what
  // followed.
  std::unordered_map<std::string_view, std::size_t> key_numbers_;
  std::vector<uint32_t> keys_;
  std::vector<Following> following_;
  std::size_t last_ = SIZE_MAX;
  std::unordered_multimap<profile::CounterMetric, uint32_t, MetricHash> metric_numbers_;
  std::vector<Seen> seen_;  // by metric
  std::unordered_map<std::string_view, uint32_t> text_numbers_;
  const char* row_ = nullptr;  // that is being read
  const char* counted_ = nullptr;
  int64_t line_ = 0;
};

}  // namespace

void read_block(const TableContext& context, Block& block, const char* end, bool is_end) {
  BlockReader(context, block, end, is_end).read();
}

const char* first_row(const TableContext& context, const char* at, const char* end) {
  while (at < end) {
    const auto* line =
        static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    if (line == nullptr) return end;
    at = line + 1;
    if (at < end && (!context.is_quoted || *at == '"')) return at;
  }
  return end;
}

}  // namespace dlview::import::ncu
