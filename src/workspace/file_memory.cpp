#include "workspace/file_memory.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "workspace/own_files.h"

namespace dlview::workspace {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxFiles = 30;

std::string text_or_empty(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

FileMemory::FileMemory(std::filesystem::path file) : file_(std::move(file)) {
  const Json json = read_json(file_);
  if (!json.is_array()) return;
  for (const Json& entry : json) {
    if (!entry.is_object()) continue;
    Entry read{text_or_empty(entry, "path"), text_or_empty(entry, "state")};
    if (!read.path.empty() && entries_.size() < kMaxFiles) entries_.push_back(std::move(read));
  }
}

void FileMemory::remember(const std::string& path, const std::string& state) {
  std::erase_if(entries_, [&path](const Entry& entry) { return entry.path == path; });
  entries_.insert(entries_.begin(), {path, state});
  if (entries_.size() > kMaxFiles) entries_.pop_back();
  write();
}

void FileMemory::forget() {
  entries_.clear();
  write();
}

std::string FileMemory::recall(const std::string& path) const {
  const auto found = std::ranges::find(entries_, path, &Entry::path);
  return found == entries_.end() ? std::string() : found->state;
}

std::vector<std::string> FileMemory::recent() const {
  std::vector<std::string> paths;
  std::error_code ignored;
  for (const Entry& entry : entries_) {
    if (std::filesystem::exists(entry.path, ignored)) paths.push_back(entry.path);
  }
  return paths;
}

void FileMemory::write() const {
  Json json = Json::array();
  for (const Entry& entry : entries_)
    json.push_back({{"path", entry.path}, {"state", entry.state}});
  write_json(json, file_);
}

std::filesystem::path file_memory_file() {
  return state_folder() / "files.json";
}

}  // namespace dlview::workspace
