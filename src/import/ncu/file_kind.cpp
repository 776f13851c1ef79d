#include "import/ncu/file_kind.h"

#include <algorithm>
#include <iterator>

#include "import/errors.h"
#include "import/ncu/csv.h"
#include "import/sqlite/content.h"
#include "profile/recorded.h"

namespace dlview::import::ncu {
namespace {

namespace fs = std::filesystem;

std::string first_line(std::string_view text) {
  constexpr std::size_t kShown = 100;
  while (!text.empty() && (text.front() == '\n' || text.front() == '\r')) text.remove_prefix(1);
  text = text.substr(0, std::min(text.find_first_of("\r\n"), kShown));
  return std::string(text);
}

// What a file seems to be that has neither a table nor a log of ncu.
std::string seems_to_be(std::string_view head) {
  const auto has = [&](std::string_view words) {
    return head.find(words) != std::string_view::npos;
  };
  if (sqlite::begins_as_sqlite(head)) return "is an SQLite database, perhaps the profile itself";
  if (!sqlite::is_text(head.substr(0, sqlite::kFirstBytes))) return "is a binary file";
  const std::string line = first_line(head);
  if (line.empty()) return "is empty";
  if (has("command not found") || has("is not recognized as") || has("No such file") ||
      has("Permission denied")) {
    return "contains a shell error message: " + line;
  }
  if (has("Total Time (ns)")) return "is a report of nsys stats";
  if (line.front() == '{' || line.front() == '[') return "is JSON, perhaps a PyTorch trace";
  if (line.front() == '<') return "is HTML or XML, perhaps a download page";
  if (std::ranges::count(line, ',') >= 2) return "is a table of another tool: " + line;
  return "is text: " + line;
}

}  // namespace

std::string how_to_record() {
  return "Record Nsight Compute counters: " + std::string(profile::kCountCommand) +
         "; or export a report: ncu --import REPORT.ncu-rep --csv --page raw > counters.csv";
}

base::Error wrong_file(const fs::path& path, std::string_view head) {
  return {"No Nsight Compute counters in the file",
          quoted(path) + " " + seems_to_be(head) +
              ". An Nsight Compute CSV has a line that begins with \"ID\",\"Process ID\"",
          how_to_record()};
}

bool is_csv(const ByteSource& source) {
  const bool is_file =
      source.kind() == ByteSource::Kind::plain || source.kind() == ByteSource::Kind::gzip;
  return is_file && is_csv(source.head());
}

bool is_csv(std::string_view head) {
  std::string narrow;  // of UTF-16: what is ASCII in it
  if (head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF") ||
      (head.size() > 3 && head[1] == '\0' && head[3] == '\0' && head[0] != '\0')) {
    std::ranges::copy_if(head.substr(0, 4 * sqlite::kFirstBytes), std::back_inserter(narrow),
                         [](char c) { return c > 0; });
    head = narrow;
  }
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  while (!head.empty()) {
    if (is_header(head) || is_log_line(head)) return true;
    const std::size_t line = head.find('\n');
    if (line == std::string_view::npos) return false;
    head.remove_prefix(line + 1);
  }
  return false;
}

}  // namespace dlview::import::ncu
