// A keyboard shortcut: one key and its modifiers, as text ("Ctrl+1", "F12") and as the key codes of
// render::Key.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dlview::app {

struct Chord {
  int key = 0;
  bool ctrl = false, shift = false, alt = false;
  bool operator==(const Chord&) const = default;

  // True for what a text field would take as typing: a printing key without Ctrl or Alt.
  bool is_typing() const;
};

// A key that went down: what the user's keyboard says, and the key that the American layout has at
// its place.
struct KeyPress {
  Chord chord;
  int position = 0;
};

// Modifiers Ctrl, Shift, Alt; keys: one printing character, F1..F12, Enter, Escape, Tab, Space,
// Backspace, Delete, Insert, Home, End, PageUp, PageDown, Left, Right, Up, Down.
std::optional<Chord> parse_chord(std::string_view text);

// "+" is Shift and "=" on many keyboards, and a key of its own beside the digits on most: both mean
// the same to a shortcut.
Chord normalized(Chord chord);

}  // namespace dlview::app
