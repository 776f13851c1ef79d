#include "verify/stored_database.h"

#include <string>

#include <fmt/format.h>

#include "base/shell_quote.h"
#include "import/dlprof/recognize.h"
#include "import/nsys/recognize.h"
#include "import/open.h"

namespace dlview::verify {
namespace {

using import::dlprof::StoredTables;

base::Error no_database(const std::filesystem::path& path, bool is_export) {
  const std::string name = base::shell_quoted(path.string());
  return {"Nothing to verify",
          path.string() +
              " is not a DLProf database. verify recomputes the numbers that such a database "
              "stores, and compares them",
          is_export ? fmt::format("Verify the database that DLProf made from it: dlview verify "
                                  "dlprof_dldb.sqlite --against {}",
                                  name)
                    : fmt::format("To see what the file contains: dlview info {}", name)};
}

}  // namespace

base::Result<StoredTables> open_stored_database(const std::filesystem::path& path,
                                                base::Progress& progress) {
  base::Result<StoredTables> tables = StoredTables::open(path, progress);
  if (tables && import::dlprof::recognize(tables->database())) return tables;
  if (!tables && progress.canceled()) return tables.error();
  // The front door knows what to say of a file that is no profile.
  const base::Status known = import::check_format(path);
  if (!known) return tables ? known.error() : tables.error();
  return no_database(path, tables && import::nsys::recognize(tables->database()));
}

}  // namespace dlview::verify
