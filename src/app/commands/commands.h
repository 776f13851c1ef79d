// The subcommands that print or write files. Each has its options, a function that runs it and
// returns the exit code, and one that declares it to CLI11. One .cpp each.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/common.h"
#include "generate/demo.h"
#include "generate/limits.h"
#include "generate/nsys.h"
#include "generate/pytorch.h"
#include "generate/ranks.h"

namespace dlview::app {

struct DisplayOptions;

// dlview info FILE [--json]: what is in the file, and what is not.
struct InfoOptions {
  std::string path;
  bool json = false;
  workspace::SelectionRequest selection;  // whose iterations are counted
};

int run_info(const InfoOptions& options);
void bind_info(CLI::App& program, ChosenCommand& chosen);

// dlview report FILE: DLProf's reports for any range of iterations, any key op and either cut; with
// --html one page about the run; with --operators what limits each op, as HTML or PDF.
struct ReportOptions {
  std::string path;
  std::string reports = "all";
  std::string formats = "csv";
  std::string output_folder;
  bool operators = false;
  std::string html, pdf;               // files of a page or the report per operator; empty = none
  std::string with, budget, baseline;  // of the page: a run after, limits; empty = none
  bool with_host = false;
  workspace::SelectionRequest selection;
};

// Prints the paths of the files it wrote.
int run_report(const ReportOptions& options);
void bind_report(CLI::App& program, ChosenCommand& chosen);

// dlview stats EXPORT --report NAME: the reports of `nsys stats`, for the whole file or a range of
// iterations.
struct StatsOptions {
  std::string path;
  bool list = false;
  // Names with commas between; by default those of `nsys stats` which dlview has.
  std::string reports =
      "nvtx_sum,osrt_sum,cuda_api_sum,cuda_gpu_kern_sum,cuda_gpu_mem_time_sum,"
      "cuda_gpu_mem_size_sum,um_sum,um_total_sum,um_cpu_page_faults_sum";
  std::string format = "csv";  // of each report, with commas between; the last one of all others
  std::string time_unit = "ns";
  std::vector<std::string> outputs;  // likewise; none = standard output
  std::string output_folder;         // a file for each report; empty = as `outputs` say
  workspace::SelectionRequest selection;
};

int run_stats(const StatsOptions& options);
void bind_stats(CLI::App& program, ChosenCommand& chosen);

// dlview table FILE --table NAME: a table of the program, filtered and sorted, in any of its
// formats.
struct TableOptions {
  std::string path;
  bool list = false;
  std::string table;
  std::optional<int64_t> iteration;
  std::string op;                     // id or name; empty = all
  bool hide_internal_frames = false;  // of tables of Python frames
  std::vector<std::string> changes;   // of what_if; empty = those worth a look
  std::string search, sort;
  std::vector<std::string> filters;
  std::optional<std::string> format;  // as the output's name says, else csv
  std::string output;                 // empty = standard output
  workspace::SelectionRequest selection;
};

int run_table(const TableOptions& options);
void bind_table(CLI::App& program, ChosenCommand& chosen);

// dlview roofline FILE: what limits ops or kernels, and what they can save at most.
struct RooflineOptions {
  std::string path;
  std::string by = "op";  // op, kernel, shape or group
  std::string rule;       // uf, ub, i or s; empty = the first of them that knows
  std::string type;       // a number format: "fp16 tensor"; empty = all
  std::string format = "table";
  std::string svg;  // file of the plot; empty = none
  workspace::SelectionRequest selection;
};

int run_roofline(const RooflineOptions& options);
void bind_roofline(CLI::App& program, ChosenCommand& chosen);

// dlview compare FILE: two iterations side by side, by default the slowest and the typical one.
// With a second file the mean iterations of both.
enum class CompareFormat : uint8_t { text, json, csv, markdown, html };
struct CompareOptions {
  std::string path, after;           // "" = no second file
  std::optional<int64_t> iteration;  // as the state says, else the slowest of the range
  std::optional<int64_t> against;    // as the state says, else the typical one
  CompareFormat format = CompareFormat::text;
  std::string table;   // to print alone; "" = all
  std::string output;  // "" = standard output
  // Of two files.
  std::string match;               // steps, as parse_match_steps() reads them; "" = all
  std::vector<std::string> pairs;  // "OLD=NEW"
  std::vector<double> samples;     // per iteration before and after, or empty
  bool all_iterations = false;     // instead of the steady state
  workspace::SelectionRequest selection;
  // Of the second file where it is not that of the first.
  std::optional<aggregate::IterationRange> after_iterations;
  std::optional<std::string> after_key_op;
};

int run_compare(const CompareOptions& options);
void bind_compare(CLI::App& program, ChosenCommand& chosen);

// dlview verify FILE [--reports-dir DIR | --against EXPORT]: are the stored numbers the ones that
// the raw rows give, or those of the export that DLProf made the database from?
struct VerifyOptions {
  std::string path;
  std::optional<std::string> reports_folder, against;
};

// 0 when all values match, 1 when any differs.
int run_verify(const VerifyOptions& options);
void bind_verify(CLI::App& program, ChosenCommand& chosen);

// dlview generate OUT.sqlite: a synthetic training run as a DLProf database, an Nsight Systems
// export or a PyTorch profiler trace, for trying dlview out and for measuring it.
struct GenerateOptions {
  std::string path;
  generate::DemoOptions demo;
  generate::PytorchOptions trace;
  enum class Format { dlprof, nsys, pytorch } format = Format::dlprof;
  generate::NsysSchema schema = generate::NsysSchema::v2026;  // of an export
  std::string truth;    // of a trace or of `limits`: the file for its figures; empty = none
  std::string program;  // one of the labeled set; of an export
  std::optional<generate::LimitsOptions> limits;   // the run with known work, of all formats
  std::optional<generate::RanksOptions> ranks;     // the run of many ranks; `path` is a folder
  bool ranks_summary = false;                      // of it only a summary; `path` is a file
  bool gpu_metrics = false, memory_usage = false;  // of an export
  bool overwrite = false;
};

int run_generate(const GenerateOptions& options);
void bind_generate(CLI::App& program, ChosenCommand& chosen);

// dlview record -- PROGRAM: runs it with `nsys profile`, exports the report, writes DLProf's
// reports and prints findings. What dlview says goes to stderr. Options have DLProf's names.
struct RecordOptions {
  std::vector<std::string> program;              // with its arguments; never empty
  std::string mode = "simple";                   // DLProf's: adds options of nsys
  int64_t delay_s = 0, duration_s = 0;           // 0 = from the start, until the end
  std::optional<std::string> nsys_options;       // instead of dlview's
  std::optional<std::string> key_op;             // of the reports
  std::optional<int64_t> iter_start, iter_stop;  // likewise; both included
  std::string reports = "all", formats = "csv";
  std::string output_folder = ".", base_name = "nsys_profile";  // may contain %q{VARIABLE}
  bool force = false;                                           // replaces files
};

// Returns the program's exit code, 128 + n after signal n, or 2 for an error of its own.
int run_record(const RecordOptions& options);
void bind_record(CLI::App& program, ChosenCommand& chosen);
// Joins what `dlview record` is to run into one argument after "--", so that CLI11 changes nothing
// of it. Completes DLProf's spellings: `-f true`, `--key-op`. Other commands stay as they are.
std::vector<std::string> join_recorded_program(const CLI::App& program,
                                               std::vector<std::string> arguments);

// dlview budget ACTION RUN...: limits for the numbers of a run, for CI (docs/budgets.md).
struct BudgetOptions {
  std::string action;  // check, baseline or explain
  std::vector<std::string> runs;
  std::string budget = "budget.toml";
  std::string baseline;                                  // "" = none
  std::string output, accept;                            // of the action baseline
  std::string junit, markdown, json, annotations, html;  // of check; "" = none
  std::string inconclusive = "fail";                     // or pass
  std::vector<std::string> names;                        // of explain; empty = all budgets
  bool use_cache = true;
};

// 0: all kept. 1: a budget is broken. 2: unusable input. 3: inconclusive or not comparable.
int run_budget(const BudgetOptions& options);
void bind_budget(CLI::App& program, ChosenCommand& chosen);

// dlview trend FILE...: metrics over captures of one program, and their steps.
enum class TrendFormat : uint8_t { text, json, csv, html };
struct TrendOptions {
  std::vector<std::string> captures;
  std::vector<std::string> metrics;  // ids; empty = those of default_trend_specs()
  std::vector<std::string> labels;   // NAME=FILE
  std::string budget, baseline;      // whose limits are lines; "" = none
  std::string iterations = "";       // "steady", "all" or "A:B"; "" = as the budget file says
  std::optional<std::string> key_op;
  std::optional<TrendFormat> format;              // as the output's name says, else text
  std::string output;                             // "" = standard output
  bool shows_window = false;                      // the view Trend, instead of an output
  std::shared_ptr<const DisplayOptions> display;  // of the window; null = as usual
  bool use_cache = true;
};

int run_trend(const TrendOptions& options);
void bind_trend(CLI::App& program, ChosenCommand& chosen);

// dlview summarize FILE... -o FOLDER: what each rank did, without its events.
struct SummarizeOptions {
  std::vector<std::string> files;  // files, folders, patterns
  std::string output;              // folder
  std::optional<int64_t> rank;     // of the only file
  bool here = false;               // each process has files of its own
  bool force = false;              // replace summaries
  int64_t jobs = 1;                // files at once
  workspace::SelectionRequest selection;
};
int run_summarize(const SummarizeOptions& options);
void bind_summarize(CLI::App& program, ChosenCommand& chosen);

// dlview merge SUMMARY... -o FILE: one summary of many.
struct MergeOptions {
  std::vector<std::string> summaries;  // files, folders, patterns
  std::string output;                  // file; of several processes a folder
  bool force = false;
};
int run_merge(const MergeOptions& options);
void bind_merge(CLI::App& program, ChosenCommand& chosen);

// dlview ranks RUN...: which rank makes the others wait, and why.
enum class RanksFormat : uint8_t { text, json, csv };
struct RanksOptions {
  std::vector<std::string> files;  // profiles of ranks or summaries: files, folders, patterns
  std::string table;               // of csv; empty = ranks
  std::string only;                // ranks that count, as parse_rank_set() reads them; empty = all
  RanksFormat format = RanksFormat::text;
  workspace::SelectionRequest selection;
};
int run_ranks(const RanksOptions& options);
void bind_ranks(CLI::App& program, ChosenCommand& chosen);

// dlview export RUN... --parquet DIR: kernels, op instances, iterations, collectives and ops as
// columns for other programs.
struct ExportOptions {
  std::vector<std::string> files;  // profiles: files, folders, patterns
  std::string parquet;             // folder to write
  workspace::SelectionRequest selection;
};
int run_export(const ExportOptions& options);
void bind_export(CLI::App& program, ChosenCommand& chosen);

// dlview cache: what the cache of columns holds.
struct CacheOptions {
  std::optional<std::string> added;  // a profile to be kept
  bool clear = false;
};

int run_cache(const CacheOptions& options);
void bind_cache(CLI::App& program, ChosenCommand& chosen);

}  // namespace dlview::app
