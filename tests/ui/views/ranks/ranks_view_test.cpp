// The view Ranks: which cell colors a pixel, what is hatched, the order of rows, and what clicks
// and drags on the map do.
#include "ui/views/ranks/ranks_view.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "ranks/packed.h"
#include "ui/table/tables.h"
#include "ui/view_fixture.h"

namespace dlview::ui {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using OwnOf = std::function<int64_t(std::size_t rank, std::size_t iteration)>;

ranks::RankMatrix matrix_of(std::size_t count, std::size_t iterations, int64_t value) {
  return {iterations, std::vector<int64_t>(count * iterations, value)};
}

// Ranks 0, 1, ... on two hosts in turn. Own work below 0: not known. All iterations take as long as
// the greatest own work, and 100 ns more; they start each 100 ns as those of run_of_twenty_steps().
std::shared_ptr<ranks::RunFigures> run_of(std::size_t count, std::size_t iterations,
                                          const OwnOf& own) {
  auto run = std::make_shared<ranks::RunFigures>();
  ranks::RankTimes& times = run->times;
  for (std::size_t i = 0; i < iterations; ++i) times.numbers.push_back(static_cast<int64_t>(i));
  for (auto* const matrix :
       {&times.start_ns, &times.duration_ns, &times.communication_ns, &times.exposed_ns,
        &times.wait_ns, &times.least_exposed_wait_ns, &times.most_exposed_wait_ns}) {
    *matrix = matrix_of(count, iterations, 0);
  }
  for (ranks::RankMatrix& part : times.parts) part = matrix_of(count, iterations, 0);
  int64_t longest = 0;
  for (std::size_t r = 0; r < count; ++r) {
    for (std::size_t i = 0; i < iterations; ++i) longest = std::max(longest, own(r, i));
  }
  run->stragglers.median_own_ns.assign(iterations, 1000);
  run->stragglers.cost_ns.assign(iterations, 10);
  run->stragglers.straggler.assign(iterations, -1);
  for (std::size_t r = 0; r < count; ++r) {
    times.ranks.push_back(static_cast<int64_t>(r));
    ranks::RankPart part;
    part.head.rank = static_cast<int64_t>(r);
    part.head.host = r % 2 == 0 ? "a" : "b";
    part.head.first_device = static_cast<int64_t>(r % 4);
    part.head.file = fmt::format("rank_{}.sqlite", r);
    part.size = static_cast<int64_t>(iterations);
    part.rows[static_cast<std::size_t>(ranks::RowColumn::number)] =
        ranks::pack_column(times.numbers);
    run->summary.parts.push_back(std::move(part));
    ranks::RankFigures figures;
    for (std::size_t i = 0; i < iterations; ++i) {
      const int64_t work = own(r, i), all = longest + 100;
      times.duration_ns.at(r, i) = all;
      times.start_ns.at(r, i) = 100 * static_cast<int64_t>(i);
      times.wait_ns.at(r, i) = times.least_exposed_wait_ns.at(r, i) = work < 0 ? -1 : all - work;
      times.exposed_ns.at(r, i) = std::max<int64_t>(all - work, 0);
      times.parts[1].at(r, i) = all;
      figures.mean_own_ns += static_cast<double>(work) / static_cast<double>(iterations);
    }
    run->stragglers.ranks.push_back(figures);
  }
  run->clocks.resize(count);
  return run;
}

// Rank 2 is slow in iteration 5 only.
int64_t one_spike(std::size_t rank, std::size_t iteration) {
  return rank == 2 && iteration == 5 ? 9000 : 1000;
}

// Slow: looks at each cell of each pixel.
int64_t greatest_in(const MapCells& cells, std::size_t y, std::size_t rows, std::size_t x,
                    std::size_t columns) {
  int64_t greatest = kUnknownCell;
  for (std::size_t row = 0; row < cells.rows.size(); ++row) {
    for (std::size_t i = 0; i < cells.iterations; ++i) {
      const bool is_in = first_cell(y, rows, cells.rows.size()) <= row &&
                         row < first_cell(y + 1, rows, cells.rows.size()) &&
                         first_cell(x, columns, cells.iterations) <= i &&
                         i < first_cell(x + 1, columns, cells.iterations);
      if (is_in) greatest = std::max(greatest, cells.at(row, i));
    }
  }
  return greatest;
}

TEST(MapPixels, ShowTheWorstOfAPixel) {
  const auto run = run_of(64, 300, [](std::size_t rank, std::size_t i) {
    return static_cast<int64_t>((rank * 7919 + i * 104729) % 10007);
  });
  const MapCells cells = make_map_cells(*run, MapValue::own, MapOrder::rank);
  const MapPixels pixels = make_map_pixels(cells, 37, 11);
  ASSERT_EQ(pixels.columns, 37U);
  ASSERT_EQ(pixels.rows, 11U);
  for (std::size_t y = 0; y < pixels.rows; ++y) {
    for (std::size_t x = 0; x < pixels.columns; ++x) {
      const MapPixels::Worst& worst = pixels.at(y, x);
      EXPECT_EQ(worst.value, greatest_in(cells, y, 11, x, 37)) << x << ", " << y;
      EXPECT_EQ(cells.at(worst.row, worst.iteration), worst.value);
    }
  }
}

TEST(MapPixels, ShowAPartOfTheMap) {
  const auto run = run_of(64, 300, [](std::size_t rank, std::size_t i) {
    return static_cast<int64_t>(1000 * rank + i);
  });
  const MapCells cells = make_map_cells(*run, MapValue::own, MapOrder::rank);
  const MapPixels pixels = make_map_pixels(cells, 100, 100, {{10, 5}, {200, 20}});
  ASSERT_EQ(pixels.rows, 5U);
  ASSERT_EQ(pixels.columns, 20U);
  EXPECT_EQ(pixels.at(0, 0).value, 10'200);
  EXPECT_EQ(pixels.at(4, 19).value, 14'219);
  EXPECT_EQ(pixels.scale.low, 10'201) << "of what is shown";
}

TEST(MapSpans, ZoomAroundThePointer) {
  const MapSpan half = zoomed(MapSpan{}, 0.5, 0.5, 100);
  EXPECT_EQ(half, (MapSpan{25, 50}));
  EXPECT_EQ(zoomed(half, 0, 0.5, 100), (MapSpan{25, 25}));
  EXPECT_EQ(zoomed(half, 1, 0.5, 100), (MapSpan{50, 25}));
  EXPECT_EQ(zoomed(half, 0.5, 4, 100), MapSpan()) << "all again";
  EXPECT_EQ(zoomed(MapSpan{10, 4}, 0.5, 0.1, 100), (MapSpan{10, 4})) << "the least";
  EXPECT_EQ(zoomed(MapSpan{}, 0.5, 0.5, 3), MapSpan());
}

TEST(MapPixels, CoverEachCellOnce) {
  for (const std::size_t bins : {1U, 3U, 7U, 100U}) {
    EXPECT_EQ(first_cell(0, bins, 100), 0U);
    EXPECT_EQ(first_cell(bins, bins, 100), 100U);
    for (std::size_t bin = 0; bin < bins; ++bin) {
      EXPECT_LT(first_cell(bin, bins, 100), first_cell(bin + 1, bins, 100));
    }
  }
  EXPECT_EQ(map_bins(8, 700), 8U);
  EXPECT_EQ(map_bins(16'384, 700), 700U);
}

TEST(MapCells, DeviateFromTheMedian) {
  const auto run = run_of(4, 10, one_spike);
  const MapCells cells = make_map_cells(*run, MapValue::deviation, MapOrder::rank);
  EXPECT_EQ(cells.at(2, 5), 8000);
  EXPECT_EQ(cells.at(1, 5), 0);
  EXPECT_EQ(cells.at(2, 4), 0);
  const MapScale scale = make_map_pixels(cells, 10, 4).scale;
  EXPECT_EQ(scale.middle, 0);
  EXPECT_EQ(scale.low, -scale.high);
}

TEST(MapCells, SmallDeviationsStayPale) {
  const auto run = run_of(
      2, 10, [](std::size_t rank, std::size_t) { return static_cast<int64_t>(1'000'000 + rank); });
  const MapCells cells = make_map_cells(*run, MapValue::deviation, MapOrder::rank);
  const MapScale scale = make_map_pixels(cells, 10, 2).scale;
  EXPECT_GE(scale.high, 10'000) << "1% of an iteration";
}

TEST(MapCells, ClipTheScaleAtPercentiles) {
  const auto run = run_of(4, 100, [](std::size_t rank, std::size_t i) {
    return rank == 0 && i == 0 ? int64_t{1'000'000} : static_cast<int64_t>(1000 + i);
  });
  const MapCells cells = make_map_cells(*run, MapValue::own, MapOrder::rank);
  const MapScale scale = make_map_pixels(cells, 100, 4).scale;
  EXPECT_LT(scale.high, 1100);
  EXPECT_TRUE(scale.is_clipped);
  EXPECT_EQ(place_on_scale(scale, 1'000'000, false), 1);
}

// Of 16 cells the worst is slow by chance: what is usual stays gray.
TEST(MapPixels, GrayIsTheUsualWorst) {
  const auto run = run_of(64, 400, [](std::size_t rank, std::size_t i) {
    return static_cast<int64_t>(1000 + (rank * 7919 + i * 104729) % 101);
  });
  const MapCells cells = make_map_cells(*run, MapValue::deviation, MapOrder::rank);
  const MapPixels pixels = make_map_pixels(cells, 100, 16);
  EXPECT_GT(pixels.scale.middle, 20);
  int64_t gray = 0;
  for (const MapPixels::Worst& worst : pixels.worst) {
    if (std::abs(place_on_scale(pixels.scale, worst.value, true)) < 0.75) ++gray;
  }
  EXPECT_GT(gray, 1600 / 2);
}

// Slow: sorts all values.
TEST(MapPixels, ScaleEndsAtPercentiles) {
  const auto run = run_of(8, 50, [](std::size_t rank, std::size_t i) {
    return static_cast<int64_t>((rank * 7919 + i * 104729) % 10007);
  });
  const MapCells cells = make_map_cells(*run, MapValue::own, MapOrder::rank);
  std::vector<int64_t> sorted = cells.values;
  std::ranges::sort(sorted);
  const MapScale scale = make_map_pixels(cells, 50, 8).scale;
  EXPECT_EQ(scale.low, sorted[4]);
  EXPECT_EQ(scale.high, sorted[395]);
}

TEST(MapCells, HatchWhatIsNotKnown) {
  const auto run = run_of(3, 4, [](std::size_t rank, std::size_t i) {
    return rank == 1 && i < 2 ? int64_t{-1} : int64_t{1000};
  });
  const MapCells cells = make_map_cells(*run, MapValue::own, MapOrder::rank);
  EXPECT_TRUE(cells.has_unknown);
  EXPECT_EQ(cells.at(1, 0), kUnknownCell);
  const MapPixels pixels = make_map_pixels(cells, 40, 30);
  const Palette& colors = palette(ThemeKind::dark);
  const MapDrawing drawing = make_map_drawing(pixels, false, colors, {0, 0, 40, 30, 0});
  ASSERT_EQ(drawing.unknown.size(), 2U);
  EXPECT_EQ(drawing.unknown[0].top, 10);
  EXPECT_EQ(drawing.unknown[1].left, 10);
  EXPECT_EQ(drawing.cells.size(), 10U);
  // Iteration times are known all the same.
  EXPECT_FALSE(make_map_cells(*run, MapValue::duration, MapOrder::rank).has_unknown);
}

TEST(MapCells, PreferKnownCellsOfAPixel) {
  const auto run =
      run_of(1, 4, [](std::size_t, std::size_t i) { return i < 3 ? int64_t{-1} : int64_t{5}; });
  const MapCells cells = make_map_cells(*run, MapValue::own, MapOrder::rank);
  const MapPixels pixels = make_map_pixels(cells, 1, 1);
  EXPECT_EQ(pixels.at(0, 0).value, 5);
  EXPECT_EQ(pixels.at(0, 0).iteration, 3U);
}

TEST(MapOrders, SortRows) {
  const auto run = run_of(4, 3, [](std::size_t rank, std::size_t) {
    return static_cast<int64_t>(rank == 1 ? 5000 : 1000 + rank);
  });
  EXPECT_THAT(ordered_ranks(*run, MapOrder::rank), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(ordered_ranks(*run, MapOrder::host), ElementsAre(0, 2, 1, 3));
  EXPECT_THAT(ordered_ranks(*run, MapOrder::own), ElementsAre(1, 3, 2, 0));
  // Without groups each is its own.
  EXPECT_THAT(ordered_ranks(*run, MapOrder::group), ElementsAre(0, 1, 2, 3));
  for (std::size_t rank = 0; rank < 4; ++rank) {
    run->summary.parts[rank].groups = {{"all", {}}, {rank % 3 == 0 ? "x" : "y", {}}};
  }
  EXPECT_THAT(ordered_ranks(*run, MapOrder::group), ElementsAre(0, 3, 1, 2));
}

// Ranks 1 and 3 are slow in even iterations, 0 and 4 less so in odd ones, 2, 5 and 6 never. By own
// work 5 and 6 stand between the two sets.
TEST(MapOrders, BringSimilarRanksTogether) {
  const auto run = run_of(7, 40, [](std::size_t rank, std::size_t i) -> int64_t {
    const auto noise = static_cast<int64_t>((rank * 7919 + i * 104729) % 13);
    if (rank == 5 || rank == 6) return 1100 + noise;
    const bool is_even = i % 2 == 0, is_of_even = rank == 1 || rank == 3;
    if (rank == 2 || is_even != is_of_even) return 1000 + noise;
    return 1000 + (is_of_even ? 500 : 90) + noise;
  });
  const std::vector<std::size_t> rows = ordered_ranks(*run, MapOrder::similarity);
  const auto place = [&](std::size_t rank) { return std::ranges::find(rows, rank) - rows.begin(); };
  EXPECT_EQ(rows.size(), 7U);
  EXPECT_EQ(std::abs(place(1) - place(3)), 1);
  EXPECT_EQ(std::abs(place(5) - place(6)), 1);
  EXPECT_EQ(std::abs(place(0) - place(4)), 1);
  EXPECT_LE(place(1), 1);
}

TEST(MapDrawings, MergeOnlyEqualColors) {
  const auto run = run_of(1, 1000, [](std::size_t, std::size_t i) {
    return static_cast<int64_t>(i < 500 ? 1000 : 2000);
  });
  const MapCells cells = make_map_cells(*run, MapValue::own, MapOrder::rank);
  const MapDrawing drawing = make_map_drawing(make_map_pixels(cells, 100, 10), false,
                                              palette(ThemeKind::light), {0, 0, 100, 10, 0});
  ASSERT_EQ(drawing.cells.size(), 2U);
  EXPECT_EQ(drawing.cells[0].right, 50);
  EXPECT_EQ(drawing.cells[1].left, 50);
  EXPECT_NE(drawing.cells[0].color, drawing.cells[1].color);
}

TEST(RankBars, AddUpToTheIteration) {
  const auto run = run_of(4, 10, one_spike);
  const std::vector<ranks::MeanIteration> bars = ranks::mean_iterations(run->times);
  EXPECT_DOUBLE_EQ(bars[2].own_ns, 1800);
  EXPECT_DOUBLE_EQ(bars[1].own_ns, 1000);
  EXPECT_DOUBLE_EQ(bars[1].own_ns + bars[1].parts_ns.back(), 9100);
}

class RanksViewTest : public testing::ViewFixture {
 protected:
  RanksViewTest() {
    open(testing::run_of_twenty_steps(), "train/step");
    draw = [this](Frame& frame, const Box& box, BarLayer& bars) {
      view_.draw(frame, box, {bars, tables_});
    };
    model.ranks.emplace();
  }
  void show(std::shared_ptr<ranks::RunFigures> run) {
    auto read = std::make_shared<workspace::ReadRanks>();
    for (std::size_t r = 0; r < run->rank_count(); ++r) {
      read->paths.push_back(r == 3 ? "" : fmt::format("/runs/rank_{}.sqlite", r));
    }
    // As the iterations of the active profile, from its second one on.
    const auto& rows = model.aggregation->iteration_table->iterations.rows;
    for (ranks::RankPart& part : run->summary.parts) part.first = 1;
    for (std::size_t i = 0; i < run->times.numbers.size() && i + 1 < rows.size(); ++i) {
      run->times.start_ns.at(0, i) = rows[i + 1].start_ns;
    }
    read->figures = run;
    read->is_whole = true;
    model.ranks->files = run->rank_count();
    model.ranks->read = read;
    model.ranks->active_path = "/runs/rank_0.sqlite";
    model.ranks->active = 0;
    frames(3);
  }
  // The middle of a cell.
  float cell_x(std::size_t iteration, std::size_t iterations) {
    const ItemRect map = item("ranks/map");
    return map.left + (map.right - map.left) * (static_cast<float>(iteration) + 0.5f) /
                          static_cast<float>(iterations);
  }
  float cell_y(std::size_t row, std::size_t rows) {
    const ItemRect map = item("ranks/map");
    return map.top +
           (map.bottom - map.top) * (static_cast<float>(row) + 0.5f) / static_cast<float>(rows);
  }

  base::Scheduler scheduler_;
  Tables tables_{scheduler_};
  RanksView view_;
};

TEST_F(RanksViewTest, CellsAreColored) {
  show(run_of(4, 10, one_spike));
  EXPECT_EQ(value("ranks/count"), "4 ranks");
  EXPECT_EQ(value("ranks/row/2"), "2 · a · GPU 2");
  const Color slow = color_at(cell_x(5, 10), cell_y(2, 4));
  const Color usual = color_at(cell_x(5, 10), cell_y(1, 4));
  EXPECT_EQ(usual, map_color(palette(ThemeKind::dark), 0));
  EXPECT_EQ(slow, map_color(palette(ThemeKind::dark), 1));
}

TEST_F(RanksViewTest, IterationsAreNumbered) {
  show(run_of(4, 200, one_spike));
  for (const int64_t number : {0, 10, 100}) {
    EXPECT_TRUE(has_value(fmt::format("ranks/axis/{}", number))) << number;
  }
  EXPECT_FALSE(has_value("ranks/axis/1"));
}

// Where rows are lower than text, the active rank and the slow one keep their names.
TEST_F(RanksViewTest, TheSlowRankKeepsItsName) {
  auto run = run_of(64, 10, one_spike);
  run->stragglers.rank = 37;
  show(run);
  EXPECT_TRUE(has_value("ranks/row/0"));
  EXPECT_TRUE(has_value("ranks/row/37"));
  int names = 0;
  for (int row = 0; row < 64; ++row) {
    names += has_value(fmt::format("ranks/row/{}", row)) ? 1 : 0;
  }
  EXPECT_GT(names, 5);
  EXPECT_LT(names, 60);
}

TEST_F(RanksViewTest, ThePointedCellIsNamed) {
  show(run_of(4, 10, one_spike));
  move_to(cell_x(5, 10), cell_y(2, 4));
  frame();
  EXPECT_THAT(value("ranks/pointed"), HasSubstr("rank 2 iteration 5: +8.00"));
}

TEST_F(RanksViewTest, TheWheelZooms) {
  show(run_of(40, 100, one_spike));
  const ItemRect map = item("ranks/map");
  move_to((map.left + map.right) / 2, (map.top + map.bottom) / 2);
  EXPECT_FALSE(has_item("ranks/all"));
  for (int turn = 0; turn < 4; ++turn) {
    ImGui::GetIO().MouseWheel = 1;
    frame();
  }
  frames(2);
  ASSERT_TRUE(has_item("ranks/all"));
  move_to(map.left + 2, map.top + 2);
  frame();
  EXPECT_THAT(value("ranks/pointed"),
              ::testing::AnyOf(HasSubstr("rank 0 iteration 29"), HasSubstr("rank 0 iteration 30")));
  click("ranks/all");
  frames(2);
  EXPECT_FALSE(has_item("ranks/all"));
}

TEST_F(RanksViewTest, AClickOpensTheRank) {
  show(run_of(4, 10, one_spike));
  click_at(cell_x(5, 10), cell_y(2, 4));
  EXPECT_EQ(host.rank.path, "/runs/rank_2.sqlite");
  EXPECT_EQ(host.rank.rank, 2);
  EXPECT_EQ(host.rank.iteration, 6) << "the profile has one iteration before";
}

TEST_F(RanksViewTest, AClickSelectsTheIteration) {
  show(run_of(4, 10, one_spike));
  click_at(cell_x(5, 10), cell_y(0, 4));
  EXPECT_EQ(host.rank.path, "/runs/rank_0.sqlite");
  EXPECT_EQ(model.compared.iteration, 6);
  frames(2);
  const ItemRect framed = item("ranks/selected");
  EXPECT_LT(framed.left, cell_x(5, 10));
  EXPECT_GT(framed.right, cell_x(5, 10));
  EXPECT_LT(framed.top, cell_y(0, 4));
  EXPECT_GT(framed.bottom, cell_y(0, 4));
}

TEST_F(RanksViewTest, MissingProfilesAreNamed) {
  show(run_of(4, 10, one_spike));
  click_at(cell_x(5, 10), cell_y(3, 4));
  EXPECT_EQ(host.rank.path, "");
  EXPECT_THAT(host.notice, HasSubstr("rank_3.sqlite"));
}

TEST_F(RanksViewTest, ADragSelectsIterations) {
  show(run_of(4, 10, one_spike));
  drag(cell_x(2, 10), cell_y(1, 4), cell_x(6, 10) - cell_x(2, 10));
  EXPECT_EQ(model.selection.range, (aggregate::IterationRange{3, 7}));
  EXPECT_EQ(host.rank.path, "") << "a drag is no click";
}

TEST_F(RanksViewTest, ADragDownComparesSomeRanks) {
  const auto run = run_of(8, 10, one_spike);
  show(run);
  EXPECT_FALSE(has_item("ranks/all_ranks"));
  drag(cell_x(2, 10), cell_y(2, 8), 9, cell_y(5, 8) - cell_y(2, 8));
  ASSERT_TRUE(host.only);
  EXPECT_EQ(host.only->text(), "2:5");
  EXPECT_EQ(host.rank.path, "") << "a drag is no click";
  const auto some = run_of(4, 10, one_spike);
  some->only = *host.only;
  some->ranks_of_run = 8;
  show(some);
  EXPECT_EQ(value("ranks/count"), "4 ranks (2–5) of 8");
  ASSERT_EQ(view_.table_states().size(), 1U);
  click("ranks/all_ranks");
  EXPECT_TRUE(host.only->empty());
  // A state asks for them, once.
  RanksView& view = view_;
  const auto states = view.table_states();
  view.set_table(states.front());
  host.only.reset();
  frames(2);
  ASSERT_TRUE(host.only);
  EXPECT_EQ(host.only->text(), "2:5");
}

TEST_F(RanksViewTest, OtherIterationsSelectNothing) {
  const auto run = run_of(4, 10, one_spike);
  show(run);
  for (std::size_t i = 1; i < 10; ++i) run->times.start_ns.at(0, i) += 3;
  const auto before = model.selection.range;
  drag(cell_x(2, 10), cell_y(1, 4), cell_x(6, 10) - cell_x(2, 10));
  EXPECT_EQ(model.selection.range, before);
  EXPECT_THAT(host.notice, HasSubstr("different iterations"));
}

TEST_F(RanksViewTest, StatesKeepValueAndOrder) {
  show(run_of(4, 10, one_spike));
  EXPECT_TRUE(view_.table_states().empty());
  click("ranks/value/exposed_wait");
  click("ranks/order/host");
  const auto states = view_.table_states();
  ASSERT_EQ(states.size(), 1U);
  EXPECT_EQ(states.front().selected, "exposed_wait/host");
  RanksView other;
  other.set_table(states.front());
  EXPECT_EQ(other.table_states(), states);
  EXPECT_EQ(value("ranks/row/1"), "2 · a · GPU 2");
}

TEST_F(RanksViewTest, NotKnownIsInTheLegend) {
  show(run_of(
      2, 4, [](std::size_t rank, std::size_t) { return rank == 1 ? int64_t{-1} : int64_t{1000}; }));
  EXPECT_EQ(value("ranks/unknown"), "Unknown");
  EXPECT_EQ(color_at(cell_x(1, 4), cell_y(1, 2)), 0U);
  show(run_of(2, 4, one_spike));
  EXPECT_EQ(value("ranks/unknown"), "(none)");
}

TEST_F(RanksViewTest, DamagedFilesAreNamed) {
  show(run_of(4, 10, one_spike));
  auto read = std::make_shared<workspace::ReadRanks>(*model.ranks->read);
  read->left_out.push_back({"/run/rank_4.sqlite", {"The file is damaged", "", ""}});
  model.ranks->read = read;
  frames(2);
  EXPECT_EQ(value("ranks/left_out"), "Left out rank_4.sqlite: The file is damaged");
  click("ranks/again");
  EXPECT_EQ(host.command, "ranks.read");
}

TEST_F(RanksViewTest, ReadingCanBeCanceled) {
  model.ranks->files = 8;
  model.ranks->reading = base::Progress::Snapshot{"Reading rank_3.sqlite…", 2, 8};
  frames(2);
  EXPECT_EQ(value("ranks/reading/stage"), "Reading rank_3.sqlite…");
  click("ranks/reading/cancel");
  EXPECT_EQ(host.command, "ranks.cancel");
}

TEST_F(RanksViewTest, TablesFollow) {
  show(run_of(4, 10, one_spike));
  EXPECT_TRUE(has_item("ranks/table/collectives"));
  click("ranks/table/collectives");
  EXPECT_THAT(view_.table_states().front().selected, "collectives");
}

TEST_F(RanksViewTest, SumsNeedNoProfile) {
  const auto run = run_of(4, 10, one_spike);
  ranks::OpSum gemm;
  gemm.cpu = {8, 1, 3, 16};
  gemm.kernel_gpu = {8, 100, 300, 1600};
  run->summary.ops[{"linear", "linear", "fprop"}] = gemm;
  run->summary.kernels[{{"linear", "linear", "fprop"}, "gemm_kernel"}].gpu = {8, 100, 300, 1600};
  show(run);
  model.profile.reset();
  model.aggregation.reset();
  click("ranks/table/ops");
  frames(2);
  EXPECT_EQ(value("rank_ops/rows/0/op_name"), "linear");
  EXPECT_EQ(value("rank_ops/rows/0/kernel_time_mean"), "200\u202fns");
  click("ranks/table/kernels");
  frames(2);
  EXPECT_EQ(value("rank_kernels/rows/0/kernel"), "gemm_kernel");
  EXPECT_EQ(value("rank_kernels/rows/0/gpu_time_max"), "300\u202fns");
}

TEST_F(RanksViewTest, ARowOpensItsRank) {
  show(run_of(4, 10, one_spike));
  move_to("ranks/rows/0");
  for (const bool down : {true, false}) {
    ImGui::GetIO().MouseDown[1] = down;
    frame();
  }
  frame();
  click("copy/open");
  EXPECT_EQ(host.rank.rank, 2);
}

TEST_F(RanksViewTest, WorksWithoutAProfile) {
  show(run_of(4, 10, one_spike));
  model.profile.reset();
  model.aggregation.reset();
  model.ranks->active_path.clear();
  model.ranks->active.reset();
  frames(2);
  EXPECT_EQ(value("ranks/count"), "4 ranks");
  EXPECT_NE(color_at(cell_x(5, 10), cell_y(2, 4)), 0U);
}

}  // namespace
}  // namespace dlview::ui
