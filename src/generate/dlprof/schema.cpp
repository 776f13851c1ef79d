#include "generate/dlprof/schema.h"

#include <string>
#include <string_view>

namespace dlview::generate::dlprof {
namespace {

std::string with_cascades(std::string sql) {
  constexpr std::string_view kShort = "CASCADES";
  constexpr std::string_view kFull = "ON UPDATE CASCADE ON DELETE CASCADE";
  for (std::size_t at = sql.find(kShort); at != std::string::npos;
       at = sql.find(kShort, at + kFull.size())) {
    sql.replace(at, kShort.size(), kFull);
  }
  return sql;
}

}  // namespace

void create_tables(SqliteFile& file) {
  file.execute(with_cascades(kRawTables));
  file.execute(with_cascades(kAggregatedTables));
}

void create_indexes_and_views(SqliteFile& file) {
  file.execute(kRawIndexes);
  file.execute(kAggregatedIndexes);
  file.execute(kFileViews);
  file.execute(kIterationViews);
  file.execute(kModelViews);
  file.execute(kOpViews);
}

}  // namespace dlview::generate::dlprof
