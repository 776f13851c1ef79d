#include "app/folder_listing.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

namespace dlview::app {
namespace {

namespace fs = std::filesystem;
using Entry = ui::FolderListing::Entry;

bool is_profile(const std::string& name) {
  constexpr std::array<std::string_view, 5> endings{".sqlite", ".sqlite3", ".db", ".nsys-rep",
                                                    ".qdrep"};
  return std::ranges::any_of(endings, [&name](auto ending) { return name.ends_with(ending); });
}

Entry describe(const fs::directory_entry& file) {
  std::error_code ignored;
  Entry entry{file.path().filename().string(), file.is_directory(ignored), 0};
  if (entry.is_folder) return entry;
  const auto bytes = file.file_size(ignored);
  entry.bytes = ignored ? 0 : static_cast<int64_t>(bytes);
  return entry;
}

}  // namespace

ui::FolderListing list_folder(const fs::path& folder) {
  std::error_code error;
  ui::FolderListing listing;
  const fs::path absolute = fs::absolute(folder, error).lexically_normal();
  listing.path = absolute.has_filename() || absolute == absolute.root_path()
                     ? absolute.string()
                     : absolute.parent_path().string();
  fs::directory_iterator files(listing.path, error);
  for (; !error && files != fs::directory_iterator(); files.increment(error)) {
    if (!files->path().filename().string().starts_with('.')) {
      listing.entries.push_back(describe(*files));
    }
  }
  if (error) listing.problem = error.message();
  std::ranges::sort(listing.entries, {}, [](const Entry& entry) {
    return std::tuple(!entry.is_folder, !is_profile(entry.name), entry.name);
  });
  return listing;
}

fs::path folder_near(const fs::path& path) {
  std::error_code ignored;
  for (fs::path folder = fs::absolute(path, ignored); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (fs::is_directory(folder, ignored)) return folder;
  }
  return fs::current_path(ignored);
}

}  // namespace dlview::app
