#include "app/about.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>  // join
#include <nlohmann/json.hpp>

#include "aggregate/definitions.h"
#include "aggregate/finding_pages.h"
#include "app/build_facts.h"
#include "app/program_commands.h"
#include "embedded/dlview_notices.h"

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

// "WORDS" or "FILE"; of an option what stands for its value.
std::string value_of(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return "";
  for (const std::string& name : option.get_lnames()) {
    for (const char* const file :
         {"output", "state-file", "script", "budget", "baseline", "junit", "markdown", "json"}) {
      if (name == file) return "FILE";
    }
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
  if (!shared.empty()) page += fmt::format(".PP\nShared with the window: {}.\n", shared);
  append_examples(page, command);
}

constexpr const char* kFiles =
    ".SH FILES\n"
    ".TP\n"
    "\\fI$XDG_CONFIG_HOME/dlview\\fR\n"
    "Settings; by default \\fI\\(ti/.config/dlview\\fR.\n"
    ".TP\n"
    "\\fI$XDG_STATE_HOME/dlview\\fR\n"
    "View, range and filters of each file; by default \\fI\\(ti/.local/state/dlview\\fR.\n"
    ".TP\n"
    "\\fI$XDG_CACHE_HOME/dlview\\fR\n"
    "Cached columns of profiles, so that they open faster; by default \\fI\\(ti/.cache/dlview\\fR. "
    "\\fBdlview cache\\fR lists them.\n"
    ".SH ENVIRONMENT\n"
    ".TP\n"
    "\\fBDLVIEW_LIMITS\\fR\n"
    "Limits for opening a file: 5 s plus 30 s per GB, and 512 MiB of memory plus four times the "
    "file size. A number multiplies both limits; \\fBoff\\fR removes them.\n"
    ".SH EXIT STATUS\n"
    ".TP\n"
    "0\n"
    "Success.\n"
    ".TP\n"
    "1\n"
    "\\fBverify\\fR found differences, a report has nothing to show, or a budget is broken.\n"
    ".TP\n"
    "2\n"
    "Unusable input or arguments; standard error has the reason.\n"
    ".TP\n"
    "3\n"
    "\\fBbudget check\\fR is inconclusive.\n";

int print_commands(const std::string& format) {
  if (format != "md") {
    return unusable({fmt::format("Invalid --format: \"{}\"", format), "", "Valid values: md"});
  }
  std::cout << commands_as_markdown();
  return kExitSuccess;
}

constexpr std::string_view kOpening =
    "# Definitions\n"
    "\n"
    "A sum adds durations: overlaps count twice. A union counts overlaps once. Exclusive time\n"
    "gives each instant to one category only. Potential savings are upper bounds, per iteration\n"
    "and per GPU. *From* names what a number is computed from; the window names the tables of the\n"
    "open file instead. `dlview definitions` prints this page.\n";

// "**Meaning** ..." on a line of its own; nothing of an empty text.
std::string paragraph(std::string_view title, std::string_view text) {
  return text.empty() ? "" : fmt::format("- *{}*: {}\n", title, text);
}

std::string pages_as_markdown(std::string_view search, bool is_first) {
  const std::vector<const aggregate::FindingPage*> pages = aggregate::find_finding_pages(search);
  if (pages.empty()) return "";
  std::string text = fmt::format("{}## Findings\n", is_first ? "" : "\n");
  for (const aggregate::FindingPage* page : pages) {
    text += fmt::format("\n### {} (`{}`)\n\n", page->title, page->detector);
    text += paragraph("Meaning", page->meaning);
    text += paragraph("Potential savings", page->formula);
    text += paragraph("Threshold", aggregate::thresholds_text(*page));
    text += paragraph("Fix", page->fix);
    text += paragraph("False positives", page->wrong_when);
  }
  return text;
}

int print_definitions(const std::vector<std::string>& words) {
  const std::string text = definitions_as_markdown(fmt::format("{}", fmt::join(words, " ")));
  if (text.empty()) {
    return unusable({"No definition found",
                     fmt::format("no definition contains \"{}\"", fmt::join(words, " ")),
                     "`dlview definitions` prints all of them"});
  }
  std::cout << text;
  return kExitSuccess;
}

}  // namespace

std::string version_text() {
  std::string libraries;
  for (const LibraryFact& library : kBuiltWith) {
    libraries +=
        fmt::format("{}{} {}", libraries.empty() ? "" : ", ", library.name, library.version);
  }
  return fmt::format(
      "dlview {}\ncommit: {}\ncommit date: {}\nengines: {}\ncompiler: {}\nlibraries: {}\n",
      kVersion, kCommit, kCommitDate, kEngines, kCompiler, libraries);
}

std::string version_json() {
  nlohmann::ordered_json json{
      {"version", kVersion},        {"commit", kCommit},
      {"commit_date", kCommitDate}, {"engines", nlohmann::ordered_json::array()},
      {"compiler", kCompiler},      {"libraries", nlohmann::ordered_json::object()}};
  const std::string_view engines = kEngines;
  for (std::size_t begin = 0; begin < engines.size();) {
    const std::size_t end = std::min(engines.find(", ", begin), engines.size());
    json["engines"].push_back(engines.substr(begin, end - begin));
    begin = end + 2;
  }
  for (const LibraryFact& library : kBuiltWith) json["libraries"][library.name] = library.version;
  return json.dump(2) + '\n';
}

std::string all_licenses() {
  std::string all;
  for (const auto& [package, text] : notices::all()) {
    all += "==== ";
    all += package;
    all += "\n\n";
    all.append(text.begin(), text.end());
    all += "\n";
  }
  return all;
}

int print_licenses() {
  const std::string all = all_licenses();
  std::fwrite(all.data(), 1, all.size(), stdout);
  return 0;
}

std::string man_page(const CLI::App& program) {
  std::string page = fmt::format(
      ".TH DLVIEW 1 \"{}\" \"dlview {}\" \"User Commands\"\n.ad l\n"
      ".SH NAME\ndlview \\- viewer for profiles of deep\\-learning runs\n"
      ".SH SYNOPSIS\n\\fBdlview\\fR [\\fIFILE\\fR] [\\fIOPTION\\fR]...\n.br\n"
      "\\fBdlview\\fR \\fICOMMAND\\fR [\\fIARGUMENT\\fR]...\n"
      ".SH DESCRIPTION\n"
      "Shows where the time of a training iteration goes: which ops and kernels take it, whether "
      "they use Tensor Cores, and when GPUs are idle. Opens Nsight Systems reports and "
      "exports, PyTorch profiler traces and DLProf databases. Without a command, opens "
      "\\fIFILE\\fR in a window.\n"
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

void bind_list_commands(CLI::App& program, ChosenCommand& chosen) {
  const auto format = std::make_shared<std::string>("md");
  CLI::App* command = program.add_subcommand("commands", "List the commands of the window");
  command->group("");
  command->add_option("--format", *format, "Format: md")->capture_default_str();
  command->callback([&chosen, format] { chosen = [format] { return print_commands(*format); }; });
}

std::string definitions_as_markdown(std::string_view search) {
  std::string text(search.empty() ? kOpening : "");
  for (const aggregate::DefinitionSection& section : aggregate::find_definitions(search)) {
    text += fmt::format("{}## {}\n\n", text.empty() ? "" : "\n", section.title);
    for (const aggregate::Metric* metric : section.metrics) {
      text += fmt::format("- **{}**: {} *{}*\n", metric->title, metric->formula,
                          aggregate::definition_note(*metric));
    }
  }
  return text + pages_as_markdown(search, text.empty());
}

void bind_list_definitions(CLI::App& program, ChosenCommand& chosen) {
  const auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* command =
      program.add_subcommand("definitions", "Print the definitions of numbers and findings");
  command->add_option("WORDS", *words, "Print only definitions that contain all of these words");
  command->footer(
      "Examples:\n"
      "  dlview definitions\n"
      "  dlview definitions gpu utilization\n"
      "  dlview definitions scalar_reads");
  command->callback([&chosen, words] { chosen = [words] { return print_definitions(*words); }; });
}

}  // namespace dlview::app
