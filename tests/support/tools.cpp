#include "support/tools.h"

#include <array>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

namespace dlview::testing {

bool has_tool(std::string_view name) {
  return std::system(fmt::format("command -v {} >/dev/null 2>&1", name).c_str()) == 0;
}

std::string output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) {
    ADD_FAILURE() << "cannot run " << command;
    return {};
  }
  std::string text;
  std::array<char, 4096> buffer;
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    text.append(buffer.data(), count);
  }
  EXPECT_EQ(pclose(pipe), 0) << command;
  return text;
}

}  // namespace dlview::testing
