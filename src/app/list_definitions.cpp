#include "app/list_definitions.h"

#include <iostream>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>  // join

#include "aggregate/definitions.h"
#include "aggregate/finding_pages.h"

namespace dlview::app {
namespace {

constexpr std::string_view kOpening =
    "# What the numbers mean\n"
    "\n"
    "A plain sum adds durations, overlaps counted twice; a union counts overlaps once; exclusive\n"
    "time gives each instant to one category only. `dlview definitions` prints this page.\n"
    "The savings of findings are upper bounds, per iteration and per GPU.\n";

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
    text += paragraph("What to do", page->fix);
    text += paragraph("When it is wrong", page->wrong_when);
  }
  return text;
}

int print_definitions(const std::vector<std::string>& words) {
  const std::string text = definitions_as_markdown(fmt::format("{}", fmt::join(words, " ")));
  if (text.empty()) {
    return unusable({"No definition was found",
                     fmt::format("none has the words \"{}\"", fmt::join(words, " ")),
                     "`dlview definitions` prints all of them"});
  }
  std::cout << text;
  return kExitSuccess;
}

}  // namespace

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
      program.add_subcommand("definitions", "Print what every number and finding means");
  command->add_option("WORDS", *words, "Only definitions with all of these words");
  command->footer(
      "Examples:\n"
      "  dlview definitions\n"
      "  dlview definitions gpu utilization\n"
      "  dlview definitions scalar_reads");
  command->callback([&chosen, words] { chosen = [words] { return print_definitions(*words); }; });
}

}  // namespace dlview::app
