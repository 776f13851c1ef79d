// SpanOps: what spans say of their op, each distinct description made once.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "import/nsys/op_list.h"
#include "import/nsys/op_spans.h"
#include "profile/builder.h"

namespace dlview::import::nsys {

class SpanOps {
 public:
  SpanOps(const NvtxRanges& ranges, const OpSpans& spans, profile::ProfileBuilder& builder,
          OpList& ops);

  // The description's number in the OpList.
  uint32_t find(const OpSpan& span);
  // Whether the op is the backward one of an op that a marker of DLProf describes.
  bool is_of_marker(const OpSpan& span) const;

  // A description without names and shapes: "null\n" each.
  OpList::Description blank() const;

 private:
  enum class Pass : uint8_t { forward, backward };
  struct RangeKey {
    OpPaths::Node node = OpPaths::kRoot;
    profile::StringId type = 0, sizes = 0;
    bool is_own_time = false, is_framework = false, backward = false;
    bool operator==(const RangeKey&) const = default;
  };
  struct HashOfRangeKey {
    std::size_t operator()(const RangeKey& key) const;
  };

  const RangeFacts& facts_of(const OpSpan& span) const {
    return ranges_.facts_of(ranges_.ranges[span.range]);
  }
  uint32_t find_marker(const OpSpan& span, Pass pass);
  OpList::Description read_markers(const OpSpan& span);
  OpList::Description describe(const RangeKey& key);

  const NvtxRanges& ranges_;
  const OpSpans& spans_;
  profile::ProfileBuilder& builder_;
  OpList& ops_;
  const profile::StringId null_, forward_, backward_;
  std::unordered_map<uint64_t, uint32_t> markers_[2];  // by pass; by text and trace marker's text
  std::unordered_map<RangeKey, uint32_t, HashOfRangeKey> ranges_seen_;
};

}  // namespace dlview::import::nsys
