// The key op, and the list in which another one is found, sorted and looked at: while a candidate
// is lit the host previews its cut. Enter or a click takes it, Escape leaves everything as it was.
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
  // The field at `field`, and the list, as long as it is open, below it and inside `room`. Returns
  // the key op that was taken.
  std::optional<std::string> draw(Frame& frame, const Box& field, const Box& room);

  // A lit candidate is looked at, while the list is open.
  bool is_previewing() const { return previewed_.has_value(); }
  // Of the open list; nothing while it is closed.
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
  // What Enter takes; sets `missing_` when that is nothing.
  std::optional<std::string> taken_by_enter(const profile::Profile& profile, const KeyOpRow* lit);
  void move_light(const std::vector<const KeyOpRow*>& rows);
  void preview(Frame& frame, const std::optional<std::string>& key);
  void prepare(const Model& model);

  std::shared_ptr<const std::vector<aggregate::KeyOpCandidate>> prepared_for_;
  std::vector<KeyOpRow> rows_;
  std::string label_, label_of_;  // of the current key op
  std::string search_;
  std::string missing_;  // searched for in vain
  KeyOpOrder order_;
  std::optional<std::string> lit_, previewed_;  // keys of rows
  bool is_open_ = false;
  float list_bottom_ = 0;
  bool scroll_to_lit_ = false;
};

}  // namespace dlview::ui
