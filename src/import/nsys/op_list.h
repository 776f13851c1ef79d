// OpList: collects instances with what they say about their op, decides which instances are of one
// op, and numbers the ops as DLProf does.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/builder.h"

namespace dlview::import::nsys {

class OpList {
 public:
  // Starts of the run's iterations, ascending, for ops that are told apart by their place in one.
  OpList(profile::ProfileBuilder& builder, std::vector<int64_t> iteration_starts_ns)
      : builder_(builder), iteration_starts_ns_(std::move(iteration_starts_ns)) {}

  struct Instance {
    profile::OpRow op;  // without id and source_id
    profile::OpInstanceRow row;
    // DLProf: the k-th instance of a name within an iteration is of another op than the first.
    bool each_occurrence = false;
    // The instance whose place in the iteration counts: the forward one of a backward one.
    profile::Row place_of = profile::kNoRow;
  };

  // Returns the instance's number.
  profile::Row add(const Instance& instance);
  std::size_t size() const { return instances_.size(); }

  // Adds all to the builder: ops in byte order of name and id, each with the facts of its first
  // instance; the id is the type in capitals and a number that counts the ops of the type in order
  // of their first start. Returns the builder's row of each instance.
  std::vector<profile::Row> finish();

 private:
  void find_ops();
  std::vector<profile::Row> add_ops();

  profile::ProfileBuilder& builder_;
  const std::vector<int64_t> iteration_starts_ns_;
  std::vector<Instance> instances_;
  std::vector<profile::Row> order_;        // instances in order of start
  std::vector<profile::Row> op_of_;        // by instance
  std::vector<profile::Row> first_of_op_;  // by op: its first instance
};

}  // namespace dlview::import::nsys
