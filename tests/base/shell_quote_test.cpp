#include "base/shell_quote.h"

#include <gtest/gtest.h>

namespace dlview::base {
namespace {

TEST(ShellQuote, LeavesPlainPathsAsTheyAre) {
  EXPECT_EQ(shell_quoted("/data/run-1_a.sqlite"), "/data/run-1_a.sqlite");
  EXPECT_EQ(shell_quoted("/runs/\xc3\xa4.nsys-rep"), "/runs/\xc3\xa4.nsys-rep");
}

TEST(ShellQuote, QuotesWhatAShellWouldRead) {
  EXPECT_EQ(shell_quoted("my run.sqlite"), "'my run.sqlite'");
  EXPECT_EQ(shell_quoted("$(rm -r ~)`x`"), "'$(rm -r ~)`x`'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted("~"), "'~'");
  EXPECT_EQ(shell_quoted("-o"), "'./-o'");
  EXPECT_EQ(shell_quoted(""), "''");
}

}  // namespace
}  // namespace dlview::base
