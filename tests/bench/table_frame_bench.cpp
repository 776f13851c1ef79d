// What a long table costs on screen: the time until its first rows stand there, each frame while it
// scrolls, and the longest frame while it is sorted in the background.

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include <benchmark/benchmark.h>

#include "bench/kernel_table.h"
#include "bench/screen.h"
#include "ui/fonts.h"
#include "ui/idle_host.h"
#include "ui/table/data_table.h"

namespace dlview::bench {
namespace {

using report::SortDirection;

ui::TableLook kernels_look() {
  ui::TableLook look{.id = "kernels",
                     .title = "Kernels",
                     .noun = "kernels",
                     .key = report::ColumnName(std::string_view("start")),
                     .when_none = "",
                     .columns = {{.id = "name", .title = "Name", .share = 1, .code = true},
                                 {.id = "start", .title = "Start"},
                                 {.id = "duration", .title = "Duration", .width = 138},
                                 {.id = "uses_tc", .title = "Using TC"}},
                     .first_query = {"", {}, {{"duration", SortDirection::descending}}}};
  look.columns[2].bar = [](const report::Table&, std::size_t) { return ui::Tone::other_kernels; };
  return look;
}

class TableWindow {
 public:
  explicit TableWindow(std::size_t rows) {
    look_.scale = 1;
    look_.fonts = ui::bake_fonts(*ImGui::GetIO().Fonts, 1);
    ui::apply_style(look_);
    data_ = std::make_shared<const ui::TableData>(
        ui::TableData{nullptr, nullptr, kernel_table(rows), nullptr});
  }

  ui::DataTable& table() { return *table_; }
  bool is_late() const { return table_->model().is_late(); }
  // As a view does that is opened for the first time.
  void open() { table_ = std::make_unique<ui::DataTable>(kernels_look()); }
  void build_frame() {
    testing::begin_frame();
    inspector_.begin_frame();
    ui::Frame frame{look_, model_, host_, inspector_};
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(size);
    ImGui::Begin("table", nullptr, ImGuiWindowFlags_NoDecoration);
    table_->draw(frame, {0, 0, size.x, size.y}, data_, tables_);
    ImGui::End();
    ImGui::Render();
  }
  // Frames until the newest order is on screen, each waiting for the background as the program
  // does.
  void build_until_sorted() {
    build_frame();
    while (is_late()) {
      tables_.background.wait_until_idle();
      build_frame();
    }
  }

 private:
  Screen screen_;
  ui::Look look_;
  ui::Model model_;
  testing::IdleHost host_;
  ui::Inspector inspector_;
  base::Scheduler scheduler_;
  ui::Tables tables_{scheduler_};
  std::shared_ptr<const ui::TableData> data_;
  std::unique_ptr<ui::DataTable> table_;
};

std::size_t rows_of(const benchmark::State& state) {
  return static_cast<std::size_t>(state.range(0));
}

void table_first_rows(benchmark::State& state) {
  TableWindow window(rows_of(state));
  for (auto _ : state) {
    window.open();
    window.build_until_sorted();
  }
}
BENCHMARK(table_first_rows)
    ->Arg(1'000'000)
    ->Arg(10'000'000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void table_scrolling_frame(benchmark::State& state) {
  TableWindow window(rows_of(state));
  window.open();
  window.build_until_sorted();
  ImGuiIO& io = ImGui::GetIO();
  io.MousePos = {600, 500};
  for (auto _ : state) {
    io.MouseWheel = -7;
    window.build_frame();
  }
}
BENCHMARK(table_scrolling_frame)->Arg(1'000'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond);

// The time is that of a whole sort, with a frame 60 times a second; the counter is what counts.
void table_frames_while_sorting(benchmark::State& state) {
  TableWindow window(rows_of(state));
  window.open();
  window.build_until_sorted();
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kFrame(16);
  Clock::duration longest{};
  bool by_start = false;
  for (auto _ : state) {
    by_start = !by_start;
    window.table().model().set_query(
        {"", {}, {{by_start ? "start" : "duration", SortDirection::descending}}});
    do {
      const Clock::time_point begin = Clock::now();
      window.build_frame();
      const Clock::duration took = Clock::now() - begin;
      longest = std::max(longest, took);
      std::this_thread::sleep_for(kFrame - took);
    } while (window.is_late());
  }
  state.counters["longest_frame_ms"] = std::chrono::duration<double, std::milli>(longest).count();
}
BENCHMARK(table_frames_while_sorting)
    ->Arg(1'000'000)
    ->Arg(10'000'000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace dlview::bench
