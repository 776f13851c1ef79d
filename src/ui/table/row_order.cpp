#include "ui/table/row_order.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "base/exceptions.h"
#include "base/parallel.h"
#include "base/parse.h"
#include "base/progress.h"
#include "ui/table/cell_text.h"
#include "ui/table/row_tree.h"

namespace dlview::ui {
namespace {

// So many rows are sorted and filtered within a frame's time.
constexpr std::size_t kAtOnce = 20'000;
constexpr std::size_t kGrain = 16'384;

double largest_in(const report::Column& column, const std::vector<uint32_t>& rows) {
  std::mutex mutex;
  double largest = 0;
  base::parallel_for(rows.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    double here = 0;
    for (std::size_t i = begin; i < end; ++i) {
      here = std::max(here, number_of(column.cell(rows[i])));
    }
    const std::lock_guard lock(mutex);
    largest = std::max(largest, here);
  });
  return largest;
}

// Whether the text of a cell is this one; most keys are names or numbers, which need not be
// written out to be compared.
class KeyText {
 public:
  explicit KeyText(std::string_view text) : text_(text), number_(base::parse_natural(text)) {}
  bool is_of(const report::Cell& cell) const {
    if (const auto* view = std::get_if<std::string_view>(&cell)) return *view == text_;
    if (const auto* number = std::get_if<int64_t>(&cell); number != nullptr && *number >= 0) {
      return number_ == *number;
    }
    return report::to_text(cell) == text_;
  }

 private:
  std::string_view text_;
  std::optional<int64_t> number_;
};

}  // namespace

std::optional<std::size_t> find_key(const ShownRows& shown, std::string_view key_column,
                                    std::string_view key) {
  const report::Table& table = shown.data->table;
  const std::size_t column = find_column(table, key_column);
  if (key.empty() || column == kNoColumn) return std::nullopt;
  const KeyText wanted(key);
  std::atomic<std::size_t> first = shown.rows.size();
  base::parallel_for(shown.rows.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t place = begin; place < end && place < first; ++place) {
      if (!wanted.is_of(table.cell(shown.rows[place], column))) continue;
      std::size_t known = first;
      while (place < known && !first.compare_exchange_weak(known, place)) {
      }
      return;
    }
  });
  return first < shown.rows.size() ? std::optional(first.load()) : std::nullopt;
}

struct RowOrder::Job {
  ShownRows wanted;  // completed by the job
  std::string key_column;
  std::vector<std::string> bar_columns;
  base::Progress progress;
  std::optional<base::Error> error;
  std::atomic<bool> done{false};  // what stands above may be read once it is true

  // Throws on, for Background to keep.
  void run() {
    try {
      make();
    } catch (...) {
      error = base::error_of_current_exception();
      done.store(true, std::memory_order_release);
      throw;
    }
    done.store(true, std::memory_order_release);
  }

 private:
  void make() {
    const report::Table& table = wanted.data->table;
    auto rows = wanted.data->tree ? query_tree(table, *wanted.data->tree, wanted.query, progress)
                                  : report::run_query(table, wanted.query, progress);
    if (rows) {
      wanted.rows = std::move(*rows);
      wanted.largest.resize(table.columns.size());
      for (const std::string& id : bar_columns) {
        const std::size_t column = find_column(table, id);
        if (column == kNoColumn) continue;
        wanted.largest[column] = largest_in(table.columns[column], wanted.rows);
      }
      wanted.key_place = find_key(wanted, key_column, wanted.key);
    } else {
      error = rows.error();
    }
  }
};

RowOrder::RowOrder(const TableLook& look) : key_column_(look.key) {
  for (const ColumnLook& column : look.columns) {
    if (column.bar && column.bar_of == 0) bar_columns_.push_back(column.id);
  }
}

RowOrder::~RowOrder() {
  if (job_) job_->progress.cancel();
}

bool RowOrder::is_current(const std::shared_ptr<const TableData>& data,
                          const report::TableQuery& query) const {
  if (problem_data_ == data && problem_query_ == query) return true;
  return shown_ && shown_->data == data && shown_->query == query;
}

void RowOrder::take_over() {
  if (!job_ || !job_->done.load(std::memory_order_acquire)) return;
  const std::shared_ptr<Job> job = std::exchange(job_, nullptr);
  if (job->error) {
    problem_ = job->error->title;
    problem_data_ = job->wanted.data;
    problem_query_ = job->wanted.query;
  } else {
    shown_ = std::make_shared<const ShownRows>(std::move(job->wanted));
    problem_.clear();
    problem_data_.reset();
  }
}

void RowOrder::update(std::shared_ptr<const TableData> data, const report::TableQuery& query,
                      const std::string& key, Background& background) {
  take_over();
  if (job_) {
    // Newer numbers wait for the answer, lest a slider that moves keeps it from ever coming.
    if (job_->wanted.query == query) return;
    job_->progress.cancel();
    job_.reset();
  }
  if (is_current(data, query)) return;
  job_ = std::make_shared<Job>();
  job_->wanted.data = std::move(data);
  job_->wanted.query = query;
  job_->wanted.key = key;
  job_->key_column = key_column_;
  job_->bar_columns = bar_columns_;
  if (job_->wanted.data->table.row_count > kAtOnce) {
    return background.run([job = job_] { job->run(); });
  }
  background.run_now([this] { job_->run(); });
  take_over();
}

}  // namespace dlview::ui
