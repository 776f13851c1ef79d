#include "aggregate/host/function_names.h"

#include <algorithm>
#include <cctype>

#include "aggregate/step_names.h"

namespace dlview::aggregate {
namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)::";

bool is_any_prefix_of(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(prefixes,
                             [&](std::string_view prefix) { return text.starts_with(prefix); });
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

}  // namespace

std::string plain_function_name(std::string_view symbol) {
  std::string plain;
  int depth = 0;
  for (std::size_t i = 0; i < symbol.size(); ++i) {
    if (symbol.substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;
      continue;
    }
    const char c = symbol[i];
    // "operator<" and "operator()" are names; "->" closes nothing.
    const bool is_operator = depth == 0 && plain.ends_with("operator");
    if (is_operator && c == '(' && symbol.substr(i).starts_with("()")) {
      plain += "()";
      ++i;
      continue;
    }
    if (!is_operator && (c == '<' || c == '(')) {
      if (depth == 0 && c == '(' && !plain.empty()) break;
      ++depth;
    } else if (!is_operator && (c == '>' || c == ')') && depth > 0) {
      --depth;
    } else if (depth == 0) {
      plain += c;
    }
  }
  const std::size_t type = plain.rfind(' ');
  if (type != std::string::npos && plain.find("operator") == std::string::npos) {
    plain.erase(0, type + 1);
  }
  return plain.empty() ? std::string(symbol) : plain;
}

bool passes_on(std::string_view symbol) {
  const std::string plain = plain_function_name(symbol);
  return is_any_prefix_of(plain, {"std::", "c10::", "_Py", "Py", "at::_ops::", "at::TensorIterator",
                                  "method_", "cfunction_", "function_code_", "slot_tp_",
                                  "vectorcall_", "__", "_start", "start_thread", "clone",
                                  "torch::autograd::VariableType::", "call_function"}) ||
         contains_any(plain, {"callback_fn", "lambda", "_FUN", "thread_start", "operator()"}) ||
         plain == "main";
}

bool loads_data(std::string_view name) {
  return contains_any(
      lower_case(name),
      {"pin_memory", "dataloader", "data_loader", "dali::", "[dali]", "pt_data_", "jpeg",
       "imdecode", "imread", "tensorflow::data::", "torchvision::io", "torchdata", "webdataset"});
}

bool is_data_range(std::string_view name) {
  return brings_data(name) || loads_data(name);
}

std::string_view thread_role(std::string_view name) {
  const std::string lower = lower_case(name);
  if (contains_any(lower, {"pin_memory"})) return "pin-memory thread";
  return contains_any(lower, {"dali::", "[dali]"}) ? "DALI thread" : "thread";
}

}  // namespace dlview::aggregate
