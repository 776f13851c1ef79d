#include "generate/changes.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

namespace dlview::generate {
namespace {

constexpr int64_t kLeastFactor = kMillion / 10, kMostFactor = 10 * kMillion;
constexpr int64_t kMostNoise = kMillion / 10;

struct KindText {
  std::string_view name, form;
  bool has_op = false, has_factor = false, has_count = false;
};
// In the order of PlantedKind.
constexpr std::array<KindText, 8> kKinds{
    {{"slower-op", "slower-op=NAME:FACTOR", true, true},
     {"replaced-kernel", "replaced-kernel[=NAME]", true, false},
     {"exposed-communication", "exposed-communication", false, false},
     {"other-gpu", "other-gpu", false, false},
     {"renamed-layers", "renamed-layers", false, false},
     {"renumbered-layers", "renumbered-layers", false, false},
     {"fewer-iterations", "fewer-iterations=COUNT", false, false, true},
     {"clocks", "clocks=FACTOR", false, true}}};

// "1.1" or "110%" in millionths. No number, too large or more than millionths: nullopt.
std::optional<int64_t> read_ppm(std::string_view text) {
  int64_t unit = kMillion;
  if (text.ends_with('%')) {
    text.remove_suffix(1);
    unit /= 100;
  }
  if (text.empty() || text.size() > 9) return std::nullopt;
  int64_t value = 0, of_digit = unit;
  bool is_fraction = false;
  for (const char c : text) {
    if (c == '.' && !is_fraction) {
      is_fraction = true;
      continue;
    }
    if (c < '0' || c > '9') return std::nullopt;
    if (!is_fraction) {
      value = 10 * value + (c - '0') * unit;
      continue;
    }
    if (of_digit % 10 != 0) return std::nullopt;
    of_digit /= 10;
    value += (c - '0') * of_digit;
  }
  return value;
}

base::Error invalid(std::string_view option, std::string_view text, std::string detail,
                    std::string advice) {
  return base::Error{fmt::format("Invalid {}: \"{}\"", option, text), std::move(detail),
                     std::move(advice)};
}

}  // namespace

std::string known_changes() {
  std::string texts;
  for (const KindText& kind : kKinds) {
    texts += (texts.empty() ? "" : ", ") + std::string(kind.form);
  }
  return texts;
}

base::Result<PlantedChange> parse_change(std::string_view text) {
  const std::string_view name = text.substr(0, text.find('='));
  const auto* const kind = std::ranges::find(kKinds, name, &KindText::name);
  if (kind == kKinds.end()) {
    return invalid("--change", text, "", "Valid values: " + known_changes());
  }
  PlantedChange change;
  change.kind = static_cast<PlantedKind>(kind - kKinds.begin());
  const bool has_value = name.size() < text.size();
  std::string_view value = has_value ? text.substr(name.size() + 1) : std::string_view();
  const auto unusable = [&](std::string detail) {
    return invalid("--change", text, std::move(detail), fmt::format("Write {}", kind->form));
  };
  if (has_value && !kind->has_op && !kind->has_factor && !kind->has_count)
    return unusable("it takes no value");
  if (has_value && value.empty()) return unusable("the value is empty");
  if (kind->has_factor) {
    if (!has_value) return unusable("the value is missing");
    const std::size_t colon = kind->has_op ? value.rfind(':') : std::string_view::npos;
    if (kind->has_op && colon == std::string_view::npos) return unusable("the factor is missing");
    const std::string_view number = kind->has_op ? value.substr(colon + 1) : value;
    const std::optional<int64_t> ppm = read_ppm(number);
    if (!ppm || *ppm < kLeastFactor || *ppm > kMostFactor) {
      return unusable(fmt::format("\"{}\" is not a factor from 0.1 to 10", number));
    }
    change.factor_ppm = *ppm;
    value = kind->has_op ? value.substr(0, colon) : std::string_view();
    if (kind->has_op && value.empty()) return unusable("the name of the op is missing");
  }
  if (kind->has_count) {
    const std::optional<int64_t> ppm = read_ppm(value);
    if (!ppm || *ppm < kMillion || *ppm % kMillion != 0 || value.ends_with('%')) {
      return unusable(fmt::format("\"{}\" is not a number of iterations", value));
    }
    change.count = *ppm / kMillion;
    value = std::string_view();
  }
  change.op = value;
  return change;
}

std::string_view to_text(PlantedKind kind) {
  return kKinds[static_cast<std::size_t>(kind)].name;
}

std::string share_text(int64_t ppm) {
  std::string text = fmt::format("{}.{:06}", ppm / kMillion, ppm % kMillion);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string to_text(const PlantedChange& change) {
  const KindText& kind = kKinds[static_cast<std::size_t>(change.kind)];
  std::string text(kind.name);
  if (kind.has_op && !change.op.empty()) text += "=" + change.op;
  if (kind.has_factor) text += (kind.has_op ? ":" : "=") + share_text(change.factor_ppm);
  if (kind.has_count) text += fmt::format("={}", change.count);
  return text;
}

base::Result<PlantedNoise> parse_noise(std::string_view text) {
  const std::string form = "Write between=SHARE,within=SHARE, for example between=0.7%,within=1.3%";
  PlantedNoise noise;
  std::string_view rest = text;
  while (true) {
    const std::string_view entry = rest.substr(0, rest.find(','));
    const std::string_view name = entry.substr(0, entry.find('='));
    int64_t* const ppm = name == "between"  ? &noise.between_ppm
                         : name == "within" ? &noise.within_ppm
                                            : nullptr;
    if (ppm == nullptr || name.size() == entry.size()) return invalid("--noise", text, "", form);
    const std::string_view number = entry.substr(name.size() + 1);
    const std::optional<int64_t> share = read_ppm(number);
    if (!share || *share > kMostNoise) {
      return invalid("--noise", text, fmt::format("\"{}\" is not a share from 0 to 10%", number),
                     form);
    }
    *ppm = *share;
    if (entry.size() == rest.size()) return noise;
    rest.remove_prefix(entry.size() + 1);
  }
}

std::string to_text(const PlantedNoise& noise) {
  return fmt::format("between={},within={}", share_text(noise.between_ppm),
                     share_text(noise.within_ppm));
}

}  // namespace dlview::generate
