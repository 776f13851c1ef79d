// What answers what was typed: commands, files, and what "Go to" finds. Pure.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ui/model.h"

namespace dlview::ui {

// Where `word` begins in `text` at or after `from`, case aside; npos = nowhere. Pure.
std::size_t find_ignoring_case(std::string_view text, std::string_view word, std::size_t from);

// Fuzzy search: how well a text answers what was typed. Pure.
// Every word of the query has to be in the text, its letters in order but not necessarily together,
// case aside. Higher is better: whole words first, then pieces, then scattered letters; of equal
// ones the shorter text. An empty query fits everything.
std::optional<int> fuzzy_score(std::string_view query, std::string_view text);

// The palette's commands: which of them answer what was typed, best first. Pure.
// Without a query all, in the order of the menus; those that cannot be run just now stand last.
std::vector<const CommandInfo*> find_commands(std::span<const CommandInfo> commands,
                                              std::string_view query);

// What the list of files shows: recent files and the entries of a folder that answer what was
// typed. Pure.

struct FileRow {
  enum class Kind : uint8_t { recent, folder, file };
  Kind kind = Kind::file;
  std::string path;           // absolute
  std::string title, detail;  // the name; where it is or how large it is
};

// What a folder offers for that use: of budgets folders and .toml files, of a baseline .json files.
FolderListing offered_files(const FolderListing& folder, FileUse use);

// Recent files (of the query), the folder above, then the folder's own entries. A query that is a
// path ("/data/run.sqlite", "~/runs") gives that path alone.
std::vector<FileRow> find_files(const FolderListing& folder, std::span<const std::string> recent,
                                std::string_view query, std::string_view home);

// What "Go to" finds: an iteration by its number, an op by its name or id, a kernel by its name, a
// report of the CUDA summary by its title or name. Pure.

enum class JumpKind : uint8_t { iteration, op, kernel, report };

struct JumpTarget {
  JumpKind kind = JumpKind::iteration;
  int64_t iteration = 0;         // for an iteration
  profile::OpIndex op{0};        // for an op
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
