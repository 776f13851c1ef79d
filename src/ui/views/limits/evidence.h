// The evidence of a row of Limits: each number with its origin and formula, the limit by each of
// the four rules, tiles and waves, and advice.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ui/views/limits/limit_data.h"

namespace dlview::ui {

struct LimitEvidencePage {
  std::string kind, name;  // "Op", "/net/conv2"
  std::string detail;      // "12 calls · 1.28 ms · FP16 Tensor"
  struct Fact {
    std::string id, label, value;
    std::string source;  // "counted by Nsight Compute (a.csv)", "from shapes: 2MNK = 2 × 8 × 8 × 8"
  };
  std::vector<Fact> facts;
  struct Verdict {
    std::string id, rule, text, reason;
    aggregate::Limit limit = aggregate::Limit::unknown;
    aggregate::Origin origin = aggregate::Origin::none;
    bool is_shown = false;  // it decides color and shape
  };
  std::vector<Verdict> verdicts;
  std::string difference;          // why they differ; empty = they agree
  std::vector<std::string> notes;  // tile and wave, occupancy, assumptions
  std::vector<std::string> advice;
};

LimitEvidencePage prepare_evidence(const LimitData& data, uint32_t row, report::LimitRule rule);

// Advice by class; what raised it is in the text.
std::vector<std::string> advice_of(const LimitData& data, const aggregate::LimitRow& row,
                                   report::LimitRule rule, const aggregate::CounterFacts* facts);

// CSV of the shapes of rows, for a benchmark: name,shape,type,calls,time_ns,flops,bytes.
std::string shapes_csv(const LimitData& data, std::span<const uint32_t> rows);

}  // namespace dlview::ui
