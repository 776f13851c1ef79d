// OpPaths: the tree of nested ranges, by their names. The path of a node is the name of an op:
// "/Forward/attention/aten::linear".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "profile/builder.h"

namespace dlview::import::capture {

class OpPaths {
 public:
  using Node = uint32_t;
  static constexpr Node kRoot = 0;
  // Of all paths together, so that a damaged or hostile file cannot fill the memory with them.
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  OpPaths() : nodes_(1) {}

  // The node of that name below `parent`; always the same one. Nothing when there is none yet and
  // its path would make all paths longer than kMostBytes; below the root there always is one.
  std::optional<Node> below(Node parent, profile::StringId name,
                            const profile::ProfileBuilder& builder);

  // The same, for one that is there already.
  std::optional<Node> find(Node parent, profile::StringId name) const;

  // Nodes are numbered in the order in which they were made, from kRoot on.
  std::size_t size() const { return nodes_.size(); }
  Node parent(Node node) const { return nodes_[node].parent; }
  profile::StringId name(Node node) const { return nodes_[node].name; }
  // Whether some range ran inside a range of this path.
  bool has_inner(Node node) const { return nodes_[node].has_inner; }

  // "/Forward/attention"
  std::string path(Node node, const profile::ProfileBuilder& builder) const;
  // Of the same path (profile/nesting.h).
  std::string nesting(Node node, const profile::ProfileBuilder& builder) const;

 private:
  struct Entry {
    Node parent = kRoot;
    profile::StringId name = 0;
    bool has_inner = false;
    std::size_t path_bytes = 0;
  };

  static uint64_t key_of(Node parent, profile::StringId name) {
    return uint64_t{parent} << 32 | name;
  }

  std::vector<Entry> nodes_;
  std::unordered_map<uint64_t, Node> ids_;  // by (parent, name)
  std::size_t bytes_ = 0;                   // of all paths
};

}  // namespace dlview::import::capture
