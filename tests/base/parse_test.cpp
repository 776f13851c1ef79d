#include "base/parse.h"

#include <gtest/gtest.h>

namespace dlview::base {
namespace {

TEST(ParseNatural, TakesDigitsAndNothingElse) {
  EXPECT_EQ(parse_natural("0"), 0);
  EXPECT_EQ(parse_natural("9223372036854775807"), INT64_MAX);
  for (const char* text : {"", " 1", "1 ", "-1", "+1", "1.5", "0x1", "9223372036854775808"}) {
    EXPECT_FALSE(parse_natural(text)) << text;
  }
}

}  // namespace
}  // namespace dlview::base
