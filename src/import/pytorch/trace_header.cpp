#include "import/pytorch/trace_header.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "base/stop_point.h"
#include "base/utf8.h"
#include "profile/rank_name.h"

namespace dlview::import::pytorch {
namespace {

// Keys that the profiler itself writes around the events.
constexpr std::string_view kHeaderKeys[] = {"traceEvents",
                                            "schemaVersion",
                                            "deviceProperties",
                                            "computeProperties",
                                            "distributedInfo",
                                            "traceName",
                                            "displayTimeUnit",
                                            "baseTimeNanoseconds",
                                            "INFO",
                                            "WARNING",
                                            "ERROR",
                                            "record_shapes",
                                            "with_stack",
                                            "with_flops",
                                            "with_modules",
                                            "profile_memory",
                                            "trace_id",
                                            "host_name",
                                            "cuda_runtime_version",
                                            "cuda_driver_version",
                                            "hip_runtime_version",
                                            "hip_driver_version",
                                            "cupti_version",
                                            "roctracer_version"};

bool is_header_key(std::string_view key) {
  return std::ranges::find(kHeaderKeys, key) != std::end(kHeaderKeys);
}

// Far longer than any known key, so that a search for one takes linear time.
constexpr std::ptrdiff_t kMostKeyBytes = 32;

std::optional<int64_t> header_number(const JsonValue& value) {
  if (value.kind != JsonValue::Kind::number && !value.is_text()) return std::nullopt;
  return scaled_decimal(value.raw, 0);
}

// 1, true and texts of them.
std::optional<bool> header_flag(const JsonValue& value) {
  if (value.raw == "true" || value.raw == "True") return true;
  if (value.raw == "false" || value.raw == "False") return false;
  const std::optional<int64_t> number = header_number(value);
  if (!number) return std::nullopt;
  return *number != 0;
}

// Of a list; 0 = no list.
int64_t count_elements(std::string_view list) {
  int64_t count = 0;
  if (!list.starts_with('[')) return count;
  JsonScanner json(list);
  json.list([&count](const JsonValue&) { ++count; });
  return count;
}

std::string header_text(const JsonValue& value) {
  if (!value.is_text() && value.kind != JsonValue::Kind::number) return {};
  return base::with_valid_utf8(value.has_escapes ? unescaped(value.raw) : std::string(value.raw));
}

}  // namespace

std::optional<int64_t> rank_of_file_name(std::string_view name, std::optional<int64_t> world_size) {
  using profile::RankAtEnd;
  const auto rank =
      profile::rank_of_name(name, world_size ? RankAtEnd::of_process : RankAtEnd::none);
  return rank && (!world_size || *rank < *world_size) ? rank : std::nullopt;
}

std::optional<bool> begins_with_header_key(const char* at, const char* end) {
  JsonScanner json(at, at + std::min(kMostKeyBytes, end - at));
  JsonValue key;
  const Scan scan = json.text(key);
  if (scan == Scan::cut && json.end() == end) return std::nullopt;
  if (scan != Scan::ok || !is_header_key(key.raw)) return false;
  JsonScanner rest(json.at(), end);
  if (!rest.skip_space()) return std::nullopt;
  return *rest.at() == ':';
}

HeaderReader::Stop HeaderReader::read(JsonScanner& json, bool is_last) {
  for (;;) {
    base::stop_point();
    if (is_lost_ && !find_key(json, is_last)) return Stop::memory_ends;
    is_lost_ = false;
    while (json.skip_space() && *json.at() == ',') json.move_to(json.at() + 1);
    const char* const begin = json.at();
    if (begin == json.end()) return Stop::memory_ends;
    if (*begin == '}') {
      json.move_to(begin + 1);
      return Stop::object_ends;
    }
    JsonValue key, value;
    Scan scan = json.text(key);
    if (scan == Scan::ok) scan = json.skip_space() ? Scan::ok : Scan::cut;
    if (scan == Scan::ok && *json.at() != ':') scan = Scan::bad;
    if (scan == Scan::ok) {
      json.move_to(json.at() + 1);
      scan = json.skip_space() ? Scan::ok : Scan::cut;
    }
    if (scan == Scan::ok && key.raw == "traceEvents" && *json.at() == '[') {
      json.move_to(json.at() + 1);
      return Stop::events_begin;
    }
    if (scan == Scan::ok) scan = json.value(value);
    if (scan == Scan::ok) {
      take(key.raw, value);
      continue;
    }
    json.move_to(begin);
    if (scan == Scan::cut) return Stop::memory_ends;
    json.move_to(begin + 1);
    is_lost_ = is_damaged_ = true;
  }
}

// Moves to the next key that the profiler writes; false where there is none.
bool HeaderReader::find_key(JsonScanner& json, bool is_last) const {
  while (json.at() != json.end()) {
    base::stop_point();
    const auto* const quote = static_cast<const char*>(
        std::memchr(json.at(), '"', static_cast<std::size_t>(json.end() - json.at())));
    json.move_to(quote == nullptr ? json.end() : quote);
    if (quote == nullptr) return false;
    const std::optional<bool> is_key = begins_with_header_key(quote, json.end());
    if (!is_key && !is_last) return false;
    if (is_key.value_or(false)) return true;
    json.move_to(quote + 1);
  }
  return false;
}

void HeaderReader::take(std::string_view key, const JsonValue& value) {
  const struct {
    std::string_view key;
    std::optional<bool>& flag;
  } flags[] = {{"record_shapes", header_.record_shapes},
               {"with_stack", header_.with_stack},
               {"profile_memory", header_.profile_memory},
               {"with_flops", header_.with_flops},
               {"with_modules", header_.with_modules}};
  const struct {
    std::string_view key;
    std::string& text;
  } texts[] = {{"cuda_runtime_version", header_.cuda_runtime_version},
               {"cuda_driver_version", header_.cuda_driver_version},
               {"hip_runtime_version", header_.hip_runtime_version},
               {"hip_driver_version", header_.hip_driver_version}};
  for (const auto& each : flags) {
    if (each.key == key) each.flag = header_flag(value);
  }
  for (const auto& each : texts) {
    if (each.key == key) each.text = header_text(value);
  }
  if (key == "baseTimeNanoseconds") header_.base_time_ns = header_number(value);
  if (key == "deviceProperties" || key == "computeProperties") take_devices(value.raw);
  if (key == "distributedInfo") take_distributed(value.raw);
}

void HeaderReader::take_devices(std::string_view list) {
  if (!list.starts_with('[')) return;
  JsonScanner json(list);
  header_.devices.clear();
  json.list([&](const JsonValue& element) {
    if (element.kind != JsonValue::Kind::object) return;
    DeviceProperties& device = header_.devices.emplace_back();
    JsonScanner object(element.raw);
    object.object([&](std::string_view key, const JsonValue& value) {
      if (key == "id") device.id = header_number(value).value_or(0);
      if (key == "name") device.name = header_text(value);
      if (key == "totalGlobalMem") device.memory_bytes = header_number(value);
      if (key == "numSms") device.sm_count = header_number(value);
      if (key == "computeMajor") device.compute_capability_major = header_number(value);
      if (key == "computeMinor") device.compute_capability_minor = header_number(value);
    });
  });
}

void HeaderReader::take_distributed(std::string_view object) {
  if (!object.starts_with('{')) return;
  JsonScanner json(object);
  json.object([&](std::string_view key, const JsonValue& value) {
    if (key == "backend") header_.backend = header_text(value);
    if (key == "nccl_version") header_.nccl_version = header_text(value);
    if (key == "rank") header_.rank = header_number(value);
    if (key == "world_size") header_.world_size = header_number(value);
    if (key == "pg_config") header_.process_groups = count_elements(value.raw);
  });
}

}  // namespace dlview::import::pytorch
