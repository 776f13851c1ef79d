// What "Go to" finds: an iteration by its number, an op by its name or id, a kernel by its name, a
// report of the CUDA summary by its title or name. Pure.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ui/model.h"

namespace dlview::ui {

enum class JumpKind : uint8_t { iteration, op, kernel, report };

struct JumpTarget {
  JumpKind kind = JumpKind::iteration;
  int64_t iteration = 0;         // for an iteration
  profile::Row op = 0;           // for an op
  profile::StringId kernel = 0;  // for a kernel: its name
  std::string_view report;       // for a report: "cuda_gpu_kern_sum"
  std::string title, detail;
};

// All the names of a profile, each once. Refers to the profile, which it keeps.
class JumpIndex {
 public:
  explicit JumpIndex(std::shared_ptr<const profile::Profile> profile);

  // The best answers, best first, at most kMaxJumps. A number is an iteration first of all, when
  // there is one; without a query the outliers, which are where people want to go.
  std::vector<JumpTarget> find(const Model& model, std::string_view query) const;

 private:
  struct Name {
    std::string_view text;
    JumpKind kind;
    uint32_t number;  // row of the op, string of the kernel, or place of the report in reports()
  };
  JumpTarget target_of(const Name& name) const;

  std::shared_ptr<const profile::Profile> profile_;
  std::vector<Name> names_;
};
inline constexpr std::size_t kMaxJumps = 50;

}  // namespace dlview::ui
