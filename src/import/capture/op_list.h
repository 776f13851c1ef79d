// From stretches of threads to ops: which instances are of one op, and its number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/number_distinct.h"
#include "base/parallel.h"
#include "base/untouched_vector.h"
#include "import/capture/op_spans.h"
#include "profile/builder.h"

namespace dlview::import::capture {

// Collects instances with what they say about their op, decides which instances are of one op, and
// numbers the ops as DLProf does.
class OpList {
 public:
  // Starts of the run's iterations, ascending, for ops that are distinguished by their position in
  // one.
  OpList(profile::ProfileBuilder& builder, std::vector<int64_t> iteration_starts_ns)
      : builder_(builder), iteration_starts_ns_(std::move(iteration_starts_ns)) {}

  // Common properties of many instances.
  struct Description {
    profile::OpRow op;  // without id and source_id
    profile::StringId input_names = 0, input_shapes = 0, output_names = 0, output_shapes = 0,
                      parameters = 0;
    // DLProf: the k-th instance of a name within an iteration is of another op than the first.
    bool each_occurrence = false;
  };
  struct Instance {
    int64_t start_ns = 0, stop_ns = 0;
    uint32_t description = 0;
    profile::Row thread = 0;  // of the builder
    // The instance whose place in the iteration counts: the forward one of a backward one.
    profile::Row place_of = profile::kNoRow;
    profile::Row forward = profile::kNoRow;  // the instance that caused a backward one
  };

  // Return the description's and the instance's number.
  uint32_t describe(const Description& description);
  profile::Row add(const Instance& instance);
  // Adds the first instances at once. Calls instance(i) on several threads; it has the number i. At
  // most `more` are added after them.
  template <typename InstanceOf>
  void add_first(std::size_t count, std::size_t more, const InstanceOf& instance) {
    instances_.reserve(count + more);
    instances_.resize(count);
    base::parallel_for(count, kInstancesAtOnce, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) instances_[i] = instance(i);
    });
  }

  // Adds all to the builder: ops in byte order of name and id, each with the facts of its first
  // instance, but with the first data type that is not one of integers, if there is one; the id is
  // the type in capitals and a number that counts the ops of the type in order of their first
  // start. Returns the builder's row of each instance.
  base::UntouchedVector<profile::Row> finish() &&;

 private:
  static constexpr std::size_t kInstancesAtOnce = std::size_t{1} << 16;

  base::UntouchedVector<profile::Row> order_of_start() const;
  // By description: the number of its name, type and direction.
  std::vector<uint32_t> number_names() const;
  std::vector<uint8_t> rank_data_types() const;
  void find_ops(std::span<const profile::Row> order);
  std::vector<profile::Row> add_ops();
  // `rows` are the builder's, by instance.
  void add_forward_instances(std::span<const profile::Row> order,
                             std::span<const profile::Row> rows);

  profile::ProfileBuilder& builder_;
  const std::vector<int64_t> iteration_starts_ns_;
  std::vector<Description> descriptions_;
  base::UntouchedVector<Instance> instances_;
  base::UntouchedVector<profile::Row> op_of_;  // by instance
  std::vector<profile::Row> first_of_op_;      // by op: its first instance
  std::vector<uint32_t> typed_of_op_;          // by op: the description that has its data type
};

// Descriptions of ops from spans, each distinct one made once.
class SpanOps {
 public:
  SpanOps(const NvtxRanges& ranges, const OpSpans& spans, profile::ProfileBuilder& builder,
          OpList& ops);

  // Returns the number in the OpList of the description of each of `count` spans, new ones in order
  // of first use. Calls span(i) on several threads at once.
  template <typename SpanOf>
  base::UntouchedVector<uint32_t> find_all(std::size_t count, const SpanOf& span) {
    auto numbered =
        base::number_distinct<HashOfKey>(count, [&](std::size_t i) { return key_of(span(i)); });
    add(numbered.keys);
    base::parallel_for(count, kSpansAtOnce, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        numbered.of_item[i] = descriptions_[numbered.of_item[i]];
      }
    });
    return std::move(numbered.of_item);
  }
  // Whether the op is the backward one of an op that a marker of DLProf describes.
  bool is_of_marker(const OpSpan& span) const;

  // A description without names and shapes: "null\n" each.
  OpList::Description blank() const;

 private:
  static constexpr std::size_t kSpansAtOnce = std::size_t{1} << 16;

  // Common properties of all spans of a description.
  struct Key {
    enum class Kind : uint8_t { range, forward_marker, backward_marker } kind = Kind::range;
    bool is_own_time = false, is_framework = false, backward = false, has_direction = true;
    OpPaths::Node node = OpPaths::kRoot;
    profile::StringId type = 0, sizes = 0;
    profile::StringId data_type = 0, data_format = 0, parameters = 0, stack_trace = 0;
    profile::StringId marker = 0, trace_marker = 0;  // their texts
    bool operator==(const Key&) const = default;
  };
  struct HashOfKey {
    std::size_t operator()(const Key& key) const;
  };

  const RangeFacts& facts_of(const OpSpan& span) const {
    return ranges_.facts_of(ranges_.ranges[span.range]);
  }
  Key key_of(const OpSpan& span) const;
  Key marker_key(const OpSpan& span, Key::Kind kind) const;
  void add(const std::vector<Key>& keys);
  OpList::Description read_markers(const Key& key);
  OpList::Description describe(const Key& key);

  const NvtxRanges& ranges_;
  const OpSpans& spans_;
  profile::ProfileBuilder& builder_;
  OpList& ops_;
  const profile::StringId null_, forward_, backward_;
  std::vector<uint32_t> descriptions_;  // by number of their key
};

}  // namespace dlview::import::capture
