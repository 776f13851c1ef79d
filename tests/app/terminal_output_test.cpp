#include "app/terminal_output.h"

#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace dlview::app {
namespace {

class PrintableBufferTest : public ::testing::Test {
 protected:
  std::string written() {
    out_.flush();
    return shown_.str();
  }

  std::stringbuf shown_;
  PrintableBuffer buffer_{shown_};
  std::ostream out_{&buffer_};
};

TEST_F(PrintableBufferTest, ShowsWhatATerminalWouldObey) {
  out_ << "a\x1b]0;title\x07"
       << "b\r\x7f\n";
  out_ << "\xc2\x9b"
       << "31m \x9b ü\tx\n";
  EXPECT_EQ(written(), "a\\x1b]0;title\\x07b\\x0d\\x7f\n\\xc2\\x9b31m \\x9b ü\tx\n");
}

TEST_F(PrintableBufferTest, KeepsCharactersThatComeInParts) {
  const std::string text(4095, 'x');
  out_ << text << '\xc3';  // passed on here
  out_ << '\xbc' << "\xe2\x82";
  out_ << "\xac";
  EXPECT_EQ(written(), text + "ü€");
}

TEST_F(PrintableBufferTest, ShowsACharacterThatNeverEnds) {
  out_ << "x\xe2\x82";
  EXPECT_EQ(written(), "x\\xe2\\x82");
}

}  // namespace
}  // namespace dlview::app
