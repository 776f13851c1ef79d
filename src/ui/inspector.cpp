#include "ui/inspector.h"

namespace dlview::ui {

void Inspector::begin_frame() {
  values_.clear();
  items_.clear();
}

void Inspector::record_value(std::string_view name, std::string_view text) {
  values_.insert_or_assign(std::string(name), std::string(text));
}

void Inspector::record_item(std::string_view name, const ItemRect& rect) {
  items_.insert_or_assign(std::string(name), rect);
}

}  // namespace dlview::ui
