// What the list of files shows: recent files and the entries of a folder that answer what was
// typed. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ui/model.h"

namespace dlview::ui {

struct FileRow {
  enum class Kind : uint8_t { recent, folder, file };
  Kind kind = Kind::file;
  std::string path;           // absolute
  std::string title, detail;  // the name; where it is or how large it is
};

// Recent files (of the query), the folder above, then the folder's own entries. A query that is a
// path ("/data/run.sqlite", "~/runs") gives that path alone.
std::vector<FileRow> find_files(const FolderListing& folder, std::span<const std::string> recent,
                                std::string_view query, std::string_view home);

}  // namespace dlview::ui
