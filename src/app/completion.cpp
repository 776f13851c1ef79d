#include "app/completion.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "aggregate/filter.h"
#include "aggregate/key_ops.h"
#include "embedded/dlview_completions.h"
#include "import/column_cache/folder.h"
#include "import/column_cache/identity.h"
#include "import/column_cache/restore.h"
#include "report/dlprof/reports.h"
#include "report/nsys/reports.h"
#include "report/views/views.h"
#include "report/writers/export.h"
#include "report/writers/text.h"
#include "ui/view.h"

namespace dlview::app {
namespace {

// The ranking of markers takes 0.1 s for so many op instances.
constexpr std::size_t kMostInstances = 1'000'000;
constexpr std::size_t kMostMarkers = 50;

template <typename List>
std::vector<std::string> names_of(const List& list) {
  std::vector<std::string> names;
  for (const auto& item : list) names.emplace_back(item.name);
  return names;
}

bool takes_file(std::string_view option) {
  constexpr std::array<std::string_view, 10> kTakeFiles{
      "--output", "--script",   "--add",   "--against",  "--state-file",
      "--budget", "--baseline", "--junit", "--markdown", "--json"};
  return std::ranges::find(kTakeFiles, option) != kTakeFiles.end();
}

bool takes_folder(std::string_view option) {
  return option.ends_with("-dir") || option == "--output_path";
}

// Words after the program are its own.
bool takes_program(const CLI::App& command) {
  return command.get_name() == "record";
}

// The commands take their options from one list each: "--key-op", or "-o" as "--output".
std::string name_of(const CLI::Option& option) {
  return option.get_lnames().empty() ? "" : "--" + option.get_lnames().front();
}

const CLI::Option* find_option(const CLI::App& command, const std::string& word) {
  if (word.size() < 2 || word[0] != '-') return nullptr;
  return command.get_option_no_throw(word);
}

const CLI::App* find_command(const CLI::App& program, const std::string& name) {
  for (const CLI::App* command : program.get_subcommands({})) {
    if (command->get_name() == name) return command;
  }
  return nullptr;
}

struct Line {
  const CLI::App* command = nullptr;
  const CLI::Option* awaits_value = nullptr;
  std::string path;  // the first positional argument
  std::size_t positionals = 0;
  bool only_positionals = false;  // after "--"
};

// What the words in front of the one that is typed say.
Line read_line(const CLI::App& program, std::span<const std::string> words) {
  Line line;
  line.command = &program;
  for (const std::string& word : words) {
    if (line.awaits_value != nullptr) {
      line.awaits_value = nullptr;
    } else if (line.only_positionals || word.empty() || word[0] != '-') {
      const CLI::App* command = nullptr;
      if (line.command == &program && line.positionals == 0 && !line.only_positionals) {
        command = find_command(program, word);
      }
      if (command != nullptr) {
        line.command = command;
      } else if (line.positionals++ == 0) {
        line.path = word;
        line.only_positionals |= takes_program(*line.command);
      }
    } else if (word == "--") {
      line.only_positionals = true;
    } else if (const CLI::Option* option = find_option(*line.command, word)) {
      if (option->get_items_expected_max() > 0) line.awaits_value = option;
    }
  }
  return line;
}

void add_matching(Completion& completion, std::string_view typed, std::string_view prefix,
                  std::string word, std::string help) {
  word.insert(0, prefix);
  if (word.starts_with(typed)) completion.candidates.push_back({std::move(word), std::move(help)});
}

Completion complete_value(const Line& line, const CLI::Option& option, const std::string& typed,
                          std::string_view prefix, const IterationMarkers& markers) {
  const std::string name = name_of(option);
  const std::string command = line.command->get_parent() == nullptr ? "" : line.command->get_name();
  Completion completion;
  if (name == "--key-op") {
    if (line.path.empty()) return completion;
    for (CompletionCandidate& marker : markers(line.path)) {
      add_matching(completion, typed, prefix, std::move(marker.word), std::move(marker.help));
    }
    return completion;
  }
  std::vector<std::string> values = option_values(command, name);
  if (values.empty() && takes_folder(name)) return {Completion::Kind::folders};
  if (values.empty() && takes_file(name) && command != "compare") return {Completion::Kind::files};
  // In a list the last name is being typed.
  std::string front(prefix);
  const bool is_list = name == "--reports" || name == "--formats" || name == "--report";
  if (const std::size_t comma = typed.rfind(','); is_list && comma != std::string::npos) {
    front = typed.substr(0, comma + 1);
  }
  for (std::string& value : values) add_matching(completion, typed, front, std::move(value), "");
  return completion;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

void add_options(Completion& completion, const CLI::App& command, const std::string& typed) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty() || option->get_positional()) continue;
    for (const std::string& name : option->get_lnames()) {
      add_matching(completion, typed, "--", name, first_line(option->get_description()));
    }
  }
}

std::size_t positionals_of(const CLI::App& command) {
  return static_cast<std::size_t>(std::ranges::count_if(
      command.get_options(), [](const CLI::Option* option) { return option->get_positional(); }));
}

Completion complete_positional(const CLI::App& program, const Line& line,
                               const std::string& typed) {
  Completion completion;
  if (line.command != &program) {
    const std::string& name = line.command->get_name();
    const std::vector<std::string> values = option_values(name, "");
    for (const std::string& value : values) {
      if (line.positionals == 0) add_matching(completion, typed, "", value, "");
    }
    const bool takes_profiles = name == "budget" && line.positionals > 0;
    if (takes_profiles) return {Completion::Kind::files};
    if (name == "definitions" || !values.empty()) return completion;
  }
  const bool is_full = line.positionals >= positionals_of(*line.command);
  if (is_full && !takes_program(*line.command)) return completion;
  if (line.command == &program && !line.only_positionals) {
    for (const CLI::App* command : program.get_subcommands({})) {
      if (command->get_group().empty()) continue;
      add_matching(completion, typed, "", command->get_name(),
                   first_line(command->get_description()));
    }
  }
  completion.kind =
      completion.candidates.empty() ? Completion::Kind::files : Completion::Kind::words_and_files;
  return completion;
}

// bash splits words at "=": "--theme", "=", "da" is "--theme=da".
std::vector<std::string> joined(std::vector<std::string> words) {
  std::vector<std::string> out;
  for (std::string& word : words) {
    const bool follows_equals =
        !out.empty() && out.back().starts_with("--") && out.back().ends_with('=');
    if (word == "=" && !out.empty() && out.back().starts_with("--")) {
      out.back() += '=';
    } else if (follows_equals) {
      out.back() += word;
    } else {
      out.push_back(std::move(word));
    }
  }
  return out;
}

constexpr std::string_view kRequest = "__complete";

int print_script(const std::string& shell) {
  for (const auto& [name, script] : completions::all()) {
    if (name == shell)
      std::cout.write(reinterpret_cast<const char*>(script.data()),
                      static_cast<std::streamsize>(script.size()));
  }
  return kExitSuccess;
}

}  // namespace

std::vector<std::string> option_values(std::string_view command, std::string_view option) {
  if (option == "--engine") return {"auto", "cpu", "cuda"};
  if (option == "--theme") return {"dark", "light"};
  if (option == "--palette") return {"default", "colorblind"};
  if (option == "--view") return names_of(ui::views());
  if (option == "--mode") {
    return {"simple", "pytorch", "tensorflow1", "tensorflow2", "tensorrt"};
  }
  if (option == "--cut") return {"start", "end", "stored"};
  if (option == "--split-by") return {"host", "gpu"};
  if (option == "--tensor-cores") return {"stored", "present"};
  if (option == "--table") return names_of(report::views());
  if (option == "--report") return names_of(report::nsys::reports());
  if (option == "--timeunit") return {"ns", "us", "ms", "s"};
  if (option == "--csv") return {"categories", "ops", "kernels"};
  if (option == "--schema") return {"2021", "2023", "2024", "2026"};
  if (option == "--writer") return {"A", "B", "C", "D"};
  if (option == "--framework") return {"pytorch", "tensorflow"};
  if (option == "--formats") return {"csv", "json"};
  if (option == "--reports") {
    std::vector<std::string> names = names_of(report::dlprof::kReports);
    names.insert(names.begin(), "all");
    return names;
  }
  if (option == "--format") {
    if (command == "table") return names_of(report::kExportFormats);
    if (command == "stats") return {"csv", "tsv", "column", "table", "json", "hdoc", "htable"};
    if (command == "generate") return {"dlprof", "nsys", "pytorch"};
  }
  if (option == "--only") {
    std::vector<std::string> kinds;
    for (const aggregate::FilterKind kind : aggregate::kFilterKinds) {
      kinds.push_back(std::string(aggregate::to_text(kind)) + '=');
    }
    return kinds;
  }
  if (command == "budget") {
    if (option.empty()) return {"check", "baseline", "explain"};
    if (option == "--annotations") return {"github"};
    if (option == "--inconclusive") return {"fail", "pass"};
  }
  if (command == "completion" && option.empty()) return {"bash", "zsh", "fish"};
  return {};
}

std::vector<CompletionCandidate> cached_iteration_markers(const std::string& path) {
  namespace cache = import::column_cache;
  const std::filesystem::path folder = cache::cache_folder();
  const auto identity = folder.empty() ? std::nullopt : cache::identity_of(path);
  if (!identity) return {};
  const auto restored = cache::restore(*identity, folder);
  if (!restored || restored->profile.instances.size() > kMostInstances) return {};
  std::vector<CompletionCandidate> markers;
  for (const auto& candidate : aggregate::rank_key_ops(restored->profile)) {
    if (markers.size() == kMostMarkers) break;
    if (candidate.key.find_first_of("\n\t") != std::string::npos) continue;
    markers.push_back({candidate.key, first_line(candidate.reason)});
  }
  return markers;
}

Completion complete(const CLI::App& program, std::vector<std::string> words,
                    const IterationMarkers& markers) {
  words = joined(std::move(words));
  if (words.empty()) words.emplace_back();
  const std::string typed = words.back();
  const Line line = read_line(program, std::span(words).first(words.size() - 1));
  if (line.awaits_value != nullptr) {
    return complete_value(line, *line.awaits_value, typed, "", markers);
  }
  if (!line.only_positionals && typed.starts_with('-')) {
    const std::size_t equals = typed.find('=');
    if (equals != std::string::npos) {
      const CLI::Option* option = find_option(*line.command, typed.substr(0, equals));
      if (option == nullptr || option->get_items_expected_max() == 0) return {};
      return complete_value(line, *option, typed, typed.substr(0, equals + 1), markers);
    }
    Completion completion;
    add_options(completion, *line.command, typed);
    return completion;
  }
  return complete_positional(program, line, typed);
}

void bind_completion(CLI::App& program, ChosenCommand& chosen) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* command = program.add_subcommand("completion", "Print a shell completion script");
  command->add_option("SHELL", *shell, "Shell: bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember(option_values("completion", "")));
  command->footer(
      "Examples:\n"
      "  source <(dlview completion bash)\n"
      "  dlview completion zsh > ~/.zfunc/_dlview\n"
      "  dlview completion fish > ~/.config/fish/completions/dlview.fish");
  command->callback([&chosen, shell] { chosen = [shell] { return print_script(*shell); }; });
}

bool is_completion_request(const std::vector<std::string>& arguments) {
  return !arguments.empty() && arguments.front() == kRequest;
}

int print_completions(const CLI::App& program, const std::vector<std::string>& arguments) {
  const Completion completion =
      complete(program, {arguments.begin() + 1, arguments.end()}, cached_iteration_markers);
  constexpr const char* kKinds[] = {":words", ":files", ":folders", ":words-and-files"};
  std::cout << kKinds[static_cast<int>(completion.kind)] << '\n';
  for (const CompletionCandidate& candidate : completion.candidates) {
    std::cout << report::printable(candidate.word);
    if (!candidate.help.empty()) std::cout << '\t' << report::printable(candidate.help);
    std::cout << '\n';
  }
  return kExitSuccess;
}

}  // namespace dlview::app
