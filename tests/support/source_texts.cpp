#include "support/source_texts.h"

#include <algorithm>
#include <utility>

namespace dlview::testing {
namespace {

constexpr std::string_view kBlanks = " \t\n";

class Reader {
 public:
  explicit Reader(std::string_view source) : source_(source) {}

  SourceTexts read() && {
    while (at_ < source_.size()) {
      const char c = source_[at_];
      if (c == '\n') {
        new_line();
      } else if (begins_with("//")) {
        read_comment();
      } else if (begins_with("/*")) {
        skip_to(source_.find("*/", at_), 2);
      } else if (begins_with("R\"") && !follows_name()) {
        read_raw();
      } else if (c == '"') {
        read_literal();
      } else if (c == '\'' && !follows_name()) {
        at_ = end_of_quoted('\'');
        may_join_ = false;
      } else {
        if (kBlanks.find(c) == std::string_view::npos) end_of_blanks(c);
        ++at_;
      }
    }
    return std::move(texts_);
  }

 private:
  bool begins_with(std::string_view text) const { return source_.substr(at_).starts_with(text); }
  // 1'000 has no character, and the R of FOR"..." begins no raw literal.
  bool follows_name() const {
    if (at_ == 0) return false;
    const char before = source_[at_ - 1];
    return before == '_' || (before >= '0' && before <= '9') || (before >= 'a' && before <= 'z') ||
           (before >= 'A' && before <= 'Z');
  }

  void new_line() {
    ++line_;
    ++at_;
    is_directive_ = false;
    is_only_comment_ = true;
  }

  void end_of_blanks(char c) {
    may_join_ = false;
    if (is_only_comment_ && c == '#') is_directive_ = true;
    is_only_comment_ = false;
    joins_comment_ = false;
  }

  void read_comment() {
    const std::size_t end = std::min(source_.find('\n', at_), source_.size());
    std::size_t begin = at_;
    while (begin < end && source_[begin] == '/') ++begin;
    while (begin < end && source_[begin] == ' ') ++begin;
    const std::string text(source_.substr(begin, end - begin));
    if (joins_comment_ && is_only_comment_ && comment_line_ + 1 == line_) {
      texts_.comments.back().text += ' ' + text;
    } else {
      texts_.comments.push_back({line_, text});
    }
    joins_comment_ = true;
    comment_line_ = line_;
    at_ = end;
  }

  void read_raw() {
    const std::size_t open = source_.find('(', at_);
    const std::string close = ")" + std::string(source_.substr(at_ + 2, open - at_ - 2)) + '"';
    const std::size_t end = source_.find(close, open);
    add(source_.substr(open + 1, end - open - 1));
    skip_to(end, close.size());
  }

  void read_literal() {
    const std::size_t end = end_of_quoted('"');
    if (!is_directive_) add(source_.substr(at_ + 1, end - at_ - 2));
    at_ = end;
  }

  void add(std::string_view text) {
    if (may_join_) {
      texts_.literals.back().text += text;
    } else {
      texts_.literals.push_back({line_, std::string(text)});
    }
    may_join_ = true;
    is_only_comment_ = false;
    joins_comment_ = false;
  }

  std::size_t end_of_quoted(char quote) const {
    std::size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != quote) end += source_[end] == '\\' ? 2 : 1;
    return std::min(end + 1, source_.size());
  }

  void skip_to(std::size_t found, std::size_t length) {
    const std::size_t end = found == std::string_view::npos ? source_.size() : found + length;
    for (; at_ < end; ++at_) line_ += source_[at_] == '\n' ? 1 : 0;
  }

  std::string_view source_;
  std::size_t at_ = 0, line_ = 1, comment_line_ = 0;
  bool may_join_ = false;        // only blanks and comments since the last literal
  bool joins_comment_ = false;   // nothing but blanks since the last comment
  bool is_only_comment_ = true;  // nothing but blanks in the line so far
  bool is_directive_ = false;    // #include, #error
  SourceTexts texts_;
};

}  // namespace

SourceTexts texts_of_source(std::string_view source) {
  return Reader(source).read();
}

}  // namespace dlview::testing
