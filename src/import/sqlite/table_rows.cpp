#include "import/sqlite/table_rows.h"

#include <limits>
#include <utility>

#include <sqlite3.h>

#include "import/errors.h"

namespace dlview::import::sqlite {
namespace {

constexpr uint32_t kRowsBetweenLooks = 4096;  // at the cancel button

}  // namespace

TableRows::TableRows(const Database& database, int64_t first, const Pages* pages, AskFrom ask_from)
    : database_(database), first_(first), ask_from_(std::move(ask_from)) {
  if (pages == nullptr) return;
  cursor_.emplace(pages->file, pages->layout.root, first, pages->last);
  record_.emplace(pages->layout, pages->columns);
  digits_.resize(pages->columns.size());
}

bool TableRows::next() {
  if (rows_++ % kRowsBetweenLooks == 0 && database_.progress().canceled()) {
    return end_with(canceled(database_.path()));
  }
  return cursor_ && !statement_ ? next_of_pages() : next_of_statement();
}

bool TableRows::end_with(base::Error error) {
  status_ = std::move(error);
  return false;
}

bool TableRows::end_with_damage() {
  return end_with(sqlite_error(database_.path(), SQLITE_CORRUPT,
                               "rows of a table are missing, repeated or out of order"));
}

bool TableRows::next_of_pages() {
  const PageCursor::Step step = cursor_->next();
  if (step == PageCursor::Step::damaged) return end_with_damage();
  if (step == PageCursor::Step::end || is_last_) return false;
  if (!record_->read(cursor_->payload(), cursor_->rowid())) {
    is_at_cursor_ = true;
    return next_of_statement();
  }
  is_last_ = cursor_->rowid() == std::numeric_limits<int64_t>::max();
  first_ = is_last_ ? cursor_->rowid() : cursor_->rowid() + 1;
  return true;
}

bool TableRows::next_of_statement() {
  if (!statement_) {
    base::Result<Statement> rows = ask_from_(first_);
    if (!rows) return end_with(std::move(rows).error());
    statement_ = std::move(*rows);
  }
  const bool has_row = statement_->next();
  status_ = statement_->status();
  if (!status_ || !cursor_) return has_row;
  // The cursor goes along: SQLite does not see rows out of order.
  const PageCursor::Step step =
      std::exchange(is_at_cursor_, false) ? PageCursor::Step::row : cursor_->next();
  const bool is_same = step == (has_row ? PageCursor::Step::row : PageCursor::Step::end);
  return is_same ? has_row : end_with_damage();
}

std::string_view TableRows::text(int column) const {
  if (statement_) return statement_->text(column);
  const auto index = static_cast<std::size_t>(column);
  const Cell& cell = record_->cell(index);
  if (cell.is_null) return {};
  if (!cell.is_integer) return record_->text(index);
  return digits_[index] = std::to_string(cell.integer);
}

}  // namespace dlview::import::sqlite
