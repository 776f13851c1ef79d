#include "app/error_notice.h"

#include <fmt/format.h>

namespace dlview::app {

std::string error_notice(const base::Error& error) {
  return fmt::format("{}: {}. {}", error.title, error.detail, error.advice);
}

}  // namespace dlview::app
