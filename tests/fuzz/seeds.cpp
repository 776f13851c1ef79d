// Writes the inputs to begin with that programs make: FOLDER/NAME/*. Those that people write lie in
// tests/fuzz/seeds. None holds a profile of anybody's.
#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "fuzz/fuzz.h"
#include "fuzz/seed_profiles.h"
#include "fuzz/summary_sections.h"
#include "generate/limits.h"
#include "generate/ranks/summary.h"
#include "import/column_cache/store.h"
#include "ranks/summary_file.h"

namespace dlview::fuzz {
namespace {

namespace fs = std::filesystem;

// Integers of all lengths, texts that fill several pages, NULLs, gaps; trees of one to three
// levels.
constexpr const char* kTables = R"(
CREATE TABLE small(id INTEGER PRIMARY KEY, name TEXT, start INTEGER NOT NULL, flag BOOLEAN);
INSERT INTO small VALUES(1, 'gemm', 1200, 1), (2, NULL, -1, 0), (7, '', 9223372036854775807, NULL),
  (300, 'caf' || char(233), -9223372036854775808, 1), (20, 'x', 65536, 2), (21, 'y', 1 << 33, 2);
CREATE TABLE tree(start INTEGER, stop INTEGER, text TEXT);
WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < {})
  INSERT INTO tree SELECT x << (x & 47), -x,
    CASE WHEN x % 9 = 4 THEN NULL WHEN x % 60 = 5 THEN printf('%.*c', 20 * x, 'z')
         ELSE 'text ' || x END FROM n;
DELETE FROM tree WHERE rowid % 7 = 3;
CREATE TABLE mixed(a INTEGER, b TEXT, c REAL, d);
INSERT INTO mixed VALUES(1, 'a', 1.5, x'00'), ('no number', 3, 4, NULL), (2, 'b', NULL, 1);
CREATE TABLE empty(a INTEGER);
)";

void write_page_reader(const fs::path& target) {
  // Small files: a fuzzer tries more of them.
  constexpr std::array<std::pair<int, int>, 5> kFiles{
      {{512, 3}, {512, 40}, {512, 120}, {1024, 60}, {4096, 3}}};
  for (const auto& [page_bytes, rows] : kFiles) {
    const fs::path path = target / fmt::format("pages-{}-{}.sqlite", page_bytes, rows);
    sqlite3* database = nullptr;
    sqlite3_open(path.c_str(), &database);
    const std::string sql =
        fmt::format("PRAGMA page_size = {}; PRAGMA auto_vacuum = {};", page_bytes, rows == 40) +
        fmt::format(kTables, rows);
    require(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK,
            "a table cannot be made", sqlite3_errmsg(database));
    sqlite3_close(database);
  }
}

// The database alone, and edits of each kind.
void write_open_profile(const fs::path& target) {
  for (std::size_t seed = 0; seed < kSeedDatabases; ++seed) {
    const std::string first(1, static_cast<char>(seed));
    write(target / fmt::format("{}-unchanged", seed), first);
    for (char kind = 0; kind < 9; ++kind) {
      for (const char column : {0, 77}) {
        std::string edits = first;
        // What to do, column, rows, a value of that kind.
        for (char i = 0; i < 6; ++i) {
          edits += {9, static_cast<char>(i % 2), static_cast<char>(column + 13 * i), 2, i, kind, 3};
        }
        write(target / fmt::format("{}-values-{}-{}", seed, int{kind}, int{column}), edits);
      }
    }
    for (char kind = 0; kind < 4; ++kind) {
      write(target / fmt::format("{}-rows-{}", seed, int{kind}),
            first + std::string{kind, 0, static_cast<char>(30 * kind), 1, 1});
    }
  }
}

void write_cache_restore(const fs::path& target) {
  for (const SeedDatabase& seed : seed_databases()) {
    const base::Status stored = import::column_cache::store(
        open_seed(seed), seed_identity(), folder(), {.spare_share = 0}, {}, kSeedBeside);
    require(stored.ok(), "a seed cannot be stored", seed.name);
    write(target / fmt::format("{}.columns", seed.name),
          contents_of(folder() / seed_identity().name));
  }
}

// Cells of all kinds; see writers_fuzzer.cpp.
void write_writers(const fs::path& target) {
  std::string cells;
  for (const std::string text : {"gemm", "a \"b\", c\nd", "=cmd|'/c calc'!A1", "<td>&amp;</td>",
                                 "\t\r\n", "caf\xc3\xa9 \xe2\x9c\x93", "\xff\xfe", "_x0041_"}) {
    cells += {'\4', static_cast<char>(text.size())};
    cells += text + '\0' + '\3' + '\1' + std::string{1, 2, 3, 4, 5, 6, 7, 8};
  }
  for (char columns = 1; columns < 7; ++columns) {
    write(target / fmt::format("cells-{}", int{columns}), std::string(1, columns) + '\2' + cells);
  }
}

// A filter, a search and a column to sort by, then rows; see filters_fuzzer.cpp.
void write_filters(const fs::path& target) {
  int number = 0;
  for (const std::string filter :
       {">1ms", "<=20", "10..20us", "=1.28 ms", "5%", "1..KiB", "conv", "/^conv\\d+$/", "yes",
        "\u2713", "gpu_time=>1ms", "op_type=conv2d", "gpu_time:desc,op_name", "1000:2000",
        "/net/conv/"}) {
    for (const char column : {0, 1, 2, 3}) {
      std::string input{column, static_cast<char>(number % 6), static_cast<char>(filter.size())};
      input += filter + std::string{4, 'c', 'o', 'n', 'v', static_cast<char>(number % 9)};
      for (char row = 0; row < 5; ++row) {
        input += std::string{5, 'c', 'O', 'n', 'v', static_cast<char>('0' + row)} +
                 std::string{row, 1, 0, 0, 0, 0, 0, 0} + row;
      }
      write(target / fmt::format("{:03}", number++), input);
    }
  }
}

// Two launches on each page and in each locale, with what may stand around them.
void write_ncu_csv(const fs::path& target) {
  using namespace generate;
  for (int page = 0; page < 9; ++page) {
    for (int locale = 0; locale < 5; ++locale) {
      LimitsOptions options;
      options.format = LimitsFormat::nsys;
      options.iterations = 1;
      options.counters_path = target / fmt::format("{}-{}.csv", page, locale);
      CountersOptions& counters = options.counters;
      counters.page = static_cast<CsvPage>(page);
      counters.locale = static_cast<CsvLocale>(locale);
      counters.first = 3;
      if (counters.page == CsvPage::per_nvtx || (page < 4 && locale == 1)) {
        counters.nvtx = CsvNvtx::same;
      }
      counters.quirks.log = locale == 2;
      counters.quirks.crlf = locale == 3;
      counters.quirks.utf16 = locale == 4 && page < 2;
      counters.quirks.header = locale == 3 && page < 4;
      base::Progress progress;
      const auto truth = generate_limits(folder() / "limits", options, progress, IfExists::replace);
      require(truth.ok(), "a seed cannot be made", options.counters_path.string());
    }
  }
}

// Runs of one rank and of several blocks of them, as sections; and whole files.
void write_summary(const fs::path& target) {
  for (const auto& [ranks, iterations] :
       std::array<std::pair<int, int>, 4>{{{1, 1}, {2, 12}, {5, 3}, {70, 2}}}) {
    generate::SummaryOptions options;
    options.ranks = ranks;
    options.ranks_per_host = 2;
    options.iterations = iterations;
    options.straggler = ranks - 1;
    dlview::ranks::RunSummary summary = generate::generate_summary(options);
    // Ranks of two hosts are aligned by collectives.
    for (dlview::ranks::RankPart& part : summary.parts) {
      for (int64_t i = 0; i < 4 && ranks < 10; ++i) {
        const int64_t end_ns = 1000 * (i + 1);
        dlview::ranks::ClockSample& sample = part.clock.emplace_back();
        sample.group = part.groups.begin()->first;
        sample.place = i * dlview::ranks::kPlacesOfIteration;
        sample.start_ns = end_ns - 300;
        sample.stop_ns = end_ns + part.head.rank;
      }
    }
    // And calls of one place are matched by their ends where they do not agree.
    if (ranks == 5) {
      summary.rules.matching = dlview::ranks::SummaryRules::Matching::group_place;
      for (auto& [key, sum] : summary.collectives) sum.is_even = false;
    }
    const std::string file = dlview::ranks::to_bytes(summary);
    write(target / fmt::format("{}x{}", ranks, iterations), '\1' + sections_of(file));
    write(target / fmt::format("{}x{}.dlsum", ranks, iterations), '\0' + file);
  }
}

}  // namespace
}  // namespace dlview::fuzz

int main(int count, char** arguments) {
  using namespace dlview::fuzz;
  require(count == 2, "usage: fuzz_seeds FOLDER");
  const std::filesystem::path all = arguments[1];
  const auto fresh = [&](const char* name) {
    std::filesystem::remove_all(all / name);
    std::filesystem::create_directories(all / name);
    return all / name;
  };
  write_page_reader(fresh("page_reader"));
  write_open_profile(fresh("open_profile"));
  write_cache_restore(fresh("cache_restore"));
  write_writers(fresh("writers"));
  write_filters(fresh("filters"));
  write_ncu_csv(fresh("ncu_csv"));
  write_summary(fresh("summary"));
  // Those of the others are written by people.
  for (const char* name :
       {"python_literal", "range_text", "pytorch_trace", "state_string", "drive_script", "budget"})
    fresh(name);
  return 0;
}
