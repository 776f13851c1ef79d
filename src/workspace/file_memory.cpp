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

// 0 where there is no such number, or a negative one.
int64_t number_or_zero(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_integer()) return 0;
  return std::max<int64_t>(0, found->get<int64_t>());
}

ProfileFacts read_facts(const Json& json) {
  return {number_or_zero(json, "opened"), text_or_empty(json, "gpus"),
          number_or_zero(json, "duration_ns"), number_or_zero(json, "iterations"),
          parse_picture(text_or_empty(json, "picture"))};
}

}  // namespace

FileMemory::FileMemory(std::filesystem::path file) : file_(std::move(file)) {
  const Json json = read_json(file_);
  if (!json.is_array()) return;
  for (const Json& entry : json) {
    if (!entry.is_object()) continue;
    Entry read{text_or_empty(entry, "path"), text_or_empty(entry, "state"), read_facts(entry)};
    if (!read.path.empty() && entries_.size() < kMaxFiles) entries_.push_back(std::move(read));
  }
}

void FileMemory::remember(const std::string& path, const std::string& state,
                          const std::optional<ProfileFacts>& facts) {
  Entry entry{path, state, {}};
  const auto known = std::ranges::find(entries_, path, &Entry::path);
  if (known != entries_.end()) {
    entry.facts = std::move(known->facts);
    entries_.erase(known);
  }
  if (facts) entry.facts = *facts;
  entries_.insert(entries_.begin(), std::move(entry));
  if (entries_.size() > kMaxFiles) entries_.pop_back();
  write();
}

void FileMemory::forget() {
  entries_.clear();
  write();
}

void FileMemory::forget(const std::string& path) {
  std::erase_if(entries_, [&path](const Entry& entry) { return entry.path == path; });
  write();
}

std::string FileMemory::recall(const std::string& path) const {
  const auto found = std::ranges::find(entries_, path, &Entry::path);
  return found == entries_.end() ? std::string() : found->state;
}

std::vector<RecentFile> FileMemory::recent() const {
  std::vector<RecentFile> files;
  std::error_code ignored;
  for (const Entry& entry : entries_) {
    files.push_back({entry.path, entry.facts, std::filesystem::exists(entry.path, ignored)});
  }
  return files;
}

void FileMemory::write() {
  ++changes_;
  Json json = Json::array();
  for (const Entry& entry : entries_) {
    json.push_back({{"path", entry.path},
                    {"state", entry.state},
                    {"opened", entry.facts.opened_s},
                    {"gpus", entry.facts.gpus},
                    {"duration_ns", entry.facts.duration_ns},
                    {"iterations", entry.facts.iterations},
                    {"picture", to_text(entry.facts.picture)}});
  }
  write_json(json, file_);
}

std::filesystem::path file_memory_file() {
  return state_folder() / "files.json";
}

}  // namespace dlview::workspace
