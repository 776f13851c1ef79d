#include "app/terminal_output.h"

#include <algorithm>
#include <iostream>
#include <string_view>
#include <unistd.h>

#include "base/utf8.h"
#include "report/writers/text.h"

namespace dlview::app {
namespace {

constexpr std::size_t kPassedOn = 4096;  // bytes that wait at most

// Bytes at the end of `text` that begin a character of UTF-8 whose end is missing.
std::size_t unfinished_bytes(std::string_view text) {
  for (std::size_t length = 1; length <= std::min<std::size_t>(3, text.size()); ++length) {
    const auto byte = static_cast<unsigned char>(text[text.size() - length]);
    if ((byte & 0xC0) == 0x80) continue;
    const std::size_t wanted = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    return wanted > length ? length : 0;
  }
  return 0;
}

std::string printable_lines(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\n\t"), text.size());
    result += report::printable(text.substr(0, end));
    if (end < text.size()) result += text[end];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::unique_ptr<PrintableBuffer> printable_if_terminal(std::ostream& stream, int descriptor) {
  if (isatty(descriptor) == 0) return nullptr;
  auto buffer = std::make_unique<PrintableBuffer>(*stream.rdbuf());
  stream.rdbuf(buffer.get());
  return buffer;
}

}  // namespace

bool PrintableBuffer::pass_on(bool is_end) {
  const std::size_t rest = is_end ? 0 : unfinished_bytes(text_);
  const std::string shown = printable_lines(std::string_view(text_).substr(0, text_.size() - rest));
  text_.erase(0, text_.size() - rest);
  const auto count = static_cast<std::streamsize>(shown.size());
  return to_.sputn(shown.data(), count) == count;
}

PrintableBuffer::int_type PrintableBuffer::overflow(int_type next) {
  if (traits_type::eq_int_type(next, traits_type::eof())) return traits_type::not_eof(next);
  const char byte = traits_type::to_char_type(next);
  return xsputn(&byte, 1) == 1 ? next : traits_type::eof();
}

std::streamsize PrintableBuffer::xsputn(const char* bytes, std::streamsize count) {
  text_.append(bytes, static_cast<std::size_t>(count));
  return text_.size() < kPassedOn || pass_on(false) ? count : 0;
}

int PrintableBuffer::sync() {
  return pass_on(true) && to_.pubsync() == 0 ? 0 : -1;
}

PrintableTerminals::PrintableTerminals()
    : plain_out_(std::cout.rdbuf()), plain_err_(std::cerr.rdbuf()) {
  out_ = printable_if_terminal(std::cout, STDOUT_FILENO);
  err_ = printable_if_terminal(std::cerr, STDERR_FILENO);
}

PrintableTerminals::~PrintableTerminals() {
  std::cout.rdbuf(plain_out_);
  std::cerr.rdbuf(plain_err_);
}

}  // namespace dlview::app
