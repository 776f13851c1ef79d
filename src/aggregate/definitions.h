// The definitions of all numbers for reading: the metrics of metrics.h in sections, as the views
// have them. The help page and `dlview definitions` show them.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/metrics.h"
#include "profile/profile.h"

namespace dlview::aggregate {

struct DefinitionSection {
  std::string_view title;  // "Tensor Cores"
  std::vector<const Metric*> metrics;
};

// Returns the metrics with every word of `search` in title, definition, counting or source,
// ignoring case; sections without any are left out. Sources are those of the open profile.
std::vector<DefinitionSection> find_definitions(std::string_view search = {},
                                                const profile::Profile* profile = nullptr);

// "Counted as union. From kernels. Filters do not change it." Names the tables of the open profile
// (aggregate/provenance.h).
std::string definition_note(const Metric& metric, const profile::Profile* profile = nullptr);

// SearchWords: whether texts have every word that was typed, whatever the case.

class SearchWords {
 public:
  explicit SearchWords(std::string_view search);
  // Each word in one of them.
  bool are_in(std::initializer_list<std::string_view> texts) const;

 private:
  std::vector<std::string> words_;  // lower case
};

}  // namespace dlview::aggregate
