#include "ui/table/cut_names.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "ui/table/cells.h"
#include "ui/table/table_draw.h"

namespace dlview::ui {
namespace {

constexpr std::size_t kMostNames = 256;        // that decide what names agree on
constexpr std::size_t kMostKept = 8192;        // cells
constexpr std::size_t kMostLookedAt = 1024;    // rows that decide how long names are
constexpr std::size_t kMostMeasured = 32;      // the longest of these
constexpr std::size_t kLongestMeasured = 400;  // bytes; wider than any window

}  // namespace

void CutNames::update(const std::shared_ptr<const ShownRows>& shown) {
  if (seen_.lock() == shown) return;
  seen_ = shown;
  words_.clear();
  kept_.clear();
}

const CommonWords& CutNames::common_words(const TableDraw& draw, std::size_t of_look) {
  words_.resize(draw.look().columns.size());
  std::optional<CommonWords>& words = words_[of_look];
  if (words) return *words;
  const std::size_t rows = draw.shown.rows.size();
  const std::size_t step = std::max<std::size_t>(1, (rows + kMostNames - 1) / kMostNames);
  std::vector<std::string> names;
  for (std::size_t place = 0; place < rows; place += step) {
    std::string name = screen_text(draw, draw.shown.rows[place], of_look);
    if (name.size() > 2 * kLongestEnd) name.erase(kLongestEnd, name.size() - 2 * kLongestEnd);
    names.push_back(one_line(name));
  }
  return words.emplace(names);
}

CutNames::Kept& CutNames::kept(const TableDraw& draw, std::size_t place, std::size_t of_look,
                               float width) {
  if (kept_.size() >= kMostKept) kept_.clear();
  Kept& kept = kept_[(static_cast<uint64_t>(place) << 16u) | of_look];
  const float size = font_size(font_of(draw, of_look));
  if (kept.width != width || kept.font_size != size) kept = {width, size, {}, {}};
  return kept;
}

const CutName& CutNames::cut(const TableDraw& draw, std::size_t place, std::size_t of_look,
                             const std::string& text, float width) {
  Kept& kept = this->kept(draw, place, of_look, width);
  CutName& name = kept.name;
  if (!name.text.empty() || text.empty()) return name;
  const ImFont* font = font_of(draw, of_look);
  const auto measure = [font](std::string_view part) { return text_width(font, part); };
  const std::string line = one_line(text);
  const bool fits = line.size() <= 2 * kLongestMeasured && measure(line) <= width;
  name.text =
      fits
          ? line
          : common_words(draw, of_look).cut(line, width, draw.look().columns[of_look].cut, measure);
  name.is_cut = name.text != line;
  if (!name.is_cut) return name;
  constexpr std::string_view kEllipsis = "…";
  const std::size_t at = name.text.find(kEllipsis);
  name.dots_left = measure(std::string_view(name.text).substr(0, at));
  name.dots_right = name.dots_left + measure(kEllipsis);
  return name;
}

const std::vector<std::string>& CutNames::lines(const TableDraw& draw, std::size_t place,
                                                std::size_t of_look, const std::string& text,
                                                float width) {
  Kept& kept = this->kept(draw, place, of_look, width);
  if (!kept.lines.empty()) return kept.lines;
  const ImFont* font = font_of(draw, of_look);
  kept.lines =
      wrap_lines(text, width, [font](std::string_view part) { return text_width(font, part); });
  return kept.lines;
}

float content_width(const TableDraw& draw, std::size_t of_look) {
  const std::size_t rows = draw.table().row_count;
  const std::size_t step = std::max<std::size_t>(1, (rows + kMostLookedAt - 1) / kMostLookedAt);
  std::vector<std::string> names;
  for (std::size_t row = 0; row < rows; row += step) {
    names.push_back(screen_text(draw, row, of_look).substr(0, kLongestMeasured));
  }
  const std::size_t measured = std::min(kMostMeasured, names.size());
  std::ranges::partial_sort(names, names.begin() + static_cast<std::ptrdiff_t>(measured),
                            std::greater<>(), &std::string::size);
  const ImFont* font = font_of(draw, of_look);
  float widest = 0;
  for (std::size_t i = 0; i < measured; ++i) {
    const std::string line = one_line(names[i]);
    widest = std::max(widest, text_width(font, line));
  }
  return std::ceil(widest);
}

}  // namespace dlview::ui
