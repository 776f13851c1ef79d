#include "ui/chart/iteration_marker.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "aggregate/key_names.h"
#include "base/units.h"
#include "profile/nesting.h"
#include "ui/text.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

using aggregate::KeyOpCandidate;
using aggregate::SplitBy;

constexpr double kLeastScore = 0.05;  // a candidate below is no help

std::string basis_text(const aggregate::Cut& cut, SplitBy by) {
  const std::string basis =
      by == SplitBy::gpu
          ? "By GPU: an iteration lasts at least until its last kernel ends."
          : fmt::format("By host: an iteration ends where {}.", iteration_end(cut.kind));
  return fmt::format("{} {}", basis, kCountingRule);
}

std::string scored(const KeyOpCandidate& candidate) {
  return fmt::format("Score {}: {}", base::format_percent(100 * candidate.score), candidate.reason);
}

bool is_candidate(const profile::Profile& profile, const KeyOpCandidate& candidate,
                  const std::string& key) {
  if (candidate.key == key || candidate.name == key) return true;
  return candidate.op != profile::kNoRow && profile.text(profile.ops.id[candidate.op]) == key;
}

// The name of an op, unless several ops have it.
std::string key_to_split_at(const profile::Profile& profile, const KeyOpCandidate& candidate) {
  if (candidate.op == profile::kNoRow) return candidate.key;
  const profile::StringId name = profile.ops.name[candidate.op];
  return std::ranges::count(profile.ops.name, name) == 1 ? candidate.name : candidate.key;
}

// Without the groups around.
std::string short_name(const profile::Profile& profile, const std::string& path) {
  const std::string_view name = profile::last_name(profile, path);
  return aggregate::readable_key(name.empty() ? path : name);
}

// "/module/Trainer::train_step/begin" -> "train_step/begin": "begin" alone would read as "at the
// beginning".
std::string short_path(const profile::Profile& profile, const std::string& path) {
  const std::string_view name = profile::last_name(profile, path);
  if (name.empty() || name.size() + 1 >= path.size()) return short_name(profile, path);
  const std::string_view group = std::string_view(path).substr(0, path.size() - name.size() - 1);
  std::string_view parent = profile::last_name(profile, group);
  const std::size_t of_class = parent.rfind("::");
  if (of_class != std::string_view::npos) parent.remove_prefix(of_class + 2);
  const std::string_view kept = std::string_view(path).substr(group.size() - parent.size());
  return aggregate::readable_key(std::string(parent.empty() ? name : kept));
}

void add_next(const profile::Profile& profile, const std::string& key,
              const std::vector<KeyOpCandidate>& candidates, MarkerChoice& choice) {
  const auto next = std::ranges::find_if(candidates, [&](const KeyOpCandidate& candidate) {
    return !is_candidate(profile, candidate, key);
  });
  if (next == candidates.end() || next->score < kLeastScore) return;
  const std::string warning = aggregate::marker_warning(*next);
  const std::string_view what = key.empty() ? "best candidate" : "alternative";
  const std::string& name = next->kind == aggregate::KeyKind::range ? next->key : next->name;
  choice.next =
      fmt::format("{}: {} {}{}{}", what, aggregate::readable_key(name),
                  base::format_percent(100 * next->score), warning.empty() ? "" : ", ", warning);
  choice.next_name = short_name(profile, name);
  choice.next_score = fmt::format("{:.0f}%", 100 * next->score);
  choice.next_warning = warning;
  choice.short_next = fmt::format("{}: {}", what, choice.next_name);
  choice.next_key = key_to_split_at(profile, *next);
  choice.next_reason = scored(*next);
}

}  // namespace

MarkerChoice prepare_marker_choice(const profile::Profile& profile,
                                   const aggregate::Aggregation& aggregation,
                                   const std::vector<KeyOpCandidate>* candidates) {
  const aggregate::Cut& cut = aggregation.selection.cut;
  const aggregate::Iterations& iterations = aggregation.iteration_table->iterations;
  const auto count = static_cast<int64_t>(iterations.rows.size());
  MarkerChoice choice;
  choice.iterations = base::counted(count, "iterations");
  const auto say = [&](const auto& text) {
    const std::string marker =
        cut.key_op.empty() ? "" : aggregate::key_op_label(profile, cut.key_op);
    choice.marker = marker;
    choice.short_marker = short_path(profile, marker);
    choice.split = text(choice.marker);
    choice.short_split = text(choice.short_marker);
  };
  if (cut.kind == aggregate::CutKind::stored && count > 1) {
    say([](const std::string& marker) {
      return marker.empty() ? "Split as stored" : fmt::format("Split at {}, as stored", marker);
    });
    if (!choice.marker.empty()) choice.short_split = "Split at " + choice.short_marker;
    choice.reason = "The file stores this list of iterations.";
  } else if (count > 1 || !iterations.ranges.empty()) {
    const char* const by = iterations.split_by == SplitBy::gpu ? "GPU" : "host";
    say([by](const std::string& marker) { return fmt::format("Split at {} by {}", marker, by); });
    if (iterations.split_by == SplitBy::host) {
      choice.short_split = "Split at " + choice.short_marker;
    }
    choice.reason = basis_text(cut, iterations.split_by);
  } else if (!cut.key_op.empty()) {
    say([](const std::string& marker) { return "Not split by " + marker; });
  } else {
    choice.short_split = "Not split";
    choice.split = candidates == nullptr ? "Not split"
                   : candidates->empty() ? "Not split: no op ran three times"
                                         : "Not split: no likely marker";
  }
  if (candidates == nullptr) return choice;
  const auto chosen = std::ranges::find_if(*candidates, [&](const KeyOpCandidate& candidate) {
    return !cut.key_op.empty() && is_candidate(profile, candidate, cut.key_op);
  });
  if (chosen != candidates->end()) choice.reason = scored(*chosen) + "\n" + choice.reason;
  add_next(profile, cut.key_op, *candidates, choice);
  return choice;
}

std::string_view iteration_end(aggregate::CutKind kind) {
  return kind == aggregate::CutKind::end ? "its marker ends" : "the next marker begins";
}

aggregate::Selection split_at(const std::string& key, const aggregate::Selection& current) {
  aggregate::Cut cut = current.cut;
  cut.key_op = key;
  cut.clock.reset();
  if (cut.kind == aggregate::CutKind::stored) cut.kind = aggregate::CutKind::start;
  return {cut, {0, std::numeric_limits<int32_t>::max()}, current.filters};
}

const MarkerChoice& MarkerLine::choice(const Model& model) {
  const aggregate::Cut& cut = model.aggregation->selection.cut;
  const auto& table = model.aggregation->iteration_table;
  if (cut_ == cut && table_ == table && candidates_ == model.key_ops) return choice_;
  cut_ = cut;
  table_ = table;
  candidates_ = model.key_ops;
  choice_ = prepare_marker_choice(*model.profile, *model.aggregation, model.key_ops.get());
  return choice_;
}

namespace {

constexpr std::string_view kAt = " at ";

// "Split at NAME by GPU" with the name in the font of code.
class TextWithName {
 public:
  TextWithName(const Frame& frame, std::string_view text, std::string_view name) {
    // "Split at it": the marker comes after the words.
    const std::size_t words = text.find(kAt);
    const std::size_t at = name.empty() || words == std::string_view::npos
                               ? std::string_view::npos
                               : text.find(name, words + kAt.size());
    const std::size_t end = at == std::string_view::npos ? 0 : at + name.size();
    before_ = text.substr(0, at);
    if (end > 0) name_ = name;
    after_ = end > 0 ? text.substr(end) : "";
    const Fonts& fonts = frame.fonts();
    around_ = text_width(fonts.small, before_) + text_width(fonts.small, after_);
    width_ = around_ + text_width(fonts.mono, name_);
  }
  float width() const { return width_; }

  // Cuts the name if the text is wider.
  void draw(Frame& frame, float left, float top, float width) const {
    const Fonts& fonts = frame.fonts();
    const Color color = frame.palette().dim;
    draw_text(fonts.small, left, top, color, before_);
    left += text_width(fonts.small, before_);
    const auto measure = [font = fonts.mono](std::string_view part) {
      return text_width(font, part);
    };
    const std::string name =
        cut_text(name_, std::max(0.0f, width - around_), CutAt::front, measure);
    const float mono_top = top + (font_size(fonts.small) - font_size(fonts.mono)) / 2;
    draw_text(fonts.mono, left, mono_top, color, name);
    draw_text(fonts.small, left + text_width(fonts.mono, name), top, color, after_);
  }

 private:
  std::string_view before_ = "", name_ = "", after_ = "";
  float around_ = 0, width_ = 0;
};

}  // namespace

void MarkerLine::draw(Frame& frame, std::string_view name, const Box& box, bool is_short) {
  const MarkerChoice& chosen = choice(frame.model);
  const Palette& colors = frame.palette();
  const ImFont* font = frame.fonts().small;
  const std::string path(name);
  const std::string gap = " · ";
  const std::string text = is_short ? chosen.short_split : chosen.split + gap + chosen.iterations;
  const std::string& next = is_short ? chosen.short_next : chosen.next;
  frame.inspector.record_value(path, text);

  const TextWithName shown(frame, text, is_short ? chosen.short_marker : chosen.marker);
  const float text_needs = shown.width();
  std::string link = next.empty() ? "" : next + " ›";
  // Two halves of texts would tell nothing.
  constexpr float kLeastForCutTexts = 200;
  if (box.width() < frame.px(kLeastForCutTexts) &&
      text_needs + text_width(font, gap + link) > box.width()) {
    link.clear();
  }
  const float gap_width = link.empty() ? 0 : text_width(font, gap);
  // What the marker leaves, and at least two fifths.
  const float link_width = link.empty() ? 0
                                        : std::min(text_width(font, link),
                                                   std::max(std::round(0.4f * box.width()),
                                                            box.width() - gap_width - text_needs));
  const float width = std::min(text_needs, box.width() - link_width - gap_width);
  const Box text_box{box.left, box.top, box.left + width, box.bottom};
  const float top = box.top + (box.height() - font_size(font)) / 2;
  shown.draw(frame, text_box.left, top, width + 1);
  if (hovered(text_box)) {
    show_tooltip(frame,
                 is_short ? fmt::format("{}\n{}", chosen.split, chosen.reason) : chosen.reason);
  }
  if (link.empty()) return;

  draw_text(font, text_box.right, top, colors.faint, gap);
  const Box link_box{text_box.right + gap_width, box.top,
                     std::min(box.right, text_box.right + gap_width + link_width + 1), box.bottom};
  frame.inspector.record_value(path + "_next", next);
  const Hit hit = hit_area(frame, path + "_next", link_box);
  draw_text_cut(frame, font, link_box.left, top, link_box.width(),
                hit.hovered ? colors.text : colors.accent, link, CutAt::middle);
  if (hit.hovered) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    show_tooltip(frame, chosen.next_reason + "\nClick to split there");
    frame.inspector.record_value(path + "_next_reason", chosen.next_reason);
  }
  if (hit.clicked) frame.host.select(split_at(chosen.next_key, frame.model.selection));
}

}  // namespace dlview::ui
