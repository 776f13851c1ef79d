// System and data: what the file holds beside its numbers. Machine, recording, model configuration,
// who aggregated what, counts of rows, CUDA API calls, rows that could not be used, and what was
// not recorded.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "profile/profile.h"
#include "ui/background.h"
#include "ui/view.h"
#include "ui/widgets/figures.h"

namespace dlview::ui {

// What the file says.
struct SystemPage {
  std::vector<KeyValue> machine, recording, model, counts, contents, messages, memory;
  std::string command;  // line that recorded the run; empty = the file does not tell
  struct StoredRow {
    std::string id, range, key_op, who, started;
  };
  std::vector<StoredRow> stored;
};

// What is summed over all events of the run.
struct SystemSums {
  std::vector<KeyValue> memory_peaks;  // of GPUs, by the memory events of a PyTorch trace
  std::vector<KeyValue> tensorboard;
  struct ApiRow {
    std::string name, calls, total, full, longest;
  };
  std::vector<ApiRow> api_calls;
  // Kernel names that the present rules see otherwise than the numbers do, or do not know.
  struct KernelRow {
    std::string name, counted, present, rule, gpu_time;
  };
  std::vector<KernelRow> doubtful_kernels;
  // "Differs from database: 3 of 41 kernel names, 12.4 ms of 1.20 s GPU time."; empty = no kernels
  std::string tensor_core_note;
};

SystemPage system_page(const profile::Profile& profile, const std::string& viewer_version);
SystemSums system_sums(const profile::Profile& profile);

class SystemView : public View {
 public:
  void draw(Frame& frame, const Box& box, const ViewTools& tools) override;

 private:
  float draw_columns(Frame& frame, const Area& area);

  std::shared_ptr<const profile::Profile> page_of_;
  SystemPage page_;
  Late<std::shared_ptr<const profile::Profile>, SystemSums> sums_;
  bool whole_command_ = false;
};

}  // namespace dlview::ui
