// The details pane of the table views for the selected op, kernel or group. It shows facts, the
// distribution of durations with the slowest iterations, and times; for an op also shapes and stack
// trace, for a group its ops.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aggregate/metrics.h"
#include "aggregate/op_instances.h"
#include "aggregate/tensor_core_uses.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

// A kernel name within an op, the op itself, or a group.
struct DetailsSubject {
  profile::OpIndex op;
  std::optional<profile::StringId> kernel;
  profile::Row group = profile::kNoRow;  // in GroupTree::groups; then there is no op
  bool operator==(const DetailsSubject&) const = default;
};

struct DetailsContent {
  std::string kind, name;  // "Op", "/module/conv2"
  std::optional<aggregate::Filter> filter;
  struct Fact {
    std::string id, label, value;
    bool attention = false;
  };
  std::vector<Fact> facts;
  std::string durations_title;    // "GPU time per call (union)"; empty = nothing ran
  std::string samples = "calls";  // what a duration belongs to: "launches", "iterations"
  aggregate::Distribution durations;
  Tone tone = Tone::other_kernels;  // color of the durations
  std::size_t sample_count = 0;
  struct Times {
    std::string id, label;
    aggregate::MetricId metric;
    std::string sum, min, average, max, full;
  };
  std::vector<Times> times;
  struct OpRow {
    profile::OpIndex op;
    std::string id, name, direction, time;  // the name without the group's
  };
  std::string ops_title;   // "GPU time"
  std::vector<OpRow> ops;  // of a group, longest first, at most kMostOps
  std::string more_ops;    // "and 3 more"; empty if all are listed
  struct Text {
    std::string title, text;
  };
  std::vector<Text> texts;  // shapes, parameters, stack trace
};

inline constexpr std::size_t kHistogramBins = 36;
inline constexpr std::size_t kMostOps = 10;

// `unknown`: the kernels of unknown Tensor Core use; null until they are known.
DetailsContent prepare_details(const profile::Profile& profile,
                               const aggregate::Aggregation& aggregation,
                               const aggregate::OpInstances& instances,
                               const aggregate::UnknownTensorCoreUse* unknown,
                               const DetailsSubject& subject);

// Fills the box; returns false when its X was clicked. `shows_whole_texts` is what the reader
// chose.
bool draw_details(Frame& frame, const Box& box, const DetailsContent& content,
                  bool& shows_whole_texts);

class DetailsPane {
 public:
  // Fills the box; returns false when its X was clicked.
  bool draw(Frame& frame, const Box& box, const DetailsSubject& subject);

 private:
  void prepare(const Model& model, const DetailsSubject& subject);

  std::shared_ptr<const profile::Profile> indexed_;
  std::optional<aggregate::OpInstances> instances_;
  std::shared_ptr<const aggregate::Aggregation> prepared_for_;
  std::shared_ptr<const aggregate::UnknownTensorCoreUse> unknown_use_;
  DetailsSubject subject_;
  DetailsContent content_;
  bool whole_texts_ = false;
};

}  // namespace dlview::ui
