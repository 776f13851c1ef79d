#include "import/capture/range_facts.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace dlview::import::capture {
namespace {

using profile::kNoValue;
using profile::StringId;

struct Use {
  std::string text;
  DomainKind domain = DomainKind::other;
};

std::vector<Use> random_uses(std::size_t count) {
  std::mt19937 random(11);
  std::vector<Use> uses;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string number = std::to_string(random() % count);
    switch (random() % 6) {
      case 0:
        uses.push_back({"aten::op" + std::to_string(random() % 9) + ", seq = " + number +
                        ", sizes = [[" + std::to_string(random() % 5) + "]]"});
        break;
      case 1:
        uses.push_back({"step " + number});
        break;
      case 2:
        uses.push_back({"Conv2D: net/conv" + number, DomainKind::tensorflow});
        break;
      case 3:
        uses.push_back({"Conv2D: net/conv" + number, DomainKind::library});
        break;
      case 4:
        uses.push_back({"layer" + number + " part"});
        break;
      default:
        uses.push_back({""});
    }
  }
  return uses;
}

// One text after the other, as they come.
RangeFactsReader::Result one_by_one(const std::vector<Use>& uses, profile::ProfileBuilder& builder,
                                    std::vector<uint32_t>& numbers) {
  RangeFactsReader::Result result;
  std::map<std::pair<std::string, DomainKind>, uint32_t> known;
  for (const auto& [text, domain] : uses) {
    const auto number = static_cast<uint32_t>(result.facts.size());
    const auto [entry, added] = known.emplace(std::pair(text, domain), number);
    numbers.push_back(entry->second);
    if (!added) continue;
    const RangeText read = read_range_text(text, domain);
    RangeFacts facts;
    facts.text = builder.intern(text);
    facts.name = builder.intern(read.name);
    facts.type = builder.intern(read.type);
    facts.sizes = builder.intern(read.sizes);
    facts.seq = read.seq.value_or(kNoValue);
    facts.kind = read.kind;
    facts.backward = read.backward;
    const NumberedName numbered = split_number(read.name);
    if (read.kind == RangeKind::user && numbered.number) {
      facts.number = *numbered.number;
      result.counted[number] = {builder.intern(numbered.name), numbered.meaning};
    }
    result.facts.push_back(facts);
  }
  return result;
}

TEST(RangeFacts, AreThoseOfReadingOneTextAfterTheOther) {
  const std::vector<Use> uses = random_uses(200'000);
  profile::ProfileBuilder builder, other;
  for (const Use& use : uses) {
    builder.intern(use.text);
    other.intern(use.text);
  }
  std::vector<RangeFactsReader::Use> asked;
  for (const Use& use : uses) asked.push_back({builder.intern(use.text), use.domain});
  RangeFactsReader reader(std::ranges::max(asked, {}, &RangeFactsReader::Use::text).text + 1);
  std::vector<uint32_t> numbers(uses.size()), expected_numbers;
  reader.ask_all(
      uses.size(), [&](std::size_t i) { return asked[i]; },
      [&](std::size_t i, uint32_t number) { numbers[i] = number; });
  const RangeFactsReader::Result read = reader.read(builder);
  const RangeFactsReader::Result expected = one_by_one(uses, other, expected_numbers);

  EXPECT_EQ(numbers, expected_numbers);
  ASSERT_EQ(read.facts.size(), expected.facts.size());
  ASSERT_GT(read.facts.size(), 50'000);
  for (std::size_t i = 0; i < read.facts.size(); ++i) {
    const RangeFacts &got = read.facts[i], &wanted = expected.facts[i];
    ASSERT_EQ(std::tie(got.text, got.name, got.type, got.sizes, got.number, got.seq, got.kind,
                       got.backward),
              std::tie(wanted.text, wanted.name, wanted.type, wanted.sizes, wanted.number,
                       wanted.seq, wanted.kind, wanted.backward))
        << builder.text(got.text);
  }
  ASSERT_EQ(read.counted.size(), expected.counted.size());
  for (const auto& [number, counted] : expected.counted) {
    EXPECT_EQ(read.counted.at(number).name, counted.name);
    EXPECT_EQ(read.counted.at(number).meaning, counted.meaning);
  }
}

}  // namespace
}  // namespace dlview::import::capture
