#include "ui/views/tables/table_view.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "aggregate/key_names.h"
#include "ui/table/data_table.h"
#include "ui/views/details/row_details.h"

namespace dlview::ui {
namespace {

constexpr float kPaneWidth = 372;
constexpr float kLeastTables = 520;  // narrower than that there is no pane
constexpr float kLeastHeight = 170;  // of a box whose edge is dragged
constexpr float kLeastRow = 120;     // of a table with one whole row above its scroll bar
constexpr float kPromptHeight = 62;  // of a box with a heading and a sentence

// Gaps of several GPUs may begin at the same time.
void add_gap_keys(report::Table& table) {
  const auto device = cells_of(table, "device_id");
  const auto start = cells_of(table, "idle_gaps.start");
  table.columns.push_back(report::column("gap", [device, start](std::size_t row) -> report::Cell {
    return fmt::format("{}@{}", report::to_text(device(row)), report::to_text(start(row)));
  }));
}

// What the first boxes do not need goes to those without a limit, by their weights.
void limit_heights(std::vector<Box>& boxes, std::span<const float> weights,
                   std::span<const float> most) {
  float weight = 0;
  for (std::size_t i = most.size(); i < boxes.size(); ++i) weight += weights[i];
  if (weight <= 0) return;
  float spare = 0;  // of the boxes above
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const float height = boxes[i].height();
    boxes[i].top -= spare;
    if (i < most.size()) {
      spare += std::max(0.0f, height - most[i]);
      boxes[i].bottom -= spare;
    } else {
      const float more = i + 1 == boxes.size() ? spare : std::round(spare * weights[i] / weight);
      spare -= more;
      weight -= weights[i];
      boxes[i].bottom -= spare;
    }
  }
}

// Boxes that are lower than `least` get the difference from the highest, as long as that is higher.
void raise_low(std::vector<Box>& boxes, float least, float gap) {
  std::vector<float> heights;
  for (const Box& box : boxes) heights.push_back(box.height());
  for (float& low : heights) {
    float& high = *std::ranges::max_element(heights);
    const float more = std::clamp(least - low, 0.0f, std::max(0.0f, high - least));
    high -= more;
    low += more;
  }
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (i > 0) boxes[i].top = boxes[i - 1].bottom + gap;
    boxes[i].bottom = boxes[i].top + heights[i];
  }
}

// TableCommand::next hands the keyboard on.
void focus(const std::vector<DataTable*>& shown, Tables& tables) {
  if (shown.empty()) return tables.focused.clear();
  const auto id = [](const DataTable* table) { return table->model().look().id; };
  auto focused = std::ranges::find(shown, tables.focused, id);
  if (focused == shown.end()) focused = shown.begin();
  if (tables.command == TableCommand::next) {
    tables.command.reset();
    tables.shows_focus = true;
    const auto has_rows = [](const DataTable* table) { return table->has_data(); };
    const auto next = std::find_if(focused + 1, shown.end(), has_rows);
    focused = next == shown.end() ? shown.begin() : next;
  }
  tables.focused = id(*focused);
}

// Nothing where the tables need all of the box.
std::optional<Box> pane_box(const Frame& frame, const Box& box) {
  const float width = frame.px(kPaneWidth), gap = frame.px(kGap);
  if (box.width() - width < frame.px(kLeastTables)) return std::nullopt;
  return Box{box.right - gap - width, box.top + gap, box.right - gap, box.bottom - gap};
}

// The table whose details are shown; null = none.
const TableModel* with_chosen_row(std::span<DataTable* const> tables, std::string_view focused) {
  const TableModel* first = nullptr;
  for (const DataTable* const table : tables) {
    const TableModel& model = table->model();
    if (model.look().row_kind.empty() || model.chosen().empty() || !model.selected_row()) continue;
    if (model.look().id == focused) return &model;
    if (first == nullptr) first = &model;
  }
  return first;
}

}  // namespace

void TableView::draw(Frame& frame, const Box& box, const ViewTools& tools) {
  bars_ = &tools.bars;
  focus(tables(), tools.tables);
  draw_tables(frame, box, tools.tables);
}

std::vector<Box> stack_boxes(const Frame& frame, const Box& box, std::span<const float> weights) {
  const float gap = frame.px(kGap);
  const Box inner{box.left + gap, box.top + gap, box.right - gap, box.bottom - gap};
  const float total = std::accumulate(weights.begin(), weights.end(), 0.0f);
  const float height = inner.height() - gap * static_cast<float>(weights.size() - 1);
  std::vector<Box> boxes;
  float sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const float above = gap * static_cast<float>(i);
    const float top = inner.top + above + std::round(height * sum / total);
    sum += weights[i];
    const float bottom = inner.top + above + std::round(height * sum / total);
    boxes.push_back({inner.left, top, inner.right, bottom});
  }
  return boxes;
}

BoxStack::BoxStack(std::string name, std::vector<float> weights)
    : name_(std::move(name)), weights_(std::move(weights)), first_weights_(weights_) {}

std::vector<Box> BoxStack::draw(Frame& frame, const Box& box, std::size_t waiting,
                                std::span<const float> most) {
  const float gap = frame.px(kGap), prompt = frame.px(kPromptHeight);
  const std::size_t filled = weights_.size() - waiting;
  const float rest = box.bottom - static_cast<float>(waiting) * (prompt + gap);
  std::vector<Box> boxes =
      stack_boxes(frame, {box.left, box.top, box.right, rest}, std::span(weights_).first(filled));
  if (weights_ == first_weights_) {
    limit_heights(boxes, weights_, most);
    raise_low(boxes, frame.px(kLeastRow), gap);
  }
  for (std::size_t below = 1; below < filled; ++below) drag_edge(frame, below, boxes);
  while (boxes.size() < weights_.size()) {
    const Box& above = boxes.back();
    const float top = above.bottom + gap;
    boxes.push_back({above.left, top, above.right, top + prompt});
  }
  return boxes;
}

void BoxStack::drag_edge(Frame& frame, std::size_t below, const std::vector<Box>& boxes) {
  const Box& upper = boxes[below - 1];
  const Box& lower = boxes[below];
  const Box edge{upper.left, upper.bottom, upper.right, lower.top};
  const EdgeGrip::Move move = grip_.draw(frame, fmt::format("{}/edge_{}", name_, below), edge);
  if (move.resets) weights_ = first_weights_;
  if (!move.top) return;
  const float both = upper.height() + lower.height();
  const float least = std::min({frame.px(kLeastHeight), upper.height(), lower.height()});
  const float height = std::clamp(*move.top - upper.top, least, both - least);
  if (height == upper.height()) return;
  // From here on the heights are those on screen.
  for (std::size_t i = 0; i < boxes.size(); ++i) weights_[i] = boxes[i].height();
  const float weight = weights_[below - 1] + weights_[below];
  weights_[below - 1] = weight * height / both;
  weights_[below] = weight - weights_[below - 1];
}

Box PaneSlot::draw(Frame& frame, const Box& box, const std::optional<DetailsSubject>& subject) {
  if (closed_ && closed_ != subject) closed_.reset();
  const std::optional<Box> pane = pane_box(frame, box);
  if (!subject || closed_ || !pane) return box;
  if (!pane_.draw(frame, *pane, *subject)) closed_ = subject;
  return {box.left, box.top, pane->left, box.bottom};
}

Box RowPaneSlot::draw(Frame& frame, const Box& box, std::span<DataTable* const> tables,
                      std::string_view focused) {
  const TableModel* const table = with_chosen_row(tables, focused);
  subject_.clear();
  if (table != nullptr) subject_ = fmt::format("{}/{}", table->look().id, table->chosen());
  if (closed_ != subject_) closed_.clear();
  const std::optional<Box> pane = pane_box(frame, box);
  if (table == nullptr || !closed_.empty() || !pane) return box;
  const std::size_t row = *table->selected_row();
  if (prepared_for_ != table->rows()->data || row_ != row) {
    prepared_for_ = table->rows()->data;
    row_ = row;
    content_ = prepare_row_details(*prepared_for_, row, table->look());
  }
  if (!draw_details(frame, *pane, content_, shows_whole_texts_)) closed_ = subject_;
  return {box.left, box.top, pane->left, box.bottom};
}

std::vector<profile::OpIndex> op_with_id(const profile::Profile& profile, const std::string& id) {
  const profile::OpIndex op = id.empty() ? profile::OpIndex() : aggregate::op_named(profile, id);
  return op == profile::kNoRow ? std::vector<profile::OpIndex>{}
                               : std::vector<profile::OpIndex>{op};
}

std::optional<DetailsSubject> kernel_subject(const profile::Profile& profile, profile::OpIndex op,
                                             const std::string& kernel) {
  const auto name = profile.strings.find(kernel);
  if (kernel.empty() || !name) return std::nullopt;
  return DetailsSubject{op, *name};
}

std::shared_ptr<const TableData> ViewData::get(const Model& model,
                                               const report::ViewArguments& arguments) {
  if (made_for_ == model.aggregation && arguments_ == arguments) return data_;
  const bool is_kept = data_ != nullptr && arguments_ == arguments &&
                       data_->profile == model.profile &&
                       report::tells_the_same(*made_for_, *model.aggregation, arguments);
  made_for_ = model.aggregation;
  if (is_kept) return data_;
  arguments_ = arguments;
  data_.reset();
  auto table = report::make_view(view_, *model.profile, *model.aggregation, arguments);
  if (!table) return data_;
  const auto data =
      std::make_shared<TableData>(TableData{model.profile, model.aggregation, std::move(*table)});
  // No look has it, and with another number of the aggregation the rows stay the same.
  std::erase_if(data->table.columns, [](const report::Column& c) { return c.id == "aggr_id"; });
  data->exported_under = TableData::ExportedUnder::selection;
  if (extend_) extend_(*data, arguments);
  data_ = data;
  return data_;
}

LateViewData::LateViewData(std::string view, const TreeColumns& tree, ViewData::Extend extend)
    : view_(std::move(view)), tree_(tree), extend_(std::move(extend)) {
  const auto info = std::ranges::find(report::views(), view_, &report::ViewInfo::name);
  has_frames_ = info != report::views().end() && report::has_python_frames(info->needs);
}

std::shared_ptr<const TableData> LateViewData::get(const Model& model, Background& background) {
  const auto frames = has_frames_ ? model.python_frames : nullptr;
  data_.want({model.aggregation, frames},
             has_few_events(*model.profile) && has_few_frames(frames.get()), background,
             [profile = model.profile, aggregation = model.aggregation, frames, view = view_,
              tree = tree_, extend = extend_](const base::Progress&) {
               report::ViewArguments arguments;
               arguments.python_frames = frames;
               auto table = report::make_view(view, *profile, *aggregation, arguments);
               TableData data{profile, aggregation, table ? std::move(*table) : report::Table()};
               data.python_frames = frames;
               if (!tree.level.empty()) {
                 data.tree = std::make_shared<const RowTree>(tree_by_level(data.table, tree));
               }
               if (extend && table) extend(data, arguments);
               return std::make_shared<const TableData>(std::move(data));
             });
  const std::shared_ptr<const TableData>& data = data_.get();
  return data && data->profile == model.profile ? data : nullptr;
}

std::shared_ptr<const TableData> GapsData::get(const Model& model, Background& background) {
  if (!model.rules) {
    data_.drop();
    return nullptr;
  }
  data_.want({model.aggregation, model.rules}, has_few_events(*model.profile), background,
             [profile = model.profile, aggregation = model.aggregation,
              rules = model.rules](const base::Progress&) {
               TableData data{profile, aggregation,
                              report::make_idle_gaps(*profile, *aggregation, *rules)};
               add_gap_keys(data.table);
               return std::make_shared<const TableData>(std::move(data));
             });
  const std::shared_ptr<const TableData>& data = data_.get();
  return data && data->profile == model.profile ? data : nullptr;
}

}  // namespace dlview::ui
