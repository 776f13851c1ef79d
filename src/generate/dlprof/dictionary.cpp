#include "generate/dlprof/dictionary.h"

namespace dlview::generate::dlprof {

Dictionary::Dictionary(SqliteFile& file, const profile::StringTable& strings)
    : strings_(strings), insert_(file, "dictionary", 2), id_of_string_(strings.size(), 0) {}

int64_t Dictionary::id(std::string_view text) {
  const auto [entry, added] = ids_.emplace(text, std::ssize(ids_) + 1);
  if (added) insert_(entry->second, text);
  return entry->second;
}

int64_t Dictionary::id(profile::StringId text) {
  int64_t& known = id_of_string_[text];
  if (known == 0) known = id(strings_[text]);
  return known;
}

}  // namespace dlview::generate::dlprof
