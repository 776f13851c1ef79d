#include "import/nsys/range_texts.h"

#include <optional>

#include "base/utf8.h"

namespace dlview::import::nsys {

uint32_t RangeTexts::reference(int64_t id, Place place) {
  if (const std::optional<uint32_t> known = numbers_.find(id)) return *known;
  const auto number = static_cast<uint32_t>(references_.size());
  numbers_.set(id, number);
  references_.push_back({id, place, written_.size()});
  return number;
}

profile::StringId RangeTexts::write(std::string_view text) {
  const std::size_t known = written_.size();
  const profile::StringId number = written_.intern(text);
  if (number == known && !base::is_utf8(text)) not_utf8_.insert(number);
  return number;
}

}  // namespace dlview::import::nsys
