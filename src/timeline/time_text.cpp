#include "timeline/time_text.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"

namespace dlview::timeline {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int kGroup = 3;

struct TickUnit {
  int64_t ns;
  std::string_view name;
};
constexpr TickUnit kNanoseconds{1, "ns"}, kMicroseconds{1'000, "µs"},
    kMilliseconds{1'000'000, "ms"};

// The smallest 1, 2 or 5 times a power of ten that is at least the value.
int64_t round_step(int64_t value) {
  for (int64_t power = 1;; power *= 10) {
    for (const int64_t factor : {1, 2, 5}) {
      if (factor * power >= value) return factor * power;
    }
  }
}

int64_t floor_to(int64_t value, int64_t step) {
  const int64_t rest = value % step;
  return value - (rest < 0 ? rest + step : rest);
}

int decimals_of(int64_t step) {
  int decimals = 9;
  for (; decimals > 0 && step % 10 == 0; step /= 10) --decimals;
  return decimals;
}

// Of a multiple of the step, with the decimals that tell it.
std::string count_in(const TickUnit& unit, int64_t time_ns, int64_t step) {
  int decimals = 0;
  int64_t part = unit.ns;
  for (; step % part != 0; part /= 10) ++decimals;
  const int64_t ns = std::abs(time_ns);
  const std::string rest =
      decimals == 0 ? "" : fmt::format(".{:0{}}", ns % unit.ns / part, decimals);
  return fmt::format("{}{}{}{}{}", time_ns < 0 ? "-" : "", base::format_count(ns / unit.ns), rest,
                     base::kThinSpace, unit.name);
}

// Within the first second in ms, as far as one decimal tells it.
std::string text_of_multiple(int64_t time_ns, int64_t step) {
  const bool is_in_ms = time_ns < kSecond && time_ns > -kSecond && step < kSecond &&
                        step % (kMilliseconds.ns / 10) == 0;
  return is_in_ms ? count_in(kMilliseconds, time_ns, step) : time_text(time_ns, decimals_of(step));
}

// What labels tell, of less than a thousand of a unit.
struct Counting {
  const TickUnit* unit;
  std::optional<TimeTick> origin;  // none: they count from 0
};

// The first of the units in which a way is found to tell all ticks; none where these are told
// whole.
std::optional<Counting> counting_of(int64_t first_ns, int64_t last_ns, int64_t step) {
  if (step >= kMilliseconds.ns) return std::nullopt;
  for (const TickUnit* unit : {&kNanoseconds, &kMicroseconds, &kMilliseconds}) {
    const int64_t thousand = 1'000 * unit->ns;
    if (step >= thousand) continue;
    if (first_ns > -thousand && last_ns < thousand) return Counting{unit, std::nullopt};
    for (const int64_t apart : {thousand, thousand / 10}) {
      const int64_t origin_ns = floor_to(first_ns, apart);
      if (last_ns - origin_ns >= thousand) continue;
      return Counting{unit, TimeTick{origin_ns, text_of_multiple(origin_ns, apart)}};
    }
  }
  return std::nullopt;
}

std::string label_of(const std::optional<Counting>& counting, int64_t time_ns, int64_t step) {
  if (!counting) return text_of_multiple(time_ns, step);
  if (!counting->origin) return count_in(*counting->unit, time_ns, step);
  return fmt::format("+{}", count_in(*counting->unit, time_ns - counting->origin->time_ns, step));
}

}  // namespace

std::string time_text(int64_t time_ns, int decimals) {
  const bool is_negative = time_ns < 0;
  const uint64_t ns =
      is_negative ? -static_cast<uint64_t>(time_ns) : static_cast<uint64_t>(time_ns);
  std::string text = is_negative ? "-" : "";
  text += base::format_count(static_cast<int64_t>(ns / kSecond));
  const std::string digits = fmt::format("{:09}", ns % kSecond);
  for (int i = 0; i < decimals; ++i) {
    if (i == 0) text += '.';
    if (i > 0 && i % kGroup == 0) text += base::kThinSpace;
    text += digits[static_cast<std::size_t>(i)];
  }
  return text + base::kThinSpace + "s";
}

std::string span_text(const TimeWindow& window) {
  constexpr int64_t kSteps = 100;
  const int decimals = decimals_of(round_step(std::max<int64_t>(1, window.length_ns / kSteps)));
  return fmt::format("{}–{}", time_text(window.start_ns, decimals),
                     time_text(window.stop_ns(), decimals));
}

std::optional<int64_t> parse_time(std::string_view text) {
  struct Unit {
    std::string_view name;
    int64_t ns;
  };
  constexpr std::array<Unit, 8> kUnits{{{"ns", 1},
                                        {"us", 1'000},
                                        {"µs", 1'000},
                                        {"ms", 1'000'000},
                                        {"min", 60 * kSecond},
                                        {"s", kSecond},
                                        {"h", 3600 * kSecond},
                                        {"", 1}}};
  const auto unit = std::ranges::find_if(
      kUnits, [text](const Unit& candidate) { return text.ends_with(candidate.name); });
  text.remove_suffix(unit->name.size());
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  int64_t whole = 0, part = 0, part_of = 1;
  bool in_part = false, has_digit = false;
  for (const char letter : text) {
    if (letter == '.' && !in_part) {
      in_part = true;
      continue;
    }
    if (letter < '0' || letter > '9' || whole > INT64_MAX / (20 * unit->ns)) return std::nullopt;
    has_digit = true;
    int64_t& number = in_part ? part : whole;
    if (in_part && part_of >= kSecond) continue;  // far below a ns
    number = 10 * number + (letter - '0');
    if (in_part) part_of *= 10;
  }
  const bool has_part_of_a_ns = in_part && unit->name.empty();
  if (!has_digit || has_part_of_a_ns) return std::nullopt;
  const int64_t ns =
      whole * unit->ns + part * (unit->ns / part_of) + part * (unit->ns % part_of) / part_of;
  return is_negative ? -ns : ns;
}

base::Result<TimeWindow> parse_window(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto first = parse_time(text.substr(0, colon));
  const auto last =
      colon == std::string_view::npos ? std::nullopt : parse_time(text.substr(colon + 1));
  int64_t length_ns = 0;
  if (first && last && *first < *last && !__builtin_sub_overflow(*last, *first, &length_ns)) {
    return window_between(*first, *last);
  }
  return base::Error{fmt::format("Invalid --time: \"{}\"", text),
                     "A time selection has a start and an end; units are ns, us, ms, s, min and h",
                     "Use --time START:END, for example --time 1.20s:1.25s"};
}

TimeTicks time_ticks(const TimeWindow& window, int most) {
  TimeTicks ticks;
  const int64_t step = round_step(std::max<int64_t>(1, window.length_ns / std::max(1, most) + 1));
  const int64_t before = floor_to(window.start_ns, step);
  const int64_t first = before < window.start_ns ? before + step : before;
  const int64_t last = floor_to(window.stop_ns() - 1, step);
  const std::optional<Counting> counting = counting_of(first, last, step);
  if (counting) ticks.origin = counting->origin;
  for (int64_t at = first; at <= last; at += step) {
    ticks.ticks.push_back({at, label_of(counting, at, step)});
  }
  return ticks;
}

}  // namespace dlview::timeline
