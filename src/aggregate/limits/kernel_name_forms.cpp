#include "aggregate/limits/kernel_name_forms.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include <fmt/format.h>

#include "profile/cpp_name.h"

namespace dlview::aggregate {
namespace {

using profile::CppName;

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// "false", "2ul" and "(int)4" as ncu writes them: "0", "2", "4". Profilers before 2025 and
// demanglers write other forms of the same constant.
std::string constant_or_word(std::string_view word) {
  if (word == "false") return "0";
  if (word == "true") return "1";
  if (std::isdigit(static_cast<unsigned char>(word.front())) == 0) return std::string(word);
  const std::size_t end = word.find_first_not_of("0123456789");
  const bool is_suffix = end != std::string_view::npos &&
                         word.find_first_not_of("uUlL", end) == std::string_view::npos;
  return std::string(is_suffix ? word.substr(0, end) : word);
}

std::string with_plain_constants(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_word_character(text[i])) {
      if (text[i] != ' ') result += text[i];
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_word_character(text[end])) ++end;
    result += constant_or_word(text.substr(i, end - i));
    i = end;
  }
  return result;
}

bool names_no_scope(const CppName::Part& part) {
  return part.is_lambda() || part.text.starts_with("operator");
}

// The name of a function, type or constant without the namespaces and classes around it. What holds
// a lambda stays.
void drop_scopes(CppName& name) {
  std::size_t kept = name.parts.size() - 1;
  while (kept > 0 && names_no_scope(name.parts[kept])) --kept;
  name.parts.erase(name.parts.begin(), name.parts.begin() + static_cast<std::ptrdiff_t>(kept));
  for (CppName::Part& part : name.parts) {
    for (CppName& argument : part.arguments) drop_scopes(argument);
  }
}

// Wrappers that hundreds of kernels share: they do not tell what a kernel does.
bool is_wrapper(std::string_view word) {
  constexpr std::array<std::string_view, 9> kWrappers{
      "gpu_kernel_impl",  "gpu_kernel_impl_nocast", "gpu_index_kernel", "BinaryFunctor",
      "BUnaryFunctor",    "AUnaryFunctor",          "func_wrapper_t",   "ReduceOp",
      "opmath_gpu_kernel"};
  return std::ranges::find(kWrappers, word) != kWrappers.end();
}

bool is_functor(std::string_view word) {
  std::string lower(word);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return (lower.find("functor") != std::string::npos ||
          lower.find("kernel") != std::string::npos) &&
         !is_wrapper(word);
}

std::vector<std::string_view> words_of_name(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_word_character(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_word_character(text[end])) ++end;
    words.push_back(text.substr(i, end - i));
    i = end;
  }
  return words;
}

// The name without the unnamed namespaces that demanglers write in three ways, one of them broken.
std::string without_unnamed(std::string_view name) {
  std::string result;
  result.reserve(name.size());
  while (!name.empty()) {
    bool is_scope = false;
    for (const std::string_view scope : {"(anonymous namespace)::", "<unnamed>::", "unnamed>::"}) {
      if (!name.starts_with(scope)) continue;
      name.remove_prefix(scope.size());
      is_scope = true;
      break;
    }
    if (is_scope) continue;
    result += name.front();
    name.remove_prefix(1);
  }
  return result;
}

// The function of a name: the word before the first "<" or "(" that follows a word.
std::string_view function_of(std::string_view name) {
  const std::vector<std::string_view> words =
      words_of_name(name.substr(0, name.find_first_of("<(")));
  return words.empty() ? std::string_view() : words.back();
}

}  // namespace

std::string normalized_kernel_name(std::string_view name) {
  std::optional<CppName> read = profile::read_cpp_name(name);
  if (!read) return with_plain_constants(name);
  drop_scopes(*read);
  return with_plain_constants(profile::to_text(*read));
}

std::string function_and_functor(std::string_view name) {
  const std::string text = without_unnamed(name);
  const std::string_view function = function_of(text);
  if (function.empty()) return "";
  const auto end = static_cast<std::size_t>(function.data() - text.data()) + function.size();
  for (const std::string_view word : words_of_name(std::string_view(text).substr(end))) {
    if (word != function && is_functor(word)) return fmt::format("{} {}", function, word);
  }
  return "";
}

std::string form_of_name(std::string_view name, int level) {
  switch (level) {
    case 1:
      return std::string(name.starts_with("_Z") ? name : std::string_view());
    case 2:
      return std::string(name);
    case 3:
      return normalized_kernel_name(name);
    default:
      return function_and_functor(name);
  }
}

}  // namespace dlview::aggregate
