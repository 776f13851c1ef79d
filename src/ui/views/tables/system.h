// System and data: what the file holds beside its numbers. Machine, recording, model configuration,
// who aggregated what, counts of rows, CUDA API calls, rows that could not be used, and what was
// not recorded.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "aggregate/api_totals.h"
#include "profile/profile.h"
#include "ui/view.h"
#include "ui/widgets/figures.h"

namespace dlview::ui {

struct SystemContent {
  std::vector<KeyValue> machine, recording, model, counts, contents, messages, memory, tensorboard;
  std::string command;  // line that recorded the run; empty = the file does not tell
  struct StoredRow {
    std::string id, range, key_op, who, started;
  };
  std::vector<StoredRow> stored;
  struct ApiRow {
    std::string name, calls, total, full, longest;
  };
  std::vector<ApiRow> api_calls;
  // Kernel names that the present rules see otherwise than the numbers do, or do not know.
  struct KernelRow {
    std::string name, counted, present, rule, gpu_time;
  };
  std::vector<KernelRow> doubtful_kernels;
  std::string
      tensor_core_note;  // "Seen otherwise: 3 of 41 kernel names, 12.4 ms of 1.20 s GPU time."
};

SystemContent prepare_system_page(const profile::Profile& profile,
                                  const std::vector<aggregate::ApiTotals>& api_calls,
                                  const std::string& viewer_version);

class SystemView : public View {
 public:
  void draw(Frame& frame, const Box& box, const ViewTools&) override { draw(frame, box); }
  void draw(Frame& frame, const Box& box);

 private:
  void prepare(const Model& model);
  float draw_columns(Frame& frame, const Area& area);

  std::shared_ptr<const profile::Profile> prepared_for_;
  SystemContent content_;
  bool whole_command_ = false;
};

}  // namespace dlview::ui
