#include "base/exceptions.h"

#include <new>
#include <stdexcept>

#include <gtest/gtest.h>

namespace dlview::base {
namespace {

template <typename Exception>
Error error_of(const Exception& exception) {
  try {
    throw exception;
  } catch (...) {
    return error_of_current_exception();
  }
}

TEST(Exceptions, BecomeErrorsThatSayWhatToDo) {
  EXPECT_EQ(error_of(std::bad_alloc()).title, "Not enough memory");
  EXPECT_EQ(error_of(std::runtime_error("no such luck")).detail, "no such luck");
  EXPECT_EQ(error_of(7).title, "dlview failed");
  EXPECT_FALSE(error_of(std::bad_alloc()).advice.empty());
  EXPECT_FALSE(error_of(7).advice.empty());
}

}  // namespace
}  // namespace dlview::base
