// The bar above the timeline: its search, what the colors tell with their legend as far as there
// is room, and what stands below the lanes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "timeline/name_hits.h"
#include "ui/background.h"
#include "ui/views/timeline/colors.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

// The search of the timeline: a field, how many events have its text in their names, and the way
// from one to the next.
class EventSearch {
 public:
  // In every frame, before draw().
  void update(const std::shared_ptr<const timeline::Lanes>& lanes, Background& background);
  // The field at the left of the box, what comes of it to the right. Returns the step that Enter
  // asks for: 1 to the next hit, -1 to the one before, else 0. `selected` is counted where it is
  // one.
  int draw(Frame& frame, const Box& box, const std::optional<timeline::Place>& selected);

  void focus() { wants_focus_ = true; }
  void begin(std::string text) { text_ = std::move(text); }
  void end();
  bool is_on() const { return !text_.empty(); }
  // Of the text, or for a moment of the one before it; null where nothing is searched for, and as
  // long as there is nothing of these lanes.
  const timeline::NameHits* hits() const;

 private:
  using Key = std::pair<std::shared_ptr<const timeline::Lanes>, std::string>;

  void draw_answer(Frame& frame, const Box& box,
                   const std::optional<timeline::Place>& selected) const;

  std::shared_ptr<const timeline::Lanes> lanes_;
  std::string text_;
  Late<Key, timeline::NameHits> hits_;
  bool wants_focus_ = false, is_typing_ = false;
};

inline constexpr float kTimelineBarHeight = 36;

// The last two below two iterations that stand side by side.
enum class LowerPanel : uint8_t { none, gaps, bookmarks, differing_ops, differing_kernels };

// Below the bar while Python frames are read, or if they could not be.
inline constexpr float kFramesBarHeight = 34;
// Returns whether they are to be hidden.
bool draw_frames_bar(Frame& frame, const Box& box);

// Returns the step that the search asks for.
int draw_timeline_bar(Frame& frame, const Box& box, EventSearch& search, ColorChoice& colors,
                      LowerPanel lower, bool shows_frames, const timeline::Lanes& lanes,
                      const std::optional<timeline::Place>& selected);

}  // namespace dlview::ui
