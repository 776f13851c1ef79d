#include "import/ncu/text_stream.h"

#include <cstring>
#include <utility>

namespace dlview::import::ncu {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";

}  // namespace

TextStream::TextStream(ByteStream stream, std::string_view head) : stream_(std::move(stream)) {
  if (head.starts_with("\xFF\xFE")) {
    encoding_ = Encoding::utf16_little;
  } else if (head.starts_with("\xFE\xFF")) {
    encoding_ = Encoding::utf16_big;
  } else if (head.size() > 3 && head[1] == '\0' && head[3] == '\0' && head[0] != '\0') {
    encoding_ = Encoding::utf16_little;
  }
}

base::Result<std::size_t> TextStream::read(std::span<char> block) {
  if (encoding_ == Encoding::utf8) {
    base::Result<std::size_t> count = stream_.read(block);
    if (!count) return count;
    at_end_ = *count < block.size();
    const bool has_mark = is_first_ && std::string_view(block.data(), *count).starts_with(kMark);
    is_first_ = false;
    if (!has_mark) return count;
    std::memmove(block.data(), block.data() + kMark.size(), *count - kMark.size());
    return *count - kMark.size();
  }
  std::size_t filled = 0;
  while (filled + 4 <= block.size()) {
    if (at_ + 1 >= raw_.size()) {
      at_end_ = is_end_;
      if (is_end_) break;
      raw_.resize(std::size_t{1} << 20);
      const auto count = stream_.read(raw_);
      if (!count) return count.error();
      is_end_ = *count < raw_.size();
      raw_.resize(*count);
      at_ = 0;
      continue;
    }
    append_code_point(block, filled);
  }
  return filled;
}

uint32_t TextStream::next_unit() {
  const auto first = static_cast<unsigned char>(raw_[at_]);
  const auto second = static_cast<unsigned char>(raw_[at_ + 1]);
  at_ += 2;
  return encoding_ == Encoding::utf16_little ? first | (second << 8U) : second | (first << 8U);
}

void TextStream::append_code_point(std::span<char> block, std::size_t& filled) {
  uint32_t point = next_unit();
  if (high_ != 0 && point >= 0xDC00 && point < 0xE000) {
    point = 0x10000 + ((high_ - 0xD800) << 10U) + (point - 0xDC00);
    high_ = 0;
  } else if (point >= 0xD800 && point < 0xDC00) {
    high_ = point;
    return;
  } else if (point == 0xFEFF) {
    return;
  }
  const auto add = [&](uint32_t byte) { block[filled++] = static_cast<char>(byte); };
  if (point < 0x80) return add(point);
  if (point < 0x800) {
    add(0xC0 | (point >> 6U));
  } else if (point < 0x10000) {
    add(0xE0 | (point >> 12U));
    add(0x80 | ((point >> 6U) & 0x3F));
  } else {
    add(0xF0 | (point >> 18U));
    add(0x80 | ((point >> 12U) & 0x3F));
    add(0x80 | ((point >> 6U) & 0x3F));
  }
  add(0x80 | (point & 0x3F));
}

base::Status Window::read_ahead(TextStream& stream) {
  base::UntouchedVector<char>& next = buffers_[1 - current_];
  if (next.empty()) next.resize(headroom_ + bytes_);
  const auto count = stream.read(std::span(next).subspan(headroom_));
  if (!count) return count.error();
  ahead_ = *count;
  is_end_ahead_ = stream.at_end();
  return base::Success{};
}

bool Window::advance(const char* rest) {
  const auto left = static_cast<std::size_t>(end() - rest);
  if (left > headroom_) return false;
  if (left > 0) std::memcpy(buffers_[1 - current_].data() + headroom_ - left, rest, left);
  current_ = 1 - current_;
  begin_ = headroom_ - left;
  end_ = headroom_ + ahead_;
  is_last_ = is_end_ahead_;
  return true;
}

}  // namespace dlview::import::ncu
