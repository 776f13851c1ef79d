// What goes to a terminal must not command it: names out of a profile may hold escape sequences.
#pragma once

#include <memory>
#include <ostream>
#include <streambuf>
#include <string>

namespace dlview::app {

// Passes text on to another buffer. Control characters (C0 except newline and tab, DEL, C1) and
// bytes that are not UTF-8 become visible, as report::printable() shows them.
class PrintableBuffer : public std::streambuf {
 public:
  explicit PrintableBuffer(std::streambuf& to) : to_(to) {}
  ~PrintableBuffer() override { sync(); }

 protected:
  int_type overflow(int_type next) override;
  std::streamsize xsputn(const char* bytes, std::streamsize count) override;
  int sync() override;

 private:
  // All but a character at the end that may go on; whether it could be written.
  bool pass_on(bool is_end);

  std::streambuf& to_;
  std::string text_;
};

// As long as it lives, std::cout and std::cerr are printable where they are terminals. Files and
// pipes get every byte as it is.
class PrintableTerminals {
 public:
  PrintableTerminals();
  ~PrintableTerminals();
  PrintableTerminals(const PrintableTerminals&) = delete;
  PrintableTerminals& operator=(const PrintableTerminals&) = delete;

 private:
  std::unique_ptr<PrintableBuffer> out_, err_;
  std::streambuf *plain_out_, *plain_err_;
};

}  // namespace dlview::app
