#include "base/result.h"

namespace dlview::base {

std::string to_text(const Error& error) {
  std::string text = error.title;
  if (!error.detail.empty()) text += "\n  " + error.detail;
  if (!error.advice.empty()) text += "\n  " + error.advice;
  return text;
}

std::string without_advice(const Error& error) {
  return error.detail.empty() ? error.title : error.title + ": " + error.detail;
}

std::string one_line(const Error& error) {
  return without_advice(error) + ". " + error.advice;
}

}  // namespace dlview::base
