#include "app/view_state.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "ui/view_list.h"

namespace dlview::app {
namespace {

std::string encode(std::string_view text) {
  std::string encoded;
  for (const unsigned char letter : text) {
    const bool plain =
        std::isalnum(letter) != 0 ||
        std::string_view("_-./:").find(static_cast<char>(letter)) != std::string_view::npos;
    encoded += plain ? std::string(1, static_cast<char>(letter)) : fmt::format("%{:02X}", letter);
  }
  return encoded;
}

// Nothing when a % is not followed by two hexadecimal digits.
std::optional<std::string> decode(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    unsigned value = 0;
    const std::string_view digits = text.substr(i + 1, 2);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.size() != 2 || error != std::errc{} || end != digits.data() + 2) return std::nullopt;
    decoded += static_cast<char>(value);
    i += 2;
  }
  return decoded;
}

base::Error not_a_state(std::string_view part) {
  return {"This is no state of dlview", fmt::format("--state has \"{}\"", part),
          "Copy one in the window with File > Copy state; a part is view=, range=, cut=, key-op=, "
          "stored= or only="};
}

base::Status read_part(std::string_view part, SelectionRequest& request) {
  const std::size_t equals = part.find('=');
  if (equals == std::string_view::npos) return not_a_state(part);
  const std::string_view name = part.substr(0, equals);
  const std::optional<std::string> value = decode(part.substr(equals + 1));
  if (!value) return not_a_state(part);
  if (name == "view") {
    const auto view = parse_view(*value);
    if (!view) return view.error();
    request.view = *view;
  } else if (name == "range") {
    const auto range = parse_iterations(*value);
    if (!range) return range.error();
    request.iterations = *range;
  } else if (name == "cut") {
    const auto cut = parse_cut(*value);
    if (!cut) return cut.error();
    request.cut = *cut;
  } else if (name == "key-op") {
    request.key_op = *value;
  } else if (name == "stored") {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), index);
    if (error != std::errc{} || end != value->data() + value->size()) return not_a_state(part);
    request.stored_index = index;
  } else if (name == "only") {
    const std::size_t colon = value->find(':');
    if (colon == std::string::npos) return not_a_state(part);
    const auto filter = aggregate::parse_filter(value->substr(0, colon), value->substr(colon + 1));
    if (!filter) return filter.error();
    request.filters.push_back(*filter);
  } else {
    return not_a_state(part);
  }
  return base::Success{};
}

}  // namespace

std::string_view to_text(ui::ViewId view) {
  return ui::info(view).name;
}

std::string_view to_text(aggregate::CutKind kind) {
  switch (kind) {
    case aggregate::CutKind::start:
      return "start";
    case aggregate::CutKind::end:
      return "end";
    case aggregate::CutKind::stored:
      return "stored";
  }
  return "";
}

base::Result<ui::ViewId> parse_view(std::string_view text) {
  const auto found = std::ranges::find(ui::kViews, text, &ui::ViewInfo::name);
  if (found != ui::kViews.end()) return found->id;
  std::string names;
  for (const ui::ViewInfo& view : ui::kViews) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", view.name);
  }
  return base::Error{"Unknown view", fmt::format("There is no view named \"{}\"", text),
                     "Choose from: " + names};
}

std::string state_string(ui::ViewId view, const aggregate::Selection& selection) {
  const aggregate::Cut& cut = selection.cut;
  std::string text = fmt::format("view={},range={}:{},cut={}", to_text(view), selection.range.first,
                                 selection.range.last, to_text(cut.kind));
  if (cut.kind == aggregate::CutKind::stored) {
    text += fmt::format(",stored={}", cut.stored_index);
  } else {
    text += ",key-op=" + encode(cut.key_op);
  }
  for (const aggregate::Filter& filter : selection.filters) {
    text += fmt::format(",only={}:{}", to_text(filter.kind), encode(value_text(filter)));
  }
  return text;
}

base::Result<SelectionRequest> parse_state(std::string_view text) {
  SelectionRequest request;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    if (const base::Status read = read_part(text.substr(0, comma), request); !read) {
      return read.error();
    }
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return request;
}

SelectionRequest request_of(const aggregate::Selection& selection) {
  SelectionRequest request;
  request.iterations = selection.range;
  request.filters = selection.filters;
  request.cut = selection.cut.kind;
  if (selection.cut.kind == aggregate::CutKind::stored) {
    request.stored_index = selection.cut.stored_index;
  } else {
    request.key_op = selection.cut.key_op;
  }
  return request;
}

}  // namespace dlview::app
