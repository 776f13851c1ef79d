#include "aggregate/filter.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>  // join

#include "base/parse.h"

namespace dlview::aggregate {
namespace {

std::optional<TimeWindow> parse_window(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto start = base::parse_natural(text.substr(0, colon));
  const auto stop = base::parse_natural(text.substr(colon + 1));
  if (!start || !stop || *stop < *start) return std::nullopt;
  return TimeWindow{*start, *stop};
}

std::optional<FilterKind> parse_kind(std::string_view text) {
  const auto found =
      std::ranges::find(kFilterKinds, text, [](FilterKind kind) { return to_text(kind); });
  return found == kFilterKinds.end() ? std::nullopt : std::optional(*found);
}

// Self times had another name before; old state strings and scripts still contain it.
std::string op_text(std::string_view value) {
  constexpr std::string_view kOld = " (own time)";
  if (!value.ends_with(kOld)) return std::string(value);
  return std::string(value.substr(0, value.size() - kOld.size())) + " (self time)";
}

base::Error unknown_kind(std::string_view kind) {
  std::vector<std::string_view> kinds;
  for (const FilterKind known : kFilterKinds) kinds.push_back(to_text(known));
  return {fmt::format("Unknown filter kind: \"{}\"", kind), "",
          fmt::format("Valid values: {}", fmt::join(kinds, ", "))};
}

base::Error no_such_value(FilterKind kind, std::string_view value, std::string advice) {
  return {fmt::format("Invalid filter value: {}={}", to_text(kind), value), "", std::move(advice)};
}

}  // namespace

std::vector<Filter> canonical(std::vector<Filter> filters) {
  std::sort(filters.begin(), filters.end());
  filters.erase(std::unique(filters.begin(), filters.end()), filters.end());
  return filters;
}

bool keep_device(const std::vector<Filter>& filters, int64_t device_id) {
  const auto asks = [](const Filter& filter) { return filter.kind == FilterKind::device; };
  const auto names = [&](const Filter& filter) {
    return asks(filter) && filter.number == device_id;
  };
  return std::ranges::none_of(filters, asks) || std::ranges::any_of(filters, names);
}

std::string_view to_text(FilterKind kind) {
  switch (kind) {
    case FilterKind::op:
      return "op";
    case FilterKind::op_type:
      return "op_type";
    case FilterKind::group:
      return "group";
    case FilterKind::direction:
      return "direction";
    case FilterKind::eligible:
      return "eligible";
    case FilterKind::kernel:
      return "kernel";
    case FilterKind::device:
      return "device";
    case FilterKind::tensor_core:
      return "tensor_core";
    case FilterKind::time:
      return "time";
  }
  return "";
}

std::string value_text(const Filter& filter) {
  switch (filter.kind) {
    case FilterKind::eligible:
    case FilterKind::tensor_core:
    case FilterKind::device:
      return fmt::format("{}", filter.number);
    case FilterKind::time:
      return fmt::format("{}:{}", filter.window.start_ns, filter.window.stop_ns);
    default:
      return filter.text;
  }
}

std::string to_text(const Filter& filter) {
  return fmt::format("{}={}", to_text(filter.kind), value_text(filter));
}

base::Result<Filter> parse_filter(std::string_view kind_text, std::string_view value) {
  const std::optional<FilterKind> kind = parse_kind(kind_text);
  if (!kind) return unknown_kind(kind_text);
  Filter filter{.kind = *kind};
  switch (*kind) {
    case FilterKind::eligible:
    case FilterKind::tensor_core:
      if (value != "0" && value != "1") return no_such_value(*kind, value, "Valid values: 1, 0");
      filter.number = value == "1" ? 1 : 0;
      return filter;
    case FilterKind::device:
      if (const auto number = base::parse_natural(value)) {
        filter.number = *number;
        return filter;
      }
      return no_such_value(*kind, value, "Write the number of a GPU: device=0");
    case FilterKind::time:
      if (const auto window = parse_window(value)) {
        filter.window = *window;
        return filter;
      }
      return no_such_value(
          *kind, value,
          "Write the first and last instant in ns: time=1000:2000; the command line also accepts "
          "time=1.2s:1.25s");
    case FilterKind::group:
      if (!value.ends_with('/')) {
        return no_such_value(*kind, value,
                             fmt::format("A group ends in a slash: group={}/", value));
      }
      [[fallthrough]];
    default:
      filter.text = *kind == FilterKind::op ? op_text(value) : std::string(value);
      return filter;
  }
}

}  // namespace dlview::aggregate
