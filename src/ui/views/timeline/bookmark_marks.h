// The bookmarks of the Timeline: flags in its ruler or above each of two iterations, the field for
// a note, and the list below the lanes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/iterations.h"
#include "timeline/request.h"
#include "ui/views/timeline/rows.h"

namespace dlview::ui {

class BookmarkMarks {
 public:
  timeline::Bookmarks& all() { return all_; }
  const timeline::Bookmarks& all() const { return all_; }
  // A bookmark, and the field for its note, at the plot of that name.
  void add(const timeline::Bookmark& bookmark, std::string_view plot);
  // Its note is being typed.
  bool is_editing() const { return edited_.has_value(); }
  bool is_editing_at(std::string_view plot) const { return edited_ && edited_at_ == plot; }

  // Each returns the bookmark that was clicked, which is to be shown. Flags stand in a strip above
  // the plot; `within`: only those that begin in that time, and the one whose note is typed there.
  struct Strip {
    float top = 0, bottom = 0;
    float field_top = 0;  // of the field for the note
  };
  std::optional<timeline::Bookmark> draw_flags(Frame& frame, const TimelinePlot& plot,
                                               const Strip& strip,
                                               const std::optional<base::Interval>& within = {});
  std::optional<timeline::Bookmark> draw_list(Frame& frame, const Box& box,
                                              const aggregate::Iterations& iterations);

 private:
  void draw_flag(Frame& frame, const TimelinePlot& plot, const Strip& strip, std::size_t index);
  // Where the note is typed there: over flags of others, which are not to be clicked then.
  std::optional<Box> field_box(const Frame& frame, const TimelinePlot& plot, float top) const;
  void draw_field(Frame& frame, const Box& box);
  void draw_row(Frame& frame, const std::vector<Box>& cells, std::size_t index,
                const aggregate::Iterations& iterations);
  void draw_menu(Frame& frame, const std::string& name, const Box& box, std::size_t index,
                 std::string_view plot);
  void edit(std::size_t index, std::string_view plot);
  void finish_editing();
  void take_orders();

  timeline::Bookmarks all_;
  std::optional<std::size_t> edited_;
  std::string edited_at_;  // the name of the plot
  int edited_in_ = 0;      // the last frame that showed it
  std::string note_;       // of that one, as it is typed
  bool wants_focus_ = false, had_focus_ = false;
  std::optional<std::size_t> chosen_, removed_;  // in this frame
};

}  // namespace dlview::ui
