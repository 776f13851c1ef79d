#include "base/utf8.h"

#include <string>

#include <gtest/gtest.h>

namespace dlview::base {
namespace {

TEST(Utf8, KeepsWhatIsValid) {
  const std::string text = "plain, Größe, 北京, 🙂";
  EXPECT_TRUE(is_utf8(text));
  EXPECT_EQ(with_valid_utf8(text), text);
  EXPECT_TRUE(is_utf8(""));
}

TEST(Utf8, ReplacesEachByteThatIsNotUtf8) {
  EXPECT_FALSE(is_utf8("a\xcf\xf0z"));
  EXPECT_EQ(with_valid_utf8("a\xcf\xf0z"), "a\ufffd\ufffdz");
}

TEST(Utf8, RefusesOverlongSequencesSurrogatesAndWhatIsCutOff) {
  for (const char* text :
       {"\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe5\x8c", "\x80"}) {
    EXPECT_FALSE(is_utf8(text)) << with_valid_utf8(text);
  }
}

TEST(Utf8, CountsWhatIsAsciiAtTheBeginning) {
  for (std::size_t length = 0; length < 40; ++length) {
    const std::string ascii(length, 'a');
    EXPECT_EQ(ascii_length(ascii), length);
    for (const char* behind : {"\u00e9", "\x80", "\xff and more than a word"}) {
      EXPECT_EQ(ascii_length(ascii + behind), length);
    }
  }
}

TEST(Utf8, DecodesCodePoints) {
  EXPECT_EQ(code_points("a\u00e9\u65e5\U0001f600"), U"a\u00e9\u65e5\U0001f600");
  EXPECT_EQ(code_points("\u007f\u0080\u07ff\u0800\uffff\U00010000\U0010ffff"),
            U"\u007f\u0080\u07ff\u0800\uffff\U00010000\U0010ffff");
  EXPECT_EQ(code_points("a\x80\xe5\x8c"), U"a\ufffd\ufffd\ufffd");
  EXPECT_EQ(code_points(""), U"");
}

}  // namespace
}  // namespace dlview::base
