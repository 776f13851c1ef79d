#include "import/ncu/report_file.h"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/shell_quote.h"
#include "import/child_process.h"
#include "import/errors.h"

namespace dlview::import::ncu {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLastWordBytes = 300;  // of what ncu says

std::string command_for(const fs::path& report) {
  return "ncu --import " + base::shell_quoted(report.string()) +
         " --csv --page raw --print-units base --print-fp > counters.csv";
}

base::Error not_exported(const fs::path& report, const std::string& reason) {
  return {"The report cannot be exported", quoted(report) + ": " + reason,
          "Export it with the version of Nsight Compute that recorded it, or a newer one: " +
              command_for(report) + ". Then open the file that it writes"};
}

std::string last_words(const fs::path& output) {
  std::ifstream in(output, std::ios::binary | std::ios::ate);
  const auto bytes = static_cast<std::size_t>(std::max<std::streamoff>(0, in.tellg()));
  in.seekg(static_cast<std::streamoff>(bytes - std::min(bytes, kLastWordBytes)));
  std::string text{std::istreambuf_iterator<char>(in), {}};
  for (char& c : text) c = c == '\n' || c == '\r' ? ' ' : c;
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

}  // namespace

bool is_report(const fs::path& path) {
  return path.extension() == ".ncu-rep";
}

ExportedReport::ExportedReport(ExportedReport&& other) noexcept
    : folder(std::exchange(other.folder, {})),
      path(std::exchange(other.path, {})),
      error(std::move(other.error)) {}

ExportedReport::~ExportedReport() {
  if (folder.empty()) return;
  std::error_code ignored;
  fs::remove(path, ignored);
  fs::remove(folder, ignored);
}

ExportedReport export_report(const fs::path& report, base::Progress& progress) {
  ExportedReport exported;
  std::error_code failure;
  if (!fs::is_regular_file(report, failure)) {
    exported.error = base::Error{"The file does not exist", quoted(report),
                                 "Check the path and your permissions"};
    return exported;
  }
  std::string folder = (fs::temp_directory_path(failure) / "dlview-ncu-XXXXXX").string();
  if (failure || mkdtemp(folder.data()) == nullptr) {
    exported.error =
        base::Error{"The report cannot be exported",
                    "Cannot create a temporary folder for the CSV of " + quoted(report),
                    "Set TMPDIR to a writable folder"};
    return exported;
  }
  exported.folder = folder;
  exported.path = exported.folder / "counters.csv";
  progress.begin_stage("Exporting the report with ncu");
  const ChildProcess ncu({"ncu", "--import", fs::absolute(report, failure).string(), "--csv",
                          "--page", "raw", "--print-units", "base", "--print-fp"},
                         exported.path);
  if (ncu.error() == ENOENT) {
    exported.error =
        base::Error{"Cannot export the report: ncu not found",
                    quoted(report) + " is an Nsight Compute report; only ncu can read it",
                    "Run " + command_for(report) +
                        " where Nsight Compute is installed, and open the file that it writes"};
  } else if (ncu.error() != 0) {
    exported.error =
        not_exported(report, "ncu does not start: " + std::generic_category().message(ncu.error()));
  } else if (const std::optional<int> status = ncu.wait(progress); !status) {
    exported.error = canceled(report);
  } else if (*status != 0) {
    exported.error = not_exported(
        report, "ncu exited with " + std::to_string(*status) + ": " + last_words(exported.path));
  }
  return exported;
}

}  // namespace dlview::import::ncu
