// Result<T>: a value or an Error that a user can act on. Exceptions do not cross module boundaries:
// functions that can fail on bad input return a Result. The error is written where its cause is
// known.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace dlview::base {

// An error as shown on the error page and on stderr.
struct Error {
  std::string title;   // what happened, on one line: "Invalid --engine: \"gpu\""
  std::string detail;  // why, with the offending value; empty if the title has it
  std::string advice;  // the fix: one imperative sentence or command; never empty
  bool operator==(const Error&) const = default;
};

// Title, detail and advice on up to three lines, for a terminal.
std::string to_text(const Error& error);
// "Title: detail", or the title alone.
std::string without_advice(const Error& error);
// "Title: detail. Advice", for a notice.
std::string one_line(const Error& error);

struct Success {};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & {
    assert(ok());
    return std::get<0>(state_);
  }
  const T& value() const& {
    assert(ok());
    return std::get<0>(state_);
  }
  T&& value() && {
    assert(ok());
    return std::get<0>(std::move(state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const& {
    assert(!ok());
    return std::get<1>(state_);
  }
  Error&& error() && {
    assert(!ok());
    return std::get<1>(std::move(state_));
  }

 private:
  std::variant<T, Error> state_;
};

// The result of a function that has nothing to return but may fail.
using Status = Result<Success>;

}  // namespace dlview::base

// Ends the function with the error of a Status or Result, if it has one.
#define DLVIEW_TRY(...)                                            \
  do {                                                             \
    if (const auto& dlview_tried = (__VA_ARGS__); !dlview_tried) { \
      return dlview_tried.error();                                 \
    }                                                              \
  } while (false)
