#include "ui/palette/file_list.h"

#include "base/units.h"
#include "ui/palette/fuzzy.h"

namespace dlview::ui {
namespace {

std::string name_of(std::string_view path) {
  return std::string(path.substr(path.find_last_of('/') + 1));
}

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  return std::string(slash == 0 ? "/" : path.substr(0, slash));
}

std::string below(const std::string& folder, const std::string& name) {
  return folder.ends_with('/') ? folder + name : folder + "/" + name;
}

}  // namespace

std::vector<FileRow> find_files(const FolderListing& folder, std::span<const std::string> recent,
                                std::string_view query, std::string_view home) {
  if (query.starts_with('/')) {
    return {{FileRow::Kind::file, std::string(query), std::string(query), "this path"}};
  }
  if (query.starts_with("~/")) {
    std::string path = std::string(home) + std::string(query.substr(1));
    return {{FileRow::Kind::file, path, path, "this path"}};
  }
  std::vector<FileRow> rows;
  for (const std::string& path : recent) {
    if (!fuzzy_score(query, path)) continue;
    rows.push_back({FileRow::Kind::recent, path, name_of(path), "recent · " + folder_of(path)});
  }
  if (query.empty() && folder.path != "/") {
    rows.push_back({FileRow::Kind::folder, folder_of(folder.path), "..", "the folder above"});
  }
  for (const FolderListing::Entry& entry : folder.entries) {
    if (!fuzzy_score(query, entry.name)) continue;
    FileRow row{entry.is_folder ? FileRow::Kind::folder : FileRow::Kind::file,
                below(folder.path, entry.name), entry.name, ""};
    if (entry.is_folder)
      row.title += "/";
    else
      row.detail = base::format_bytes(entry.bytes);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace dlview::ui
