// One view on Dear ImGui alone: frames are built, never drawn. The host answers as the program
// does, at once.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <imgui.h>

#include "aggregate/aggregator.h"
#include "aggregate/steady.h"
#include "support/imgui_frames.h"
#include "support/sketch.h"
#include "ui/chart/bars.h"
#include "ui/idle_host.h"
#include "ui/table/table_export.h"
#include "ui/widgets/canvas.h"

namespace dlview::testing {

class AnsweringHost final : public IdleHost {
 public:
  explicit AnsweringHost(ui::Model& model) : model_(model) {}
  void select(const aggregate::Selection& selection) override {
    ++selections;
    const auto engine = aggregate::make_cpu_aggregator(model_.profile);
    const bool other_cut = !model_.aggregation || model_.selection.cut != selection.cut;
    auto computed = std::make_shared<aggregate::Aggregation>(engine->aggregate(selection));
    if (!other_cut) computed->iteration_table = model_.aggregation->iteration_table;
    model_.selection = computed->selection;
    model_.aggregation = computed;
    if (!other_cut) return;
    model_.steady = aggregate::steady_range(computed->iteration_table->iterations);
    model_.outliers = std::make_shared<const aggregate::Outliers>(
        aggregate::find_outliers(*model_.profile, *computed->iteration_table));
    model_.compared = {};
  }
  void preview_cut(const std::optional<aggregate::Cut>& cut) override {
    previewed = cut;
    model_.preview_table =
        cut ? aggregate::make_cpu_aggregator(model_.profile)->iteration_table(*cut) : nullptr;
  }
  void select_iteration(std::optional<int64_t> iteration) override {
    model_.compared.iteration = iteration;
  }
  void select_baseline(std::optional<int64_t> iteration) override {
    model_.compared.baseline = iteration;
  }
  void show_rank(const workspace::RankChoice& choice) override {
    rank = choice;
    if (choice.iteration) model_.compared.iteration = choice.iteration;
  }
  void only_ranks(const ranks::RankSet& ranks) override { only = ranks; }
  void want_rank_timelines(const std::vector<std::size_t>& ranks) override { timelines = ranks; }
  void show_capture(const std::string& path, const std::string& compared_with) override {
    captures = {path, compared_with};
  }
  void remove_capture(const std::string& path) override { removed_capture = path; }
  void select_in_run(workspace::RunId run, const aggregate::Selection& selection) override {
    selected_in.emplace_back(run, selection);
  }
  void export_table(const ui::TableExport& what) override { exported = what; }
  void save_text(const std::string& name, std::string_view, std::string text) override {
    saved = {name, std::move(text)};
  }
  void save_picture(const std::string& name, const ui::ItemRect& part) override {
    pictured = {name, part};
  }
  void notify(std::string text) override { notice = std::move(text); }
  void show(ui::ViewId view) override { shown = view; }
  void run_command(std::string_view id) override { command = id; }
  void copy_text(const std::string& text) override { copied = text; }

  int selections = 0;
  std::vector<std::pair<workspace::RunId, aggregate::Selection>> selected_in;
  std::optional<aggregate::Cut> previewed;
  std::optional<std::pair<std::string, ui::ItemRect>> pictured;
  std::optional<ui::TableExport> exported;
  std::string copied, notice, command;
  std::optional<ui::ViewId> shown;
  workspace::RankChoice rank;
  std::optional<ranks::RankSet> only;
  std::vector<std::size_t> timelines;
  std::pair<std::string, std::string> captures;  // shown, compared with
  std::string removed_capture;
  std::pair<std::string, std::string> saved;  // name, text

 private:
  ui::Model& model_;
};

class ViewFixture : public ::testing::Test {
 protected:
  using Draw = std::function<void(ui::Frame&, const ui::Box&, ui::BarLayer&)>;

  ViewFixture() : context_(ImGui::CreateContext()), host(model) {
    set_up_frames(1280, 800);
    set_scale(1);
  }
  ~ViewFixture() override { ImGui::DestroyContext(context_); }

  void set_scale(float scale) {
    look_.scale = scale;
    look_.fonts = ui::bake_fonts(*ImGui::GetIO().Fonts, scale);
    ui::apply_style(look_);
  }
  void open(std::shared_ptr<const profile::Profile> profile, const std::string& key_op) {
    model = {};
    model.profile = std::move(profile);
    model.engine = "CPU";
    model.key_ops = std::make_shared<const std::vector<aggregate::KeyOpCandidate>>(
        aggregate::rank_key_ops(*model.profile));
    model.unknown_use = std::make_shared<const aggregate::UnknownTensorCoreUse>(*model.profile);
    host.select({{aggregate::CutKind::start, key_op, 0}, {0, 1'000'000}});
    host.selections = 0;
  }

  void frame() {
    begin_frame();
    inspector.begin_frame();
    bars_.begin_frame();
    ui::Frame built{look_, model, host, inspector};
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(size);
    ImGui::Begin("view", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoScrollWithMouse);
    draw(built, {0, 40, size.x, size.y}, bars_);
    ImGui::End();
    ImGui::Render();
  }
  void frames(int count) {
    for (int i = 0; i < count; ++i) frame();
  }

  bool has_item(const std::string& name) const { return inspector.items().contains(name); }
  bool has_value(const std::string& name) const { return inspector.values().contains(name); }
  ui::ItemRect item(const std::string& name) const {
    const auto found = inspector.items().find(name);
    EXPECT_NE(found, inspector.items().end()) << name;
    return found == inspector.items().end() ? ui::ItemRect{} : found->second;
  }
  std::string value(const std::string& name) const {
    const auto found = inspector.values().find(name);
    return found == inspector.values().end() ? "(none)" : found->second;
  }

  // What the last frame drew there, the uppermost; 0 = no rectangle.
  ui::Color color_at(float x, float y) const {
    ui::Color color = 0;
    const ImDrawData& data = *ImGui::GetDrawData();
    for (int list = 0; list < data.CmdListsCount; ++list) {
      for (const ImDrawCmd& command : data.CmdLists[list]->CmdBuffer) {
        for (const render::Rectangle& drawn : ui::BarLayer::rectangles_of(command)) {
          const bool is_in =
              x >= drawn.left && x < drawn.right && y >= drawn.top && y < drawn.bottom;
          if (is_in) color = drawn.color;
        }
      }
    }
    return color;
  }
  ui::Color color_at(const std::string& name) const {
    const ui::ItemRect rect = item(name);
    return color_at(rect.left + 0.5f, (rect.top + rect.bottom) / 2);
  }

  void move_to(float x, float y) {
    ImGuiIO& io = ImGui::GetIO();
    io.MousePos = {x, y};
    frame();
  }
  void move_to(const std::string& name) {
    const ui::ItemRect rect = item(name);
    move_to((rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2);
    frame();
  }
  void press(bool down) {
    ImGui::GetIO().MouseDown[0] = down;
    frame();
  }
  void click_at(float x, float y) {
    move_to(x, y);
    frame();
    press(true);
    press(false);
    frame();
  }
  void click(const std::string& name) {
    const ui::ItemRect rect = item(name);
    click_at((rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2);
  }
  void drag(float x, float y, float dx, float dy = 0) {
    move_to(x, y);
    frame();
    press(true);
    for (int i = 1; i <= 10; ++i) {
      const float share = static_cast<float>(i) / 10;
      move_to(x + dx * share, y + dy * share);
    }
    press(false);
    frame();
  }
  void drag(const std::string& name, float dx) {
    const ui::ItemRect rect = item(name);
    drag((rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2, dx);
  }
  void turn_wheel(float lines) {
    ImGui::GetIO().MouseWheel = lines;
    frames(2);
  }
  void hit(ImGuiKey key) {
    press_key(key, true);
    frame();
    press_key(key, false);
    frames(2);
  }
  void type(const char* text) {
    ImGui::GetIO().AddInputCharactersUTF8(text);
    frames(2);
  }

 private:
  ImGuiContext* context_;
  ui::Look look_;
  ui::BarLayer bars_;

 protected:
  ui::Model model;
  AnsweringHost host;
  ui::Inspector inspector;
  Draw draw;
};

// 20 steps of 100 ns after a start of 100 ns, each with a kernel of 40 ns: iterations 0 to 20. The
// data loader makes step 10 longer by 200 ns; "net/twice" runs twice in each step.
inline std::shared_ptr<const profile::Profile> run_of_twenty_steps() {
  Sketch sketch;
  const auto step = sketch.op("train/step");
  const auto conv = sketch.op("net/conv", "conv2d", true);
  const auto twice = sketch.op("net/twice");
  const auto loader = sketch.op("data/next", "DataLoader");
  int64_t at = 100;
  for (int i = 0; i < 20; ++i) {
    sketch.instance(step, at, at + 10);
    const bool slow = i + 1 == 10;
    if (slow) sketch.instance(loader, at + 11, at + 211);
    const int64_t begin = at + (slow ? 200 : 0);
    sketch.kernel(sketch.instance(conv, begin + 20, begin + 70), begin + 25, begin + 65, 0, "xmma",
                  true);
    sketch.instance(twice, begin + 80, begin + 82);
    sketch.instance(twice, begin + 84, begin + 86);
    at = begin + 100;
  }
  return sketch.finish();
}

}  // namespace dlview::testing
