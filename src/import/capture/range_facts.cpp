#include "import/capture/range_facts.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/parallel.h"

namespace dlview::import::capture {
namespace {

using profile::kNoText;
using profile::kNoValue;
using profile::StringId;

constexpr std::size_t kTextsOfPart = std::size_t{1} << 14;

// Texts that one thread reads, with names under numbers of its own.
class TextPart {
 public:
  // The facts' name is kNoText where it is the text.
  RangeFacts read(StringId id, std::string_view text, DomainKind domain, uint32_t number) {
    const RangeText read = read_range_text(text, domain);
    RangeFacts facts{.text = id,
                     .name = read.name.size() == text.size() ? kNoText : names_.intern(read.name),
                     .type = names_.intern(read.type),
                     .sizes = names_.intern(read.sizes),
                     .seq = read.seq.value_or(kNoValue),
                     .kind = read.kind,
                     .backward = read.backward};
    if (read.kind != RangeKind::user) return facts;
    const NumberedName numbered = split_number(read.name);
    if (!numbered.number) return facts;
    facts.number = *numbered.number;
    counted_.push_back({number, {names_.intern(numbered.name), numbered.meaning}});
    return facts;
  }

  void add_names_to(profile::ProfileBuilder& builder) {
    for (StringId name = 0; name < names_.size(); ++name) {
      ids_.push_back(builder.intern(names_, name));
    }
  }

  // Behind add_names_to().
  void set_names(RangeFacts& facts) const {
    facts.name = facts.name == kNoText ? facts.text : ids_[facts.name];
    facts.type = ids_[facts.type];
    facts.sizes = ids_[facts.sizes];
  }
  void give_counted(std::unordered_map<uint32_t, RangeFactsReader::Counted>& all) const {
    for (auto [number, counted] : counted_) {
      counted.name = ids_[counted.name];
      all.emplace(number, counted);
    }
  }

 private:
  profile::StringTableBuilder names_;
  std::vector<StringId> ids_;  // in the profile, by the part's own number
  std::vector<std::pair<uint32_t, RangeFactsReader::Counted>> counted_;
};

}  // namespace

RangeFactsReader::Result RangeFactsReader::read(profile::ProfileBuilder& builder) const {
  Result result;
  result.facts.resize(asked_.size());
  std::vector<TextPart> parts((asked_.size() + kTextsOfPart - 1) / kTextsOfPart);
  const auto for_each_text = [&](const auto& use) {
    base::parallel_for(parts.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t part = begin; part < end; ++part) {
        const std::size_t stop = std::min(asked_.size(), (part + 1) * kTextsOfPart);
        for (std::size_t i = part * kTextsOfPart; i < stop; ++i) use(parts[part], i);
      }
    });
  };
  for_each_text([&](TextPart& part, std::size_t i) {
    const Use& asked = asked_[i];
    result.facts[i] =
        part.read(asked.text, builder.text(asked.text), asked.domain, static_cast<uint32_t>(i));
  });
  for (TextPart& part : parts) {
    part.add_names_to(builder);
    part.give_counted(result.counted);
  }
  for_each_text([&](TextPart& part, std::size_t i) { part.set_names(result.facts[i]); });
  return result;
}

}  // namespace dlview::import::capture
