// SpanOps: what spans say of their op, each distinct description made once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/number_distinct.h"
#include "base/parallel.h"
#include "base/untouched_vector.h"
#include "import/capture/op_list.h"
#include "import/capture/op_spans.h"
#include "profile/builder.h"

namespace dlview::import::capture {

class SpanOps {
 public:
  SpanOps(const NvtxRanges& ranges, const OpSpans& spans, profile::ProfileBuilder& builder,
          OpList& ops);

  // The number in the OpList of the description of each of `count` spans, new ones in the order of
  // their first use. span(i) is asked for on several threads at once.
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

  // What all spans of a description have in common.
  struct Key {
    enum class Kind : uint8_t { range, forward_marker, backward_marker } kind = Kind::range;
    bool is_own_time = false, is_framework = false, backward = false;
    OpPaths::Node node = OpPaths::kRoot;
    profile::StringId type = 0, sizes = 0;
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
