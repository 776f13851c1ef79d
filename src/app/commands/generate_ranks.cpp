#include "app/commands/generate_ranks.h"

#include <algorithm>

namespace dlview::app {
namespace {

constexpr const char* kRanksOptions[] = {"--ranks-per-host", "--rank-groups", "--skew",
                                         "--one-file",       "--no-blobs",    "--gzip",
                                         "--summary"};
// All others belong to single profiles.
constexpr const char* kSharedOptions[] = {"--ranks", "--format", "--iterations", "--kernels",
                                          "--seed",  "--rank",   "--truth",      "--help"};

bool is_one_of(std::span<const char* const> names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

void add_ranks_options(CLI::App& command, RanksTexts& texts) {
  generate::RanksOptions& made = texts.options;
  command
      .add_option("--ranks", texts.ranks,
                  "Write a run of this many ranks into the folder OUT, a file each, and "
                  "the truth as truth.json; --kernels counts those of a rank, --rank writes only "
                  "its file; default format: nsys")
      ->option_text("N");
  command.add_option("--ranks-per-host", made.ranks_per_host, "Ranks on each host (--ranks)")
      ->capture_default_str();
  command
      .add_option("--rank-groups", texts.groups,
                  "Groups of neighboring ranks: tp=2 (all-gathers), ep=4 (all-to-alls) (--ranks)")
      ->option_text("LIST");
  command
      .add_option("--skew", texts.skew,
                  "What differs between ranks: " + generate::known_skews() + " (--ranks)")
      ->option_text("LIST");
  command.add_flag("--one-file", made.one_file,
                   "Write all ranks of a host into one export, as nsys profile torchrun does "
                   "(--ranks)");
  command.add_flag(
      "--no-blobs", [&made](int64_t) { made.blobs = false; },
      "Leave out the payloads of NCCL ranges, as nsys export does by default (--ranks)");
  command.add_flag("--gzip", made.gzip, "Compress the traces (--ranks)");
  command.add_flag("--summary", texts.summary,
                   "Write the merged summary of such a run into the file OUT, without profiles "
                   "(--ranks)");
}

void check_ranks_options(const CLI::App& command) {
  const bool has_ranks = !command.get_option("--ranks")->empty();
  for (const CLI::Option* option : command.get_options()) {
    if (option->empty() || option->get_lnames().empty()) continue;
    const std::string name = "--" + option->get_lnames().front();
    const bool is_of_ranks = is_one_of(kRanksOptions, name);
    if (!has_ranks && is_of_ranks) throw CLI::ValidationError(name, "requires --ranks");
    if (has_ranks && !is_of_ranks && !is_one_of(kSharedOptions, name)) {
      throw CLI::ValidationError(name, "cannot be combined with --ranks");
    }
  }
}

base::Status read_ranks(const CLI::App& command, const RanksTexts& texts,
                        GenerateOptions& options) {
  const auto is_given = [&](const char* name) { return !command.get_option(name)->empty(); };
  using Format = GenerateOptions::Format;
  generate::RanksOptions made = texts.options;
  made.ranks = texts.ranks;
  made.seed = options.demo.seed;
  made.truth = options.truth;
  if (is_given("--format")) {
    made.format = options.format == Format::nsys     ? generate::RanksFormat::nsys
                  : options.format == Format::dlprof ? generate::RanksFormat::dlprof
                                                     : generate::RanksFormat::pytorch;
  }
  if (is_given("--iterations")) made.iterations = options.demo.iterations;
  // 200 in each iteration, unless given.
  made.kernels = is_given("--kernels") ? options.demo.kernels : 200 * made.iterations;
  if (is_given("--rank")) made.only_rank = options.trace.rank;
  const base::Result<generate::Skew> skew = generate::parse_skew(texts.skew);
  if (!skew) return skew.error();
  made.skew = *skew;
  made.skew_text = texts.skew;
  const base::Result<generate::RankGroups> groups = generate::parse_rank_groups(texts.groups);
  if (!groups) return groups.error();
  made.groups = *groups;
  options.ranks = made;
  options.ranks_summary = texts.summary;
  return base::Success{};
}

}  // namespace dlview::app
