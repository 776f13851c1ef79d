// Phrases about judgements that all outputs share. Texts of files in them are not escaped.
#pragma once

#include <string>

#include "report/budget/judge.h"

namespace dlview::report::budget {

bool is_fine(const Judgement& judgement);                // kept or skipped
std::string state_text(const Judgement& judgement);      // "broken (warning)"
std::string tolerance_text(const Budget& budget);        // "learned", "3%", "2.00 ms", "2 points"
std::string limit_text(const Judgement& judgement);      // "≤ 310 ms, ≤ 315 ms"
std::string baseline_text(const Judgement& judgement);   // "305 ms"; empty = none
std::string change_text_of(const Judgement& judgement);  // "+2.9%"; empty = no baseline
std::string value_or_none(const Judgement& judgement);   // empty = not measurable
std::string rounded_text(double value, aggregate::Unit unit);

}  // namespace dlview::report::budget
