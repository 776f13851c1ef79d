// What the subcommands share: exit codes, the options that choose a selection, and opening a
// profile with them. A subcommand is one file: its options, run_<name>(), which prints and returns
// the exit code, and bind_<name>(), which declares it to CLI11.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "aggregate/selection.h"
#include "base/result.h"
#include "profile/profile.h"

namespace dlview::app {

inline constexpr int kExitSuccess = 0;
inline constexpr int kExitDifferences = 1;
inline constexpr int kExitUnusable = 2;  // input or arguments

// What the command line asked for, to be run after parsing; empty when no subcommand was named.
using ChosenCommand = std::function<int()>;

// Prints CLI11's message or the help it was asked for; 0 for help and --version, else 2.
int exit_code(const CLI::App& program, const CLI::ParseError& error);

// Prints the error on stderr; 2.
int unusable(const base::Error& error);

// --iterations A:B, --key-op NAME and --cut start|end|stored as they were typed; empty = not given.
struct SelectionOptions {
  std::optional<std::string> iterations, key_op, cut;
};
void bind_selection(CLI::App& command, SelectionOptions& options);

// "200:400" -> 200..400. An Error for anything that is not two numbers, or when A is above B.
base::Result<aggregate::IterationRange> parse_iterations(std::string_view text);

// What the options ask for, and for all they leave open what the file opens with. An Error that
// names the valid values for an unknown key op or cut and for a range outside the iterations.
base::Result<aggregate::Selection> choose_selection(const profile::Profile& profile,
                                                    const SelectionOptions& options);

struct OpenedProfile {
  std::shared_ptr<const profile::Profile> profile;
  aggregate::Selection selection;
};
base::Result<OpenedProfile> open_with_selection(const std::filesystem::path& path,
                                                const SelectionOptions& options);

}  // namespace dlview::app
