// Reads --skew and --rank-groups.
#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

#include <fmt/format.h>

#include "generate/ranks.h"

namespace dlview::generate {
namespace {

// Three values of an item: "straggler=4:+8%:kernels" has a rank, a share and a part.
struct SkewItem {
  std::string_view name, form;
};
constexpr std::array<SkewItem, 12> kSkewItems{
    {{"offset", "offset=5ms"},
     {"drift", "drift=20"},
     {"straggler", "straggler=RANK:+8%[:kernels|:data][:FIRST-LAST]"},
     {"host", "host=b:+5%"},
     {"stage", "stage=FIRST_RANK:+25%"},
     {"rotating", "rotating=+10%"},
     {"all", "all=ITERATION:+300%"},
     {"lost", "lost=RANK:3"},
     {"late", "late=RANK:2"},
     {"missing", "missing=RANK"},
     {"jitter", "jitter=300ns"},
     {"noise", "noise=0.2%"}}};
constexpr std::array<SkewItem, 2> kGroupItems{{{"tp", "tp=2"}, {"ep", "ep=4"}}};

// Insertions, deletions and replacements of characters.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

template <std::size_t kCount>
std::string_view nearest_item(std::string_view name, const std::array<SkewItem, kCount>& items) {
  return std::ranges::min_element(
             items, {}, [&](const SkewItem& item) { return edit_distance(name, item.name); })
      ->form;
}

base::Error unusable_item(std::string_view option, std::string_view item, std::string detail,
                          std::string_view form) {
  return {fmt::format("Invalid {}: \"{}\"", option, item), std::move(detail),
          fmt::format("Write {}", form)};
}

std::vector<std::string_view> split_text(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::optional<int64_t> natural(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value < 0 ? std::nullopt : std::optional(value);
}

// A decimal number times `unit`; digits below one are dropped.
std::optional<int64_t> decimal(std::string_view text, int64_t unit) {
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::optional<int64_t> whole = natural(text.substr(0, point));
  if (!whole || *whole > 1'000'000'000) return std::nullopt;
  int64_t value = *whole * unit;
  if (point == text.size()) return value;
  const std::string_view digits = text.substr(point + 1);
  if (digits.empty() || digits.size() > 9 || !natural(digits)) return std::nullopt;
  for (const char c : digits) value += (c - '0') * (unit /= 10);
  return value;
}

// "+8%" or "8%" in millionths.
std::optional<int64_t> share_ppm(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (!text.ends_with('%')) return std::nullopt;
  text.remove_suffix(1);
  const std::optional<int64_t> ppm = decimal(text, 10'000);
  return ppm && *ppm <= 100'000'000 ? ppm : std::nullopt;
}

// "5ms" in ns.
std::optional<int64_t> duration_ns(std::string_view text) {
  struct Unit {
    std::string_view name;
    int64_t ns;
  };
  constexpr std::array<Unit, 5> kUnits{
      {{"ns", 1}, {"us", 1'000}, {"µs", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}}};
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.name)) continue;
    const std::optional<int64_t> ns =
        decimal(text.substr(0, text.size() - unit.name.size()), unit.ns);
    return ns && *ns <= 3'600'000'000'000 ? ns : std::nullopt;
  }
  return std::nullopt;
}

// The values of one item: what they are, or a text that says what is wrong.
class ItemReader {
 public:
  ItemReader(std::string_view value, bool has_value)
      : values_(has_value ? split_text(value, ':') : std::vector<std::string_view>{}) {}

  std::string_view text(std::string_view what) {
    const std::string_view value = has_more() ? values_[next_++] : std::string_view();
    if (value.empty()) fail(fmt::format("{} is missing", what));
    return value;
  }
  bool has_more() const { return next_ < values_.size(); }
  template <typename Read>
  int64_t value(std::string_view what, const Read& read) {
    const std::string_view given = text(what);
    if (given.empty()) return 0;
    const std::optional<int64_t> value = read(given);
    if (!value) fail(fmt::format("\"{}\" is not a valid value for {}", given, what));
    return value.value_or(0);
  }
  int64_t rank() { return value("the rank", natural); }
  int64_t share() { return value("the share", share_ppm); }
  void fail(std::string detail) {
    if (detail_.empty()) detail_ = std::move(detail);
  }
  // Empty: all is well.
  std::string detail() {
    if (has_more()) fail(fmt::format("\"{}\" is one value too many", values_[next_]));
    return detail_;
  }

 private:
  std::vector<std::string_view> values_;
  std::size_t next_ = 0;
  std::string detail_;
};

// "4:+8%:data:60-99": the rank, the share, what of it is slow, and in which iterations.
Skew::SlowRank read_slow_rank(ItemReader& in) {
  Skew::SlowRank slow;
  slow.rank = in.rank();
  slow.more_ppm = in.share();
  bool has_part = false, has_iterations = false;
  while (in.has_more()) {
    const std::string_view text = in.text("the part or iteration range");
    if (text == "kernels" || text == "data") {
      slow.part = text == "data" ? SlowPart::data : SlowPart::kernels;
      if (std::exchange(has_part, true)) {
        in.fail(fmt::format("\"{}\" is one value too many", text));
      }
      continue;
    }
    const std::size_t dash = std::min(text.find('-'), text.size());
    const auto first = natural(text.substr(0, dash));
    const auto last = dash == text.size() ? first : natural(text.substr(dash + 1));
    if (!first || !last) {
      in.fail(fmt::format("\"{}\" is not kernels, data or an iteration range such as 60-99", text));
    } else if (*first > *last) {
      in.fail(fmt::format("the first iteration of \"{}\" is after the last", text));
    } else if (has_iterations) {
      in.fail(fmt::format("\"{}\" is one value too many", text));
    } else {
      slow.first = *first;
      slow.last = *last;
    }
    has_iterations = true;
  }
  return slow;
}

void read_item(std::string_view name, ItemReader& in, Skew& skew) {
  if (name == "offset") {
    skew.offset_ns = in.value("the offset", duration_ns);
  } else if (name == "drift") {
    constexpr int64_t kMostDrift = 1'000'000;  // 1 ms/s
    skew.drift_ns_per_s = in.value("the drift in µs/s", [](std::string_view text) {
      const std::optional<int64_t> drift = decimal(text, 1'000);
      return drift && *drift <= kMostDrift ? drift : std::nullopt;
    });
  } else if (name == "straggler") {
    skew.stragglers.push_back(read_slow_rank(in));
  } else if (name == "host") {
    const std::string host(in.text("the host"));
    skew.hosts.push_back({host, in.share()});
  } else if (name == "stage") {
    const int64_t first_rank = in.rank();
    skew.stage = {first_rank, in.share()};
  } else if (name == "rotating") {
    skew.rotating_ppm = in.share();
  } else if (name == "all") {
    const int64_t iteration = in.value("the iteration", natural);
    skew.all.push_back({iteration, in.share()});
  } else if (name == "lost") {
    const int64_t rank = in.rank();
    skew.lost.push_back({rank, in.value("the number of calls", natural)});
  } else if (name == "late") {
    const int64_t rank = in.rank();
    skew.late.push_back({rank, in.value("the number of iterations", natural)});
  } else if (name == "missing") {
    skew.missing.push_back(in.rank());
  } else if (name == "jitter") {
    skew.jitter_ns = in.value("the jitter", duration_ns);
  } else if (name == "noise") {
    skew.noise_ppm = in.share();
  }
}

// Calls `read(name, reader)` for each item of a list.
template <std::size_t kCount, typename Read>
base::Status read_items(std::string_view option, std::string_view text,
                        const std::array<SkewItem, kCount>& known, const Read& read) {
  if (text.empty()) return base::Success{};
  for (const std::string_view item : split_text(text, ',')) {
    const std::size_t equals = std::min(item.find('='), item.size());
    const std::string_view name = item.substr(0, equals);
    const auto found = std::ranges::find(known, name, &SkewItem::name);
    if (found == known.end()) {
      return unusable_item(option, item, fmt::format("\"{}\" is unknown", name),
                           nearest_item(name, known));
    }
    const bool has_value = equals < item.size();
    ItemReader in(has_value ? item.substr(equals + 1) : std::string_view(), has_value);
    read(name, in);
    if (std::string detail = in.detail(); !detail.empty()) {
      return unusable_item(option, item, std::move(detail), found->form);
    }
  }
  return base::Success{};
}

}  // namespace

std::string known_skews() {
  std::string texts;
  for (const SkewItem& item : kSkewItems) {
    texts += (texts.empty() ? "" : ", ") + std::string(item.form);
  }
  return texts;
}

base::Result<Skew> parse_skew(std::string_view text) {
  Skew skew;
  DLVIEW_TRY(read_items("--skew", text, kSkewItems,
                        [&](std::string_view name, ItemReader& in) { read_item(name, in, skew); }));
  return skew;
}

base::Result<RankGroups> parse_rank_groups(std::string_view text) {
  RankGroups groups;
  DLVIEW_TRY(
      read_items("--rank-groups", text, kGroupItems, [&](std::string_view name, ItemReader& in) {
        int64_t& size = name == "tp" ? groups.tensor : groups.expert;
        size = in.value("the number of ranks", natural);
        if (size < 1) in.fail("a group has at least one rank");
      }));
  return groups;
}

}  // namespace dlview::generate
