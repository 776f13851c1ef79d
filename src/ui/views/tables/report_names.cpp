#include "ui/views/tables/report_names.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "profile/kernel_labels.h"

namespace dlview::ui {

ReportNames::ReportNames(const profile::Profile& profile) : profile_(profile) {
  const profile::Kernels& kernels = profile.kernels;
  std::vector<bool> is_seen(profile.strings.size());
  std::vector<profile::KernelTexts> texts;
  std::vector<profile::Row> rows;
  for (profile::Row row = 0; row < kernels.size(); ++row) {
    const profile::StringId id = kernels.long_name[row];
    if (is_seen[id]) continue;
    is_seen[id] = true;
    rows.push_back(row);
    texts.push_back({profile.text(kernels.name[row]), profile.text(id)});
  }
  std::vector<std::string> labels = profile::kernel_labels(texts);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    kernels_.emplace(texts[i].demangled, Kernel{rows[i], std::move(labels[i])});
  }
}

const ReportNames::Kernel* ReportNames::find(std::string_view demangled) const {
  const auto found = kernels_.find(demangled);
  return found == kernels_.end() ? nullptr : &found->second;
}

std::optional<std::string_view> ReportNames::name(std::string_view demangled) const {
  const Kernel* kernel = find(demangled);
  if (kernel == nullptr) return std::nullopt;
  return profile_.text(profile_.kernels.name[kernel->first]);
}

std::string ReportNames::label(std::string_view demangled) const {
  const Kernel* kernel = find(demangled);
  return kernel == nullptr ? std::string(demangled) : kernel->label;
}

bool ReportNames::uses_tensor_cores(std::string_view demangled) const {
  const Kernel* kernel = find(demangled);
  return kernel != nullptr && profile_.kernels.uses_tensor_cores[kernel->first] != 0;
}

std::shared_ptr<const ReportNames> SharedReportNames::get(const profile::Profile& profile) {
  const std::lock_guard lock(mutex_);
  if (!names_) names_ = std::make_shared<const ReportNames>(profile);
  return names_;
}

}  // namespace dlview::ui
