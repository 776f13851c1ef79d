// A new file format is one Importer and one line in the registry: this one reads a made-up CSV.
//
//   range,THREAD,START,STOP,NAME          a range of the program
//   kernel,THREAD,LAUNCH,START,STOP,NAME  launched at LAUNCH, for 10 ns; runs on GPU 0

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>
#include <zlib.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "import/capture/devices.h"
#include "import/capture/ops.h"
#include "import/importer.h"
#include "import/open.h"
#include "import/quality_log.h"
#include "import/test_database.h"
#include "support/test_data.h"

namespace dlview {
namespace {

constexpr std::string_view kFirstLine = "toy profile 1";
constexpr import::capture::TableNames kTables = {.kernels = "kernel lines",
                                                 .graph_launches = "",
                                                 .memcpys = "",
                                                 .memsets = "",
                                                 .syncs = "",
                                                 .api_calls = "kernel lines",
                                                 .ranges = "range lines",
                                                 .gpus = ""};

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    parts.push_back(text.substr(0, text.find(at)));
    text.remove_prefix(std::min(parts.back().size() + 1, text.size()));
  }
  return parts;
}

int64_t number(std::string_view text) {
  int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool is_toy(const import::ByteSource& source) {
  return source.head().starts_with(kFirstLine);
}

// The columns of a profile::Trace that this format has.
struct Rows {
  std::vector<int64_t> range_start, range_stop, range_thread;
  std::vector<profile::StringId> range_name;
  std::vector<profile::NvtxKind> range_kind;
  std::vector<int64_t> call_start, call_stop, call_thread, correlation;
  std::vector<profile::ApiLayer> call_layer;
  std::vector<profile::StringId> call_name;
  std::vector<int64_t> kernel_start, kernel_stop, kernel_process;
  std::vector<profile::StringId> kernel_name;
};

void add(std::string_view line, profile::ProfileBuilder& builder, Rows& rows) {
  constexpr profile::ProcessIndex kProcess{0};  // the trace's only one
  const std::vector<std::string_view> cells = split(line, ',');
  if (cells.size() < 5) return;
  const profile::TraceThreadIndex row(static_cast<profile::Row>(number(cells[1]) - 1));
  const profile::ThreadId thread = profile::make_thread_id(kProcess, row);
  if (cells[0] == "range") {
    rows.range_thread.push_back(thread);
    rows.range_start.push_back(number(cells[2]));
    rows.range_stop.push_back(number(cells[3]));
    rows.range_name.push_back(builder.intern(cells[4]));
    rows.range_kind.push_back(profile::NvtxKind::push_pop_range);
  } else {
    rows.call_thread.push_back(thread);
    rows.call_start.push_back(number(cells[2]));
    rows.call_stop.push_back(rows.call_start.back() + 10);
    rows.call_layer.push_back(profile::ApiLayer::runtime);
    rows.call_name.push_back(builder.intern("launch"));
    rows.correlation.push_back(std::ssize(rows.correlation) + 1);
    rows.kernel_process.push_back(profile::make_thread_id(kProcess));
    rows.kernel_start.push_back(number(cells[3]));
    rows.kernel_stop.push_back(number(cells[4]));
    rows.kernel_name.push_back(builder.intern(cells.size() > 5 ? cells[5] : ""));
  }
}

profile::Trace trace_of(const Rows& rows) {
  profile::Trace trace;
  trace.processes = {{.number = 1, .name = "toy"}};
  trace.threads = {{.process = profile::ProcessIndex{0}, .number = 1, .name = "main"}};
  trace.nvtx.start_ns = rows.range_start;
  trace.nvtx.end_ns = rows.range_stop;
  trace.nvtx.thread = rows.range_thread;
  trace.nvtx.text = rows.range_name;
  trace.nvtx.kind = rows.range_kind;
  trace.api_calls.start_ns = rows.call_start;
  trace.api_calls.end_ns = rows.call_stop;
  trace.api_calls.thread = rows.call_thread;
  trace.api_calls.layer = rows.call_layer;
  trace.api_calls.correlation = rows.correlation;
  trace.api_calls.name = rows.call_name;
  trace.kernels.start_ns = rows.kernel_start;
  trace.kernels.end_ns = rows.kernel_stop;
  trace.kernels.process = rows.kernel_process;
  trace.kernels.correlation = rows.correlation;
  trace.kernels.short_name = rows.kernel_name;
  return trace;
}

base::Result<profile::Profile> load_toy(const import::ByteSource& source,
                                        base::Progress& progress) {
  base::Result<import::ByteStream> stream = import::ByteStream::open(source, progress);
  if (!stream) return stream.error();
  std::string text(1 << 20, '\0');
  const base::Result<std::size_t> bytes = stream->read(text);
  if (!bytes) return bytes.error();
  text.resize(*bytes);

  profile::ProfileBuilder builder;
  builder.source = {source.path().string(), "Toy 1", std::ssize(text)};
  Rows rows;
  for (const std::string_view line : split(text, '\n')) add(line, builder, rows);
  profile::Trace trace = trace_of(rows);
  import::QualityLog log;
  const import::capture::LeftOutRows none;
  const import::capture::TraceNotes notes{kTables, none, log};
  import::capture::build_ops(trace, import::capture::add_devices(trace, builder, notes), builder,
                             notes);
  profile::Profile profile = std::move(builder).finish();
  profile.trace = std::move(trace);
  return profile;
}

constexpr import::Importer kToy{"Toy", is_toy, load_toy};

using testing::write_file;

class ToyImporter : public ::testing::Test {
 protected:
  base::Result<profile::Profile> open(const std::filesystem::path& path) {
    std::vector<import::Importer> all(import::importers().begin(), import::importers().end());
    all.push_back(kToy);  // the line in the registry
    base::Progress progress;
    return import::open_profile(path, progress, all);
  }

  static std::string text() {
    std::string lines(kFirstLine);
    for (int64_t i = 0; i < 5; ++i) {
      const std::string at = std::to_string(100 * i);
      lines += "\nrange,1," + at + "," + std::to_string(100 * i + 90) + ",step " + at;
      lines += "\nkernel,1," + std::to_string(100 * i + 10) + "," + std::to_string(100 * i + 30) +
               "," + std::to_string(100 * i + 70) + ",gemm";
    }
    return lines + "\n";
  }

  testing::TemporaryFolder folder_;
};

TEST_F(ToyImporter, LoadsAProfileThatAggregates) {
  const base::Result<profile::Profile> opened = open(write_file(folder_.path() / "a.toy", text()));
  ASSERT_TRUE(opened) << base::to_text(opened.error());
  EXPECT_EQ(opened->source.format, "Toy 1");
  const auto profile = std::make_shared<const profile::Profile>(*opened);
  const auto engine = aggregate::make_cpu_aggregator(profile);
  const aggregate::Aggregation all =
      engine->aggregate({{aggregate::CutKind::start, "step", 0}, {0, 4}});
  EXPECT_EQ(all.iteration_table->iterations.rows.size(), 5U);
  EXPECT_EQ(all.kernel_launches, 5);
}

TEST_F(ToyImporter, ReadsGzipToo) {
  const std::filesystem::path path = folder_.path() / "a.toy.gz";
  const gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text().data(), static_cast<unsigned>(text().size()));
  gzclose(file);
  const base::Result<profile::Profile> opened = open(path);
  ASSERT_TRUE(opened) << base::to_text(opened.error());
  EXPECT_EQ(opened->kernels.size(), 5U);
}

TEST_F(ToyImporter, RejectsOtherFormats) {
  const base::Result<profile::Profile> opened =
      open(write_file(folder_.path() / "a.csv", "a,b,c\n"));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().title, "The file is text, not a profile");
}

}  // namespace
}  // namespace dlview
