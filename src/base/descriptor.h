// Descriptor: an open file of the system's, closed with its object.
#pragma once

#include <unistd.h>
#include <utility>

namespace dlview::base {

class Descriptor {
 public:
  Descriptor() = default;
  // What open() returned; -1 is none.
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  int get() const { return number_; }
  bool ok() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

}  // namespace dlview::base
