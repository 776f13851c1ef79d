#include "import/sqlite/table_rows.h"

#include <limits>
#include <utility>

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
  return cursor_ ? next_of_pages() : next_of_statement();
}

bool TableRows::next_of_pages() {
  if (rows_++ % kRowsBetweenLooks == 0 && database_.progress().cancelled()) {
    status_ = cancelled(database_.path());
    return false;
  }
  const PageCursor::Step step = cursor_->next();
  if (step == PageCursor::Step::end || is_last_) return false;
  if (step == PageCursor::Step::row && record_->read(cursor_->payload(), cursor_->rowid())) {
    is_last_ = cursor_->rowid() == std::numeric_limits<int64_t>::max();
    first_ = is_last_ ? cursor_->rowid() : cursor_->rowid() + 1;
    return true;
  }
  cursor_.reset();
  return next_of_statement();
}

bool TableRows::next_of_statement() {
  if (!statement_) {
    base::Result<Statement> rows = ask_from_(first_);
    if (!rows) {
      status_ = std::move(rows).error();
      return false;
    }
    statement_ = std::move(*rows);
  }
  if (statement_->next()) return true;
  status_ = statement_->status();
  return false;
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
