#include "import/capture/range_numbers.h"

#include <cstddef>
#include <unordered_set>

#include "base/blocks.h"

namespace dlview::import::capture {
namespace {

using profile::kNoValue;
using profile::StringId;

using Names = std::unordered_set<StringId>;

// Of the ranges of one thread.
Names uncounted_names(const NvtxRanges& ranges, std::size_t thread, const CountedTexts& counted) {
  Names names;
  std::unordered_map<StringId, int64_t> last;
  for (std::size_t i = ranges.first[thread]; i < ranges.first[thread + 1]; ++i) {
    const RangeFacts& facts = ranges.facts_of(ranges.ranges[i]);
    if (facts.number == kNoValue) continue;
    const StringId name = counted.at(ranges.ranges[i].facts).name;
    const auto [before, added] = last.emplace(name, facts.number);
    if (!added && facts.number <= before->second) names.insert(name);
    before->second = facts.number;
  }
  return names;
}

// Names whose numbers do not count: "foo 1", "foo 2", ... count when on every thread each number is
// larger than the one before.
Names uncounted_names(const NvtxRanges& ranges, const CountedTexts& counted) {
  if (counted.empty()) return {};
  base::Blocks<Names> threads(ranges.threads.size(), 1);
  threads.for_each([&](Names& names, std::size_t thread, std::size_t) {
    names = uncounted_names(ranges, thread, counted);
  });
  Names all;
  for (Names& names : threads.states()) all.merge(names);
  return all;
}

}  // namespace

void set_numbers(NvtxRanges& ranges, const CountedTexts& counted) {
  const Names uncounted = uncounted_names(ranges, counted);
  using Meaning = NumberedName::Meaning;
  for (const auto& [number, text] : counted) {
    RangeFacts& facts = ranges.facts[number];
    if (text.meaning == Meaning::counts ||
        (text.meaning == Meaning::unknown && !uncounted.contains(text.name))) {
      facts.name = text.name;
    } else {
      facts.number = kNoValue;
    }
  }
}

}  // namespace dlview::import::capture
