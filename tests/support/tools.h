// Programs that tests use where they are installed: readers of the files that dlview writes.
#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace dlview::testing {

bool has_tool(std::string_view name);
// Runs a shell command, fails the test when that fails; what it printed on its standard output.
std::string output_of(const std::string& command);

}  // namespace dlview::testing

#define DLVIEW_REQUIRE_TOOL(name)                                                  \
  if (!dlview::testing::has_tool(name)) {                                          \
    GTEST_SKIP() << name << " is not installed, so that nobody can read the file"; \
  }
