#include "ui/first_page.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/pages.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tooltip.h"
#include "workspace/file_memory.h"

namespace dlview::ui {
namespace {

using workspace::ProfilePicture;
using workspace::RecentFile;

constexpr float kUsualHeight = 525;
constexpr float kMostWidth = 1240;
constexpr float kTwoColumns = 900;  // a window that wide has them
constexpr float kRecentRow = 66;
constexpr float kPictureWidth = 150, kPictureHeight = 50;
constexpr std::size_t kMostRecent = 12, kMostRecentInOneColumn = 4;
constexpr float kDropHeight = 58;

struct FileKind {
  std::string_view name, what;
};
constexpr std::array<FileKind, 4> kFileKinds{{
    {"run.nsys-rep", "Nsight Systems report. Needs nsys on the PATH."},
    {"run.sqlite", "Nsight Systems export, of any version since 2020."},
    {"dlprof_dldb.sqlite", "Database of DLProf 1.3 to 1.8."},
    {"trace.json", "PyTorch profiler trace, plain or as .json.gz."},
}};

struct Recipe {
  std::string_view id, title, intro;
  std::string_view command, command_result;
  std::string_view code, code_result;
};
constexpr std::array<Recipe, 3> kRecipes{{
    {"nsys", "Nsight Systems", "nsys comes with the CUDA Toolkit. A few dozen steps are enough.",
     "nsys profile --trace=cuda,nvtx,osrt -o run python train.py",
     "Writes run.nsys-rep with kernels, copies, CUDA calls and file I/O.",
     "torch.cuda.nvtx.range_push(f\"step {i}\")\ntrain_step(batch)\ntorch.cuda.nvtx.range_pop()",
     "In the training loop: splits the run into iterations."},
    {"pytorch", "PyTorch",
     "dlview opens traces of torch.profiler. nsys also records I/O and CPU samples:",
     "nsys profile --trace=cuda,nvtx --pytorch=autograd-shapes-nvtx -o run python train.py",
     "Writes run.nsys-rep with every op and its input shapes.",
     "with torch.autograd.profiler.emit_nvtx():\n"
     "    with torch.profiler.record_function(\"step\"):\n"
     "        train_step(batch)",
     "For an nsys without --pytorch: names the ops and splits the run into iterations."},
    {"dlprof", "DLProf", "DLProf is part of NVIDIA's NGC containers of 2021.",
     "dlprof --mode=pytorch python train.py", "Writes dlprof_dldb.sqlite.",
     "import nvidia_dlprof_pytorch_nvtx as nvtx\n"
     "nvtx.init()\n"
     "with torch.autograd.profiler.emit_nvtx():",
     "At the start of the script: names the ops. The training goes into the block."},
}};

std::string_view file_part(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

std::string_view folder_part(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string_view::npos) return "";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// "4× NVIDIA A100 · 12.4 s · 59 iterations", as far as it is known.
std::string describe_profile(const workspace::ProfileFacts& facts) {
  std::string text = facts.gpus;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : " · ") + part; };
  if (facts.duration_ns > 0) add(base::format_duration(facts.duration_ns));
  if (facts.iterations > 1) add(base::format_count(facts.iterations) + " iterations");
  return text;
}

// Columns on whole pixels, as the strip draws them. One iteration is a bar from left to right.
void draw_picture(Frame& frame, const Box& box, const ProfilePicture& picture, float opacity) {
  const Palette& colors = frame.palette();
  fill(box, colors.background, frame.px(4));
  if (picture.bars.empty()) return;
  const float inset = frame.px(4);
  const Box inner{box.left + inset, box.top + inset, box.right - inset, box.bottom - inset};
  const auto count = static_cast<float>(picture.bars.size());
  const bool is_single = picture.bars.size() == 1;
  const float gap = inner.width() / count >= frame.px(5) ? frame.px(1) : 0;
  for (std::size_t i = 0; i < picture.bars.size(); ++i) {
    const float left = std::round(inner.left + inner.width() * static_cast<float>(i) / count);
    const float right = std::round(inner.left + inner.width() * static_cast<float>(i + 1) / count);
    float sum = 0;
    for (std::size_t part = 0; part < picture.bars[i].size(); ++part) {
      const float before = sum;
      sum += static_cast<float>(picture.bars[i][part]) / ProfilePicture::kHeight;
      if (sum == before) continue;
      // What no category explains stays quiet.
      const bool is_rest = aggregate::kCategories[part] == aggregate::Category::other;
      const Color color =
          is_rest ? colors.line : colors.tone(tone_of(aggregate::kCategories[part]));
      Box bar{left, std::round(inner.bottom - sum * inner.height()),
              std::max(left + 1, right - gap), std::round(inner.bottom - before * inner.height())};
      if (is_single) {
        bar = {std::round(inner.left + before * inner.width()), inner.top,
               std::round(inner.left + sum * inner.width()), inner.bottom};
      }
      fill(bar, with_opacity(color, opacity));
    }
  }
}

void draw_recent_row(Frame& frame, const Box& row, const RecentFile& file, std::size_t number) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const float inset = frame.px(8);
  const std::string name = fmt::format("page/recent_{}", number);
  const bool is_pointed_at = hovered(row);
  const float cross = frame.px(20);
  const float cross_top = std::round(row.bottom - inset - cross);
  const Box remove{row.right - inset - cross, cross_top, row.right - inset, cross_top + cross};
  const Hit removes = hit_area(frame, name + "/remove", remove);  // before what it lies on
  const Hit opens = hit_area(frame, name, row);
  if (is_pointed_at) fill(row, with_opacity(colors.accent, 0.10f), frame.px(5));
  const float picture_top = std::round((row.top + row.bottom - frame.px(kPictureHeight)) / 2);
  const Box picture{row.left + inset, picture_top, row.left + inset + frame.px(kPictureWidth),
                    picture_top + frame.px(kPictureHeight)};
  draw_picture(frame, picture, file.facts.picture, file.exists ? 1 : 0.3f);

  const float left = picture.right + frame.px(14);
  const float right = remove.left - frame.px(8);
  float y = picture.top;
  const std::string age = age_text(file.facts.opened_s, frame.model.now_s);
  const float age_width = text_width(fonts.small, age);
  draw_text_right(fonts.small, row.right - inset, y + frame.px(1), colors.dim, age);
  draw_text_cut(frame, fonts.strong, left, y, row.right - inset - age_width - frame.px(12) - left,
                file.exists ? colors.text : colors.dim, file_part(file.path), CutAt::middle);
  y += line_height(fonts.strong) + frame.px(3);
  const std::string facts = file.exists ? describe_profile(file.facts) : "File not found";
  draw_text_cut(frame, fonts.small, left, y, right - left,
                file.exists ? colors.text : colors.attention, facts, CutAt::end);
  y += line_height(fonts.small) + frame.px(3);
  const char* home = std::getenv("HOME");
  draw_text_cut(frame, fonts.small, left, y, right - left, colors.dim,
                shorten_home(folder_part(file.path), home == nullptr ? "" : home), CutAt::front);
  frame.inspector.record_value(name, fmt::format("{} · {}", file_part(file.path), facts));

  if (is_pointed_at || removes.has_ring || !file.exists) {
    draw_icon(Icon::close, (remove.left + remove.right) / 2, (remove.top + remove.bottom) / 2,
              frame.px(11), removes.hovered ? colors.text : colors.dim);
  }
  if (removes.hovered) show_tooltip(frame, "Remove from this list. The file stays.");
  if (removes.clicked) return frame.host.forget_file(file.path);
  if (opens.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (opens.clicked) frame.host.open_file(file.path);
}

void draw_dashes(const Box& box, Color color, float dash) {
  const auto dashed = [&](float from, float to, const auto& line) {
    for (float at = from; at < to; at += 2 * dash) line(at, std::min(at + dash, to));
  };
  dashed(box.left, box.right, [&](float from, float to) {
    fill({from, box.top, to, box.top + 1}, color);
    fill({from, box.bottom - 1, to, box.bottom}, color);
  });
  dashed(box.top, box.bottom, [&](float from, float to) {
    fill({box.left, from, box.left + 1, to}, color);
    fill({box.right - 1, from, box.right, to}, color);
  });
}

// Lines of code with a button that copies them; returns the bottom.
float draw_code(Frame& frame, const Area& area, std::string_view name, std::string_view code,
                std::string_view shown) {
  const Fonts& fonts = frame.fonts();
  const float padding = frame.px(8), gap = frame.px(3);
  const float line = line_height(fonts.mono) + gap;
  const auto lines = static_cast<float>(1 + std::ranges::count(shown, '\n'));
  const float height = std::max(frame.px(kControlHeight), lines * line - gap) + 2 * padding;
  const Box box = box_of(area, height);
  fill(box, frame.palette().background, frame.px(5));
  const float button = box.right - padding - button_width(frame, "Copy");
  float y = lines == 1 ? (box.top + box.bottom - font_size(fonts.mono)) / 2 : box.top + padding;
  for (std::string_view rest = shown; !rest.empty();) {
    const std::string_view text = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), text.size() + 1));
    draw_text_cut(frame, fonts.mono, box.left + padding, y, button - box.left - 2 * padding,
                  frame.palette().text, text, CutAt::end);
    y += line;
  }
  if (draw_button(frame, name, button, box.top + padding, "Copy")) {
    frame.host.copy_text(std::string(code));
    frame.host.notify("Copied");
  }
  return box.bottom;
}

}  // namespace

std::string age_text(int64_t then_s, int64_t now_s) {
  constexpr int64_t minute = 60, hour = 60 * minute, day = 24 * hour;
  if (then_s <= 0 || now_s <= 0) return "";
  const int64_t age = now_s - then_s;
  if (age < minute) return "just now";
  if (age < hour) return fmt::format("{} min ago", age / minute);
  if (age < day) return fmt::format("{} h ago", age / hour);
  if (age < 2 * day) return "yesterday";
  if (age < 60 * day) return fmt::format("{} days ago", age / day);
  const std::chrono::sys_days date{std::chrono::days(then_s / day)};
  const std::chrono::year_month_day parts{date};
  return fmt::format("{}-{:02}-{:02}", static_cast<int>(parts.year()),
                     static_cast<unsigned>(parts.month()), static_cast<unsigned>(parts.day()));
}

std::string shorten_home(std::string_view path, std::string_view home) {
  const bool is_below = home.size() > 1 && path.starts_with(home) &&
                        (path.size() == home.size() || path[home.size()] == '/');
  return is_below ? "~" + std::string(path.substr(home.size())) : std::string(path);
}

std::string wrap_command(std::string_view command, float width, const MeasureText& measure) {
  std::string text, line;
  for (std::string_view rest = command; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    const std::string longer = line.empty() ? std::string(word) : fmt::format("{} {}", line, word);
    if (line.empty() || measure(longer + (rest.empty() ? "" : " \\")) <= width) {
      line = longer;
      continue;
    }
    text += line + " \\\n";
    line = "  " + std::string(word);
  }
  return text + line;
}

void FirstPage::draw(Frame& frame, const Box& box) {
  const float before = height_ + right_height_;
  draw_columns(frame, box);
  has_moved_ = before != height_ + right_height_;
}

void FirstPage::draw_columns(Frame& frame, const Box& box) {
  const float gap = frame.px(kGap);
  ScrollArea scroll(frame, "first page", box);
  const float width = std::min(scroll.area().width, frame.px(kMostWidth));
  if (height_ == 0) height_ = frame.px(kUsualHeight);  // the first frame does not know it yet
  const float slack = std::max(0.0f, box.height() - 2 * gap - height_);
  const Area all{std::round((box.left + box.right - width) / 2),
                 scroll.area().top + std::round(0.3f * slack), width};
  const bool has_recent = frame.model.recent != nullptr && !frame.model.recent->empty();
  if (width < frame.px(kTwoColumns)) {
    most_recent_ = kMostRecentInOneColumn;
    float y = draw_open(frame, all);
    if (has_recent) y = draw_recent(frame, all.below(y + gap), 0);
    y = draw_record(frame, all.below(y + gap));
    height_ = y - all.top;
    return scroll.end_at(y);
  }
  const float left_width = std::round((width - gap) * (has_recent ? 0.53f : 0.5f));
  const Area left{all.left, all.top, left_width};
  const Area right{all.left + left_width + gap, all.top, width - left_width - gap};
  if (!has_recent) {
    const float bottom = std::max(draw_open(frame, left), draw_record(frame, right));
    height_ = bottom - all.top;
    return scroll.end_at(bottom);
  }
  const float rows = (box.height() - 2 * gap - frame.px(90)) / frame.px(kRecentRow);
  most_recent_ =
      std::clamp(static_cast<std::size_t>(std::max(0.0f, rows)), std::size_t{4}, kMostRecent);
  float y = draw_recent(frame, left, all.top + right_height_);
  const float record = draw_open(frame, right) + gap;
  right_height_ = draw_record(frame, right.below(record)) - all.top;
  y = std::max(y, all.top + right_height_);
  height_ = y - all.top;
  scroll.end_at(y);
}

float FirstPage::draw_recent(Frame& frame, const Area& column, float least_bottom) {
  const auto& files = *frame.model.recent;
  const std::size_t count = std::min(files.size(), most_recent_);
  PanelRow panel(frame, column.top);
  const Area area = panel.begin_panel(column.left, column.width);
  const Area below = draw_heading(frame, area, {"Recent profiles", "", "", ""});
  float y = below.top;
  const float inset = frame.px(8);
  for (std::size_t i = 0; i < count; ++i) {
    const Box row{area.left - inset, y, area.right() + inset, y + frame.px(kRecentRow)};
    draw_recent_row(frame, row, files[i], i);
    y = row.bottom;
  }
  if (count < files.size()) {
    y += frame.px(8);
    const std::string label = fmt::format("Show all {}…", files.size());
    if (draw_button(frame, "page/recent_all", area.left, y, label)) {
      frame.host.run_command("file.open");
    }
    y += frame.px(kControlHeight);
  }
  panel.end_panel(std::max(y, least_bottom - frame.px(kPadding)));
  return panel.finish();
}

float FirstPage::draw_open(Frame& frame, const Area& column) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  PanelRow panel(frame, column.top);
  const Area area = panel.begin_panel(column.left, column.width);
  float y = draw_heading(frame, area, {"Open a profile", "", "", ""}).top;
  const Box drop = box_of(area.below(y), frame.px(kDropHeight));
  draw_dashes(drop, colors.faint, frame.px(4));
  draw_text_in(fonts.text, drop, colors.dim, "Drop files anywhere on this window", true);
  y = drop.bottom + frame.px(10);
  y = draw_way_back(frame, area.below(y));
  y = draw_page_buttons(frame, area.below(y),
                        {{"Open file…", "file.open"}, {"Open demo profile", "file.demo"}});
  y += frame.px(14);
  float names = 0;
  for (const FileKind& kind : kFileKinds)
    names = std::max(names, text_width(fonts.mono, kind.name));
  const float text_left = area.left + names + frame.px(16);
  for (const FileKind& kind : kFileKinds) {
    draw_text(fonts.mono, area.left, y, colors.text, kind.name);
    y = draw_wrapped(fonts.text, {text_left, y, area.right() - text_left}, colors.dim, kind.what);
    y += frame.px(6);
  }
  panel.end_panel(y - frame.px(6));
  return panel.finish();
}

float FirstPage::draw_record(Frame& frame, const Area& column) {
  PanelRow panel(frame, column.top);
  const Area area = panel.begin_panel(column.left, column.width);
  float y = draw_heading(frame, area, {"Record a profile", "", "", ""}).top;
  std::vector<Segment> tabs;
  for (const Recipe& recipe : kRecipes) tabs.push_back({recipe.id, recipe.title});
  if (const auto chosen = draw_segments(frame, "page/record", area.left, y, tabs, recipe_)) {
    recipe_ = *chosen;
  }
  y += frame.px(kControlHeight + 10);
  panel.end_panel(draw_recipe(frame, area.below(y)));
  return panel.finish();
}

float FirstPage::draw_recipe(Frame& frame, const Area& area) {
  const Fonts& fonts = frame.fonts();
  const Recipe& recipe = kRecipes[recipe_];
  const float gap = frame.px(5), part = frame.px(14);
  const float room = area.width - button_width(frame, "Copy") - frame.px(32);
  const std::string command = wrap_command(recipe.command, room, [&fonts](std::string_view text) {
    return text_width(fonts.mono, text);
  });
  const std::string name = fmt::format("page/copy_{}", recipe.id);
  frame.inspector.record_value("page/recipe", recipe.id);
  float y = draw_wrapped(fonts.text, area, frame.palette().dim, recipe.intro) + gap;
  y = draw_code(frame, area.below(y), name, recipe.command, command) + gap;
  y = draw_wrapped(fonts.text, area.below(y), frame.palette().dim, recipe.command_result) + part;
  y = draw_code(frame, area.below(y), name + "_code", recipe.code, recipe.code) + gap;
  return draw_wrapped(fonts.text, area.below(y), frame.palette().dim, recipe.code_result);
}

}  // namespace dlview::ui
