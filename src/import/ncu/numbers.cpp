#include "import/ncu/numbers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace dlview::import::ncu {
namespace {

using profile::NumberStyle;

constexpr StyleSet kPlain = style_bit(NumberStyle::plain);
constexpr StyleSet kEnglish = style_bit(NumberStyle::english);
constexpr StyleSet kGerman = style_bit(NumberStyle::german);
constexpr StyleSet kFrench = style_bit(NumberStyle::french);
constexpr StyleSet kSwiss = style_bit(NumberStyle::swiss);

constexpr std::array<double, 23> kPowersOf10{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                             1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                             1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
// Digits that a double holds whatever they are.
constexpr std::size_t kExactDigits = 15;
constexpr std::size_t kMostDigits = 40;
constexpr std::size_t kSixDecimals = 6, kGroup = 3;

enum class Separator : uint8_t { dot, comma, space, apostrophe };

struct Mark {
  Separator separator = Separator::dot;
  std::size_t digits_before = 0;  // in the whole number
};

// The length of a separator at the start of the text; 0 = none.
std::size_t read_separator(std::string_view text, Separator& separator) {
  const auto is = [&](std::string_view written, Separator means) {
    if (!text.starts_with(written)) return false;
    separator = means;
    return true;
  };
  if (is(".", Separator::dot) || is(",", Separator::comma) || is("'", Separator::apostrophe) ||
      is(" ", Separator::space)) {
    return 1;
  }
  if (is("\u202F", Separator::space) || is("\u2019", Separator::apostrophe)) return 3;
  return is("\u00A0", Separator::space) ? 2 : 0;
}

// Digits and separators of a number, without its sign.
struct Parts {
  std::array<char, kMostDigits> digits{};
  std::size_t digit_count = 0;
  std::array<Mark, 16> marks{};
  std::size_t mark_count = 0;
  std::string_view exponent;  // "e-05"
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_exponent(std::string_view text) {
  std::size_t at = 1;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  return at < text.size() && text.size() < at + 4 &&
         std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), is_digit);
}

bool split(std::string_view text, Parts& parts) {
  for (std::size_t at = 0; at < text.size();) {
    if (is_digit(text[at])) {
      if (parts.digit_count == kMostDigits) return false;
      parts.digits[parts.digit_count++] = text[at++];
      continue;
    }
    if ((text[at] == 'e' || text[at] == 'E') && parts.digit_count > 0) {
      parts.exponent = text.substr(at);
      return is_exponent(parts.exponent);
    }
    Separator separator{};
    const std::size_t length = read_separator(text.substr(at), separator);
    if (length == 0 || parts.mark_count == parts.marks.size()) return false;
    parts.marks[parts.mark_count++] = {separator, parts.digit_count};
    at += length;
  }
  return parts.digit_count > 0;
}

// Which styles group by the separator.
StyleSet grouped_by(Separator separator) {
  switch (separator) {
    case Separator::dot:
      return kGerman;
    case Separator::comma:
      return kEnglish;
    case Separator::space:
      return kFrench;
    case Separator::apostrophe:
      return kSwiss;
  }
  return 0;
}

StyleSet with_decimal(Separator separator) {
  if (separator == Separator::dot) return kPlain | kEnglish | kSwiss;
  return separator == Separator::comma ? kGerman | kFrench : 0;
}

// One to three digits, then groups of three, up to `end`.
bool are_groups(const Parts& parts, std::size_t marks, std::size_t end) {
  const std::size_t first = parts.marks[0].digits_before;
  if (first == 0 || first > kGroup || parts.digits[0] == '0') return false;
  for (std::size_t i = 0; i < marks; ++i) {
    const std::size_t next = i + 1 < marks ? parts.marks[i + 1].digits_before : end;
    if (parts.marks[i].separator != parts.marks[0].separator ||
        next - parts.marks[i].digits_before != kGroup) {
      return false;
    }
  }
  return true;
}

// Finds out what the separators are; false = it is no number.
bool decide(const Parts& parts, CellNumber& number) {
  if (parts.mark_count == 0) {
    number.is_ungrouped = parts.digit_count > kGroup;
    return true;
  }
  const Mark& last = parts.marks[parts.mark_count - 1];
  const std::size_t after = parts.digit_count - last.digits_before;
  const bool can_be_decimal = with_decimal(last.separator) != 0 && after > 0;
  if (parts.mark_count == 1 && can_be_decimal) {
    const std::size_t before = last.digits_before;
    const bool may_be_group =
        after == kGroup && are_groups(parts, 1, parts.digit_count) && parts.exponent.empty();
    if (may_be_group) {
      number.open = last.separator == Separator::dot ? OpenSeparator::dot : OpenSeparator::comma;
      number.styles = with_decimal(last.separator) | grouped_by(last.separator);
      if (last.separator == Separator::comma) number.styles &= ~kPlain;
      return true;
    }
    number.decimals = static_cast<uint8_t>(after);
    if (last.separator == Separator::dot && (after == kSixDecimals || !parts.exponent.empty())) {
      return true;
    }
    number.styles = with_decimal(last.separator);
    if (before > kGroup && last.separator == Separator::dot) {
      number.styles = kPlain;
      number.is_ungrouped = true;
    }
    return true;
  }
  if (are_groups(parts, parts.mark_count, parts.digit_count)) {
    number.styles = grouped_by(parts.marks[0].separator);
    return true;
  }
  const bool is_decimal = parts.mark_count > 1 && can_be_decimal &&
                          are_groups(parts, parts.mark_count - 1, last.digits_before);
  if (!is_decimal) return false;
  number.styles = grouped_by(parts.marks[0].separator) & with_decimal(last.separator);
  number.decimals = static_cast<uint8_t>(after);
  return number.styles != 0;
}

// "12" and "12.5", of at most 15 digits: most cells of a file.
bool read_short(std::string_view cell, CellNumber& number) {
  if (cell.empty() || cell.size() > kExactDigits) return false;
  int64_t digits = 0;
  std::size_t dot = std::string_view::npos;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    const char c = cell[i];
    if (is_digit(c)) {
      digits = digits * 10 + (c - '0');
    } else if (c == '.' && dot == std::string_view::npos && i > 0) {
      dot = i;
    } else {
      return false;
    }
  }
  if (dot == std::string_view::npos) {
    number.is_ungrouped = cell.size() > kGroup;
  } else {
    const std::size_t after = cell.size() - dot - 1;
    if (after == 0 || after == kGroup) return false;
    number.decimals = static_cast<uint8_t>(after);
    if (after != kSixDecimals) {
      number.is_ungrouped = dot > kGroup;
      number.styles = dot > kGroup ? kPlain : kPlain | kEnglish | kSwiss;
    }
  }
  number.kind = CellNumber::Kind::number;
  number.digits = static_cast<double>(digits);
  return true;
}

// What stands before a slash, or alone.
struct Scale {
  std::string_view unit, base;
  double factor;
};
constexpr std::array kTimes{
    Scale{"ns", "ns", 1},        Scale{"nsecond", "ns", 1},  Scale{"us", "ns", 1e3},
    Scale{"usecond", "ns", 1e3}, Scale{"ms", "ns", 1e6},     Scale{"msecond", "ns", 1e6},
    Scale{"s", "ns", 1e9},       Scale{"second", "ns", 1e9},
};
constexpr std::array kAmounts{
    Scale{"byte", "B", 1},    Scale{"Kbyte", "B", 1e3},  Scale{"Mbyte", "B", 1e6},
    Scale{"Gbyte", "B", 1e9}, Scale{"Tbyte", "B", 1e12}, Scale{"hz", "Hz", 1},
    Scale{"Khz", "Hz", 1e3},  Scale{"Mhz", "Hz", 1e6},   Scale{"Ghz", "Hz", 1e9},
    Scale{"Thz", "Hz", 1e12},
};

template <std::size_t kCount>
const Scale* find(const std::array<Scale, kCount>& scales, std::string_view unit) {
  const auto found = std::ranges::find(scales, unit, &Scale::unit);
  return found == scales.end() ? nullptr : &*found;
}

}  // namespace

double CellNumber::times(double factor) const {
  constexpr double kWhole = 9007199254740992;  // 2^53
  if (decimals == 0) return digits * factor;
  const double power = kPowersOf10[decimals];
  const double scaled = digits * factor;
  return std::abs(scaled) < kWhole ? scaled / power : digits / power * factor;
}

CellNumber read_number(std::string_view cell) {
  CellNumber number;
  if (read_short(cell, number)) return number;
  while (!cell.empty() && cell.front() == ' ') cell.remove_prefix(1);
  while (!cell.empty() && cell.back() == ' ') cell.remove_suffix(1);
  if (cell.empty() || cell == "n/a" || cell == "no data") return number;
  number.kind = CellNumber::Kind::text;
  const bool is_negative = cell.front() == '-';
  Parts parts;
  if (!split(is_negative || cell.front() == '+' ? cell.substr(1) : cell, parts) ||
      !decide(parts, number)) {
    return {.kind = CellNumber::Kind::text};
  }
  number.kind = CellNumber::Kind::number;
  // The digits as a number with a plain decimal point, of any length.
  std::array<char, kMostDigits + 8> plain{};
  std::size_t length = 0;
  const bool is_long = parts.digit_count > kExactDigits || !parts.exponent.empty();
  for (std::size_t i = 0; i < parts.digit_count; ++i) {
    if (is_long && number.decimals > 0 && parts.digit_count - i == number.decimals) {
      plain[length++] = '.';
    }
    plain[length++] = parts.digits[i];
  }
  for (const char c : parts.exponent) plain[length++] = c;
  if (is_long) number.decimals = 0;
  const auto read = std::from_chars(plain.data(), plain.data() + length, number.digits);
  if (read.ec != std::errc()) return {.kind = CellNumber::Kind::text};
  if (is_negative) number.digits = -number.digits;
  return number;
}

std::optional<bool> is_decimal(OpenSeparator separator, StyleSet styles) {
  const Separator mark = separator == OpenSeparator::dot ? Separator::dot : Separator::comma;
  const bool decimal = (styles & with_decimal(mark)) != 0, group = (styles & grouped_by(mark)) != 0;
  if (decimal == group) return std::nullopt;
  return decimal;
}

void StyleVotes::rule_out(StyleSet styles, std::string_view cell) {
  possible_ &= styles;
  if (step_count_ < steps_.size()) {
    steps_[step_count_++] = {possible_, {cell.data(), std::string(cell)}};
  }
}

const StyleVotes::Ruling& StyleVotes::contradiction(StyleSet before) const {
  for (std::size_t i = 0; i < step_count_; ++i) {
    if ((steps_[i].left & before) == 0) return steps_[i].ruling;
  }
  return first_open_;
}

ChosenStyle choose_style(StyleSet possible, bool has_ungrouped) {
  if ((possible & kPlain) != 0 && has_ungrouped) return {NumberStyle::plain, false};
  const bool is_assumed = (possible & (possible - 1)) != 0;
  for (const NumberStyle style : {NumberStyle::plain, NumberStyle::english, NumberStyle::german,
                                  NumberStyle::french, NumberStyle::swiss}) {
    if ((possible & style_bit(style)) != 0) return {style, is_assumed};
  }
  return {NumberStyle::plain, true};
}

BaseUnit base_unit(std::string_view unit) {
  const std::size_t slash = unit.find('/');
  if (slash == std::string_view::npos) {
    if (const Scale* time = find(kTimes, unit)) return {std::string(time->base), time->factor};
    if (const Scale* amount = find(kAmounts, unit)) {
      return {std::string(amount->base), amount->factor};
    }
    return {std::string(unit), 1};
  }
  const std::string_view above = unit.substr(0, slash), below = unit.substr(slash + 1);
  const Scale* amount = find(kAmounts, above);
  const Scale* time = find(kTimes, below);
  BaseUnit base{std::string(amount != nullptr ? amount->base : above),
                amount != nullptr ? amount->factor : 1};
  if (time == nullptr) {
    base.name += unit.substr(slash);
    return base;
  }
  base.factor *= kTimes[6].factor / time->factor;  // per second
  base.name = base.name == "cycle" ? "Hz" : base.name + "/s";
  return base;
}

}  // namespace dlview::import::ncu
