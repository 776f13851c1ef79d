// How the reports of nsys look on screen: where they stand in the list, and their columns.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "profile/profile.h"
#include "report/nsys/reports.h"
#include "ui/table/table_data.h"

namespace dlview::ui {

// What a profile says of the kernels that a report names by their demangled names.
class ReportNames {
 public:
  // Reads every kernel and every name; keeps a reference to the profile.
  explicit ReportNames(const profile::Profile& profile);

  // The profile's name of the kernel; nothing where no kernel has this demangled name.
  std::optional<std::string_view> name(std::string_view demangled) const;
  // Tells kernels apart also where the profile has short names, as in processes with DLProf's
  // markers; other texts as they are.
  std::string label(std::string_view demangled) const;
  // That of a kernel that uses Tensor Cores or may use them; of all others `otherwise`.
  Tone tone(std::string_view demangled, Tone otherwise) const;

 private:
  struct Kernel {
    profile::KernelIndex first{0};  // of those with this name
    std::string label;
    Tone tone = Tone::other_kernels;
  };
  const Kernel* find(std::string_view demangled) const;

  const profile::Profile& profile_;
  std::unordered_map<std::string_view, Kernel> kernels_;
};

// The names of one profile for all its reports: the first report that wants them makes them.
class SharedReportNames {
 public:
  // From any thread, always with the same profile.
  std::shared_ptr<const ReportNames> get(const profile::Profile& profile);

 private:
  std::mutex mutex_;
  std::shared_ptr<const ReportNames> names_;
};

struct ReportPlace {
  std::string_view report;  // "cuda_gpu_kern_sum"
  std::string_view group;   // "GPU activity"; the reports of a group stand together
  std::string_view label;   // "Kernels"
};
// In the order of the list.
std::span<const ReportPlace> report_places();

// The look of a report that was made as `table`. A kernel's name filters to it.
TableLook report_look(const report::nsys::ReportInfo& report, const report::Table& table,
                      const std::shared_ptr<const ReportNames>& names);

// Adds the column that tells the rows of the report apart, where no other does.
void add_row_key(report::Table& table);

}  // namespace dlview::ui
