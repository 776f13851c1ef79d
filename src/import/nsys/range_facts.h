// RangeFacts: what all NVTX ranges of one text have in common. Each distinct text is read once, all
// of them together on all cores.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "import/nsys/range_text.h"
#include "profile/builder.h"
#include "profile/trace.h"

namespace dlview::import::nsys {

struct RangeFacts {
  profile::StringId text = 0;
  profile::StringId name = 0;  // without running numbers
  profile::StringId type = 0, sizes = 0;
  int64_t number = profile::kNoValue;  // that it counts with: 12 of "step 12"
  int64_t seq = profile::kNoValue;
  RangeKind kind = RangeKind::user;
  bool backward = false;
};

class RangeFactsReader {
 public:
  // `texts` is above the ids of almost all texts that will be asked for.
  explicit RangeFactsReader(std::size_t texts) : texts_(texts) { asked_.reserve(texts); }

  // The number that the text's facts will have, in order of first use.
  uint32_t ask(profile::StringId text, DomainKind domain) {
    std::vector<uint32_t>& known = known_[static_cast<std::size_t>(domain)];
    if (text >= known.size()) known.resize(std::max(std::size_t{text} + 1, texts_), kNotAsked);
    if (known[text] == kNotAsked) {
      known[text] = static_cast<uint32_t>(asked_.size());
      asked_.push_back({text, domain});
    }
    return known[text];
  }

  struct Counted {
    profile::StringId name = 0;  // without the number
    NumberedName::Meaning meaning = NumberedName::Meaning::unknown;
  };
  struct Result {
    std::vector<RangeFacts> facts;                  // with their numbers, and the whole name
    std::unordered_map<uint32_t, Counted> counted;  // of texts with a number, by the facts' number
  };
  // Adds names to the builder, in the order in which the texts have them.
  Result read(profile::ProfileBuilder& builder) const;

 private:
  static constexpr uint32_t kNotAsked = UINT32_MAX;
  struct Asked {
    profile::StringId text = 0;
    DomainKind domain = DomainKind::other;
  };

  const std::size_t texts_;
  std::array<std::vector<uint32_t>, kDomainKinds> known_;
  std::vector<Asked> asked_;
};

}  // namespace dlview::import::nsys
