#include "ui/chart/bars.h"

#include <algorithm>
#include <cmath>
#include <utility>

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

// Stacks one iteration between two pixel columns. Edges are rounded once, so neighbours touch.
class Stacker {
 public:
  Stacker(const BarData& data, const Plot& plot, aggregate::IterationRange range,
          const Palette& palette, std::vector<render::Rectangle>& out)
      : data_(data), plot_(plot), range_(range), palette_(palette), out_(out) {}

  void add(int64_t iteration, float left, float right) {
    const int64_t total = data_.height_ns(iteration);
    if (total <= 0 || right <= left) return;
    if (iteration < range_.first || iteration > range_.last) {
      out_.push_back({left, top_of(total), right, plot_.bottom(), palette_.outside});
      return;
    }
    const auto& facts = data_.table().facts[static_cast<std::size_t>(iteration)];
    float bottom = plot_.bottom();
    int64_t below = 0;
    for (const aggregate::Category category : aggregate::kCategories) {
      if (data_.hidden()[static_cast<std::size_t>(category)]) continue;
      const int64_t part = facts.per_device[category];
      below += part;
      const float top = top_of(below);
      if (part > 0 && top < bottom) {
        out_.push_back({left, top, right, bottom, palette_.tone(tone_of(category))});
        if (category == aggregate::Category::other_kernels) {
          add_communication(facts.communication_per_device.exposed_ns, part, left, top, right,
                            bottom);
        }
        bottom = top;
      }
    }
  }

 private:
  // What is exposed of communication marks the upper end of the other kernels, which it is a part
  // of.
  void add_communication(int64_t exposed_ns, int64_t part_ns, float left, float top, float right,
                         float bottom) {
    const double share =
        std::min(1.0, static_cast<double>(exposed_ns) / static_cast<double>(part_ns));
    const float height = std::round(static_cast<float>(share) * (bottom - top));
    if (height < 1) return;
    out_.push_back({left, top, right, top + height, palette_.tone(Tone::communication)});
  }

  // Whole pixels, at least one above the base line, never above the plot.
  float top_of(int64_t ns) const {
    const float top = std::round(plot_.y_of(static_cast<double>(ns)));
    return std::clamp(top, plot_.top, plot_.bottom() - 1);
  }

  const BarData& data_;
  const Plot& plot_;
  aggregate::IterationRange range_;
  const Palette& palette_;
  std::vector<render::Rectangle>& out_;
};

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

std::vector<render::Rectangle> prepare_bars(const BarData& data, const Plot& plot,
                                            aggregate::IterationRange range,
                                            const Palette& palette) {
  std::vector<render::Rectangle> rectangles;
  Stacker stacker(data, plot, range, palette, rectangles);
  visit_bars(data, plot, [&](int64_t iteration, float left, float right) {
    stacker.add(iteration, left, right);
  });
  return rectangles;
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

std::vector<CutBar> cut_bars(const BarData& data, const Plot& plot) {
  std::vector<CutBar> cut;
  visit_bars(data, plot, [&](int64_t iteration, float left, float right) {
    if (right <= left || static_cast<double>(data.height_ns(iteration)) <= plot.top_ns) return;
    cut.push_back({iteration, left, right});
  });
  return cut;
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

}  // namespace dlview::ui
