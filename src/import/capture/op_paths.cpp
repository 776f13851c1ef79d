#include "import/capture/op_paths.h"

#include <algorithm>

#include "profile/nesting.h"

namespace dlview::import::capture {

std::optional<OpPaths::Node> OpPaths::below(Node parent, profile::StringId name,
                                            const profile::ProfileBuilder& builder) {
  if (const auto known = find(parent, name)) return known;
  const std::size_t path_bytes = nodes_[parent].path_bytes + 1 + builder.text(name).size();
  if (parent != kRoot && bytes_ + path_bytes > kMostBytes) return std::nullopt;
  bytes_ += path_bytes;
  const auto node = static_cast<Node>(nodes_.size());
  ids_.emplace(key_of(parent, name), node);
  nodes_.push_back({parent, name, false, path_bytes});
  nodes_[parent].has_inner = true;
  return node;
}

std::optional<OpPaths::Node> OpPaths::find(Node parent, profile::StringId name) const {
  const auto known = ids_.find(key_of(parent, name));
  return known == ids_.end() ? std::nullopt : std::optional(known->second);
}

std::string OpPaths::path(Node node, const profile::ProfileBuilder& builder) const {
  std::string text(nodes_[node].path_bytes, '/');
  for (std::size_t end = text.size(); node != kRoot; node = parent(node)) {
    const std::string_view name = builder.text(nodes_[node].name);
    end -= name.size();
    text.replace(end, name.size(), name);
    --end;
  }
  return text;
}

std::string OpPaths::nesting(Node node, const profile::ProfileBuilder& builder) const {
  std::string text = path(node, builder);
  std::size_t end = text.size();
  for (; node != kRoot; node = parent(node)) {
    const std::size_t begin = end - builder.text(nodes_[node].name).size();
    std::replace(text.begin() + static_cast<std::ptrdiff_t>(begin),
                 text.begin() + static_cast<std::ptrdiff_t>(end), '/', profile::kSlashInName);
    end = begin - 1;
  }
  return text;
}

}  // namespace dlview::import::capture
