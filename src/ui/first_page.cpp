#include "ui/first_page.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

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
    {"run.sqlite", "Nsight Systems export: nsys export --type sqlite run.nsys-rep"},
    {"dlprof_dldb.sqlite", "Database of DLProf 1.3 to 1.8."},
    {"trace.json", "PyTorch profiler trace, plain or as .json.gz."},
}};

// A piece of code or a command line, and what it does.
struct Snippet {
  std::string_view name;  // of its button "Copy"
  std::string_view text, result;
  bool is_command;  // to be wrapped
};
struct Recipe {
  std::string_view id, title, intro;
  std::array<Snippet, 2> snippets;
};
constexpr std::array<Recipe, 3> kRecipes{{
    {"nsys",
     "Nsight Systems",
     "nsys comes with the CUDA Toolkit. A few dozen steps are enough.",
     {{{"page/copy_nsys",
        "nsys profile --trace=cuda,nvtx,osrt --pytorch=autograd-shapes-nvtx -o run python train.py",
        "Writes run.nsys-rep with ops, kernels, copies, CUDA calls and file I/O.", true},
       {"page/copy_nsys_code",
        "for step, batch in enumerate(loader):\n"
        "    with torch.cuda.nvtx.range(f\"step {step}\"):\n"
        "        train_step(batch)",
        "Add to the script: each range becomes an iteration.", false}}}},
    {"pytorch",
     "PyTorch",
     "torch.profiler comes with PyTorch. A few dozen steps are enough.",
     {{{"page/copy_pytorch_code",
        "with torch.profiler.profile(record_shapes=True,\n"
        "                            with_stack=True) as prof:\n"
        "    for batch in loader:\n"
        "        train_step(batch)\n"
        "        prof.step()\n"
        "prof.export_chrome_trace(\"trace.json.gz\")",
        "Add to the script: each prof.step() ends an iteration.", false},
       {"page/copy_pytorch", "dlview trace.json.gz",
        "Opens the trace: ops, modules, kernels, copies, CUDA calls.", true}}}},
    {"dlprof",
     "DLProf",
     "DLProf is part of NVIDIA's NGC containers of 2021.",
     {{{"page/copy_dlprof", "dlprof --mode=pytorch python train.py", "Writes dlprof_dldb.sqlite.",
        true},
       {"page/copy_dlprof_code",
        "import nvidia_dlprof_pytorch_nvtx as nvtx\n"
        "nvtx.init(enable_function_stack=True)\n"
        "with torch.autograd.profiler.emit_nvtx():\n"
        "    train()",
        "Add to the script: the ranges name the ops.", false}}}},
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

// What a panel holds, one part below the other. All heights are known before anything is drawn.
class Stack {
 public:
  explicit Stack(float width) : width_(width) {}
  float width() const { return width_; }
  float height() const { return height_; }
  void space(float height) { height_ += height; }
  // `draw` gets the area that begins at the top of the part.
  void add(float height, std::function<void(const Area&)> draw) {
    parts_.push_back({height_, std::move(draw)});
    height_ += height;
  }
  void draw(const Area& area) const {
    for (const Part& part : parts_) part.draw(area.below(area.top + part.top));
  }

 private:
  struct Part {
    float top;
    std::function<void(const Area&)> draw;
  };
  float width_, height_ = 0;
  std::vector<Part> parts_;
};

void add_heading(Frame& frame, Stack& stack, std::string_view title) {
  stack.add(heading_height(frame), [&frame, title](const Area& area) {
    draw_heading(frame, area, {title, "", "", ""});
  });
}

// Dim text that wraps; `indent` is free at the left.
void add_text(Frame& frame, Stack& stack, std::string_view text, float indent = 0) {
  const ImFont* font = frame.fonts().text;
  const auto measure = [font](std::string_view part) { return text_width(font, part); };
  const auto lines = static_cast<float>(wrap_prose(text, stack.width() - indent, measure).size());
  stack.add(lines * line_height(font), [&frame, font, text, indent](const Area& area) {
    draw_wrapped(font, {area.left + indent, area.top, area.width - indent}, frame.palette().dim,
                 text);
  });
}

constexpr float kCodePadding = 8, kCodeGap = 3;

float code_height(const Frame& frame, std::string_view code) {
  const float gap = frame.px(kCodeGap);
  const auto lines = static_cast<float>(1 + std::ranges::count(code, '\n'));
  const float height = lines * (line_height(frame.fonts().mono) + gap) - gap;
  return std::max(frame.px(kControlHeight), height) + 2 * frame.px(kCodePadding);
}

// Lines of code with a button that copies them.
void draw_code(Frame& frame, const Area& area, std::string_view name, std::string_view code,
               std::string_view shown) {
  const Fonts& fonts = frame.fonts();
  const float padding = frame.px(kCodePadding);
  const Box box = box_of(area, code_height(frame, shown));
  fill(box, frame.palette().background, frame.px(5));
  const float button = box.right - padding - button_width(frame, "Copy");
  const bool is_single = shown.find('\n') == std::string_view::npos;
  float y = is_single ? (box.top + box.bottom - font_size(fonts.mono)) / 2 : box.top + padding;
  for (std::string_view rest = shown; !rest.empty();) {
    const std::string_view text = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), text.size() + 1));
    draw_text_cut(frame, fonts.mono, box.left + padding, y, button - box.left - 2 * padding,
                  frame.palette().text, text, CutAt::end);
    y += line_height(fonts.mono) + frame.px(kCodeGap);
  }
  if (draw_button(frame, name, button, box.top + padding, "Copy")) {
    frame.host.copy_text(std::string(code));
    frame.host.notify("Copied");
  }
}

void add_code(Frame& frame, Stack& stack, std::string name, std::string_view code,
              std::string shown) {
  const float height = code_height(frame, shown);
  stack.add(height, [&frame, name = std::move(name), code, shown = std::move(shown)](
                        const Area& area) { draw_code(frame, area, name, code, shown); });
}

Stack recent_panel(Frame& frame, float width, std::size_t most) {
  const std::vector<RecentFile>& files = *frame.model.recent;
  const std::size_t count = std::min(files.size(), most);
  Stack stack(width);
  add_heading(frame, stack, "Recent profiles");
  for (std::size_t i = 0; i < count; ++i) {
    stack.add(frame.px(kRecentRow), [&frame, &files, i](const Area& area) {
      const float inset = frame.px(8);
      draw_recent_row(
          frame,
          {area.left - inset, area.top, area.right() + inset, area.top + frame.px(kRecentRow)},
          files[i], i);
    });
  }
  if (count == files.size()) return stack;
  stack.space(frame.px(8));
  stack.add(frame.px(kControlHeight), [&frame, &files](const Area& area) {
    const std::string label = fmt::format("Show all {}…", files.size());
    if (draw_button(frame, "page/recent_all", area.left, area.top, label)) {
      frame.host.run_command("file.open");
    }
  });
  return stack;
}

Stack open_panel(Frame& frame, float width) {
  const Fonts& fonts = frame.fonts();
  Stack stack(width);
  add_heading(frame, stack, "Open a profile");
  stack.add(frame.px(kDropHeight), [&frame](const Area& area) {
    const Box drop = box_of(area, frame.px(kDropHeight));
    draw_dashes(drop, frame.palette().faint, frame.px(4));
    draw_text_in(frame.fonts().text, drop, frame.palette().dim,
                 "Drop files anywhere on this window", true);
  });
  stack.space(frame.px(10));
  stack.add(way_back_height(frame), [&frame](const Area& area) { draw_way_back(frame, area); });
  stack.add(frame.px(kControlHeight), [&frame](const Area& area) {
    draw_page_buttons(frame, area,
                      {{"Open file…", "file.open"}, {"Open demo profile", "file.demo"}});
  });
  float names = 0;
  for (const FileKind& kind : kFileKinds) {
    names = std::max(names, text_width(fonts.mono, kind.name));
  }
  for (const FileKind& kind : kFileKinds) {
    stack.space(frame.px(&kind == kFileKinds.data() ? 14 : 6));
    stack.add(0, [&frame, &kind](const Area& area) {
      draw_text(frame.fonts().mono, area.left, area.top, frame.palette().text, kind.name);
    });
    add_text(frame, stack, kind.what, names + frame.px(16));
  }
  return stack;
}

void add_recipe(Frame& frame, Stack& stack, const Recipe& recipe) {
  const float gap = frame.px(5);
  const float room = stack.width() - button_width(frame, "Copy") - frame.px(32);
  const auto measure = [font = frame.fonts().mono](std::string_view text) {
    return text_width(font, text);
  };
  add_text(frame, stack, recipe.intro);
  for (const Snippet& snippet : recipe.snippets) {
    stack.space(&snippet == recipe.snippets.data() ? gap : frame.px(14));
    const std::string_view text = snippet.text;
    add_code(frame, stack, std::string(snippet.name), text,
             snippet.is_command ? wrap_command(text, room, measure) : std::string(text));
    stack.space(gap);
    add_text(frame, stack, snippet.result);
  }
}

// A click on a tab changes `chosen`.
Stack record_panel(Frame& frame, float width, std::size_t& chosen) {
  Stack stack(width);
  add_heading(frame, stack, "Record a profile");
  stack.add(frame.px(kControlHeight), [&frame, &chosen](const Area& area) {
    std::vector<Segment> tabs;
    for (const Recipe& recipe : kRecipes) tabs.push_back({recipe.id, recipe.title});
    frame.inspector.record_value("page/recipe", kRecipes[chosen].id);
    const auto clicked = draw_segments(frame, "page/record", area.left, area.top, tabs, chosen);
    if (clicked) chosen = *clicked;
  });
  stack.space(frame.px(10));
  // As high as with the longest recipe: nothing moves when another one is chosen.
  float longest = 0;
  for (const Recipe& recipe : kRecipes) {
    Stack its(width);
    add_recipe(frame, its, recipe);
    longest = std::max(longest, its.height());
  }
  const float end = stack.height() + longest;
  add_recipe(frame, stack, kRecipes[chosen]);
  stack.space(end - stack.height());
  return stack;
}

struct PlacedPanel {
  Stack content;
  Area place;  // with its top relative to that of the page
  float height = 0;
  float bottom() const { return place.top + height; }
};
// In the order of the keyboard.
using Panels = std::vector<PlacedPanel>;

float inner_width(const Frame& frame, const Area& column) {
  return column.width - 2 * frame.px(kPadding);
}

// Returns the top of what follows.
float place_panel(const Frame& frame, Panels& panels, const Area& column, Stack content) {
  const float height = frame.px(kPanelTop) + content.height() + frame.px(kPadding);
  panels.push_back({std::move(content), column, height});
  return panels.back().bottom() + frame.px(kGap);
}

bool has_recent(const Frame& frame) {
  return frame.model.recent != nullptr && !frame.model.recent->empty();
}

Panels in_one_column(Frame& frame, const Area& page, std::size_t& recipe) {
  const float width = inner_width(frame, page);
  Panels panels;
  float y = place_panel(frame, panels, page, open_panel(frame, width));
  if (has_recent(frame)) {
    Stack recent = recent_panel(frame, width, kMostRecentInOneColumn);
    y = place_panel(frame, panels, page.below(y), std::move(recent));
  }
  place_panel(frame, panels, page.below(y), record_panel(frame, width, recipe));
  return panels;
}

Panels in_two_columns(Frame& frame, const Area& page, float room, std::size_t& recipe) {
  const float gap = frame.px(kGap);
  const float share = has_recent(frame) ? 0.53f : 0.5f;
  const Area left{page.left, page.top, std::round((page.width - gap) * share)};
  const Area right{left.right() + gap, page.top, page.width - left.width - gap};
  const float left_width = inner_width(frame, left), right_width = inner_width(frame, right);
  Panels panels;
  if (!has_recent(frame)) {
    place_panel(frame, panels, left, open_panel(frame, left_width));
    place_panel(frame, panels, right, record_panel(frame, right_width, recipe));
    return panels;
  }
  const float rows = std::max(0.0f, (room - frame.px(90)) / frame.px(kRecentRow));
  const std::size_t most = std::clamp(static_cast<std::size_t>(rows), std::size_t{4}, kMostRecent);
  place_panel(frame, panels, left, recent_panel(frame, left_width, most));
  const float y = place_panel(frame, panels, right, open_panel(frame, right_width));
  place_panel(frame, panels, right.below(y), record_panel(frame, right_width, recipe));
  // The columns end together, unless the left one is longer.
  panels.front().height = std::max(panels.front().height, panels.back().bottom());
  return panels;
}

void draw_panel(Frame& frame, const PlacedPanel& panel, float page_top) {
  PanelRow row(frame, page_top + panel.place.top);
  panel.content.draw(row.begin_panel(panel.place.left, panel.place.width));
  row.end_panel(page_top + panel.bottom() - frame.px(kPadding));
  row.finish();
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
  ScrollArea scroll(frame, "first page", box);
  const float width = std::min(scroll.area().width, frame.px(kMostWidth));
  const Area page{std::round((box.left + box.right - width) / 2), 0, width};
  const float room = box.height() - 2 * frame.px(kGap);
  shown_recipe_ = recipe_;
  const Panels panels = width < frame.px(kTwoColumns) ? in_one_column(frame, page, recipe_)
                                                      : in_two_columns(frame, page, room, recipe_);
  float height = 0;
  for (const PlacedPanel& panel : panels) height = std::max(height, panel.bottom());
  // A little above the middle.
  const float top = scroll.area().top + std::round(0.3f * std::max(0.0f, room - height));
  for (const PlacedPanel& panel : panels) draw_panel(frame, panel, top);
  scroll.end_at(top + height);
}

}  // namespace dlview::ui
