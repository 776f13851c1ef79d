#include "ui/views/timeline/event_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/widgets/controls.h"

namespace dlview::ui {
namespace {

using timeline::EventClass;
using timeline::Lanes;
using timeline::NameHits;

// So many events are searched within a frame's time.
constexpr std::size_t kSearchedAtOnce = 50'000;

struct ClassName {
  EventClass which;
  std::string_view one, many;
};
constexpr std::array<ClassName, timeline::kEventClassCount> kClasses{
    {{EventClass::kernels, "kernel", "kernels"},
     {EventClass::launches, "launch", "launches"},
     {EventClass::memory_ops, "memory operation", "memory operations"},
     {EventClass::api_calls, "API call", "API calls"},
     {EventClass::ops, "op", "ops"},
     {EventClass::groups, "group", "groups"},
     {EventClass::ranges, "NVTX range", "NVTX ranges"},
     {EventClass::os_calls, "OS call", "OS calls"},
     {EventClass::states, "time on a CPU", "times on a CPU"}}};

std::string how_many(int64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", base::format_count(count), count == 1 ? one : many);
}

}  // namespace

std::string search_text(const NameHits& hits) {
  if (hits.count() == 0) return fmt::format("No event's name has “{}”", hits.text());
  std::string text = how_many(hits.count(), "event", "events");
  std::string_view between = ": ";
  for (const auto& [which, one, many] : kClasses) {
    if (hits.count(which) == 0) continue;
    text += between;
    text += how_many(hits.count(which), one, many);
    between = ", ";
  }
  return text;
}

void EventSearch::update(const std::shared_ptr<const Lanes>& lanes, Background& background) {
  lanes_ = lanes;
  if (!is_on()) return hits_.drop();
  hits_.want({lanes, text_}, event_count(*lanes) <= kSearchedAtOnce, background,
             [lanes, text = text_](const base::Progress& progress) {
               return std::make_shared<const NameHits>(lanes, text, progress);
             });
}

void EventSearch::end() {
  text_.clear();
  ImGui::SetWindowFocus(nullptr);  // a field that is being typed into would keep its text
}

const NameHits* EventSearch::hits() const {
  const NameHits* hits = is_on() ? hits_.get().get() : nullptr;
  return hits != nullptr && hits->lanes() == lanes_ ? hits : nullptr;
}

int EventSearch::draw(Frame& frame, const Box& box,
                      const std::optional<timeline::Place>& selected) {
  const float width = std::min(frame.px(kSearchFieldWidth), box.width());
  const Box field{box.left, box.top, box.left + width, box.bottom};
  const bool fails = hits() != nullptr && !hits_.is_late() && hits()->count() == 0;
  if (std::exchange(wants_focus_, false)) focus_next_item();
  const TextFieldResult typed =
      draw_text_field(frame, "timeline/search", field, 0, text_, "Search events", fails);
  if (std::exchange(is_typing_, typed.active) && pressed(ImGuiKey_Escape)) end();
  draw_answer(frame, {field.right + frame.px(10), box.top, box.right, box.bottom}, selected);
  if (!typed.entered) return 0;
  wants_focus_ = true;
  return ImGui::GetIO().KeyShift ? -1 : 1;
}

void EventSearch::draw_answer(Frame& frame, const Box& box,
                              const std::optional<timeline::Place>& selected) const {
  if (hits() == nullptr) return;
  std::string text = search_text(*hits());
  if (selected && hits()->contains(*selected)) {
    text = fmt::format("{} of {}", base::format_count(hits()->number_of(*selected)), text);
  }
  if (hits_.is_late()) text += " …";
  const ImFont* font = frame.fonts().text;
  draw_text_cut(frame, font, box.left, box.top + std::round((box.height() - font_size(font)) / 2),
                box.width(), frame.palette().dim, text, CutAt::middle);
  frame.inspector.record_value("timeline/search/answer", text);
}

}  // namespace dlview::ui
