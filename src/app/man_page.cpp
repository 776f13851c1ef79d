#include "app/man_page.h"

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/build_facts.h"

namespace dlview::app {
namespace {

// Text as roff shows it: `quoted` is bold, and no character has a meaning of its own.
std::string escaped(std::string_view text) {
  std::string out;
  bool is_bold = false;
  for (const char c : text) {
    switch (c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      case '`':
        is_bold = !is_bold;
        out += is_bold ? "\\fB" : "\\fR";
        break;
      default:
        if (c == '.' && (out.empty() || out.back() == '\n')) out += "\\&";
        out += c;
    }
  }
  if (is_bold) out += "\\fR";
  return out;
}

std::string sentence(std::string_view text) {
  std::string out = escaped(text);
  if (!out.empty() && out.back() != '.') out += '.';
  return out;
}

// "WORDS" or "DB"; of an option what stands for its value.
std::string value_of(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return "";
  for (const std::string& name : option.get_lnames()) {
    if (name == "output" || name == "state-file" || name == "script") return "FILE";
    if (name.ends_with("-dir")) return "FOLDER";
  }
  return "VALUE";
}

void append_option(std::string& page, const CLI::Option& option) {
  page += ".TP\n";
  if (option.get_positional()) {
    page += fmt::format("\\fI{}\\fR\n", escaped(option.get_name(true)));
  } else {
    std::string names;
    for (const std::string& name : option.get_snames())
      names += fmt::format("\\fB\\-{}\\fR, ", name);
    for (const std::string& name : option.get_lnames()) {
      names += fmt::format("\\fB\\-\\-{}\\fR, ", escaped(name));
    }
    names.resize(names.size() - 2);
    const std::string value = value_of(option);
    page += names + (value.empty() ? "" : fmt::format(" \\fI{}\\fR", value)) + '\n';
  }
  page += sentence(option.get_description());
  if (option.get_required()) page += " Required.";
  std::string by_default;
  for (const char c : escaped(option.get_default_str())) {
    by_default += c;
    if (c == ',') by_default += "\\:";  // a long list may break here
  }
  if (!by_default.empty()) page += fmt::format(" Default: {}.", by_default);
  page += '\n';
}

bool is_help(const CLI::Option& option) {
  return option.check_name("--help");
}

std::vector<const CLI::Option*> shown_options(const CLI::App& command) {
  std::vector<const CLI::Option*> positional, named;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    (option->get_positional() ? positional : named).push_back(option);
  }
  positional.insert(positional.end(), named.begin(), named.end());
  return positional;
}

// Options that the program has too stand there, once.
bool is_of_program(const CLI::App& program, const CLI::Option& option) {
  if (option.get_positional()) return false;
  const CLI::Option* same = program.get_option_no_throw(option.get_name());
  return same != nullptr && same->get_description() == option.get_description();
}

void append_examples(std::string& page, const CLI::App& command) {
  const std::string footer = command.get_footer();
  if (footer.empty()) return;
  const std::size_t first_line = footer.find('\n');
  page += fmt::format(".PP\n{}\n.PP\n.nf\n{}\n.fi\n", escaped(footer.substr(0, first_line)),
                      escaped(footer.substr(first_line + 1)));
}

void append_command(std::string& page, const CLI::App& program, const CLI::App& command) {
  std::string usage = fmt::format("\\fBdlview {}\\fR", escaped(command.get_name()));
  std::string shared;
  std::string own;
  for (const CLI::Option* option : shown_options(command)) {
    if (option->get_positional()) {
      const std::string name = fmt::format("\\fI{}\\fR", escaped(option->get_name(true)));
      usage += option->get_required() ? " " + name : fmt::format(" [{}]", name);
    }
    if (is_help(*option)) continue;
    if (is_of_program(program, *option)) {
      shared += fmt::format("{}\\fB\\-\\-{}\\fR", shared.empty() ? "" : ", ",
                            escaped(option->get_lnames().front()));
    } else {
      append_option(own, *option);
    }
  }
  page += fmt::format(".SS {}\n{} [\\fIOPTION\\fR]...\n.PP\n{}\n", escaped(command.get_name()),
                      usage, sentence(command.get_description()));
  page += own;
  if (!shared.empty()) page += fmt::format(".PP\nAs for the window: {}.\n", shared);
  append_examples(page, command);
}

constexpr const char* kFiles =
    ".SH FILES\n"
    ".TP\n\\fI$XDG_CONFIG_HOME/dlview\\fR\nSettings; by default \\fI\\(ti/.config/dlview\\fR.\n"
    ".TP\n\\fI$XDG_STATE_HOME/dlview\\fR\nView, range and filters of each file; by default "
    "\\fI\\(ti/.local/state/dlview\\fR.\n"
    ".TP\n\\fI$XDG_CACHE_HOME/dlview\\fR\nColumns of profiles, so that they open again at once; by "
    "default \\fI\\(ti/.cache/dlview\\fR. \\fBdlview cache\\fR lists them.\n"
    ".SH ENVIRONMENT\n"
    ".TP\n\\fBDLVIEW_LIMITS\\fR\nLimits for opening a file: 5 s plus 30 s per GB, and 512 MiB "
    "of memory plus four times the file size. A number multiplies both limits; \\fBoff\\fR "
    "removes them.\n"
    ".SH EXIT STATUS\n"
    ".TP\n0\nSuccess.\n"
    ".TP\n1\n\\fBverify\\fR found differences, or a report has nothing to show.\n"
    ".TP\n2\nThe input or the arguments cannot be used; standard error says why.\n";

}  // namespace

std::string man_page(const CLI::App& program) {
  std::string page = fmt::format(
      ".TH DLVIEW 1 \"{}\" \"dlview {}\" \"User Commands\"\n.ad l\n"
      ".SH NAME\ndlview \\- viewer for profiles of deep\\-learning runs\n"
      ".SH SYNOPSIS\n\\fBdlview\\fR [\\fIDB\\fR] [\\fIOPTION\\fR]...\n.br\n"
      "\\fBdlview\\fR \\fICOMMAND\\fR [\\fIARGUMENT\\fR]...\n"
      ".SH DESCRIPTION\n"
      "Shows where the time of a training iteration goes: which ops and kernels take it, whether "
      "they use Tensor Cores, and when GPUs are idle. Opens SQLite exports and reports of Nsight "
      "Systems and databases of DLProf. Without a command, opens \\fIDB\\fR in a window.\n"
      ".SH OPTIONS\n",
      escaped(kCommitDate), kVersion);
  for (const CLI::Option* option : shown_options(program)) append_option(page, *option);
  page += ".SH COMMANDS\n";
  for (const CLI::App* command : program.get_subcommands({})) {
    if (!command->get_group().empty()) append_command(page, program, *command);
  }
  page += kFiles;
  page += ".SH EXAMPLES";
  append_examples(page += '\n', program);
  page += ".SH SEE ALSO\n\\fBnsys\\fR(1)\n";
  return page;
}

}  // namespace dlview::app
