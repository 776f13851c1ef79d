#include "generate/demo/network_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dlview::generate::demo {

std::string shapes_json(const std::vector<std::vector<int64_t>>& shapes) {
  std::string json = "[";
  for (const std::vector<int64_t>& shape : shapes) {
    if (json.size() > 1) json += ",";
    json += fmt::format("[{}]", fmt::join(shape, ","));
  }
  return json + "]\n";
}

std::string names_json(std::size_t count) {
  const std::vector<std::string> names(count, "\"\"");
  return fmt::format("[{}]\n", fmt::join(names, ","));
}

void copy_to_device(OpSpec& op, int64_t bytes) {
  op.memory.push_back({profile::MemoryOpKind::memcpy, profile::CopyKind::host_to_device, bytes});
}

void copy_to_host(OpSpec& op, int64_t bytes) {
  op.memory.push_back({profile::MemoryOpKind::memcpy, profile::CopyKind::device_to_host, bytes});
}

void clear_memory(OpSpec& op, int64_t bytes) {
  op.memory.push_back({profile::MemoryOpKind::memset, profile::CopyKind::unknown, bytes});
}

bool bucket_is_full(std::size_t layers_with_weights) {
  constexpr std::size_t kLayersPerBucket = 9;
  return layers_with_weights % kLayersPerBucket == 1;
}

}  // namespace dlview::generate::demo
