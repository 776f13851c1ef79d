// ReportNames: what a profile says of the kernels that a report names by their demangled names.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "profile/profile.h"

namespace dlview::ui {

class ReportNames {
 public:
  // Reads every kernel and every name; keeps a reference to the profile.
  explicit ReportNames(const profile::Profile& profile);

  // The profile's name of the kernel; nothing where no kernel has this demangled name.
  std::optional<std::string_view> name(std::string_view demangled) const;
  // Tells kernels apart also where the profile has short names, as in processes with DLProf's
  // markers; other texts as they are.
  std::string label(std::string_view demangled) const;
  bool uses_tensor_cores(std::string_view demangled) const;

 private:
  struct Kernel {
    profile::Row first = 0;  // of those with this name
    std::string label;
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

}  // namespace dlview::ui
