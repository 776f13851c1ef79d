// Numbers and units as Nsight Compute writes them. The style of numbers follows the locale of the
// process that wrote the file, so one file has one style, and "45.384" means 45384 in a German file
// and 45.384 in others.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "profile/counters.h"

namespace dlview::import::ncu {

// A set of NumberStyles: bit n = the style with the value n.
using StyleSet = uint8_t;
inline constexpr StyleSet kAllStyles = 0x1F;
constexpr StyleSet style_bit(profile::NumberStyle style) {
  return static_cast<StyleSet>(1U << static_cast<unsigned>(style));
}

// What a separator with three digits on each side may be, where the text alone does not decide.
enum class OpenSeparator : uint8_t { none, dot, comma };

// A cell with a value.
struct CellNumber {
  enum class Kind : uint8_t { missing, text, number };
  Kind kind = Kind::missing;
  // The digits without separators, divided by 10^decimals; an open separator counts as a group's.
  double digits = 0;
  uint8_t decimals = 0;
  OpenSeparator open = OpenSeparator::none;
  StyleSet styles = kAllStyles;  // that write it so
  bool is_ungrouped = false;     // four digits or more before the decimal point, without separators

  // The value times the factor of its unit. One rounding, as long as the digits times the factor
  // fit 53 bits.
  double times(double factor) const;
};

// Missing: "", "n/a", "no data". Exactly six decimals after a dot are every file's: the raw page
// writes doubles with automatic units so, whatever the locale.
CellNumber read_number(std::string_view cell);

// Whether the styles take the separator for the decimal one; nullopt = they differ.
std::optional<bool> is_decimal(OpenSeparator separator, StyleSet styles);

// The style of a file, from all its numbers.
class StyleVotes {
 public:
  // Where a number left out styles that were possible before; place as given to add().
  struct Ruling {
    const char* place = nullptr;
    std::string text;
  };

  void add(const CellNumber& number, std::string_view cell) {
    has_ungrouped_ |= number.is_ungrouped;
    if (number.open != OpenSeparator::none && first_open_.place == nullptr) {
      first_open_ = {cell.data(), std::string(cell)};
    }
    if ((possible_ & ~number.styles) != 0) rule_out(number.styles, cell);
  }

  StyleSet possible() const { return possible_; }
  bool has_ungrouped() const { return has_ungrouped_; }
  const Ruling& first_open() const { return first_open_; }
  // The number that left nothing of `before`, in the order of add().
  const Ruling& contradiction(StyleSet before) const;

 private:
  void rule_out(StyleSet styles, std::string_view cell);

  StyleSet possible_ = kAllStyles;
  bool has_ungrouped_ = false;
  Ruling first_open_;
  struct Step {
    StyleSet left = 0;
    Ruling ruling;
  };
  std::array<Step, 5> steps_;
  std::size_t step_count_ = 0;
};

struct ChosenStyle {
  profile::NumberStyle style = profile::NumberStyle::plain;
  bool is_assumed = false;  // several are possible
};
ChosenStyle choose_style(StyleSet possible, bool has_ungrouped);

// A unit of a file, and what its values are multiplied by.
struct BaseUnit {
  std::string name;  // "ns", "B", "B/s", "Hz", or as in the file
  double factor = 1;
};
// Spellings until 2024 ("usecond", "cycle/nsecond") and from 2025 on ("us", "Ghz"). Factors are SI.
BaseUnit base_unit(std::string_view unit);

}  // namespace dlview::import::ncu
