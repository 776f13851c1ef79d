// OpPaths: the tree of nested ranges, by their names. The path of a node is the name of an op:
// "/Forward/attention/aten::linear".
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "profile/builder.h"

namespace dlview::import::nsys {

class OpPaths {
 public:
  using Node = uint32_t;
  static constexpr Node kRoot = 0;

  OpPaths() : nodes_(1) {}

  // The node of that name below `parent`; always the same one.
  Node below(Node parent, profile::StringId name);

  Node parent(Node node) const { return nodes_[node].parent; }
  profile::StringId name(Node node) const { return nodes_[node].name; }
  // Whether some range ran inside a range of this path.
  bool has_inner(Node node) const { return nodes_[node].has_inner; }

  // "/Forward/attention"
  std::string path(Node node, const profile::ProfileBuilder& builder) const;

 private:
  struct Entry {
    Node parent = kRoot;
    profile::StringId name = 0;
    bool has_inner = false;
  };

  std::vector<Entry> nodes_;
  std::unordered_map<uint64_t, Node> ids_;  // by (parent, name)
};

}  // namespace dlview::import::nsys
