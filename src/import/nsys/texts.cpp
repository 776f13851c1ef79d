#include "import/nsys/texts.h"

#include <utility>

#include <fmt/format.h>

#include "base/utf8.h"

namespace dlview::import::nsys {
namespace {

constexpr const char* kStringTable = "StringIds";

}  // namespace

std::string describe_not_utf8(const std::string& valid) {
  return fmt::format("\"{}\"", valid);
}

std::string Texts::valid(std::string_view table, int64_t row, std::string_view text) {
  std::string valid = base::with_valid_utf8(text);
  if (valid != text) {
    quality_.add(table, kNotUtf8, row, [&] { return describe_not_utf8(valid); });
  }
  return valid;
}

profile::StringId Texts::intern(std::string_view table, int64_t row, std::string_view text) {
  return base::is_utf8(text) ? builder_.intern(text) : builder_.intern(valid(table, row, text));
}

std::optional<profile::StringId> Texts::find(int64_t id) {
  if (!std::exchange(has_begun_, true)) begin();
  if (const std::optional<profile::StringId> known = known_.find(id)) return known;
  if (!by_key_) return std::nullopt;
  by_key_->restart();
  by_key_->bind(1, id);
  if (!by_key_->next()) {
    if (status_) status_ = by_key_->status();
    return std::nullopt;
  }
  const profile::StringId text = intern(kStringTable, id, by_key_->text(0));
  know(id, text);
  return text;
}

void Texts::know(int64_t id, profile::StringId text) {
  known_.set(id, text);
  if (text >= ids_.size()) ids_.resize(std::size_t{text} + 1, profile::kNoValue);
  if (ids_[text] == profile::kNoValue) ids_[text] = id;
}

// Every exporter makes `id` the key; a table that somebody copied may have lost it.
void Texts::begin() {
  if (!database_.has_table(kStringTable)) return;
  base::Result<sqlite::Statement> key = database_.prepare(
      "SELECT 1 FROM pragma_table_info('StringIds') WHERE name = 'id' AND pk = 1");
  if (!key || !key->next()) return read_all();
  base::Result<sqlite::Statement> by_key =
      database_.prepare("SELECT value FROM StringIds WHERE id = ?1");
  if (by_key) {
    by_key_ = std::move(*by_key);
  } else {
    status_ = by_key.error();
  }
}

void Texts::read_all() {
  base::Result<sqlite::Statement> rows = database_.prepare("SELECT id, value FROM StringIds");
  if (!rows) {
    status_ = rows.error();
    return;
  }
  while (rows->next()) {
    know(rows->integer(0), intern(kStringTable, rows->integer(0), rows->text(1)));
  }
  status_ = rows->status();
}

}  // namespace dlview::import::nsys
