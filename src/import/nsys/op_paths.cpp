#include "import/nsys/op_paths.h"

namespace dlview::import::nsys {

OpPaths::Node OpPaths::below(Node parent, profile::StringId name) {
  const uint64_t key = uint64_t{parent} << 32 | name;
  const auto [entry, added] = ids_.emplace(key, static_cast<Node>(nodes_.size()));
  if (added) {
    nodes_.push_back({parent, name, false});
    nodes_[parent].has_inner = true;
  }
  return entry->second;
}

std::string OpPaths::path(Node node, const profile::ProfileBuilder& builder) const {
  if (node == kRoot) return {};
  std::string text = path(parent(node), builder);
  text += '/';
  return text.append(builder.text(name(node)));
}

}  // namespace dlview::import::nsys
