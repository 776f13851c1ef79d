#include "base/result.h"

namespace dlview::base {

std::string to_text(const Error& error) {
  std::string text = error.title;
  if (!error.detail.empty()) text += "\n  " + error.detail;
  if (!error.advice.empty()) text += "\n  " + error.advice;
  return text;
}

std::string one_line(const Error& error) {
  return error.title + ": " + error.detail + ". " + error.advice;
}

}  // namespace dlview::base
