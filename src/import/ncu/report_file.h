// A report of Nsight Compute (.ncu-rep). `ncu --import` writes CSV of it, where it is installed.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "base/progress.h"
#include "base/result.h"

namespace dlview::import::ncu {

// By name.
bool is_report(const std::filesystem::path& path);

// The CSV of a report, removed with the object.
class ExportedReport {
 public:
  ExportedReport() = default;
  ExportedReport(const ExportedReport&) = delete;
  ExportedReport& operator=(const ExportedReport&) = delete;
  ExportedReport(ExportedReport&& other) noexcept;
  ExportedReport& operator=(ExportedReport&&) = delete;
  ~ExportedReport();

  std::filesystem::path folder;  // of the CSV; made for it
  std::filesystem::path path;
  std::optional<base::Error> error;  // then there is no CSV
};

// Runs the `ncu` on the PATH: page raw, base units, C locale. Without ncu, the error has the
// command to run; else its last words.
ExportedReport export_report(const std::filesystem::path& report, base::Progress& progress);

}  // namespace dlview::import::ncu
