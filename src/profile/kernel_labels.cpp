#include "profile/kernel_labels.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <re2/re2.h>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/parallel.h"
#include "base/stop_point.h"
#include "profile/cpp_name.h"

namespace dlview::profile {
namespace {

using std::string_view;

constexpr std::size_t kNamesAtOnce = 64;
constexpr std::size_t kMostFunctors = 2;     // in a label
constexpr std::size_t kMostDetails = 4;      // that tell kernels of one label apart
constexpr std::size_t kMostToCompare = 512;  // kernels of one label

// A word of an identity, in the order in which they are preferred to tell kernels apart: types say
// most, which lambda of a function it is says least.
struct Atom {
  enum class Kind : uint8_t { type, word, number, lambda } kind = Kind::word;
  std::string text;
};

struct Kernel {
  string_view short_name;
  std::string identity;
  std::optional<CppName> name;  // none of a flat name
};

bool is_number(string_view text) {
  if (text == "true" || text == "false") return true;
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0;
}

bool is_type(string_view text) {
  constexpr auto kElementTypes = std::to_array<string_view>(
      {"float",      "double",   "int",           "bool",          "char",        "short",
       "long",       "signed",   "unsigned",      "void",          "half",        "__half",
       "Half",       "BFloat16", "__nv_bfloat16", "nv_bfloat16",   "bfloat16_t",  "half_t",
       "tfloat32_t", "complex",  "size_t",        "int8_t",        "uint8_t",     "int32_t",
       "uint32_t",   "int64_t",  "uint64_t",      "Float8_e4m3fn", "Float8_e5m2", "float2",
       "half2"});
  if (text.starts_with("const ")) text.remove_prefix(6);
  return std::ranges::find(kElementTypes, text.substr(0, text.find(' '))) != kElementTypes.end();
}

// Of arguments that say how a functor gets at its operands, not what it does.
bool is_plumbing(string_view text) {
  constexpr auto kWords = std::to_array<string_view>(
      {"Calculator", "Metadata", "LoadW", "StoreW", "Policy", "Params", "params", "Traits",
       "traits", "Array", "array", "Iterator", "iterator", "OpaqueType", "Generator", "tuple",
       "Tuple", "numeric_limits", "integer_sequence"});
  return std::ranges::any_of(
      kWords, [text](string_view word) { return text.find(word) != string_view::npos; });
}

// The last part that is no lambda: the function around the lambda.
const CppName::Part* function_of(const CppName& name) {
  const auto found = std::find_if(name.parts.rbegin(), name.parts.rend(),
                                  [](const CppName::Part& part) { return !part.is_lambda(); });
  return found == name.parts.rend() ? nullptr : &*found;
}

bool remove_suffix(string_view& text, string_view suffix) {
  if (text.size() <= suffix.size() || !text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

// "CUDAFunctor_add" -> "add", "MulFunctor" -> "mul", "direct_copy_kernel_cuda" -> "direct_copy"
std::string name_of_functor(string_view text) {
  constexpr string_view kFunctor = "CUDAFunctor_", kOnSelf = "CUDAFunctorOnSelf_";
  if (text.starts_with(kFunctor)) text.remove_prefix(kFunctor.size());
  if (text.starts_with(kOnSelf)) text.remove_prefix(string_view("CUDAFunctor").size());
  while (remove_suffix(text, "_cuda") || remove_suffix(text, "_out") ||
         remove_suffix(text, "_kernel") || remove_suffix(text, "_impl") ||
         remove_suffix(text, "_functor") || remove_suffix(text, "Functor") ||
         remove_suffix(text, "CUDAKernelImpl") || remove_suffix(text, "Ops")) {
  }
  std::string result(text);
  const auto is_upper = [](unsigned char c) { return std::isupper(c) != 0; };
  if (is_upper(static_cast<unsigned char>(result[0])) &&
      std::ranges::count_if(result, is_upper) == 1) {
    result[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(result[0])));
  }
  return result;
}

// Adds what the innermost arguments are called that are neither types nor numbers.
void add_functors(const CppName& name, std::vector<std::string>& functors) {
  const CppName::Part* part = function_of(name);
  if (part == nullptr || is_number(part->text) || is_type(part->text)) return;
  if (is_plumbing(part->text)) return;
  const std::size_t before = functors.size();
  for (const CppName& argument : part->arguments) add_functors(argument, functors);
  if (functors.size() > before || functors.size() >= kMostFunctors) return;
  std::string functor = part->text == "operator()" ? std::string() : name_of_functor(part->text);
  if (functor.empty() || std::ranges::find(functors, functor) != functors.end()) return;
  functors.push_back(std::move(functor));
}

// A name that says nothing: "kernel", "Kernel2", "device_kernel".
bool is_generic(string_view name) {
  static const re2::RE2 kGeneric("(?i)(device_|global_)?kernel\\d*");
  return re2::RE2::FullMatch(re2::StringPiece(name.data(), name.size()), kGeneric);
}

// cuDNN's flat names: "sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nhwc_
// tilesize128x128x16_stage4_..." -> "fprop_implicit_gemm_indexed 128x128x16 tf32"
std::optional<std::string> label_of_xmma(string_view name) {
  static const re2::RE2 kName(
      "(?:sm\\d+_)?xmma_(\\w+?)_((?:tf|bf|f|i|u|s|e)\\d+(?:m\\d)?)\\w*_tilesize(\\d+x\\d+x\\d+)_."
      "*");
  std::string op, type, tile;
  if (!re2::RE2::FullMatch(re2::StringPiece(name.data(), name.size()), kName, &op, &type, &tile)) {
    return std::nullopt;
  }
  return op + " " + tile + " " + type;
}

// Of a generic template by its namespace, tile and type:
// "xmma_cudnn::implicit_gemm::strided_dgrad_indexed::kernel<...Cta_tile<Ampere, 128, 256, 32,
// ...>>"
// -> "strided_dgrad_indexed 128x256x32 tf32"
std::optional<std::string> label_of_tiles(const Kernel& kernel) {
  static const re2::RE2 kTile("Cta_tile<[^<>]*?(\\d+), (\\d+), (\\d+)"),
      kType("([hi]mma_[a-z]+\\d+)_traits");
  const std::vector<CppName::Part>& parts = kernel.name->parts;
  std::string m, n, k, type;
  if (parts.size() < 2 || !re2::RE2::PartialMatch(kernel.identity, kTile, &m, &n, &k)) {
    return std::nullopt;
  }
  std::string label = parts[parts.size() - 2].text;
  if (!is_generic(parts.back().text)) label += "::" + parts.back().text;
  label += " " + m + "x" + n + "x" + k;
  if (re2::RE2::PartialMatch(kernel.identity, kType, &type)) {
    // Other types are those of the sums: "hmma_fp32" multiplies fp16.
    label += " " + (type == "hmma_tf32" ? "tf32" : type);
  }
  return label;
}

std::string label_of_template(const Kernel& kernel) {
  const CppName& name = *kernel.name;
  const CppName::Part& function = name.last();
  if (const auto label = label_of_tiles(kernel)) return *label;
  // "cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_256x128_16x3_nn_align4>"
  if (is_generic(function.text) && function.arguments.size() == 1) {
    const CppName& argument = function.arguments.front();
    const bool is_name = argument.parts.size() == 1 && argument.last().arguments.empty() &&
                         !is_type(argument.last().text) && !is_number(argument.last().text);
    if (is_name) return to_text(argument);
  }
  std::vector<std::string> functors;
  for (const CppName& argument : function.arguments) {
    if (functors.size() < kMostFunctors) add_functors(argument, functors);
  }
  string_view text = function.text;
  std::string label;
  if (is_generic(text) && name.parts.size() > 1) {
    label = name.parts[name.parts.size() - 2].text + "::";
  }
  if (!functors.empty()) remove_suffix(text, "_kernel");
  label += text;
  for (std::size_t i = 0; i < functors.size(); ++i) label += (i == 0 ? "<" : ", ") + functors[i];
  return functors.empty() ? label : label + ">";
}

std::string label_for(const Kernel& kernel) {
  if (kernel.name) return label_of_template(kernel);
  return label_of_xmma(kernel.identity).value_or(kernel.identity);
}

void add_atoms(const CppName& name, std::vector<Atom>& atoms) {
  for (const CppName::Part& part : name.parts) {
    const Atom::Kind kind = part.is_lambda()       ? Atom::Kind::lambda
                            : is_number(part.text) ? Atom::Kind::number
                            : is_type(part.text)   ? Atom::Kind::type
                                                   : Atom::Kind::word;
    const bool is_namespace = &part != &name.last() && part.arguments.empty() && !part.is_lambda();
    if (part.is_lambda()) {
      atoms.push_back({kind, "#" + std::to_string(part.number)});
    } else if (!is_namespace) {
      string_view text = part.text;
      remove_suffix(text, "Functor");
      atoms.push_back({kind, std::string(text)});
    }
    for (const CppName& argument : part.arguments) add_atoms(argument, atoms);
  }
}

std::vector<Atom> atoms_of(const Kernel& kernel) {
  std::vector<Atom> atoms;
  if (kernel.name) {
    add_atoms(*kernel.name, atoms);
    if (!kernel.name->parameters.empty()) {
      atoms.push_back({Atom::Kind::type, kernel.name->parameters});
    }
    return atoms;
  }
  string_view rest = kernel.identity;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('_'), rest.size());
    if (end > 0) atoms.push_back({Atom::Kind::word, std::string(rest.substr(0, end))});
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return atoms;
}

using Details = std::vector<std::vector<std::string>>;

// What tells kernels apart whose identities have as many atoms: the fewest of those atoms in which
// they differ.
Details details_by_place(const std::vector<std::vector<Atom>>& kernels) {
  std::vector<std::size_t> columns;
  for (std::size_t column = 0; column < kernels.front().size(); ++column) {
    const auto differs = [&](const auto& atoms) {
      return atoms[column].text != kernels.front()[column].text;
    };
    if (std::ranges::any_of(kernels, differs)) columns.push_back(column);
  }
  std::ranges::stable_sort(columns, {}, [&](std::size_t c) { return kernels.front()[c].kind; });
  Details details(kernels.size());
  std::size_t told = 1;
  for (const std::size_t column : columns) {
    if (told == kernels.size() || details.front().size() == kMostDetails) break;
    Details more = details;
    for (std::size_t i = 0; i < kernels.size(); ++i) more[i].push_back(kernels[i][column].text);
    const std::size_t distinct = std::set(more.begin(), more.end()).size();
    if (distinct == told) continue;
    details = std::move(more);
    told = distinct;
  }
  return details;
}

// Elsewhere: the first atoms of each that not all have.
Details details_by_use(const std::vector<std::vector<Atom>>& kernels) {
  std::map<string_view, std::size_t> uses;
  for (const std::vector<Atom>& atoms : kernels) {
    std::set<string_view> own;
    for (const Atom& atom : atoms) own.insert(atom.text);
    for (const string_view text : own) ++uses[text];
  }
  Details details;
  for (const std::vector<Atom>& atoms : kernels) {
    std::vector<std::string>& own = details.emplace_back();
    for (const Atom& atom : atoms) {
      const bool is_told = std::ranges::find(own, atom.text) != own.end();
      if (uses[atom.text] == kernels.size() || is_told || own.size() == kMostDetails) continue;
      own.push_back(atom.text);
    }
  }
  return details;
}

// "reduce<sum>" and "float" -> "reduce<sum, float>"; a label in words gets another word, and a
// parameter list ends it: "axpy" and "(float*, int)" -> "axpy(float*, int)".
std::string with_details(std::string label, std::vector<std::string> details, bool is_cpp) {
  std::string parameters;
  std::erase_if(details, [&parameters](const std::string& detail) {
    if (detail.starts_with('(')) parameters = detail;
    return detail.starts_with('(');
  });
  if (details.empty()) return label + parameters;
  const bool is_list = label.ends_with('>');
  const bool is_words = !is_cpp || label.find(' ') < label.find('<');
  if (is_list) label.pop_back();
  for (std::size_t i = 0; i < details.size(); ++i) {
    label += is_words && !is_list ? " " : i == 0 && !is_list ? "<" : ", ";
    label += details[i];
  }
  if (!is_words || is_list) label += ">";
  return label + parameters;
}

// The labels of identities, by place in `kernels`.
class Labels {
 public:
  explicit Labels(const std::vector<Kernel>& kernels)
      : kernels_(kernels), labels_(kernels.size()) {}

  std::vector<std::string> find() {
    std::map<string_view, std::vector<std::size_t>> by_short_name;
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      by_short_name[kernels_[i].short_name].push_back(i);
    }
    std::map<std::string, std::vector<std::size_t>> by_label;
    for (const auto& [name, places] : by_short_name) {
      base::stop_point();
      for (const std::size_t i : places) {
        const bool tells = places.size() == 1 && !is_generic(name) && !label_of_xmma(name);
        labels_[i] = tells ? std::string(name) : label_for(kernels_[i]);
        by_label[labels_[i]].push_back(i);
      }
    }
    for (const auto& [label, places] : by_label) {
      base::stop_point();
      if (places.size() > 1) tell_apart(places);
    }
    settle();
    return std::move(labels_);
  }

 private:
  void tell_apart(const std::vector<std::size_t>& places) {
    if (places.size() > kMostToCompare) return;
    std::vector<std::vector<Atom>> atoms;
    for (const std::size_t i : places) atoms.push_back(atoms_of(kernels_[i]));
    const auto is_as_long = [&](const auto& other) { return other.size() == atoms[0].size(); };
    const Details details =
        std::ranges::all_of(atoms, is_as_long) ? details_by_place(atoms) : details_by_use(atoms);
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::string& label = labels_[places[i]];
      label = with_details(label, details[i], kernels_[places[i]].name.has_value());
    }
  }

  // Identities stand for labels that several have; one may be the label of another kernel, which
  // then gets its identity as well.
  void settle() {
    std::unordered_map<std::string, std::vector<std::size_t>> by_label;
    for (std::size_t i = 0; i < labels_.size(); ++i) by_label[labels_[i]].push_back(i);
    std::vector<std::string> shared;
    for (const auto& [label, places] : by_label) {
      if (places.size() > 1) shared.push_back(label);
    }
    while (!shared.empty()) {
      base::stop_point();
      const std::vector<std::size_t> places = std::exchange(by_label[shared.back()], {});
      shared.pop_back();
      for (const std::size_t i : places) {
        labels_[i] = kernels_[i].identity;
        std::vector<std::size_t>& same = by_label[labels_[i]];
        same.push_back(i);
        if (same.size() > 1) shared.push_back(labels_[i]);
      }
    }
  }

  const std::vector<Kernel>& kernels_;
  std::vector<std::string> labels_;
};

Kernel read_kernel(const KernelTexts& texts) {
  Kernel kernel{texts.short_name, {}, read_cpp_name(texts.demangled)};
  kernel.identity = kernel.name               ? to_text(*kernel.name)
                    : texts.demangled.empty() ? std::string(texts.short_name)
                                              : std::string(texts.demangled);
  return kernel;
}

}  // namespace

std::string kernel_identity(const KernelTexts& texts) {
  return read_kernel(texts).identity;
}

std::vector<std::string> kernel_labels(std::span<const KernelTexts> texts) {
  std::vector<Kernel> all(texts.size());
  base::parallel_for(texts.size(), kNamesAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) all[i] = read_kernel(texts[i]);
  });
  std::unordered_map<std::string, std::size_t> places;  // of identities
  std::vector<std::size_t> place_of;
  std::vector<Kernel> kernels;
  for (Kernel& kernel : all) {
    const auto [entry, is_new] = places.emplace(kernel.identity, kernels.size());
    place_of.push_back(entry->second);
    if (is_new) kernels.push_back(std::move(kernel));
  }
  const std::vector<std::string> labels = Labels(kernels).find();
  std::vector<std::string> result;
  for (const std::size_t place : place_of) result.push_back(labels[place]);
  return result;
}

}  // namespace dlview::profile
