// The field of the iteration marker, and the list to search and sort candidates. While a candidate
// is highlighted, the host previews its split. Enter or a click chooses it, Escape cancels.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/views/iterations/key_ops.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

class KeyOpPicker {
 public:
  // Draws the field at `field` and, while it is open, the list below it inside `room`. Returns the
  // iteration marker that was chosen.
  std::optional<std::string> draw(Frame& frame, const Box& field, const Box& room);

  // Whether the list is open and previews a candidate.
  bool is_previewing() const { return previewed_.has_value(); }
  // The bottom of the open list; nullopt while it is closed.
  std::optional<float> list_bottom() const {
    return is_open_ ? std::optional(list_bottom_) : std::nullopt;
  }

 private:
  void draw_field(Frame& frame, const Box& field);
  std::optional<std::string> draw_list(Frame& frame, const Box& list);
  std::optional<std::string> draw_rows(Frame& frame, const Box& box,
                                       const std::vector<const KeyOpRow*>& rows);
  void draw_titles(Frame& frame, const Box& row);
  void draw_footer(Frame& frame, const Box& footer, const KeyOpRow* lit) const;
  // What Enter chooses; sets `missing_` if nothing matches.
  std::optional<std::string> taken_by_enter(const profile::Profile& profile, const KeyOpRow* lit);
  void move_light(const std::vector<const KeyOpRow*>& rows);
  void preview(Frame& frame, const std::optional<std::string>& key);
  void prepare(const Model& model);

  std::shared_ptr<const std::vector<aggregate::KeyOpCandidate>> prepared_for_;
  std::vector<KeyOpRow> rows_;
  std::string label_, label_of_;  // of the current iteration marker
  std::string search_;
  std::string missing_;  // the search text without a match
  KeyOpOrder order_;
  std::optional<std::string> lit_, previewed_;  // keys of rows
  bool is_open_ = false;
  float list_bottom_ = 0;
  bool scroll_to_lit_ = false;
};

}  // namespace dlview::ui
