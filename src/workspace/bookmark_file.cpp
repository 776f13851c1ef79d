#include "workspace/bookmark_file.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/fnv.h"
#include "workspace/own_files.h"

namespace dlview::workspace {
namespace {

using Json = nlohmann::json;
using timeline::Bookmark;
using timeline::Bookmarks;
using timeline::TimeWindow;

constexpr std::size_t kSamples = 4096;

// Empty where there is no file; nothing where it holds something else.
std::optional<Json> read(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return Json::object();
  Json json = read_json(file);
  return json.is_object() ? std::optional(std::move(json)) : std::nullopt;
}

std::optional<TimeWindow> window_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_array() || found->size() != 2) return std::nullopt;
  const Json &start = (*found)[0], &length = (*found)[1];
  if (!start.is_number_integer() || !length.is_number_integer()) return std::nullopt;
  const bool fits = !start.is_number_unsigned() || start.get<uint64_t>() <= INT64_MAX;
  const bool length_fits = !length.is_number_unsigned() || length.get<uint64_t>() <= INT64_MAX;
  if (!fits || !length_fits) return std::nullopt;
  const TimeWindow window{start.get<int64_t>(), length.get<int64_t>()};
  int64_t stop_ns = 0;
  const bool ends = !__builtin_add_overflow(window.start_ns, window.length_ns, &stop_ns);
  return ends && window.length_ns > 0 ? std::optional(window) : std::nullopt;
}

std::optional<Bookmark> bookmark_of(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  const auto time = window_of(json, "time"), window = window_of(json, "window");
  if (!time || !window) return std::nullopt;
  const auto note = json.find("note");
  const bool has_note = note != json.end() && note->is_string();
  return Bookmark{*time, *window, has_note ? note->get<std::string>() : ""};
}

// As many as the column has, and some of them.
void add(base::Fnv1a& hash, const profile::Column<int64_t>& column) {
  hash.add(static_cast<uint64_t>(column.size()));
  const std::size_t step = std::max<std::size_t>(1, column.size() / kSamples);
  for (std::size_t row = 0; row < column.size(); row += step) {
    hash.add(static_cast<uint64_t>(column[row]));
  }
}

}  // namespace

Bookmarks BookmarkFile::of(const std::string& run) const {
  Bookmarks bookmarks;
  const std::optional<Json> json = read(file_);
  if (!json) return bookmarks;
  const auto found = json->find(run);
  if (found == json->end() || !found->is_object() || !found->contains("bookmarks"))
    return bookmarks;
  for (const Json& entry : (*found)["bookmarks"]) {
    if (const auto bookmark = bookmark_of(entry)) add_bookmark(bookmarks, *bookmark);
  }
  return bookmarks;
}

bool BookmarkFile::keep(const std::string& run, const std::string& path, const Bookmarks& before,
                        const Bookmarks& after) const {
  std::optional<Json> json = read(file_);
  if (!json) return false;
  Bookmarks bookmarks = of(run);
  std::erase_if(bookmarks, [&](const Bookmark& kept) {
    return std::ranges::find(before, kept) != before.end() &&
           std::ranges::find(after, kept) == after.end();
  });
  for (const Bookmark& bookmark : after) add_bookmark(bookmarks, bookmark);
  Json entries = Json::array();
  for (const Bookmark& bookmark : bookmarks) {
    entries.push_back({{"time", {bookmark.time.start_ns, bookmark.time.length_ns}},
                       {"window", {bookmark.window.start_ns, bookmark.window.length_ns}},
                       {"note", bookmark.note}});
  }
  (*json)[run] = {{"path", path}, {"bookmarks", std::move(entries)}};
  if (bookmarks.empty()) json->erase(run);
  return write_json(*json, file_);
}

std::filesystem::path bookmark_file() {
  return config_folder() / "bookmarks.json";
}

std::string run_identity(const profile::Profile& profile) {
  base::Fnv1a hash;
  add(hash, profile.kernels.gpu_start_ns);
  add(hash, profile.kernels.gpu_stop_ns);
  add(hash, profile.memory_ops.gpu_start_ns);
  add(hash, profile.instances.cpu_start_ns);
  add(hash, profile.instances.cpu_stop_ns);
  add(hash, profile.api_calls.api_start_ns);
  add(hash, profile.user_ranges.start_ns);
  return fmt::format("{:016x}", hash.value());
}

}  // namespace dlview::workspace
