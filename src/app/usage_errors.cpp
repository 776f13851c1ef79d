#include "app/usage_errors.h"

#include <filesystem>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>  // join

#include "workspace/suggestions.h"

namespace dlview::app {
namespace {

const CLI::App& command_of(const CLI::App& program) {
  const std::vector<CLI::App*> commands = program.get_subcommands();
  return commands.empty() ? program : *commands.front();
}

// "--outptu" -> "--output".
std::string nearest_option(const CLI::App& program, const CLI::App& command) {
  std::set<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.insert("--" + name);
  }
  const std::set<std::string_view> texts(names.begin(), names.end());
  for (const std::string& wrong : program.remaining(true)) {
    if (!wrong.starts_with("--")) continue;
    const std::string_view nearest =
        workspace::nearest_text(texts, std::string_view(wrong).substr(0, wrong.find('=')));
    if (!nearest.empty()) return std::string(nearest);
  }
  return "";
}

// "TEXT:{bash,zsh,fish}" -> "bash, zsh, fish"; empty = other values are valid as well.
std::string valid_values(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{');
  const std::size_t end = type.rfind('}');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return "";
  std::string values;
  for (const char c : type.substr(begin + 1, end - begin - 1)) {
    values += c;
    if (c == ',') values += ' ';
  }
  return values;
}

// Returns CLI11's message in the form of the program's own errors: `Invalid --format: "x"`.
std::string message(const CLI::App& command, const CLI::Error& error) {
  std::string text = error.what();
  for (const CLI::Option* option : command.get_options()) {
    if (option->empty()) continue;
    const std::string name = option->get_name();
    const std::string& value = option->results().back();
    if (text.starts_with(fmt::format("{0}: Invalid {0}", name)))
      return text.substr(name.size() + 2);
    if (text.starts_with(fmt::format("Could not convert: {} =", name))) {
      return fmt::format("Invalid {}: \"{}\"\n  Write {}", name, value,
                         option->get_type_name() == "FLOAT" ? "a number" : "an integer");
    }
    if (text.starts_with(fmt::format("{}: {} not in {{", name, value)) ||
        text.starts_with(fmt::format("{}: Check {} value in {{", name, value))) {
      return fmt::format("Invalid {}: \"{}\"\n  Valid values: {}", name, value,
                         valid_values(*option));
    }
  }
  return text;
}

}  // namespace

std::string usage_error_text(const CLI::App* program, const CLI::Error& error) {
  const CLI::App& command = command_of(*program);
  std::string text = message(command, error) + '\n';
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    // CLI11 lists them from the last to the first.
    const std::vector<std::string> extras = program->remaining(true);
    text = fmt::format("The following argument{} not expected: {}\n",
                       extras.size() == 1 ? " was" : "s were", fmt::join(extras, " "));
    const std::string nearest = nearest_option(*program, command);
    if (!nearest.empty()) text += fmt::format("Did you mean {}?\n", nearest);
  }
  const std::string examples = command.get_footer();
  if (examples.starts_with("Examples:")) text += examples + '\n';
  const bool is_program = &command == program;
  return text + fmt::format("`dlview {}--help` lists the options.\n",
                            is_program ? "" : command.get_name() + ' ');
}

std::optional<base::Error> unknown_command(const CLI::App& program, const std::string& word) {
  std::error_code ignored;
  if (std::filesystem::exists(word, ignored)) return std::nullopt;
  std::set<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.insert(command->get_name());
  const std::string_view nearest = workspace::nearest_text({names.begin(), names.end()}, word);
  return base::Error{
      "Unknown command or file", word,
      nearest.empty()
          ? "Check the path; `dlview --help` lists the commands"
          : fmt::format("Did you mean `dlview {}`? `dlview --help` lists the commands", nearest)};
}

}  // namespace dlview::app
