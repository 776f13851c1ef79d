#include "app/command_tree.h"

#include <cstdio>
#include <memory>

#include "app/about.h"
#include "app/commands/commands.h"
#include "app/completion.h"
#include "app/drive.h"
#include "app/screenshot.h"
#include "app/text_list.h"

namespace dlview::app {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  dlview run.sqlite                            open in a window\n"
    "  dlview run.sqlite --iterations 50:100        with this iteration range\n"
    "  dlview report run.sqlite --output-dir out    DLProf's eight reports as CSV\n"
    "  dlview table run.sqlite --table op_nodes     every op with its times, as CSV\n"
    "  dlview screenshot run.sqlite -o run.png      the Dashboard, without a display\n"
    "In the window, F1 lists the keys and Ctrl+Shift+P lists all commands.";

int print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kExitSuccess;
}

// Options that print facts about dlview instead of opening a window.
void bind_about(CLI::App& program, ChosenCommand& chosen) {
  const auto is_json = std::make_shared<bool>(false);
  program.add_flag("--json", *is_json, "With --version: print JSON");
  CLI::Option* version = program.add_flag_callback(
      "--version",
      [&chosen, is_json] {
        chosen = [is_json] { return print(*is_json ? version_json() : version_text()); };
      },
      "Print version, commit, engines and libraries, and exit");
  // Not needs(): what else is wrong with the line comes first.
  program.callback([&program, is_json, version] {
    if (*is_json && version->count() == 0 && program.get_subcommands().empty()) {
      throw CLI::RequiresError("--json", "--version");
    }
  });
  program.add_flag_callback(
      "--licenses", [&chosen] { chosen = print_licenses; },
      "Print the licenses of what the binary contains and exit");
  program.add_flag_callback(
      "--man", [&chosen, &program] { chosen = [&program] { return print(man_page(program)); }; },
      "Print the manual page as roff and exit");
}

}  // namespace

void bind_program(CLI::App& program, WindowProgramOptions& window, ChosenCommand& chosen) {
  bind_window(program, window);
  chosen = [&window] { return run_window(window); };
  bind_about(program, chosen);
  bind_info(program, chosen);
  bind_verify(program, chosen);
  bind_report(program, chosen);
  bind_table(program, chosen);
  bind_stats(program, chosen);
  bind_record(program, chosen);
  bind_generate(program, chosen);
  bind_screenshot(program, chosen);
  bind_drive(program, chosen);
  bind_compare(program, chosen);
  bind_roofline(program, chosen);
  bind_budget(program, chosen);
  bind_trend(program, chosen);
  bind_ranks(program, chosen);
  bind_summarize(program, chosen);
  bind_merge(program, chosen);
  bind_export(program, chosen);
  bind_cache(program, chosen);
  bind_list_definitions(program, chosen);
  bind_list_commands(program, chosen);
  bind_list_texts(program, chosen);
  bind_completion(program, chosen);
  program.footer(kFooter);  // after the subcommands, which would inherit it
  program.require_subcommand(0, 1);
}

}  // namespace dlview::app
