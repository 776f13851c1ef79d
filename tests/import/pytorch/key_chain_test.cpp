// Objects that are read with the keys of those before give what each gives alone.
#include "import/pytorch/key_chain.h"

#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "import/pytorch/json_scanner.h"

namespace dlview::import::pytorch {
namespace {

struct Read {
  Scan scan = Scan::bad;
  std::size_t bytes = 0;  // moved over
  std::vector<std::tuple<std::string, std::string, uint8_t>> fields;
  bool operator==(const Read&) const = default;
};

uint8_t field_of(std::string_view key) {
  return static_cast<uint8_t>(key.size());
}

Read read_alone(std::string_view json) {
  Read read;
  JsonScanner scanner(json);
  read.scan = scanner.object([&](std::string_view key, const JsonValue& value) {
    read.fields.emplace_back(key, value.raw, field_of(key));
  });
  read.bytes = static_cast<std::size_t>(scanner.at() - json.data());
  return read;
}

Read read_with(KeyChain& keys, uint8_t begin, std::string_view json) {
  Read read;
  JsonScanner scanner(json);
  read.scan = scanner.fields(keys, begin, field_of, [&](std::string_view key, uint8_t field) {
    JsonValue value;
    const Scan scan = scanner.value(value);
    if (scan == Scan::ok) read.fields.emplace_back(key, value.raw, field);
    return scan;
  });
  read.bytes = static_cast<std::size_t>(scanner.at() - json.data());
  return read;
}

class RandomObjects {
 public:
  explicit RandomObjects(uint64_t seed) : random_(seed) {}

  // Mostly JSON, followed by what may follow an object in a file.
  std::string next() {
    std::string json = "{";
    const int fields = number(6);
    for (int i = 0; i < fields; ++i) {
      if (i > 0) json += one_of({", ", ",", ",\n      ", " ,", ", "});
      json += one_of({"", "", " ", "\n  "}) + "\"" + key() + "\"";
      json += one_of({": ", ": ", ":", " : "});
      json += one_of({"1", "12.5", "\"text\"", "[1, 2]", "{\"a\": 1}", "\"\\\"\"", "inf", "\"\""});
    }
    json += one_of({"}", "}", "\n  }", ",}"});
    if (number(4) == 0) json[index(json)] = one_of({"\"", ",", "}", "{", "x", " "})[0];
    json += one_of({"", ",", ",\n  {\"ph\": \"X\", \"cat\": \"a category of a usual length\"}, ",
                    std::string(100, ' ')});
    if (number(4) == 0) json.resize(1 + index(json));
    return json;
  }

 private:
  int number(int below) { return static_cast<int>(random_() % static_cast<uint64_t>(below)); }
  std::size_t index(const std::string& text) { return random_() % text.size(); }
  std::string one_of(const std::vector<std::string>& texts) {
    return texts[random_() % texts.size()];
  }
  std::string key() {
    if (number(20) == 0) return std::string(static_cast<std::size_t>(number(90)), 'k');
    if (number(20) == 0) return "key " + std::to_string(number(400));
    return one_of({"ph", "ts", "dur", "External id", "est. achieved occupancy %", "name", "\\\""});
  }

  std::mt19937_64 random_;
};

TEST(KeyChain, ReadsObjectsAsAloneOnes) {
  RandomObjects objects(1);
  std::size_t found = 0;
  for (int chains = 0; chains < 200; ++chains) {
    KeyChain keys;
    for (int i = 0; i < 300; ++i) {
      const std::string json = objects.next();
      const uint8_t begin = i % 2 == 0 ? KeyChain::kEvent : KeyChain::kArguments;
      if (keys.find(begin, json.data() + 1, json.data() + json.size()) != KeyChain::kNone) ++found;
      ASSERT_EQ(read_with(keys, begin, json), read_alone(json)) << json;
    }
  }
  EXPECT_GT(found, 4000U) << "known keys were hardly used";
}

TEST(KeyChain, FindsWhatFollowedBefore) {
  KeyChain keys;
  constexpr std::string_view kEvent = R"({"ph": "X", "ts": 1.5})";
  read_with(keys, KeyChain::kEvent, kEvent);
  const char* const end = kEvent.data() + kEvent.size();
  const uint8_t first = keys.find(KeyChain::kEvent, kEvent.data() + 1, end);
  ASSERT_NE(first, KeyChain::kNone);
  EXPECT_EQ(keys[first].key(kEvent.data() + 1), "ph");
  EXPECT_EQ(keys[first].size, std::string_view(R"("ph": )").size());
  EXPECT_EQ(keys.find(KeyChain::kArguments, kEvent.data() + 1, end), KeyChain::kNone);
  EXPECT_EQ(keys.find(KeyChain::kEvent, kEvent.data() + 1, kEvent.data() + 6), KeyChain::kNone)
      << "cut";
  const uint8_t second = keys.find(first, kEvent.data() + kEvent.find(','), end);
  ASSERT_NE(second, KeyChain::kNone);
  EXPECT_EQ(keys[second].field, 2);
  const uint8_t last = keys.find(second, end - 1, end);
  ASSERT_NE(last, KeyChain::kNone);
  EXPECT_TRUE(keys[last].is_end);
}

}  // namespace
}  // namespace dlview::import::pytorch
