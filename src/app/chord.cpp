#include "app/chord.h"

#include <array>
#include <charconv>
#include <utility>

#define GLFW_INCLUDE_NONE  // for the key codes alone
#include <GLFW/glfw3.h>

namespace dlview::app {
namespace {

constexpr std::array<std::pair<std::string_view, int>, 15> kNamedKeys{{
    {"Enter", GLFW_KEY_ENTER},
    {"Escape", GLFW_KEY_ESCAPE},
    {"Tab", GLFW_KEY_TAB},
    {"Space", GLFW_KEY_SPACE},
    {"Backspace", GLFW_KEY_BACKSPACE},
    {"Delete", GLFW_KEY_DELETE},
    {"Insert", GLFW_KEY_INSERT},
    {"Home", GLFW_KEY_HOME},
    {"End", GLFW_KEY_END},
    {"PageUp", GLFW_KEY_PAGE_UP},
    {"PageDown", GLFW_KEY_PAGE_DOWN},
    {"Left", GLFW_KEY_LEFT},
    {"Right", GLFW_KEY_RIGHT},
    {"Up", GLFW_KEY_UP},
    {"Down", GLFW_KEY_DOWN},
}};

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix) || text.size() == prefix.size()) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<int> function_key(std::string_view text) {
  if (!take_prefix(text, "F")) return std::nullopt;
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (number < 1 || number > 12) return std::nullopt;
  return GLFW_KEY_F1 + number - 1;
}

std::optional<int> parse_key(std::string_view text) {
  for (const auto& [name, key] : kNamedKeys) {
    if (name == text) return key;
  }
  if (text.size() != 1) return function_key(text);
  const char letter = text.front();
  if (letter >= 'a' && letter <= 'z') return letter - 'a' + 'A';
  if (letter > ' ' && letter <= '~') return letter;
  return std::nullopt;
}

}  // namespace

bool Chord::is_typing() const {
  return !ctrl && !alt && key < GLFW_KEY_ESCAPE;
}

std::optional<Chord> parse_chord(std::string_view text) {
  Chord chord;
  for (bool found = true; found;) {
    found = false;
    if (take_prefix(text, "Ctrl+")) found = chord.ctrl = true;
    if (take_prefix(text, "Shift+")) found = chord.shift = true;
    if (take_prefix(text, "Alt+")) found = chord.alt = true;
  }
  const std::optional<int> key = parse_key(text);
  if (!key) return std::nullopt;
  chord.key = *key;
  return chord;
}

Chord normalized(Chord chord) {
  if (chord.key == '+' || chord.key == GLFW_KEY_KP_ADD) chord.key = '=';
  if (chord.key == GLFW_KEY_KP_SUBTRACT) chord.key = '-';
  if (chord.key == '=') chord.shift = false;
  if (chord.key >= GLFW_KEY_KP_0 && chord.key <= GLFW_KEY_KP_9) chord.key += '0' - GLFW_KEY_KP_0;
  return chord;
}

}  // namespace dlview::app
