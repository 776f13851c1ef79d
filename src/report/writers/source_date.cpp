#include "report/writers/source_date.h"

#include <cstdlib>

#include "base/parse.h"

namespace dlview::report {

std::optional<std::time_t> source_date() {
  const char* text = std::getenv("SOURCE_DATE_EPOCH");
  const auto seconds = text == nullptr ? std::nullopt : base::parse_natural(text);
  return seconds ? std::optional<std::time_t>(*seconds) : std::nullopt;
}

}  // namespace dlview::report
