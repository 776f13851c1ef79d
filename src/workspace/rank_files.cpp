#include "workspace/rank_files.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "import/open.h"
#include "profile/rank_name.h"
#include "ranks/identity.h"
#include "ranks/summarize.h"
#include "ranks/summary_file.h"

namespace dlview::workspace {
namespace {

namespace fs = std::filesystem;

// Whether a name has the pattern. O(n m).
bool matches(std::string_view name, std::string_view pattern) {
  std::size_t at = 0, in_pattern = 0, star = std::string_view::npos, after_star = 0;
  while (at < name.size()) {
    if (in_pattern < pattern.size() &&
        (pattern[in_pattern] == '?' || pattern[in_pattern] == name[at]) &&
        pattern[in_pattern] != '*') {
      ++at;
      ++in_pattern;
    } else if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
      star = in_pattern++;
      after_star = at;
    } else if (star != std::string_view::npos) {
      in_pattern = star + 1;
      at = ++after_star;
    } else {
      return false;
    }
  }
  while (in_pattern < pattern.size() && pattern[in_pattern] == '*') ++in_pattern;
  return in_pattern == pattern.size();
}

bool is_profile_name(const std::string& name) {
  constexpr std::array<std::string_view, 8> kEndings{".sqlite", ".sqlite3", ".db",      ".nsys-rep",
                                                     ".qdrep",  ".json",    ".json.gz", ".gz"};
  return std::ranges::any_of(kEndings,
                             [&](std::string_view ending) { return name.ends_with(ending); });
}

// Regular files of a folder whose names are wanted.
template <typename Wanted>
base::Result<std::vector<fs::path>> files_in(const fs::path& folder, const Wanted& wanted) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    const std::string name = entry->path().filename().string();
    if (!name.starts_with('.') && wanted(name) && entry->is_regular_file(ignored)) {
      files.push_back(entry->path());
    }
  }
  if (error) {
    return base::Error{"Cannot read the folder", folder.string(),
                       "Check the path and your permissions"};
  }
  return files;
}

base::Result<std::vector<fs::path>> files_of(const std::string& name, bool summaries) {
  std::error_code ignored;
  if (fs::is_directory(name, ignored)) {
    auto files = files_in(name, [summaries](const std::string& file) {
      return summaries ? file.ends_with(ranks::kSummaryEnding) : is_profile_name(file);
    });
    // What lies beside them: lists, logs, plots.
    if (files && !summaries) {
      std::erase_if(*files, [](const fs::path& file) {
        // Many files are JSON. What a database or a report cannot be read for is to be said.
        const std::string ending = file.extension().string();
        const bool may_be_anything = ending == ".json" || ending == ".gz";
        return may_be_anything && !import::check_format(file).ok();
      });
    }
    if (files && files->empty()) {
      return base::Error{fmt::format("No {} in this folder", summaries ? "summary" : "profile"),
                         name,
                         summaries ? "Write summaries into it with dlview summarize"
                                   : "Name the files of the ranks"};
    }
    return files;
  }
  if (fs::exists(name, ignored)) return std::vector<fs::path>{name};
  const fs::path path(name);
  const std::string pattern = path.filename().string();
  if (pattern.find_first_of("*?") == std::string::npos) {
    return base::Error{"The file does not exist", name, "Check the path"};
  }
  const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
  auto files = files_in(folder, [&](const std::string& file) { return matches(file, pattern); });
  if (files && files->empty()) {
    return base::Error{"No file has this name", name, "Check the pattern"};
  }
  return files;
}

// The iterations that the process marks, by the marker of the request or the best one; without one
// the file is a single iteration.
base::Result<aggregate::Selection> selection_for(const aggregate::KeyRanking& ranking,
                                                 SelectionRequest request,
                                                 const ranks::RankIdentity& identity) {
  const bool is_split = !request.key_op || !request.key_op->empty();
  if (!identity.process_id || !is_split) return choose_selection(ranking, request);
  request.clock = aggregate::Clock{.process_id = *identity.process_id};
  auto selection = choose_selection(ranking, request);
  if (selection || request.key_op) return selection;
  request.key_op = "";
  request.clock.reset();
  return choose_selection(ranking, request);
}

}  // namespace

base::Result<std::vector<fs::path>> rank_files(const std::vector<std::string>& names,
                                               bool summaries) {
  std::set<fs::path> all;
  for (const std::string& name : names) {
    auto files = files_of(name, summaries);
    if (!files) return files.error();
    all.insert(files->begin(), files->end());
  }
  return std::vector<fs::path>(all.begin(), all.end());
}

base::Result<std::vector<fs::path>> run_files(const std::vector<std::string>& names) {
  auto files = rank_files(names, false);
  if (files) return files;
  auto summaries = rank_files(names, true);
  return summaries ? summaries : files;
}

bool mean_ranks(const std::vector<std::string>& names) {
  std::error_code ignored;
  if (names.size() == 1) {
    const fs::path path(names.front());
    if (fs::is_directory(path, ignored)) return true;
    if (!fs::exists(path, ignored)) {
      return path.filename().string().find_first_of("*?") != std::string::npos;
    }
    return ranks::is_summary(path);
  }
  std::set<int64_t> numbers;
  for (const std::string& name : names) {
    std::string file = fs::path(name).filename().string();
    const auto number = profile::rank_of_name(file);
    std::ranges::transform(file, file.begin(),
                           [](unsigned char letter) { return std::tolower(letter); });
    const bool is_told = number && file.find("rank") != std::string::npos;
    if (!is_told && !ranks::is_summary(name)) return false;
    if (number && !numbers.insert(*number).second) return false;
  }
  return !names.empty();
}

base::Result<aggregate::Selection> select_rank(const profile::Profile& profile,
                                               const aggregate::KeyRanking& ranking,
                                               const SelectionRequest& request,
                                               const ranks::RankIdentity& identity) {
  auto selection = selection_for(ranking, request, identity);
  if (!selection) return selection.error();
  return ranks::selection_of(profile, identity, *std::move(selection));
}

base::Result<std::vector<ranks::RunSummary>> summarize_ranks(
    const std::shared_ptr<const profile::Profile>& profile, const aggregate::KeyRanking& ranking,
    const SelectionRequest& request, const std::string& file_name, std::optional<int64_t> rank,
    bool by_kernels) {
  std::vector<ranks::RankIdentity> identities = ranks::ranks_of(*profile, file_name);
  if (rank && identities.size() > 1) {
    return base::Error{"The file has several ranks",
                       fmt::format("{} has {}", file_name, identities.size()),
                       "Leave --rank out: each process becomes a rank"};
  }
  std::vector<ranks::RunSummary> summaries;
  for (ranks::RankIdentity& identity : identities) {
    if (rank) {
      identity.rank = rank;
      identity.source = "--rank";
      identity.contradictions.clear();
    }
    if (!identity.rank) {
      return base::Error{"The rank of this file is unknown", file_name,
                         "Name the file report_RANK, or say it with --rank"};
    }
    auto selection = select_rank(*profile, ranking, request, identity);
    if (!selection) return selection.error();
    summaries.push_back(ranks::summarize({profile, identity, *selection, file_name, by_kernels}));
  }
  return summaries;
}

}  // namespace dlview::workspace
