#include "base/value_table.h"

#include <fmt/format.h>

namespace dlview::base {

std::string to_text(const Value& value) {
  struct Printer {
    std::string operator()(std::monostate) const { return "NULL"; }
    std::string operator()(int64_t number) const { return fmt::format("{}", number); }
    std::string operator()(double number) const { return fmt::format("{:.6f}", number); }
    std::string operator()(const std::string& text) const { return text; }
  };
  return std::visit(Printer{}, value);
}

}  // namespace dlview::base
