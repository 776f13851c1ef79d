#include "import/ncu/csv.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "base/stop_point.h"

namespace dlview::import::ncu {
namespace {

using profile::CounterPage;

constexpr std::array<std::pair<std::string_view, Role>, 29> kColumnRoles{{
    {"ID", Role::id},
    {"Process ID", Role::process_id},
    {"Process Name", Role::process},
    {"Host Name", Role::host},
    {"Kernel Name", Role::kernel},
    {"Kernel Time", Role::kernel_time},
    {"Context", Role::context},
    {"Stream", Role::stream},
    {"Block Size", Role::block},
    {"Grid Size", Role::grid},
    {"Device", Role::device},
    {"Device Id", Role::device},
    {"CC", Role::cc},
    {"Invocations", Role::invocations},
    {"Domain", Role::domain},
    {"Section Name", Role::section},
    {"Body Item Label", Role::body_item},
    {"Metric Name", Role::metric},
    {"Metric Unit", Role::unit},
    {"Metric Value", Role::value},
    {"Minimum", Role::minimum},
    {"Maximum", Role::maximum},
    {"Average", Role::average},
    {"Rule Name", Role::rule_name},
    {"Rule Type", Role::rule_type},
    {"Rule Description", Role::rule_description},
    {"Estimated Speedup Type", Role::speedup_type},
    {"Estimated Speedup", Role::speedup},
    {"Device ID", Role::device},
}};

constexpr std::string_view kRangeColumn = "Range:";
constexpr std::string_view kPushPopColumn = "Push/Pop_Range", kStartEndColumn = "Start/Stop_Range";
constexpr std::array<std::string_view, 6> kHeaders{
    "\"ID\",\"Process ID\"", "\"Process ID\",\"Process Name\"", "\"Domain\",\"Range:",
    "ID,Process ID,",        "Process ID,Process Name,",        "Domain,Range:"};

Role role_of(std::string_view name) {
  const auto found =
      std::ranges::find(kColumnRoles, name, [](const auto& entry) { return entry.first; });
  if (found != kColumnRoles.end()) return found->second;
  if (name.starts_with(kRangeColumn)) return Role::range;
  if (name.find(kPushPopColumn) != std::string_view::npos) return Role::push_pop_ranges;
  if (name.find(kStartEndColumn) != std::string_view::npos) return Role::start_end_ranges;
  return Role::other;
}

CounterPage page_of(const TableShape& shape) {
  if (shape.has(Role::domain) || shape.has(Role::range)) return CounterPage::per_nvtx;
  if (shape.has(Role::average)) {
    const bool device_first =
        shape.has(Role::device) && shape.at(Role::device) < shape.at(Role::kernel);
    return device_first ? CounterPage::per_gpu : CounterPage::per_kernel;
  }
  return shape.has(Role::metric) ? CounterPage::details : CounterPage::raw;
}

// Whether a row of a table, its header or a line of the log begins here.
bool begins_row(const char* at, const char* end) {
  const std::string_view rest(at, static_cast<std::size_t>(std::min<std::ptrdiff_t>(end - at, 64)));
  if (rest.starts_with("==") || is_header(rest)) return true;
  if (!rest.starts_with('"')) return false;
  const std::size_t digits = rest.find_first_not_of("0123456789", 1);
  return digits != 1 && digits != std::string_view::npos &&
         rest.substr(digits).starts_with("\",\"");
}

// Whether the end of a line is here: nothing more, '\n' or "\r\n".
bool ends_line(const char* at, const char* end) {
  return at == end || *at == '\n' || (*at == '\r' && (at + 1 == end || at[1] == '\n'));
}

After after_cell(const char*& at, const char* end) {
  if (at < end && *at == ',') {
    ++at;
    return After::cell;
  }
  if (at < end && *at == '\r') ++at;
  if (at < end) ++at;
  return After::line;
}

// Calls stop_point() once for each of these bytes.
constexpr std::ptrdiff_t kBytesPerStopPoint = 64 << 10;

// Moves past the line in which a cell begins whose quote is not closed.
After skip_unclosed(const char*& at, const char* begin, const char* end) {
  const auto* line =
      static_cast<const char*>(std::memchr(begin, '\n', static_cast<std::size_t>(end - begin)));
  at = line != nullptr ? line + 1 : end;
  return After::unclosed;
}

// Looks at each line that begins in a cell once, up to the quotes that may close it.
class LinesOfCell {
 public:
  LinesOfCell(const char* begin, const char* end) : checked_(begin), end_(end) {}

  // Whether another row begins in a line before `cell_end`. Places only go up.
  bool hold_row(const char* cell_end) {
    while (checked_ < cell_end) {
      const auto* line = static_cast<const char*>(
          std::memchr(checked_, '\n', static_cast<std::size_t>(cell_end - checked_)));
      if (line == nullptr) break;
      checked_ = line + 1;
      if (++lines_ % kLinesPerStopPoint == 0) base::stop_point();
      if (begins_row(checked_, end_)) return true;
    }
    checked_ = std::max(checked_, cell_end);
    return false;
  }

 private:
  static constexpr std::size_t kLinesPerStopPoint = 4096;
  const char* checked_;
  const char* end_;
  std::size_t lines_ = 0;
};

}  // namespace

std::string Cell::text() const {
  std::string text(raw());
  if (!has_doubled_quotes) return text;
  std::string single;
  for (std::size_t i = 0; i < text.size(); ++i) {
    single += text[i];
    if (text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"') ++i;
  }
  return single;
}

After read_cell(const char*& at, const char* end, bool is_end, Cell& cell,
                UnclosedQuote& unclosed) {
  cell = {at, at, false};
  if (at == end) return is_end ? After::line : After::more;
  if (*at != '"') {
    while (at < end && *at != ',' && *at != '\n') ++at;
    if (at == end && !is_end) return After::more;
    cell.end = at > cell.begin && at[-1] == '\r' && (at == end || *at == '\n') ? at - 1 : at;
    return after_cell(at, end);
  }
  cell.begin = cell.end = ++at;
  const char* limit = end;
  const bool ends_in_line = unclosed.begin <= cell.begin && cell.begin <= unclosed.end;
  if (ends_in_line) {
    limit = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    if (limit == nullptr) limit = end;
  }
  LinesOfCell lines(cell.begin, end);
  const char* stop = at + kBytesPerStopPoint;
  bool has_single_quote = false;
  while (true) {
    if (at > stop) {
      base::stop_point();
      stop = at + kBytesPerStopPoint;
    }
    const auto* quote =
        at < limit
            ? static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(limit - at)))
            : nullptr;
    if (quote == nullptr) {
      if (limit == end && !is_end) return After::more;
      if (!ends_in_line) unclosed = {cell.begin, end};
      return skip_unclosed(at, cell.begin, end);
    }
    if (quote > cell.begin && quote[-1] == '\n' && lines.hold_row(quote)) {
      unclosed = {cell.begin, quote};
      return skip_unclosed(at, cell.begin, end);
    }
    const char* next = quote + 1;
    // Two more bytes decide.
    if (end - next < 2 && !is_end) return After::more;
    const bool is_doubled = next < end && *next == '"';
    const bool closes_single =
        is_doubled && has_single_quote && (ends_line(next + 1, end) || next[1] == ',');
    if (closes_single || ends_line(next, end) || *next == ',') {
      cell.end = closes_single ? next : quote;
      at = closes_single ? next + 1 : next;
      return after_cell(at, end);
    }
    if (is_doubled) {
      cell.has_doubled_quotes = true;
      at = next + 1;
    } else {
      has_single_quote = true;
      at = next;
    }
  }
}

bool is_header(std::string_view line) {
  return std::ranges::any_of(kHeaders,
                             [&](std::string_view header) { return line.starts_with(header); });
}

bool is_log_line(std::string_view line) {
  return line.starts_with("==PROF==") || line.starts_with("==ERROR==") ||
         line.starts_with("==WARNING==");
}

bool names_launch(Role role) {
  return role < Role::section;
}

TableShape shape_of(const std::vector<std::string>& names) {
  TableShape shape;
  shape.names = names;
  shape.place.fill(TableShape::kAbsent);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Role role = role_of(names[i]);
    shape.roles.push_back(role);
    int& place = shape.place[static_cast<std::size_t>(role)];
    if (place == TableShape::kAbsent) place = static_cast<int>(i);
    if (role == Role::range || role == Role::push_pop_ranges) {
      const std::size_t fields = names[i].find(role == Role::range ? ":" : "_Range:");
      if (fields != std::string::npos) {
        shape.range_fields = static_cast<int>(std::count(
            names[i].begin() + static_cast<std::ptrdiff_t>(fields), names[i].end(), ':'));
      }
    }
  }
  shape.page = page_of(shape);
  const auto first_other = std::ranges::find_if_not(shape.roles, names_launch);
  if (std::none_of(first_other, shape.roles.end(), names_launch)) {
    shape.key_columns = static_cast<std::size_t>(first_other - shape.roles.begin());
  }
  const auto is_metric = [](Role role) { return role >= Role::section && role <= Role::unit; };
  const auto is_value = [](Role role) { return role >= Role::value && role <= Role::average; };
  const auto first_value = std::find_if_not(first_other, shape.roles.end(), is_metric);
  const auto last_value = std::find_if_not(first_value, shape.roles.end(), is_value);
  shape.metric_columns = static_cast<std::size_t>(first_value - first_other);
  shape.value_columns = static_cast<std::size_t>(last_value - first_value);
  shape.is_regular = shape.key_columns > 0 && shape.has(Role::metric) && shape.value_columns > 0 &&
                     std::none_of(last_value, shape.roles.end(),
                                  [&](Role role) { return is_metric(role) || is_value(role); });
  return shape;
}

std::string_view without_fields(std::string_view range, int range_fields) {
  for (int i = 0; i < range_fields; ++i) {
    const std::size_t colon = range.rfind(':');
    if (colon == std::string_view::npos) break;
    range = range.substr(0, colon);
  }
  return range;
}

std::string range_path(std::string_view cell, int range_fields) {
  std::string path;
  for (std::size_t at = cell.find('"'); at != std::string_view::npos; at = cell.find('"', at)) {
    // A name may hold quotes: a state ends before another one, or with the cell.
    std::size_t end = cell.find("\" \"", at + 1);
    if (end == std::string_view::npos) end = cell.find("\",\"", at + 1);
    if (end == std::string_view::npos) end = cell.rfind('"');
    if (end <= at) end = cell.size();
    const std::string_view state = without_fields(cell.substr(at + 1, end - at - 1), range_fields);
    const std::size_t colon = state.find(':');
    if (!path.empty()) path += '\n';
    path += state.substr(0, colon);
    path += '/';
    if (colon != std::string_view::npos) path += state.substr(colon + 1);
    at = std::min(end + 1, cell.size());
  }
  return path;
}

}  // namespace dlview::import::ncu
