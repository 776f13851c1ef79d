#include "report/writers/utf8.h"

#include "base/utf8.h"

namespace dlview::report {
namespace {

constexpr std::string_view kReplacement = "\ufffd";

bool is_allowed(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1)
    return (first >= 0x20 && first != 0x7F) || first == '\t' || first == '\n';
  return sequence != "\uFFFE" && sequence != "\uFFFF";
}

}  // namespace

void append_clean_text(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = base::utf8_length(text);
    const std::string_view sequence = text.substr(0, length);
    out += length > 0 && is_allowed(sequence) ? sequence : kReplacement;
    text.remove_prefix(length > 0 ? length : 1);
  }
}

}  // namespace dlview::report
