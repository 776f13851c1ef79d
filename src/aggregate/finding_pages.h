// A page for each finding: what it means, how its savings are computed, from where on it is
// reported, what to do, and when it is wrong. `dlview definitions` and the help page show them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dlview::aggregate {

struct FindingPage {
  std::string_view detector;
  std::string_view title;
  std::string_view meaning;
  std::string_view formula;                  // of the potential savings; empty: none are named
  std::vector<std::string_view> thresholds;  // ids
  std::string_view fix;
  std::string_view wrong_when;
};

// Most important first: idle GPUs, copies, communication, kernels, iterations, DLProf's advice.
std::span<const FindingPage> finding_pages();
// A page without title if there is none.
const FindingPage& finding_page(std::string_view detector);
// Returns the pages with every word of `search` in detector or text, ignoring case.
std::vector<const FindingPage*> find_finding_pages(std::string_view search);
// Its thresholds at their defaults: "Potential savings of at least 2% of the iteration".
std::string thresholds_text(const FindingPage& page);

}  // namespace dlview::aggregate
