// An open file descriptor, and a stream that writes to one.
#pragma once

#include <cstddef>
#include <streambuf>
#include <utility>
#include <vector>

namespace dlview::base {

// Closes it in the end; -1 = none.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_;
};

// 0 when all was written, else errno.
int write_all(int descriptor, const char* bytes, std::size_t count);

// For a std::ostream. Writes blocks of 64 KiB.
class DescriptorBuffer : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor);
  // errno of the first write that failed, after which nothing more is written; 0 = none did.
  int error() const { return error_; }

 protected:
  int_type overflow(int_type next) override;
  int sync() override;

 private:
  int descriptor_;
  std::vector<char> buffer_;
  int error_ = 0;
};

}  // namespace dlview::base
