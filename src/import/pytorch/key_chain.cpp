#include "import/pytorch/key_chain.h"

#include <algorithm>

namespace dlview::import::pytorch {

uint8_t KeyChain::add(uint8_t last, std::string_view text, std::string_view key, uint8_t field,
                      bool is_end) {
  if (text.size() > Link::kMostBytes || count_ == links_.size()) return kNone;
  std::size_t found = kArguments + 1;
  while (found < count_ &&
         text != std::string_view(links_[found].text.data(), links_[found].size)) {
    ++found;
  }
  const auto number = static_cast<uint8_t>(found);
  if (found == count_) {
    ++count_;
    Link& link = links_[number];
    link.text.fill('\0');  // all of it is compared
    std::ranges::copy(text, link.text.begin());
    link.size = static_cast<uint8_t>(text.size());
    link.key_begin = is_end ? 0 : static_cast<uint8_t>(key.data() - text.data());
    link.key_size = static_cast<uint8_t>(key.size());
    link.field = field;
    link.is_end = is_end;
    link.next.fill(kNone);
  }
  if (last == kNone) return number;
  // The one that was found longest ago gives way.
  std::array<uint8_t, Link::kMostNext>& next = links_[last].next;
  std::ranges::copy_backward(next.begin(), next.end() - 1, next.end());
  next[0] = number;
  return number;
}

}  // namespace dlview::import::pytorch
