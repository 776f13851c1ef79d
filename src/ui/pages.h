// What the window shows instead of a view while a profile is loading, or could not be opened, and
// the cards that views show while a part of the file is read. Where nothing is open, FirstPage
// draws (ui/first_page.h).
#pragma once

#include <initializer_list>
#include <string_view>

#include "base/progress.h"
#include "base/result.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

void draw_loading_page(Frame& frame, const Box& box);
void draw_error_page(Frame& frame, const Box& box);

// The button that leads back to the last profile, where there is one; returns the top of what
// follows.
float way_back_height(const Frame& frame);  // with the space below it; 0 = there is none
float draw_way_back(Frame& frame, const Area& area);

struct PageButton {
  std::string_view label, command;
};
// Buttons in a row, each of which runs a command; returns the bottom.
float draw_page_buttons(Frame& frame, const Area& area, std::initializer_list<PageButton> buttons);

// A card with the title, its subject and a progress bar; true when Cancel was clicked. `name`
// begins the inspector's names.
bool draw_progress_card(Frame& frame, const Box& box, std::string_view name, std::string_view title,
                        std::string_view subject, const base::Progress::Snapshot& progress);
// In place of a view while Python frames of the run are being read, or could not be: how far that
// is, with Cancel, or the error, with Read again.
void draw_frames_card(Frame& frame, const Box& box, std::string_view name);
// A card with an error or with what the profile lacks, what to do about it, and buttons.
void draw_error_card(Frame& frame, const Box& box, std::string_view name, const base::Error& error,
                     std::initializer_list<PageButton> buttons);

}  // namespace dlview::ui
