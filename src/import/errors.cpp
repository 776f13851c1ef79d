#include "import/errors.h"

#include <fmt/format.h>
#include <sqlite3.h>

namespace dlview::import {

std::string quoted(const std::filesystem::path& path) {
  return fmt::format("\"{}\"", path.string());
}

base::Error canceled(const std::filesystem::path& path) {
  return {"Canceled", quoted(path) + " was not opened: the job was canceled",
          "Open the file again to start over"};
}

base::Error sqlite_error(const std::filesystem::path& path, int result_code,
                         const std::string& message) {
  const std::string detail = quoted(path) + ": " + message;
  switch (result_code & 0xff) {
    case SQLITE_INTERRUPT:
      return canceled(path);
    case SQLITE_CORRUPT:
      return {"The file is damaged", detail,
              "Copy it again from where it was recorded, or save what is left of it with "
              "\"sqlite3 FILE .recover\""};
    case SQLITE_NOTADB:
      return {"The file is encrypted or damaged",
              quoted(path) + " has an SQLite header but is not a valid database: " + message,
              "Decrypt it with the program that encrypted it, or copy it again from where it was "
              "recorded"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {"The file is being written", detail,
              "Wait until the program that writes it has finished, then open it again"};
    case SQLITE_TOOBIG:
      return {
          "A row of the file is too large", detail,
          "dlview reads rows of up to 64 MiB. If the file is damaged, copy it again from where it "
          "was recorded"};
    case SQLITE_FULL:
      return {"Not enough disk space to open the file", detail,
              "Free some space, or set XDG_CACHE_HOME to a folder on a disk that has more"};
    case SQLITE_NOMEM:
      return {"Not enough memory", detail, "Close other programs, then open the file again"};
    default:
      return {"The file cannot be read", detail,
              "Check the disk or the network drive that holds it, then open it again"};
  }
}

}  // namespace dlview::import
