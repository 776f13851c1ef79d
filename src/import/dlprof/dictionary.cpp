#include "import/dlprof/dictionary.h"

namespace dlview::import::dlprof {
namespace {

using enum ColumnSpec::Kind;

constexpr ColumnSpec kDictionaryColumns[] = {{"id"}, {"string", text}};
constexpr TableSpec kDictionary{"dictionary", kDictionaryColumns, "Reading texts"};

}  // namespace

base::Status read_dictionary(Context& context) {
  return for_each_row(context, kDictionary, [&](const sqlite::Statement& row) {
    context.dictionary.set(row.integer(0), context.builder.intern(row.text(1)));
  });
}

std::optional<std::string> dictionary_text(const sqlite::Database& database, int64_t id) {
  base::Result<sqlite::Statement> rows =
      database.prepare("SELECT string FROM dictionary WHERE id = ?1");
  if (!rows) return std::nullopt;
  rows->bind(1, id);
  if (!rows->next()) return std::nullopt;
  return std::string(rows->text(0));
}

}  // namespace dlview::import::dlprof
