#include "app/completion_command.h"

#include <iostream>
#include <memory>
#include <string_view>

#include "app/completion.h"
#include "embedded/dlview_completions.h"
#include "report/writers/text.h"

namespace dlview::app {
namespace {

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

void bind_completion(CLI::App& program, ChosenCommand& chosen) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* command =
      program.add_subcommand("completion", "Print the script that completes dlview in a shell");
  command->add_option("SHELL", *shell, "bash, zsh or fish")
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
