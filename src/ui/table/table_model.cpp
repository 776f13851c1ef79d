#include "ui/table/table_model.h"

#include <algorithm>
#include <iterator>

#include "report/table.h"

namespace dlview::ui {
namespace {

// So many rows are freed within a frame's time.
constexpr std::size_t kFreedAtOnce = 20'000;

}  // namespace

void RowMarks::add(std::size_t first, std::size_t last) {
  auto run = runs_.upper_bound(first);
  if (run != runs_.begin() && std::prev(run)->second + 1 >= first) --run;
  while (run != runs_.end() && run->first <= last + 1) {
    first = std::min(first, run->first);
    last = std::max(last, run->second);
    run = runs_.erase(run);
  }
  runs_.emplace(first, last);
}

void RowMarks::toggle(std::size_t place) {
  if (!contains(place)) return add(place, place);
  const auto run = std::prev(runs_.upper_bound(place));
  const auto [first, last] = *run;
  runs_.erase(run);
  if (first < place) runs_.emplace(first, place - 1);
  if (place < last) runs_.emplace(place + 1, last);
}

bool RowMarks::contains(std::size_t place) const {
  const auto next = runs_.upper_bound(place);
  return next != runs_.begin() && std::prev(next)->second >= place;
}

std::size_t RowMarks::count() const {
  std::size_t count = 0;
  for (const auto& [first, last] : runs_) count += last - first + 1;
  return count;
}

TableModel::TableModel(TableLook look)
    : look_(std::move(look)), query_(look_.first_query), order_(look_) {}

void TableModel::update(std::shared_ptr<const TableData> data, Background& background) {
  if (data_ != data) is_deselected_ = false;
  data_ = data;
  order_.update(std::move(data), query_, selected_, background);
  if (seen_ == rows()) return;
  std::shared_ptr<const ShownRows> last = std::exchange(seen_, rows());
  if (last && last->data->table.row_count > kFreedAtOnce) background.drop(std::move(last));
  ++generation_;
  marks_.clear();
  find_selected();
}

// In whatever order the rows are, it is the first one.
void TableModel::select_by_default() {
  if (is_default_) selected_.clear();
  is_default_ = look_.is_driving && selected_.empty() && !is_deselected_ && row_count() > 0;
  if (!is_default_) return;
  selected_ = key_at(0);
  is_default_ = !selected_.empty();
  if (is_default_) place_ = 0;
}

void TableModel::find_selected() {
  place_.reset();
  select_by_default();
  if (!is_default_) {
    place_ = seen_->key == selected_ ? seen_->key_place : find_key(*seen_, look_.key, selected_);
  }
  if (!place_) return;
  anchor_ = *place_;
  marks_.add(*place_, *place_);
}

std::string_view TableModel::filter_of(std::string_view column) const {
  const auto found = std::ranges::find(query_.filters, column, &report::ColumnFilter::column);
  return found == query_.filters.end() ? std::string_view() : found->text;
}

void TableModel::set_filter(const std::string& column, std::string text) {
  const auto found = std::ranges::find(query_.filters, column, &report::ColumnFilter::column);
  if (text.empty()) {
    if (found != query_.filters.end()) query_.filters.erase(found);
  } else if (found != query_.filters.end()) {
    found->text = std::move(text);
  } else {
    query_.filters.push_back({column, std::move(text)});
  }
}

void TableModel::sort_by(const report::Column& column, bool add) {
  using enum report::SortDirection;
  const auto found = std::ranges::find(query_.sort, column.id, &report::SortKey::column);
  const bool is_key = found != query_.sort.end() && (add || query_.sort.size() == 1);
  const report::SortDirection direction = !is_key                         ? column.first_sort
                                          : found->direction == ascending ? descending
                                                                          : ascending;
  if (!add) query_.sort.clear();
  if (add && is_key) {
    found->direction = direction;
  } else {
    query_.sort.push_back({column.id, direction});
  }
}

std::string TableModel::key_at(std::size_t place) const {
  const report::Table& table = rows()->data->table;
  const std::size_t column = find_column(table, look_.key);
  return column == kNoColumn ? "" : report::to_text(table.cell(rows()->rows[place], column));
}

std::optional<std::size_t> TableModel::selected_row() const {
  if (!place_) return std::nullopt;
  return rows()->rows[*place_];
}

void TableModel::select(std::string key) {
  selected_ = std::move(key);
  is_default_ = false;
  is_deselected_ = false;
  place_.reset();
  marks_.clear();
  if (seen_) find_selected();
}

void TableModel::deselect() {
  selected_.clear();
  is_default_ = false;
  is_deselected_ = true;
  place_.reset();
  marks_.clear();
}

void TableModel::select_place(std::size_t place, Extend extend) {
  if (place >= row_count()) return;
  if (extend == Extend::by_this) {
    marks_.toggle(place);
    if (marks_.empty()) return deselect();
  } else {
    marks_.clear();
    marks_.add(extend == Extend::to_here ? std::min(anchor_, place) : place,
               extend == Extend::to_here ? std::max(anchor_, place) : place);
  }
  if (extend != Extend::to_here) anchor_ = place;
  place_ = place;
  selected_ = key_at(place);
  is_default_ = false;
}

void TableModel::move_selection(int64_t rows, bool extend) {
  if (row_count() == 0) return;
  const auto last = static_cast<int64_t>(row_count()) - 1;
  // Without a selection the first step goes to an end.
  const int64_t from = place_ ? static_cast<int64_t>(*place_) : rows > 0 ? -1 : last + 1;
  const int64_t to = std::clamp<int64_t>(from + rows, 0, last);
  select_place(static_cast<std::size_t>(to), extend && place_ ? Extend::to_here : Extend::no);
}

void TableModel::mark_all() {
  if (row_count() > 0) marks_.add(0, row_count() - 1);
}

bool TableModel::is_open(std::size_t place, const std::string& column) const {
  return anything_open() && open_.contains({key_at(place), column});
}

void TableModel::toggle_open(std::size_t place, const std::string& column) {
  std::pair<std::string, std::string> text{key_at(place), column};
  if (open_.erase(text) == 0) open_.insert(std::move(text));
}

}  // namespace dlview::ui
