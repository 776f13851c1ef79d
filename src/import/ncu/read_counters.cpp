#include "import/ncu/read_counters.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/parallel.h"
#include "import/errors.h"
#include "import/ncu/blocks.h"
#include "import/ncu/csv.h"
#include "import/ncu/file_kind.h"
#include "import/ncu/numbers.h"
#include "import/ncu/report_file.h"
#include "import/ncu/text_stream.h"
#include "import/opening_limits.h"

namespace dlview::import::ncu {
namespace {

namespace fs = std::filesystem;
using profile::CounterFile;
using profile::CounterMessage;
using profile::CounterPage;
using profile::CounterValue;
using profile::KernelCounters;
using profile::Row;

constexpr std::size_t kWindowBytes = std::size_t{16} << 20;
constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
// After a header, and twice as much each time: a file may hold many short tables.
constexpr std::size_t kFirstPiece = std::size_t{256} << 10;
// A line of the widest raw page has some 50 KB.
constexpr std::size_t kMostLineBytes = std::size_t{16} << 20;
constexpr std::size_t kMostLaunches = std::numeric_limits<Row>::max() - 1;

// Collects what the blocks of all files hold.
class Collector {
 public:
  KernelCounters counters;

  Row metric(const profile::CounterMetric& metric) {
    if (const auto found = metrics_.find(metric); found != metrics_.end()) return found->second;
    counters.metrics.push_back(metric);
    return metrics_.emplace(metric, static_cast<Row>(counters.metrics.size() - 1)).first->second;
  }
  profile::StringId text(std::string_view text) { return strings_.intern(text); }
  KernelCounters finish() && {
    counters.strings = std::move(strings_).finish();
    return std::move(counters);
  }

 private:
  std::unordered_map<profile::CounterMetric, Row, MetricHash> metrics_;
  profile::StringTableBuilder strings_;
};

struct KnownValue {
  Row metric = 0;
  double value = 0;
  bool operator==(const KnownValue&) const = default;
};
struct KnownValueHash {
  std::size_t operator()(const KnownValue& known) const {
    return std::hash<double>()(known.value) * 31 + known.metric;
  }
};

class FileReader {
 public:
  FileReader(const ByteSource& source, const fs::path& shown, Collector& collector,
             base::Progress& progress)
      : source_(source),
        shown_(shown),
        all_(collector),
        counters_(collector.counters),
        progress_(progress) {}

  base::Status read() {
    auto stream = ByteStream::open(source_, progress_);
    if (!stream) return stream.error();
    TextStream text(*std::move(stream), source_.head());
    const auto bytes = static_cast<std::size_t>(std::max<int64_t>(0, text.file_bytes()));
    const bool is_plain = source_.kind() == ByteSource::Kind::plain;
    const std::size_t window_bytes =
        is_plain ? std::min(2 * bytes + 64, kWindowBytes) : kWindowBytes;
    Window window(window_bytes, std::min(window_bytes, kMostLineBytes));
    progress_.begin_stage("Reading counters", text.file_bytes());
    file_bytes_ = text.file_bytes();
    file_ = static_cast<Row>(counters_.files.size());
    counters_.files.emplace_back();
    file().path = shown_.string();
    first_launch_ = counters_.launches.size();
    first_value_ = counters_.values.size();
    DLVIEW_TRY(window.read_ahead(text));
    for (const char* rest = window.end();;) {
      if (!window.advance(rest)) return line_too_long();
      unclosed_ = {};  // the text has moved
      progress_.set_done(text.file_bytes_read());
      DLVIEW_TRY(check_bytes(window));
      base::Status ahead = base::Success{};
      bool is_ahead = window.is_last();
      rest = window.begin();
      while (rest < window.end()) {
        const char* before = rest;
        DLVIEW_TRY(read_piece(rest, window, [&] {
          if (!std::exchange(is_ahead, true)) ahead = window.read_ahead(text);
        }));
        DLVIEW_TRY(ahead);
        if (rest == before) break;
      }
      if (window.is_last()) break;
      if (!is_ahead) DLVIEW_TRY(window.read_ahead(text));
    }
    return finish();
  }

 private:
  CounterFile& file() { return counters_.files[file_]; }

  base::Error bad_line(std::string title, std::string detail) const {
    return {std::move(title), quoted(shown_) + ", " + std::move(detail), how_to_record()};
  }
  base::Error line_too_long() const {
    return bad_line("A line of the file is too long",
                    fmt::format("line {}: it has more than {} MB, or a quote is never closed",
                                line_ + 1, kMostLineBytes >> 20));
  }

  base::Status check_bytes(const Window& window) {
    const auto* zero = static_cast<const char*>(
        std::memchr(window.begin(), '\0', static_cast<std::size_t>(window.end() - window.begin())));
    if (zero == nullptr) return base::Success{};
    if (!shape_ && !has_log_ && !is_csv(source_.head())) return wrong_file(shown_, source_.head());
    return bad_line("The file is damaged",
                    fmt::format("line {}: it has NUL bytes",
                                line_ + 1 + std::count(window.begin(), zero, '\n')));
  }

  // Room for all values, by those of the first rows: memory that is not written costs nothing.
  void reserve(std::size_t values, int64_t bytes) {
    if (is_reserved_ || values == 0 || bytes == 0) return;
    is_reserved_ = true;
    constexpr double kSpare = 1.1;
    const double all = kSpare * static_cast<double>(values) * static_cast<double>(file_bytes_) /
                       static_cast<double>(bytes);
    counters_.values.reserve(first_value_ + static_cast<std::size_t>(all));
  }

  // Reads lines without a table, a header, or rows from `at` on, and moves it. `beside` runs once,
  // on any thread, meanwhile.
  template <typename Beside>
  base::Status read_piece(const char*& at, const Window& window, const Beside& beside) {
    if (!shape_) return read_before_table(at, window);
    if (is_header(view(at, window.end()))) return read_header(at, window);
    return read_rows(at, window, beside);
  }

  static std::string_view view(const char* begin, const char* end) {
    return {begin, static_cast<std::size_t>(end - begin)};
  }

  base::Status read_before_table(const char*& at, const Window& window) {
    const auto* line = static_cast<const char*>(
        std::memchr(at, '\n', static_cast<std::size_t>(window.end() - at)));
    if (line == nullptr && !window.is_last()) return base::Success{};
    std::string_view text = view(at, line != nullptr ? line : window.end());
    if (is_header(text)) return read_header(at, window);
    while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
    has_log_ |= is_log_line(text);
    const bool is_error = text.starts_with("==ERROR==");
    if (is_error || text.starts_with("==WARNING==")) {
      add_message({is_error, std::string(text), line_ + 1});
    }
    ++lines_before_;
    if (line != nullptr) ++line_;
    at = line != nullptr ? line + 1 : window.end();
    return base::Success{};
  }

  void add_message(CounterMessage message) {
    if (file().messages.size() < kMostMessages) {
      file().messages.push_back(std::move(message));
    } else {
      ++messages_left_out_;
    }
  }

  // The cells of the line at `at`; nullopt = more of the text is needed.
  std::optional<std::vector<std::string>> cells_of(const char*& at, const Window& window) {
    std::vector<std::string> cells;
    After after = After::cell;
    while (after == After::cell) {
      Cell cell;
      after = read_cell(at, window.end(), window.is_last(), cell, unclosed_);
      if (after == After::more) return std::nullopt;
      cells.push_back(cell.text());
    }
    return cells;
  }

  base::Status read_header(const char*& at, const Window& window) {
    const char* begin = at;
    const char* next = at;
    const auto names = cells_of(next, window);
    if (!names) return base::Success{};
    TableContext table;
    TableShape shape = shape_of(*names);
    table.is_quoted = *begin == '"';
    if (shape.page == CounterPage::raw) {
      const char* units_begin = next;
      const auto units = cells_of(next, window);
      if (!units) return base::Success{};
      const bool has_units =
          units->size() == names->size() && shape.key_columns > 0 &&
          std::all_of(units->begin(),
                      units->begin() + static_cast<std::ptrdiff_t>(shape.key_columns),
                      [](const std::string& text) { return text.empty(); });
      if (!has_units) next = units_begin;
      for (std::size_t i = 0; i < names->size(); ++i) {
        table.raw_units.push_back(has_units ? base_unit((*units)[i]) : BaseUnit{});
      }
    }
    if (!shape.has(Role::kernel) ||
        !(shape.has(Role::value) || shape.has(Role::average) || shape.page == CounterPage::raw)) {
      return bad_line("The table has no values",
                      fmt::format("line {}: its header has no column \"{}\"", line_ + 1,
                                  shape.has(Role::kernel) ? "Metric Value" : "Kernel Name"));
    }
    if (shape_ && shape.page != file().page) {
      add_message({false,
                   fmt::format("Another table begins: page {} after page {}",
                               static_cast<int>(shape.page), static_cast<int>(file().page)),
                   line_ + 1});
    }
    if (!shape_) file().page = shape.page;
    shape_ = std::move(shape);
    table_ = std::move(table);
    table_.shape = &*shape_;
    line_ += std::count(begin, next, '\n');
    last_key_.clear();
    piece_bytes_ = kFirstPiece;
    at = next;
    return base::Success{};
  }

  template <typename Beside>
  base::Status read_rows(const char*& at, const Window& window, const Beside& beside) {
    table_.styles = possible_styles_;
    const auto bytes = std::min(static_cast<std::size_t>(window.end() - at), piece_bytes_);
    piece_bytes_ = std::min(2 * piece_bytes_, kWindowBytes + kMostLineBytes);
    const std::size_t count = std::max<std::size_t>(1, bytes / kBlockBytes);
    std::vector<Block> blocks(count);
    for (std::size_t i = 0; i < count; ++i) {
      blocks[i].begin = at + i * bytes / count;
      blocks[i].limit = at + (i + 1) * bytes / count;
      blocks[i].unclosed = unclosed_;
    }
    base::parallel_for(count + 1, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        if (i == 0) {
          beside();
          continue;
        }
        Block& block = blocks[i - 1];
        if (i > 1) block.begin = first_row(table_, block.begin - 1, window.end());
        read_block(table_, block, window.end(), window.is_last());
      }
    });
    // A block that did not begin where the one before ended is read again.
    std::size_t used = 0;
    for (const char* end = at; used < count; ++used) {
      Block& block = blocks[used];
      if (block.begin != end) {
        const char* limit = block.limit;
        block = Block{};
        block.begin = end;
        block.limit = limit;
        block.unclosed = unclosed_;
        read_block(table_, block, window.end(), window.is_last());
      }
      end = block.end;
      unclosed_ = block.unclosed;
      // The text ends within a line, or another header follows.
      if (block.at_header || (end < block.limit)) {
        ++used;
        break;
      }
    }
    at = blocks[used - 1].end;
    return take(std::span(blocks).first(used));
  }

  base::Status take(std::span<Block> blocks) {
    std::vector<std::vector<Row>> metrics(blocks.size());
    std::vector<std::vector<profile::StringId>> texts(blocks.size());
    std::vector<std::size_t> first(blocks.size() + 1, counters_.values.size());
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      Block& block = blocks[i];
      take_votes(block);
      take_messages(block);
      for (const BlockMetric& known : block.metrics)
        metrics[i].push_back(all_.metric(known.metric));
      for (const std::string_view text : block.texts) texts[i].push_back(all_.text(text));
      DLVIEW_TRY(take_launches(block, metrics[i], first[i]));
      first[i + 1] = first[i] + block.values.size();
      line_ += block.lines;
    }
    reserve(first.back() - first.front(), blocks.back().end - blocks.front().begin);
    counters_.values.resize(first.back());
    base::parallel_for(blocks.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        copy_values(blocks[i], metrics[i], texts[i], first[i]);
      }
    });
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      for (OpenValue open : blocks[i].open) {
        open.value += first[i];
        open_.push_back(open);
      }
    }
    return base::Success{};
  }

  void copy_values(const Block& block, const std::vector<Row>& metrics,
                   const std::vector<profile::StringId>& texts, std::size_t first) {
    const bool has_ranges = !block.ranges.empty();
    for (std::size_t i = 0; i < block.values.size(); ++i) {
      CounterValue& value = counters_.values[first + i];
      value.metric = metrics[block.values[i].metric];
      value.value = block.values[i].value;
      value.text = texts[block.values[i].text];
      if (!has_ranges) continue;
      value.minimum = block.ranges[i].first;
      value.maximum = block.ranges[i].second;
    }
  }

  void take_votes(const Block& block) {
    has_ungrouped_ |= block.votes.has_ungrouped();
    const StyleVotes::Ruling& open = block.votes.first_open();
    if (open.place != nullptr && open_line_ == 0) {
      open_line_ = line_ + 1 + std::count(block.begin, open.place, '\n');
      open_text_ = open.text;
    }
    if (mixed_line_ != 0) return;
    const StyleSet both = possible_styles_ & block.votes.possible();
    if (both != 0) {
      possible_styles_ = both;
      return;
    }
    const StyleVotes::Ruling& ruling = block.votes.contradiction(possible_styles_);
    mixed_line_ = line_ + 1 + std::count(block.begin, ruling.place, '\n');
    mixed_text_ = ruling.text;
  }

  void take_messages(Block& block) {
    for (BlockMessage& message : block.messages) {
      message.message.line += line_ + 1;
      add_message(std::move(message.message));
    }
    messages_left_out_ += block.messages_left_out;
  }

  base::Status take_launches(Block& block, const std::vector<Row>& metrics, std::size_t first) {
    const std::size_t before = counters_.launches.size();
    bool continues = false;
    for (std::size_t i = 0; i < block.launches.size(); ++i) {
      const BlockLaunch& launch = block.launches[i];
      if (i == 0 && launch.key == last_key_ && before > first_launch_) {
        continues = true;
        if (file().page == CounterPage::details) drop_repeated(block, metrics);
        continue;
      }
      if (counters_.launches.size() == kMostLaunches) {
        return bad_line("The file has too many launches", fmt::format("line {}", line_ + 1));
      }
      add_launch(launch, first);
    }
    if (!block.launches.empty()) {
      last_key_ = block.launches.back().key;
      if (!continues || block.launches.size() > 1) known_values_.clear();
      if (file().page == CounterPage::details) know_values(block, metrics);
    }
    const std::size_t shift = before - (continues ? 1 : 0);
    for (profile::CounterRule& rule : block.rules) {
      rule.launch += static_cast<Row>(shift);
      counters_.rules.push_back(std::move(rule));
    }
    return base::Success{};
  }

  // Drops values of the launch that the block before began: metrics that it has with the same
  // value.
  void drop_repeated(Block& block, const std::vector<Row>& metrics) {
    const std::size_t end =
        block.launches.size() > 1 ? block.launches[1].first_value : block.values.size();
    constexpr std::size_t kDropped = SIZE_MAX;
    std::vector<std::size_t> places;  // that values get
    std::size_t kept = 0;
    for (std::size_t i = 0; i < block.values.size(); ++i) {
      const BlockValue value = block.values[i];
      const bool is_known = i < end && value.text == 0 &&
                            known_values_.contains({metrics[value.metric], value.value});
      places.push_back(is_known ? kDropped : kept);
      if (!is_known) block.values[kept++] = value;
    }
    places.push_back(kept);
    block.values.resize(kept);
    std::erase_if(block.open,
                  [&](const OpenValue& open) { return places[open.value] == kDropped; });
    for (OpenValue& open : block.open) open.value = places[open.value];
    for (std::size_t i = 1; i < block.launches.size(); ++i) {
      block.launches[i].first_value = places[block.launches[i].first_value];
    }
  }
  // Those of the last launch, which the next block may continue.
  void know_values(const Block& block, const std::vector<Row>& metrics) {
    for (std::size_t i = block.launches.back().first_value; i < block.values.size(); ++i) {
      const BlockValue& value = block.values[i];
      if (value.text == 0) known_values_.insert({metrics[value.metric], value.value});
    }
  }

  void add_launch(const BlockLaunch& read, std::size_t first) {
    const TableShape& shape = *shape_;
    profile::CounterLaunch launch;
    launch.file = file_;
    launch.line = line_ + 1 + read.line;
    launch.id =
        read.id >= 0 ? read.id : static_cast<int64_t>(counters_.launches.size() - first_launch_);
    launch.process_id = read.process_id;
    launch.process = all_.text(read.process.text());
    launch.host = all_.text(read.host.text());
    launch.kernel = all_.text(read.kernel.text());
    launch.grid = read.grid;
    launch.block = read.block;
    launch.context = read.context;
    launch.stream = read.stream;
    launch.device = read.device;
    launch.cc_major = read.cc_major;
    launch.cc_minor = read.cc_minor;
    launch.invocations = read.invocations;
    launch.first_value = first + read.first_value;
    if (shape.page == CounterPage::per_nvtx) {
      const std::string range = read.range.text();
      launch.ranges = all_.text(
          fmt::format("{}/{}", read.domain.text(), without_fields(range, shape.range_fields)));
    } else if (shape.has(Role::push_pop_ranges)) {
      launch.ranges = all_.text(range_path(read.push_pop.text(), shape.range_fields));
    }
    counters_.launches.push_back(launch);
  }

  base::Status finish() {
    if (!shape_) {
      if (!has_log_) return wrong_file(shown_, source_.head());
      file().why_empty = no_kernel();
      return base::Success{};
    }
    const ChosenStyle chosen = choose_style(possible_styles_, has_ungrouped_);
    file().number_style = chosen.style;
    file().is_style_assumed = chosen.is_assumed;
    if (mixed_line_ != 0) {
      if (open_line_ != 0) return mixed_styles();
      add_message(
          {true, fmt::format("The file mixes decimal separators: {}", mixed_text_), mixed_line_});
    }
    settle(style_bit(chosen.style));
    if (messages_left_out_ > 0) {
      file().messages.push_back({true, fmt::format("{} more messages", messages_left_out_), line_});
    }
    if (counters_.launches.size() == first_launch_) file().why_empty = no_rows();
    return base::Success{};
  }

  // Numbers that the style of the file decides.
  void settle(StyleSet style) {
    for (const OpenValue& open : open_) {
      if (!is_decimal(open.separator, style).value_or(false)) continue;
      CounterValue& value = counters_.values[open.value];
      const double number = CellNumber{.digits = open.digits, .decimals = 3}.times(open.factor);
      (open.which == 0 ? value.value : open.which == 1 ? value.minimum : value.maximum) = number;
    }
  }

  base::Error mixed_styles() const {
    return {
        "The file mixes decimal separators",
        fmt::format("{}, line {}: {} does not fit the earlier numbers; {} in line {} may be 1,000 "
                    "times too large or small",
                    quoted(shown_), mixed_line_, mixed_text_, open_text_, open_line_),
        "Export the report again, with LC_ALL=C: ncu --import REPORT.ncu-rep --csv --page raw"};
  }

  std::string no_kernel() {
    std::string said;
    for (const CounterMessage& message : file().messages) {
      const std::size_t text = message.text.find("== ");
      if (!said.empty()) said += "; ";
      said += text == std::string::npos ? message.text : message.text.substr(text + 3);
    }
    return "No kernel was profiled; the log " + (said.empty() ? "has no errors" : "says: " + said);
  }
  std::string no_rows() {
    if (file().page == CounterPage::per_nvtx)
      return "The table is empty: no NVTX range was recorded";
    for (const CounterMessage& message : file().messages) {
      if (message.is_error) return "The table has no launches; " + message.text;
    }
    return "The table is empty: no kernel was profiled";
  }

  const ByteSource& source_;
  const fs::path& shown_;
  Collector& all_;
  KernelCounters& counters_;
  base::Progress& progress_;
  Row file_ = 0;
  std::size_t first_launch_ = 0, first_value_ = 0;
  int64_t line_ = 0;  // line ends before the text that is being read
  int64_t lines_before_ = 0, messages_left_out_ = 0, file_bytes_ = 0;
  bool has_log_ = false, is_reserved_ = false;
  std::optional<TableShape> shape_;
  TableContext table_;
  std::size_t piece_bytes_ = kFirstPiece;
  std::string last_key_;
  std::unordered_set<KnownValue, KnownValueHash> known_values_;  // of the last launch
  UnclosedQuote unclosed_;                                       // of the rows so far in the window
  StyleSet possible_styles_ = kAllStyles;
  bool has_ungrouped_ = false;
  int64_t open_line_ = 0, mixed_line_ = 0;
  std::string open_text_, mixed_text_;
  std::vector<OpenValue> open_;
};

base::Status read_one(const fs::path& path, Collector& collector, base::Progress& progress) {
  if (is_report(path)) {
    const ExportedReport csv = export_report(path, progress);
    if (csv.error) return *csv.error;
    const auto source = ByteSource::open(csv.path, progress);
    if (!source) return source.error();
    return FileReader(*source, path, collector, progress).read();
  }
  LimitsWatch watch(path, progress);
  const auto source = ByteSource::open(path, progress);
  if (!source) return source.error();
  watch.follow(source->unpacked_bytes());
  if (source->kind() == ByteSource::Kind::folder) {
    return base::Error{"--ncu names a folder", quoted(path) + " is a folder",
                       "Name an Nsight Compute CSV"};
  }
  if (source->kind() == ByteSource::Kind::database) return wrong_file(path, source->head());
  return FileReader(*source, path, collector, progress).read();
}

}  // namespace

base::Result<KernelCounters> read_counters(std::span<const fs::path> files,
                                           base::Progress& progress) {
  Collector collector;
  for (const fs::path& path : files) DLVIEW_TRY(read_one(path, collector, progress));
  return std::move(collector).finish();
}

base::Result<KernelCounters> read_counters(const ByteSource& source, const fs::path& shown,
                                           base::Progress& progress) {
  Collector collector;
  DLVIEW_TRY(FileReader(source, shown, collector, progress).read());
  return std::move(collector).finish();
}

}  // namespace dlview::import::ncu
