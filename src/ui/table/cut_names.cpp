#include "ui/table/cut_names.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "ui/table/cells.h"
#include "ui/table/table_draw.h"

namespace dlview::ui {
namespace {

constexpr std::size_t kMostNames = 256;        // that decide what names agree on
constexpr std::size_t kMostKept = 8192;        // cells
constexpr std::size_t kMostLookedAt = 1024;    // rows that decide how long names are
constexpr std::size_t kMostMeasured = 32;      // the longest of these
constexpr std::size_t kLongestMeasured = 400;  // bytes; wider than any window
constexpr std::size_t kMostNumbers = 64;       // that decide how wide numbers are
constexpr float kTitleMark = 14;               // behind a title: that of the sorting
constexpr float kLeastBar = 44;                // with the gap before it

MeasureText measure_of(const TableDraw& draw, std::size_t of_look) {
  return [font = font_of(draw, of_look)](std::string_view part) { return text_width(font, part); };
}

void find_dots(CutName& name, const MeasureText& measure) {
  constexpr std::string_view kEllipsis = "…";
  const std::size_t at = name.text.find(kEllipsis);
  name.dots_left = measure(std::string_view(name.text).substr(0, at));
  name.dots_right = name.dots_left + measure(kEllipsis);
}

}  // namespace

void CutNames::update(const std::shared_ptr<const ShownRows>& shown) {
  if (seen_.lock() == shown) return;
  seen_ = shown;
  words_.clear();
  kept_.clear();
  told_widths_.clear();
}

bool CutNames::are_others(std::size_t first, std::size_t end, std::vector<float> widths) {
  const bool same = first == told_first_ && end == told_end_ && widths == told_widths_;
  told_first_ = first;
  told_end_ = end;
  told_widths_ = std::move(widths);
  return !same;
}

void CutNames::tell_apart(const TableDraw& draw, std::size_t of_look,
                          const std::vector<Cell>& cells) {
  std::map<std::string, std::vector<const Cell*>> alike;  // by what they look like
  for (const Cell& cell : cells) {
    if (cell.text.size() > 2 * kLongestEnd) continue;
    const CutName& name = cut(draw, cell.place, of_look, cell.text, cell.width);
    if (name.is_cut) alike[name.text].push_back(&cell);
  }
  const MeasureText measure = measure_of(draw, of_look);
  for (const auto& [look, same] : alike) {
    std::map<std::string, std::vector<const Cell*>> lines;
    float width = same.front()->width;
    for (const Cell* cell : same) {
      lines[one_line(cell->text)].push_back(cell);
      width = std::min(width, cell->width);
    }
    if (lines.size() < 2) continue;
    std::vector<std::string_view> texts;
    for (const auto& [line, of_line] : lines) texts.push_back(line);
    std::size_t at = 0;
    const std::vector<std::string> apart = cut_alike(texts, width, measure);
    for (const auto& [line, of_line] : lines) {
      for (const Cell* cell : of_line) {
        CutName& name = kept(draw, cell->place, of_look, cell->width).name;
        name.text = apart[at];
        name.is_cut = true;
        find_dots(name, measure);
      }
      ++at;
    }
  }
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
  if (kept_.size() >= kMostKept) {
    kept_.clear();
    told_widths_.clear();
  }
  Kept& kept = kept_[(static_cast<uint64_t>(place) << 16u) | of_look];
  const float size = font_size(font_of(draw, of_look));
  const bool is_as_wide = std::abs(kept.width - width) < 0.1f;  // rounding counts for nothing
  if (!is_as_wide || kept.font_size != size) kept = {width, size, {}, {}};
  return kept;
}

const CutName& CutNames::cut(const TableDraw& draw, std::size_t place, std::size_t of_look,
                             const std::string& text, float width) {
  Kept& kept = this->kept(draw, place, of_look, width);
  CutName& name = kept.name;
  if (!name.text.empty() || text.empty()) return name;
  const MeasureText measure = measure_of(draw, of_look);
  const std::string line = one_line(text);
  const bool fits = line.size() <= 2 * kLongestMeasured && measure(line) <= width;
  name.text =
      fits
          ? line
          : common_words(draw, of_look).cut(line, width, draw.look().columns[of_look].cut, measure);
  name.is_cut = name.text != line;
  if (name.is_cut) find_dots(name, measure);
  return name;
}

const std::vector<std::string>& CutNames::lines(const TableDraw& draw, std::size_t place,
                                                std::size_t of_look, const std::string& text,
                                                float width) {
  Kept& kept = this->kept(draw, place, of_look, width);
  if (!kept.lines.empty()) return kept.lines;
  kept.lines = wrap_lines(text, width, measure_of(draw, of_look));
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

float number_width(const TableDraw& draw, std::size_t of_look) {
  const ImFont *small = draw.frame.fonts().small, *font = font_of(draw, of_look);
  float widest = text_width(small, title_of(draw, of_look)) + draw.frame.px(kTitleMark);
  if (draw.look().columns[of_look].bar) {
    return std::max(widest, draw.frame.px(kNumberBesideBar + kLeastBar));
  }
  if (!report::is_number(draw.column(of_look))) return std::ceil(widest);
  const std::size_t rows = draw.table().row_count;
  const std::size_t step = std::max<std::size_t>(1, (rows + kMostNumbers - 1) / kMostNumbers);
  for (std::size_t row = 0; row < rows; row += step) {
    widest = std::max(widest, text_width(font, screen_text(draw, row, of_look)));
  }
  return std::ceil(widest);
}

}  // namespace dlview::ui
