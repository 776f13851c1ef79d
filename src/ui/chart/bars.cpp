#include "ui/chart/bars.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <imgui.h>

namespace dlview::ui {
namespace {

constexpr double kHeadRoom = 1.06;
constexpr double kGapFromPixels = 4;  // bars at least this wide stand apart by a pixel

std::vector<int64_t> visible_heights(const aggregate::IterationTable& table,
                                     HiddenCategories hidden) {
  std::vector<int64_t> heights;
  heights.reserve(table.facts.size());
  for (const aggregate::IterationFacts& facts : table.facts) {
    int64_t height = 0;
    for (std::size_t i = 0; i < aggregate::kCategoryCount; ++i) {
      if (!hidden[i]) height += facts.per_device.ns[i];
    }
    heights.push_back(height);
  }
  return heights;
}

int64_t median_above_zero(std::vector<int64_t> heights) {
  std::erase_if(heights, [](int64_t height) { return height <= 0; });
  if (heights.empty()) return 0;
  const auto middle = heights.begin() + static_cast<std::ptrdiff_t>(heights.size() / 2);
  std::nth_element(heights.begin(), middle, heights.end());
  return *middle;
}

// Whole pixels, at least one above the base line, never above the plot.
float top_of(const Plot& plot, int64_t ns) {
  const float top = std::round(plot.y_of(static_cast<double>(ns)));
  return std::clamp(top, plot.top, plot.bottom() - 1);
}

// Calls visit(iteration, left, right) for every bar or pixel column, from left to right.
template <typename Visit>
void visit_columns(const BarData& data, const Plot& plot, const Visit& visit) {
  for (int column = 0; column < static_cast<int>(plot.width); ++column) {
    const float x = plot.left + static_cast<float>(column);
    const auto iterations = iterations_at(data, plot, x);
    if (iterations) visit(data.highest(iterations->first, iterations->last), x, x + 1);
  }
}

template <typename Visit>
void visit_bars(const BarData& data, const Plot& plot, const Visit& visit) {
  if (data.count() == 0 || plot.width < 1 || plot.height < 2) return;
  if (plot.one_column_per_pixel()) return visit_columns(data, plot, visit);
  const auto first = std::max<int64_t>(0, static_cast<int64_t>(std::floor(plot.span.first)));
  const auto last =
      std::min<int64_t>(data.count(), static_cast<int64_t>(std::ceil(plot.span.last)));
  const float gap = plot.pixels_per_iteration() >= kGapFromPixels ? 1.0f : 0.0f;
  for (int64_t iteration = first; iteration < last; ++iteration) {
    const float left = std::round(plot.x_of(static_cast<double>(iteration)));
    const float right = std::round(plot.x_of(static_cast<double>(iteration + 1))) - gap;
    visit(iteration, std::max(left, plot.left), std::min(right, plot.right()));
  }
}

}  // namespace

MaximumIndex::MaximumIndex(std::vector<int64_t> values) : values_(std::move(values)) {
  for (std::size_t below = values_.size(); below > 1; below = (below + 1) / 2) {
    std::vector<uint32_t> level((below + 1) / 2);
    const auto winner_below = [&](std::size_t block) {
      return levels_.empty() ? block : std::size_t{levels_.back()[block]};
    };
    for (std::size_t block = 0; block < level.size(); ++block) {
      const std::size_t left = winner_below(2 * block);
      const std::size_t right = 2 * block + 1 < below ? winner_below(2 * block + 1) : left;
      level[block] = static_cast<uint32_t>(better(left, right));
    }
    levels_.push_back(std::move(level));
  }
}

std::size_t MaximumIndex::better(std::size_t a, std::size_t b) const {
  const auto [low, high] = std::minmax(a, b);
  return values_[high] > values_[low] ? high : low;
}

std::size_t MaximumIndex::largest(std::size_t first, std::size_t last) const {
  std::size_t best = first;
  while (first < last) {
    // The largest block that begins at `first` and ends by `last`.
    std::size_t level = 0;
    while (level < levels_.size() && first % (std::size_t{2} << level) == 0 &&
           first + (std::size_t{2} << level) <= last) {
      ++level;
    }
    best = better(best, level == 0 ? first : levels_[level - 1][first >> level]);
    first += std::size_t{1} << level;
  }
  return best;
}

BarData::BarData(std::shared_ptr<const aggregate::IterationTable> table, HiddenCategories hidden)
    : table_(std::move(table)),
      hidden_(hidden),
      heights_(visible_heights(*table_, hidden)),
      tall_ns_(kTallestBar * median_above_zero(heights_.values())) {
  tall_before_.reserve(heights_.size() + 1);
  tall_before_.push_back(0);
  for (const int64_t height : heights_.values()) {
    tall_before_.push_back(tall_before_.back() + (height > tall_ns_ ? 1 : 0));
  }
}

int64_t BarData::tall_count(int64_t first, int64_t last) const {
  const auto before = [this](int64_t iteration) {
    return tall_before_[static_cast<std::size_t>(std::clamp<int64_t>(iteration, 0, count()))];
  };
  return int64_t{before(last)} - before(first);
}

int64_t BarData::highest(int64_t first, int64_t last) const {
  const int64_t from = std::clamp<int64_t>(first, 0, count() - 1);
  const int64_t to = std::clamp<int64_t>(last, from, count() - 1);
  return static_cast<int64_t>(
      heights_.largest(static_cast<std::size_t>(from), static_cast<std::size_t>(to) + 1));
}

void BarPicture::prepare(const BarData& data, const Plot& plot, const Palette& palette) {
  if (data.is_of(table_.get(), hidden_) && plot == plot_ && &palette == palette_) return;
  table_ = data.shared_table();
  hidden_ = data.hidden();
  plot_ = plot;
  palette_ = &palette;
  columns_.clear();
  parts_.clear();
  outside_.clear();
  cut_.clear();
  visit_bars(data, plot, [&](int64_t iteration, float left, float right) {
    add_column(data, iteration, left, right);
  });
}

void BarPicture::add_column(const BarData& data, int64_t iteration, float left, float right) {
  const int64_t total_ns = data.height_ns(iteration);
  if (total_ns <= 0 || right <= left) return;
  columns_.push_back({iteration, parts_.size()});
  outside_.push_back({left, top_of(plot_, total_ns), right, plot_.bottom(), palette_->outside});
  add_parts(data, iteration, left, right);
  if (static_cast<double>(total_ns) > plot_.top_ns) cut_.push_back({iteration, left, right});
}

// One on the other. Edges are rounded once, so neighbors touch.
void BarPicture::add_parts(const BarData& data, int64_t iteration, float left, float right) {
  const auto& facts = data.table().facts[static_cast<std::size_t>(iteration)];
  float bottom = plot_.bottom();
  int64_t below_ns = 0;
  for (const aggregate::Category category : aggregate::kCategories) {
    if (data.hidden()[static_cast<std::size_t>(category)]) continue;
    const int64_t part_ns = facts.per_device[category];
    if (part_ns <= 0) continue;
    below_ns += part_ns;
    const float top = top_of(plot_, below_ns);
    if (top >= bottom) continue;
    const render::Rectangle part{left, top, right, bottom, palette_->tone(tone_of(category))};
    parts_.push_back(part);
    if (category == aggregate::Category::other_kernels) {
      add_communication(facts.communication_per_device.exposed_ns, part_ns, part);
    }
    bottom = top;
  }
}

// What is exposed of communication marks the upper end of the other kernels, which it is a part of.
void BarPicture::add_communication(int64_t exposed_ns, int64_t part_ns,
                                   const render::Rectangle& part) {
  const double share =
      std::min(1.0, static_cast<double>(exposed_ns) / static_cast<double>(part_ns));
  const float height = std::round(static_cast<float>(share) * (part.bottom - part.top));
  if (height < 1) return;
  parts_.push_back(
      {part.left, part.top, part.right, part.top + height, palette_->tone(Tone::communication)});
}

std::vector<render::Rectangle> BarPicture::bars(aggregate::IterationRange range) const {
  const auto place = [this](int64_t iteration) {
    return std::ranges::lower_bound(columns_, iteration, {}, &Column::iteration) - columns_.begin();
  };
  const auto first_part = [this](std::ptrdiff_t column) {
    return column == std::ssize(columns_)
               ? std::ssize(parts_)
               : static_cast<std::ptrdiff_t>(columns_[static_cast<std::size_t>(column)].first);
  };
  const std::ptrdiff_t first = place(range.first), end = std::max(first, place(range.last + 1));
  std::vector<render::Rectangle> bars;
  bars.reserve(outside_.size() + parts_.size());
  bars.insert(bars.end(), outside_.begin(), outside_.begin() + first);
  bars.insert(bars.end(), parts_.begin() + first_part(first), parts_.begin() + first_part(end));
  bars.insert(bars.end(), outside_.begin() + end, outside_.end());
  return bars;
}

std::optional<aggregate::IterationRange> iterations_at(const BarData& data, const Plot& plot,
                                                       float x) {
  if (x < plot.left || x >= plot.right()) return std::nullopt;
  if (!plot.one_column_per_pixel()) {
    const auto iteration = static_cast<int64_t>(std::floor(plot.iteration_at(x)));
    if (iteration < 0 || iteration >= data.count()) return std::nullopt;
    return aggregate::IterationRange{iteration, iteration};
  }
  // An iteration belongs to the column that holds its left edge.
  const float column = std::floor(x - plot.left);
  const double per_pixel = 1 / plot.pixels_per_iteration();
  const auto begin = static_cast<int64_t>(std::ceil(plot.span.first + column * per_pixel));
  const auto end = static_cast<int64_t>(std::ceil(plot.span.first + (column + 1) * per_pixel));
  const int64_t first = std::max<int64_t>(0, begin);
  const int64_t last = std::min(data.count(), end) - 1;
  if (first > last) return std::nullopt;
  return aggregate::IterationRange{first, last};
}

double highest_top_ns(const BarData& data, Span span) {
  if (data.count() == 0) return 1;
  const auto first = static_cast<int64_t>(std::floor(span.first));
  const auto last = static_cast<int64_t>(std::ceil(span.last)) - 1;
  const int64_t highest = data.height_ns(data.highest(first, last));
  return std::max(1.0, static_cast<double>(highest) * kHeadRoom);
}

double fitting_top_ns(const BarData& data, Span span) {
  const double whole = highest_top_ns(data, span);
  const double capped = static_cast<double>(data.tall_ns()) * kHeadRoom;
  if (capped <= 0 || capped >= whole) return whole;
  const auto first = static_cast<int64_t>(std::floor(span.first));
  const auto last = static_cast<int64_t>(std::ceil(span.last));
  const int64_t may_be_cut = std::max<int64_t>(1, (last - first) / kBarsForOneCut);
  return data.tall_count(first, last) <= may_be_cut ? capped : whole;
}

void BarLayer::add(ImDrawList& draw_list, std::vector<render::Rectangle> rectangles) {
  if (rectangles.empty()) return;
  batches_.push_back({this, std::move(rectangles)});
  draw_list.AddCallback(&BarLayer::draw_callback, &batches_.back());
  draw_list.AddCallback(ImDrawCallback_ResetRenderState, nullptr);
}

std::span<const render::Rectangle> BarLayer::rectangles_of(const ImDrawCmd& command) {
  if (command.UserCallback != &BarLayer::draw_callback) return {};
  return static_cast<const Batch*>(command.UserCallbackData)->rectangles;
}

void BarLayer::draw_callback(const ImDrawList*, const ImDrawCmd* command) {
  const auto& batch = *static_cast<const Batch*>(command->UserCallbackData);
  auto& renderer = batch.layer->renderer_;
  if (!renderer) renderer = std::make_unique<render::RectangleRenderer>();
  const ImDrawData& data = *ImGui::GetDrawData();
  const ImVec4& clip = command->ClipRect;
  renderer->draw(rectangles_of(*command), static_cast<int>(data.DisplaySize.x),
                 static_cast<int>(data.DisplaySize.y),
                 {static_cast<int>(clip.x), static_cast<int>(clip.y), static_cast<int>(clip.z),
                  static_cast<int>(clip.w)});
}

}  // namespace dlview::ui
