#include "import/pytorch/recognize.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <system_error>

#include "import/pytorch/json_scanner.h"

namespace dlview::import::pytorch {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFilesOfFolder = 200, kCandidatesOfFolder = 8;

// Categories that no other writer of this format has. Kernels are not among them.
constexpr std::string_view kCategories[] = {"cpu_op",
                                            "Operator",
                                            "user_annotation",
                                            "gpu_user_annotation",
                                            "gpu_memcpy",
                                            "gpu_memset",
                                            "cuda_runtime",
                                            "cuda_driver",
                                            "cuda_sync",
                                            "xpu_runtime",
                                            "xpu_driver",
                                            "mtia_runtime",
                                            "mtia_ccp_events",
                                            "privateuse1_runtime",
                                            "privateuse1_driver",
                                            "cpu_instant_event",
                                            "python_function",
                                            "ac2g",
                                            "fwdbwd"};

std::string_view without_space(std::string_view text) {
  JsonScanner json(text);
  json.skip_space();
  return {json.at(), static_cast<std::size_t>(json.end() - json.at())};
}

// What stands after the colon of the first `key` at or after `begin`, which moves past it;
// empty where there is none. A string value "key" is no key: no colon follows.
std::string_view value_of(std::string_view json, std::string_view key, std::size_t& begin) {
  const std::string quoted_key = '"' + std::string(key) + '"';
  for (begin = json.find(quoted_key, begin); begin != std::string_view::npos;
       begin = json.find(quoted_key, begin)) {
    begin += quoted_key.size();
    const std::string_view rest = without_space(json.substr(begin));
    if (rest.starts_with(':')) return without_space(rest.substr(1));
  }
  return {};
}

bool has_any_key(std::string_view json, std::initializer_list<std::string_view> keys) {
  return std::ranges::any_of(keys, [json](std::string_view key) {
    std::size_t begin = 0;
    return !value_of(json, key, begin).empty();
  });
}

template <typename Accept>
bool has_text(std::string_view json, std::string_view key, const Accept& accept) {
  std::size_t begin = 0;
  while (begin != std::string_view::npos) {
    const std::string_view value = value_of(json, key, begin);
    if (!value.starts_with('"')) continue;
    if (accept(value.substr(1, value.find('"', 1) - 1))) return true;
  }
  return false;
}

bool has_category(std::string_view json) {
  return has_text(json, "cat", [](std::string_view category) {
    return std::ranges::find(kCategories, category) != std::end(kCategories);
  });
}

bool is_named_as_json(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".json") || name.ends_with(".json.gz");
}

}  // namespace

bool begins_as_trace(std::string_view json) {
  if (json.starts_with(kByteOrderMark)) json.remove_prefix(kByteOrderMark.size());
  json = without_space(json);
  if (json.starts_with('[')) {
    // The old autograd profiler writes events without categories and without anything around them.
    return has_category(json) || has_text(json, "pid", [](std::string_view process) {
             return process == "CPU functions" || process == "CUDA functions";
           });
  }
  if (!json.starts_with('{')) return false;
  const bool has_schema = has_any_key(json, {"schemaVersion"});
  const bool has_devices = has_any_key(json, {"deviceProperties", "computeProperties"});
  // The header may be longer than what was read.
  if (!has_any_key(json, {"traceEvents"})) return has_schema && has_devices;
  // Arguments of Kineto's events; a part of a trace may hold kernels only.
  const bool has_kineto_key = has_any_key(json, {"traceName", "External id", "Ev Idx"});
  return has_schema || has_devices || has_kineto_key || has_category(json);
}

std::optional<fs::path> find_trace(const fs::path& folder) {
  std::error_code failure;
  std::size_t files = 0, candidates = 0;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    if (++files > kFilesOfFolder || candidates == kCandidatesOfFolder) break;
    if (!is_named_as_json(entry->path())) continue;
    ++candidates;
    if (begins_as_trace(ByteSource::read_head(entry->path()))) return entry->path();
  }
  return std::nullopt;
}

bool is_trace(const ByteSource& source) {
  return source.kind() == ByteSource::Kind::folder ? find_trace(source.path()).has_value()
                                                   : begins_as_trace(source.head());
}

}  // namespace dlview::import::pytorch
