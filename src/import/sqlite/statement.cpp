#include "import/sqlite/statement.h"

#include <utility>

#include <sqlite3.h>

#include "import/errors.h"

namespace dlview::import::sqlite {

Statement::Statement(sqlite3_stmt* statement, std::filesystem::path path, int64_t most_text_bytes,
                     const base::Progress& progress)
    : statement_(statement),
      path_(std::move(path)),
      most_text_bytes_(most_text_bytes),
      progress_(&progress) {}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

void Statement::bind(int parameter, int64_t value) {
  sqlite3_bind_int64(statement_.get(), parameter, value);
}

void Statement::bind(int parameter, std::string_view text) {
  sqlite3_bind_text64(statement_.get(), parameter, text.data(), text.size(), SQLITE_TRANSIENT,
                      SQLITE_UTF8);
}

void Statement::restart() {
  sqlite3_reset(statement_.get());
}

bool Statement::next() {
  if (progress_->canceled()) {
    result_code_ = SQLITE_INTERRUPT;
  } else if (text_bytes_ > most_text_bytes_) {
    result_code_ = SQLITE_CORRUPT;
  } else {
    result_code_ = sqlite3_step(statement_.get());
  }
  return result_code_ == SQLITE_ROW;
}

base::Status Statement::status() const {
  if (result_code_ == SQLITE_CORRUPT && text_bytes_ > most_text_bytes_) {
    return sqlite_error(path_, result_code_, "its texts total more than four times the file size");
  }
  if (result_code_ == SQLITE_OK || result_code_ == SQLITE_ROW || result_code_ == SQLITE_DONE) {
    return base::Success{};
  }
  return sqlite_error(path_, result_code_, sqlite3_errmsg(sqlite3_db_handle(statement_.get())));
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

bool Statement::is_integer(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_INTEGER;
}

int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

// Connections have no mutex (SQLITE_OPEN_NOMUTEX), so that the value needs no protection.
Statement::Cell Statement::cell(int column) const {
  sqlite3_value* const value = sqlite3_column_value(statement_.get(), column);
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_NULL) return {.is_null = true};
  return {.integer = sqlite3_value_int64(value), .is_integer = type == SQLITE_INTEGER};
}

double Statement::real(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}

std::string_view Statement::text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_.get(), column);
  if (text == nullptr) return {};
  const int bytes = sqlite3_column_bytes(statement_.get(), column);
  text_bytes_ += bytes;
  return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(bytes)};
}

base::Value Statement::value(int column) const {
  switch (sqlite3_column_type(statement_.get(), column)) {
    case SQLITE_NULL:
      return std::monostate{};
    case SQLITE_INTEGER:
      return integer(column);
    case SQLITE_FLOAT:
      return real(column);
    default:
      return std::string(text(column));
  }
}

int Statement::column_count() const {
  return sqlite3_column_count(statement_.get());
}

std::string_view Statement::column_name(int column) const {
  const char* name = sqlite3_column_name(statement_.get(), column);
  return name == nullptr ? std::string_view() : name;
}

}  // namespace dlview::import::sqlite
