#include "import/pytorch/trace_texts.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "base/parse.h"
#include "import/capture/range_facts.h"

namespace dlview::import::pytorch {
namespace {

using profile::CopyKind;
using profile::MemoryKind;
using std::string_view;

constexpr std::array<string_view, 4> kTransparent{"CheckpointFunction",
                                                  "CheckpointFunctionBackward", "CompiledFunction",
                                                  "CompiledFunctionBackward"};

bool is_word_character(char c) {
  return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

std::size_t word_end(string_view text, std::size_t begin) {
  while (begin < text.size() && is_word_character(text[begin])) ++begin;
  return begin;
}

// "aten::add", "torch_ipex::linear", "my.lib::op"
bool begins_with_namespace(string_view name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) return false;
  std::size_t end = word_end(name, 0);
  if (end == 0) return false;
  while (end + 1 < name.size() && name[end] == '.' && is_word_character(name[end + 1])) {
    end = word_end(name, end + 1);
  }
  return name.substr(end).starts_with("::");
}

bool is_digit_of_range(char c) {
  return '0' <= c && c <= '9';
}

bool has_number_in_brackets(string_view text) {
  int open = 0;
  bool has_number = false;
  for (const char c : text) {
    const bool closes = open > 0 && (c == ')' || c == ']');
    if (closes && has_number) return true;
    if (closes) --open;
    if (c == '(' || c == '[') ++open;
    has_number = has_number || (open > 0 && is_digit_of_range(c));
  }
  return false;
}

std::optional<MemoryKind> memory_kind(string_view name) {
  constexpr std::array<std::pair<string_view, MemoryKind>, 6> kKinds{{
      {"Pageable", MemoryKind::pageable},
      {"Pinned", MemoryKind::pinned},
      {"Device", MemoryKind::device},
      {"Array", MemoryKind::array},
      {"Managed", MemoryKind::managed},
      {"Device Static", MemoryKind::device_static},
  }};
  const auto known = std::ranges::find(kKinds, name, &std::pair<string_view, MemoryKind>::first);
  return known == kKinds.end() ? std::nullopt : std::optional(known->second);
}

// Copies of Level Zero have the first letters of both kinds of memory: "Memcpy M2D (...)", or
// "zeCommandListAppendMemoryCopy(M2D)".
// M is memory of the program, H of the host for GPUs, D of a device, S shared by both.
std::optional<MemoryKinds> level_zero_kinds(string_view inside) {
  if (inside.size() < 3 || inside[1] != '2') return std::nullopt;
  const auto kind_of = [](char letter) {
    switch (letter) {
      case 'M':
        return MemoryKind::pageable;
      case 'H':
        return MemoryKind::pinned;
      case 'D':
        return MemoryKind::device;
      case 'S':
        return MemoryKind::managed;
      default:
        return MemoryKind::not_recorded;
    }
  };
  MemoryKinds kinds;
  kinds.source = kind_of(inside[0]);
  kinds.target = kind_of(inside[2]);
  const auto is_of_host = [](MemoryKind kind) {
    return kind == MemoryKind::pageable || kind == MemoryKind::pinned;
  };
  if (inside.ends_with("P2P")) kinds.copy = CopyKind::peer_to_peer;  // "D2D - P2P"
  const bool is_to_device = kinds.target == MemoryKind::device;
  if (is_of_host(kinds.source) && is_to_device) kinds.copy = CopyKind::host_to_device;
  if (is_of_host(kinds.source) && is_of_host(kinds.target)) kinds.copy = CopyKind::host_to_host;
  if (kinds.source == MemoryKind::device && is_to_device && inside.size() == 3) {
    kinds.copy = CopyKind::device_to_device;
  }
  if (kinds.source == MemoryKind::device && is_of_host(kinds.target)) {
    kinds.copy = CopyKind::device_to_host;
  }
  return kinds;
}

}  // namespace

std::optional<string_view> op_name(string_view name, bool has_sequence_number, bool is_triton) {
  const bool is_evaluation = name.starts_with(kEvaluation);
  if (is_evaluation) name.remove_prefix(kEvaluation.size());
  if (std::ranges::find(kTransparent, name) != kTransparent.end()) return std::nullopt;
  const bool is_backward = has_sequence_number && name.find("Backward") != string_view::npos;
  if (is_evaluation || is_triton || is_backward || begins_with_namespace(name)) return name;
  return std::nullopt;
}

string_view op_type(string_view op_name) {
  const std::size_t colons = op_name.rfind("::");
  const string_view type = colons == string_view::npos ? op_name : op_name.substr(colons + 2);
  const string_view unnumbered = type.substr(0, type.find_last_not_of("0123456789") + 1);
  return unnumbered.ends_with("Backward") ? unnumbered : type;
}

std::optional<std::string> without_step_arguments(string_view name) {
  struct StepWord {
    string_view word, ends;  // what may follow
  };
  // Only "execute" goes on with an underscore: "batch_norm" is no batch.
  constexpr std::array<StepWord, 4> kStepWords{
      {{"step", " (["}, {"iteration", " (["}, {"batch", " (["}, {"execute", " ([_"}}};
  const bool is_step = std::ranges::any_of(kStepWords, [name](const StepWord& each) {
    return name.starts_with(each.word) && name.size() > each.word.size() &&
           each.ends.find(name[each.word.size()]) != string_view::npos;
  });
  if (!is_step || !has_number_in_brackets(name)) return std::nullopt;
  std::string result;
  for (const char c : name) {
    if (!is_digit_of_range(c)) result += c;
    if (is_digit_of_range(c) && !result.ends_with('*')) result += '*';
  }
  return result;
}

MemoryKinds memory_kinds_of(string_view text) {
  constexpr std::array<std::pair<string_view, CopyKind>, 12> kCopies{{
      {"HtoD", CopyKind::host_to_device},
      {"DtoH", CopyKind::device_to_host},
      {"HtoA", CopyKind::host_to_array},
      {"AtoH", CopyKind::array_to_host},
      {"AtoA", CopyKind::array_to_array},
      {"AtoD", CopyKind::array_to_device},
      {"DtoA", CopyKind::device_to_array},
      {"DtoD", CopyKind::device_to_device},
      {"HtoH", CopyKind::host_to_host},
      {"HOST_TO_DEVICE", CopyKind::host_to_device},
      {"DEVICE_TO_HOST", CopyKind::device_to_host},
      {"DEVICE_TO_DEVICE", CopyKind::device_to_device},
  }};
  MemoryKinds kinds;
  for (const auto& [written, kind] : kCopies) {
    if (text.find(written) != string_view::npos) kinds.copy = kind;
  }
  if (text.find("PtoP") != string_view::npos) kinds.copy = CopyKind::peer_to_peer;
  constexpr string_view kMemcpy = "Memcpy ";
  if (text.starts_with(kMemcpy)) {  // "Memcpy M2D (MEMORY -> DEVICE)", "Memcpy D2D - P2P (...)"
    const string_view rest = text.substr(kMemcpy.size());
    const string_view kinds_there = rest.substr(0, std::min(rest.find(" ("), rest.size()));
    if (const auto of_level_zero = level_zero_kinds(kinds_there)) return *of_level_zero;
  }
  const std::size_t begin = text.find('('), end = text.rfind(')');
  if (begin == string_view::npos || end == string_view::npos || end < begin) return kinds;
  const string_view inside = text.substr(begin + 1, end - begin - 1);
  if (const auto of_level_zero = level_zero_kinds(inside)) return *of_level_zero;
  const std::size_t arrow = inside.find(" -> ");
  const string_view source = inside.substr(0, arrow);
  const string_view target = arrow == string_view::npos ? source : inside.substr(arrow + 4);
  kinds.source = memory_kind(source).value_or(MemoryKind::not_recorded);
  kinds.target = memory_kind(target).value_or(MemoryKind::not_recorded);
  return kinds;
}

std::string cuda_version_of(string_view recorded) {
  const std::optional<int64_t> number = base::parse_natural(recorded);
  if (!number) return std::string(recorded);
  return fmt::format("{}.{}", *number / 1000, *number % 1000 / 10);
}

std::string hip_version_of(string_view recorded) {
  const std::optional<int64_t> number = base::parse_natural(recorded);
  if (!number) return recorded.empty() ? std::string() : fmt::format("HIP {}", recorded);
  return fmt::format("HIP {}.{}.{}", *number / 10'000'000, *number / 100'000 % 100,
                     *number % 100'000);
}

}  // namespace dlview::import::pytorch
