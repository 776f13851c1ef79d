#include "base/descriptor.h"

#include <cerrno>
#include <unistd.h>

namespace dlview::base {

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

int write_all(int descriptor, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t written = write(descriptor, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
  return 0;
}

DescriptorBuffer::DescriptorBuffer(int descriptor)
    : descriptor_(descriptor), buffer_(std::size_t{1} << 16) {
  setp(buffer_.data(), buffer_.data() + buffer_.size());
}

DescriptorBuffer::int_type DescriptorBuffer::overflow(int_type next) {
  if (sync() != 0) return traits_type::eof();
  if (!traits_type::eq_int_type(next, traits_type::eof())) sputc(traits_type::to_char_type(next));
  return traits_type::not_eof(next);
}

int DescriptorBuffer::sync() {
  if (error_ == 0) {
    error_ = write_all(descriptor_, pbase(), static_cast<std::size_t>(pptr() - pbase()));
  }
  setp(buffer_.data(), buffer_.data() + buffer_.size());
  return error_ == 0 ? 0 : -1;
}

}  // namespace dlview::base
