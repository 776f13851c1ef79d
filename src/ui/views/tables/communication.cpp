#include "ui/views/tables/communication.h"

#include <array>

#include "ui/views/tables/looks.h"

namespace dlview::ui {

CommunicationView::CommunicationView(const profile::Profile& profile)
    : stack_("communication/tables", {1, 1.2f}),
      collectives_(collectives_look(profile)),
      calls_(collective_calls_look(profile)) {}

void CommunicationView::draw_tables(Frame& frame, const Box& box, Tables& tables) {
  // Few kinds leave the room to the calls.
  const Box rest = pane_.draw(frame, box, this->tables(), tables.focused);
  const auto boxes = stack_.draw(frame, rest, 0, std::array{collectives_.wanted_height(frame)});
  collectives_.draw(frame, boxes[0], collectives_data_.get(frame.model, tables.background), tables);
  calls_.draw(frame, boxes[1], calls_data_.get(frame.model, tables.background), tables);
}

}  // namespace dlview::ui
