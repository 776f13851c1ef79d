// What the subcommands share: exit codes, the options that choose a selection, and opening a
// profile with them. A subcommand is one file: its options, run_<name>(), which prints and returns
// the exit code, and bind_<name>(), which declares it to CLI11.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include <CLI/CLI.hpp>

#include "aggregate/selection.h"
#include "base/result.h"
#include "profile/profile.h"
#include "workspace/selection_request.h"

namespace dlview::app {

inline constexpr int kExitSuccess = 0;
inline constexpr int kExitDifferences = 1;
inline constexpr int kExitNothing = 1;   // a report was asked for, and there is nothing to tell
inline constexpr int kExitUnusable = 2;  // input or arguments

// What the command line asked for, to be run after parsing; empty when no subcommand was named.
using ChosenCommand = std::function<int()>;

// Chooses `run` with the options when the command is parsed.
template <typename Options>
void run_when_parsed(CLI::App& command, ChosenCommand& chosen,
                     const std::shared_ptr<Options>& options, int (*run)(const Options&)) {
  command.callback([&chosen, options, run] { chosen = [options, run] { return run(*options); }; });
}

// Lets an option be repeated, each time with one value.
void make_repeatable(CLI::Option& option);

// Prints CLI11's message or the help it was asked for; 0 for help and --version, else 2.
int exit_code(const CLI::App& program, const CLI::ParseError& error);

// Prints the error on stderr, safe for a terminal; 2.
int unusable(const base::Error& error);

// The exit code of a command: what it made, or unusable().
int code_of(const base::Result<int>& result);
int code_of(const base::Status& status);

// To be called when all is printed: `code`, or 2 with a message when not all of it could be.
int finish_output(int code);

// Declares --state, --iterations, --key-op, --clock, --cut, --split-by, --tensor-cores, --peaks,
// --ncu and --only; what cannot be read is an error of the command line.
void bind_selection(CLI::App& command, workspace::SelectionRequest& request);

struct OpenedProfile {
  std::shared_ptr<const profile::Profile> profile;
  std::shared_ptr<const aggregate::KeyRanking> ranking;  // of the profile
  aggregate::Selection selection;
};
base::Result<OpenedProfile> open_with_selection(const std::filesystem::path& path,
                                                const workspace::SelectionRequest& request);

}  // namespace dlview::app
