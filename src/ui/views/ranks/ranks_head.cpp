// The head of the view Ranks: how many there are, what was found, how clocks relate, notes; and
// what stands there while nothing was read.
#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/units.h"
#include "ui/pages.h"
#include "ui/views/ranks/ranks_view.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {
namespace {

constexpr std::size_t kShownNotes = 8;

// How the clocks relate: each way once, that by collectives with its greatest error.
std::string clocks_text(const ranks::RunFigures& run) {
  std::set<std::string> ways;
  const ranks::ClockFit* worst = nullptr;
  int64_t error_ns = 0;
  bool are_aligned = true;
  for (const ranks::ClockFit& fit : run.clocks) {
    if (fit.by == ranks::ClockBy::reference) continue;
    are_aligned = are_aligned && fit.by != ranks::ClockBy::utc && fit.by != ranks::ClockBy::none;
    error_ns = std::max(error_ns, fit.error_ns);
    if (fit.by != ranks::ClockBy::collectives) {
      ways.insert(ranks::describe(fit));
    } else if (worst == nullptr || fit.error_ns > worst->error_ns) {
      worst = &fit;
    }
  }
  if (worst != nullptr) ways.insert(ranks::describe(*worst));
  if (ways.empty()) return "";
  const std::string text = fmt::format("{}", fmt::join(ways, "; "));
  if (!are_aligned) return "Clocks cannot be compared exactly: " + text;
  if (error_ns == 0) return "Clocks: " + text;
  return fmt::format("Clocks are aligned within {}: {}", base::format_duration(error_ns), text);
}

std::string left_out_text(const workspace::ReadRanks& read) {
  const auto& first = read.left_out.front();
  std::string text =
      fmt::format("Left out {}: {}", first.file.filename().string(), first.error.title);
  if (read.left_out.size() > 1) text += fmt::format(", and {} more", read.left_out.size() - 1);
  return text;
}

}  // namespace

void RanksView::learn_head() {
  head_ = {};
  if (!read_ || !read_->figures) return;
  const ranks::RunFigures& figures = *read_->figures;
  head_ = {figures.ranks_text(), figures.sentence(), clocks_text(figures), figures.notes()};
  for (const workspace::LeftOutFile& each : read_->left_out) {
    head_.notes.push_back(
        fmt::format("{}: {}", each.file.filename().string(), base::one_line(each.error)));
  }
}

void RanksView::draw_nothing(Frame& frame, const Box& box,
                             const workspace::RankModel& model) const {
  if (model.reading) {
    if (draw_progress_card(frame, box, "ranks/reading", "Reading ranks",
                           base::counted(static_cast<int64_t>(model.files), "files"),
                           *model.reading)) {
      frame.host.run_command("ranks.cancel");
    }
    return;
  }
  if (read_ && read_->error) {
    return draw_error_card(frame, box, "ranks/error", *read_->error,
                           {{"Read again", "ranks.read"}, {"Open ranks…", "ranks.open"}});
  }
  if (!model.is_canceled) return;
  draw_error_card(
      frame, box, "ranks/canceled",
      {"Reading was canceled", base::counted(static_cast<int64_t>(model.files), "files"), ""},
      {{"Read again", "ranks.read"}, {"Open ranks…", "ranks.open"}});
}

float RanksView::draw_head(Frame& frame, const Box& box, const workspace::RankModel& model) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const float gap = frame.px(kGap), height = frame.px(30);
  const float top = box.top + frame.px(8), left = box.left + gap + frame.px(2);
  const float control_top = top + std::round((height - frame.px(kControlHeight)) / 2);
  float right = box.right - gap;
  const auto button = [&](const char* name, const std::string& label) {
    right -= button_width(frame, label);
    const bool is_clicked = draw_button(frame, name, right, control_top, label);
    right -= frame.px(8);
    return is_clicked;
  };
  const std::size_t notes = head_.notes.size();
  if (notes > 0 && button("ranks/notes", shows_notes_ ? std::string("Hide notes")
                                                      : fmt::format("Notes ({})", notes))) {
    shows_notes_ = !shows_notes_;
  }
  if (!read_->figures->only.empty() &&
      button("ranks/all_ranks", fmt::format("Show all {} ranks", read_->figures->all_ranks()))) {
    frame.host.only_ranks({});
  }
  if (model.reading && button("ranks/cancel", "Cancel")) frame.host.run_command("ranks.cancel");
  if (!model.reading && (model.is_canceled || !read_->left_out.empty()) &&
      button("ranks/again", "Read again")) {
    frame.host.run_command("ranks.read");
  }
  const float text_top = std::round(top + (height - font_size(fonts.strong)) / 2);
  const std::string& count = head_.count;
  draw_text(fonts.strong, left, text_top, colors.text, count);
  const float sentence_left = left + text_width(fonts.strong, count) + frame.px(12);
  const std::string& sentence = head_.sentence;
  draw_text_cut(frame, fonts.text, sentence_left, text_top, right - sentence_left, colors.text,
                sentence, CutAt::end);
  frame.inspector.record_value("ranks/count", count);
  frame.inspector.record_value("ranks/sentence", sentence);
  std::string detail = head_.clocks;
  frame.inspector.record_value("ranks/clocks", detail);
  const auto add = [&detail](const std::string& text) {
    detail += (detail.empty() ? "" : " · ") + text;
  };
  if (model.reading) {
    add(fmt::format("{} {} of {}", model.reading->stage, model.reading->done + 1,
                    model.reading->total));
  } else if (model.is_canceled) {
    add(fmt::format("Canceled: not all of {} were read",
                    base::counted(static_cast<int64_t>(model.files), "files")));
  }
  float y = top + height;
  const Area area{left, y, box.right - gap - left};
  if (!detail.empty()) {
    draw_text_cut(frame, fonts.text, left, y, area.width, colors.dim, detail, CutAt::end);
    y += line_height(fonts.text) + frame.px(4);
  }
  if (!read_->left_out.empty()) {
    const std::string text = left_out_text(*read_);
    draw_text_cut(frame, fonts.text, left, y, area.width, colors.attention, text, CutAt::end);
    frame.inspector.record_value("ranks/left_out", text);
    y += line_height(fonts.text) + frame.px(4);
  }
  if (shows_notes_) y = draw_notes(frame, area.below(y));
  y += frame.px(3);
  horizontal_line(box.left, box.right, y, colors.line);
  return y + 1;
}

float RanksView::draw_notes(Frame& frame, const Area& area) const {
  std::vector<std::string> notes = head_.notes;
  float y = area.top;
  const std::size_t count = std::min(notes.size(), kShownNotes);
  if (count < notes.size()) {
    notes[count - 1] = fmt::format("And {} more: dlview ranks lists all", notes.size() - count + 1);
  }
  for (std::size_t n = 0; n < count; ++n) {
    // Whole: what helps stands at the end.
    y = draw_wrapped(frame.fonts().text, area.below(y), frame.palette().dim, notes[n] + ".");
    frame.inspector.record_value(fmt::format("ranks/note/{}", n), notes[n]);
    y += frame.px(4);
  }
  return y;
}

}  // namespace dlview::ui
