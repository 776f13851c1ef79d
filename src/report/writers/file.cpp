#include "report/writers/file.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

#include "base/parse.h"
#include "base/unfinished_file.h"

namespace dlview::report {

base::Status write_file(const std::filesystem::path& path,
                        const std::function<void(std::ostream& out)>& write) {
  base::Result<base::UnfinishedFile> file = base::UnfinishedFile::create(path);
  if (!file) return file.error();
  write(file->out());
  return file->finish();
}

base::Status create_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && std::filesystem::is_directory(folder)) return base::Success{};
  const std::string reason = error ? error.message() : "it is not a folder";
  return base::Error{"Cannot create the output folder",
                     fmt::format("{}: {}", folder.string(), reason),
                     "Choose another folder with --output-dir"};
}

base::Status refuse_source(const std::filesystem::path& file, const profile::Profile& profile,
                           const std::string& advice) {
  const auto is_file = [&file](const std::filesystem::path& other) {
    std::error_code ignored;
    return std::filesystem::equivalent(file, other, ignored);
  };
  const bool has_counters_from =
      profile.counters && std::ranges::any_of(profile.counters->files, [&](const auto& counters) {
        return is_file(counters.path);
      });
  if (!is_file(profile.source.path) && !has_counters_from) return base::Success{};
  return base::Error{"A report would overwrite the profile it is made from",
                     fmt::format("{} is the file that was opened", file.string()), advice};
}

std::optional<std::time_t> source_date() {
  const char* text = std::getenv("SOURCE_DATE_EPOCH");
  const auto seconds = text == nullptr ? std::nullopt : base::parse_natural(text);
  return seconds ? std::optional<std::time_t>(*seconds) : std::nullopt;
}

}  // namespace dlview::report
