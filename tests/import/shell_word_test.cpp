#include "import/shell_word.h"

#include <gtest/gtest.h>

namespace dlview::import {
namespace {

TEST(ShellWords, AreQuotedOnlyWhereAShellWouldReadThemOtherwise) {
  EXPECT_EQ(shell_word("/runs/a-1_b.nsys-rep"), "/runs/a-1_b.nsys-rep");
  EXPECT_EQ(shell_word("/runs/\xc3\xa4.nsys-rep"), "/runs/\xc3\xa4.nsys-rep");
  EXPECT_EQ(shell_word("a run.nsys-rep"), "'a run.nsys-rep'");
  EXPECT_EQ(shell_word("$(rm -r x)"), "'$(rm -r x)'");
  EXPECT_EQ(shell_word("it's \"one\""), R"('it'\''s "one"')");
  EXPECT_EQ(shell_word("-o"), "'./-o'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace dlview::import
