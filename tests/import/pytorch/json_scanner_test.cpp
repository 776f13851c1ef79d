#include "import/pytorch/json_scanner.h"

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace dlview::import::pytorch {
namespace {

TEST(JsonScanner, ScalesDecimalsExactly) {
  const auto ns = [](std::string_view text) { return scaled_decimal(text, 3); };
  EXPECT_EQ(ns("1712195495520870.926"), 1712195495520870926);
  EXPECT_EQ(ns("9007199254740993"), 9007199254740993000);
  EXPECT_EQ(ns("5.1"), 5100);
  EXPECT_EQ(ns("0"), 0);
  EXPECT_EQ(ns("-0.001"), -1);
  EXPECT_EQ(ns("1.0004"), 1000);
  EXPECT_EQ(ns("1.0005"), 1001);
  EXPECT_EQ(ns("-1.0005"), -1001);
  EXPECT_EQ(ns("0.00049999"), 0);
  EXPECT_EQ(ns("0.0005"), 1);
  EXPECT_EQ(ns("1e3"), 1'000'000);
  EXPECT_EQ(ns("1.25E+2"), 125'000);
  EXPECT_EQ(ns("12345e-4"), 1235);
  EXPECT_EQ(ns("5e-4"), 1);
  EXPECT_EQ(ns("5e-5"), 0);
  EXPECT_EQ(ns("0e999999999999"), 0);
  EXPECT_EQ(ns("9223372036854775.807"), INT64_MAX);
  EXPECT_EQ(ns("9223372036854775.8074"), INT64_MAX);
  for (const char* const bad : {"9223372036854775.8075", "9223372036854775.808", "1e300", "", "-",
                                ".", "1.2.3", "1e", "1e+", "abc", "1x", "inf"}) {
    EXPECT_EQ(ns(bad), std::nullopt) << bad;
  }
}

// Digit by digit; of numbers that fit, and without an exponent.
std::optional<int64_t> slow_scaled_decimal(std::string_view text, int shift) {
  const bool is_negative = text.starts_with('-');
  int64_t number = 0, left = INT64_MIN;  // digits of the fraction that still count
  for (const char letter : text.substr(is_negative ? 1 : 0)) {
    if (letter == '.') {
      left = shift;
    } else if (left == 0) {
      if (letter >= '5') ++number;
      left = -1;
    } else if (left != -1) {
      if (letter < '0' || letter > '9') return std::nullopt;
      number = 10 * number + (letter - '0');
      if (left > 0) --left;
    }
  }
  for (int64_t i = left == INT64_MIN ? shift : left; i > 0; --i) number *= 10;
  return is_negative ? -number : number;
}

TEST(JsonScanner, ScalesRandomDecimalsAsDigitByDigit) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = i % 5 == 0 ? "-" : "";
    for (uint64_t digits = 1 + random() % 13; digits > 0; --digits) {
      text += static_cast<char>('0' + random() % 10);
    }
    if (i % 3 > 0) text += '.';
    for (uint64_t digits = i % 3 > 0 ? random() % 14 : 0; digits > 0; --digits) {
      text += static_cast<char>('0' + random() % 10);
    }
    if (i % 50 == 0) text[text.size() - 1 - random() % text.size()] = "/:-x"[random() % 4];
    if (const auto number = slow_scaled_decimal(text, 3)) {
      if (text.find_first_of("/:-x", 1) != std::string::npos) continue;
      EXPECT_EQ(scaled_decimal(text, 3), number) << text;
    } else {
      EXPECT_EQ(scaled_decimal(text, 3), std::nullopt) << text;
    }
  }
}

TEST(JsonScanner, EndsNumbersAndWordsAtOtherLetters) {
  std::mt19937_64 random(1);
  constexpr std::string_view kLetters = "0123456789.-+eE/NAinfx ,]}:;\n\t\"\xff";
  for (int i = 0; i < 20'000; ++i) {
    std::string json;
    for (uint64_t letters = random() % 40; letters > 0; --letters) {
      json += random() % 4 > 0 ? static_cast<char>('0' + random() % 10)
                               : kLetters[random() % kLetters.size()];
    }
    json += ", and what follows";
    const std::size_t begin = json.find_first_not_of(" \n\t");
    if (json[begin] == '"') continue;
    const std::size_t end = json.find_first_not_of(
        "0123456789+-./abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", begin);
    JsonScanner scanner(json);
    JsonValue value;
    scanner.value(value);
    EXPECT_EQ(value.raw, std::string_view(json).substr(begin, end - begin)) << json;
  }
}

TEST(JsonScanner, KeepsWhatIsNoEscape) {
  EXPECT_EQ(unescaped(R"(a\tb\"\\\/\n)"), "a\tb\"\\/\n");
  EXPECT_EQ(unescaped(R"(C:\ml\users)"), "C:\\ml\\users");
  EXPECT_EQ(unescaped(R"(\u0041\u00e9\u20ac\ud83d\ude00)"),
            "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(unescaped(R"(\ud83d\u0041 \u12 \)"), R"(\ud83dA \u12 \)");
  EXPECT_EQ(without_spaces("[ [1, 2],\n [\"a b\\\" \" , 3]\t]"), "[[1,2],[\"a b\\\" \",3]]");
}

TEST(JsonScanner, TellsBadFromCut) {
  const auto scan = [](std::string_view json) {
    JsonScanner scanner(json);
    JsonValue value;
    return scanner.value(value);
  };
  for (const char* const good : {"{}", "[]", "[1,2,]", "{\"a\": [inf, -nan, N/A], }", "\"\\\"\" ",
                                 "1 ", "{\"a\":{\"b\":[]}}"}) {
    EXPECT_EQ(scan(good), Scan::ok) << good;
  }
  for (const char* const cut :
       {"", " ", "{", "[1", "\"a", "\"a\\", "12", "{\"a\"", "{\"a\":", "[{}"}) {
    EXPECT_EQ(scan(cut), Scan::cut) << cut;
  }
  for (const char* const bad :
       {"]", "[1}", "{1", "{\"a\" 1", "[\"a\"b\"]", "[,]", "abc ", "{\"a\":}", "[[}"}) {
    EXPECT_EQ(scan(bad), Scan::bad) << bad;
  }
  const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(scan(nested(JsonScanner::kDeepest)), Scan::ok);
  EXPECT_EQ(scan(nested(JsonScanner::kDeepest + 1)), Scan::bad);
}

}  // namespace
}  // namespace dlview::import::pytorch
