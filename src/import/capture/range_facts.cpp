#include "import/capture/range_facts.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include "base/parallel.h"
#include "import/capture/marker.h"
#include "profile/data_loading.h"

namespace dlview::import::capture {
namespace {

using profile::kNoText;
using profile::kNoValue;
using profile::StringId;
using std::string_view;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

std::string lower(string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

template <std::size_t Size>
bool contains(const std::array<string_view, Size>& words, string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::optional<int64_t> read_number(string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end == text.data()) return std::nullopt;
  return number;
}

// The value behind ", key = " of a text of emit_nvtx.
std::optional<string_view> field(string_view text, string_view key) {
  const std::size_t at = text.find(key);
  if (at == string_view::npos) return std::nullopt;
  return text.substr(at + key.size());
}

constexpr string_view kSeq = ", seq = ";
constexpr string_view kOpId = ", op_id = ";
constexpr string_view kSizes = ", sizes = ";

// Whether lists of whole numbers that begin with `text` can go on with `c`.
bool can_follow(string_view text, char c) {
  const char last = text.empty() ? ',' : text.back();
  const bool begins = c == '[' || c == '-' || is_digit(c);
  if (last == '[') return begins || c == ']';
  if (last == ',') return begins;
  if (last == '-') return is_digit(c);
  if (!is_digit(c)) return c == ',' || c == ']';
  // Behind a digit, unless that is a leading zero.
  const bool is_leading = text.size() < 2 || !is_digit(text[text.size() - 2]);
  return is_digit(last) && !(last == '0' && is_leading);
}

// "[[32, 400], [120, 400]], input_op_ids = ..." -> "[[32,400],[120,400]]"; "" when it is no list.
std::string read_sizes(string_view text) {
  std::string sizes;
  int depth = 0;
  for (const char c : text) {
    if (c == ' ') continue;
    if ((depth == 0 && c != '[') || !can_follow(sizes, c)) return {};
    sizes += c;
    if (c == '[') ++depth;
    if (c == ']' && --depth == 0) return sizes;
  }
  return {};
}

constexpr string_view kEvaluate = "autograd::engine::evaluate_function: ";

// "AddmmBackward0", "torch::autograd::AccumulateGrad", "MyFunctionBackward"
bool is_backward(string_view name) {
  while (!name.empty() && is_digit(name.back())) name.remove_suffix(1);
  return name.ends_with("Backward") || name.starts_with("torch::autograd::");
}

// "aten::add", "torchvision::nms", "c10d::allreduce_": the way PyTorch names what its dispatcher
// calls. Other texts with "::" are functions of some program.
bool is_dispatched(string_view name) {
  const std::size_t colons = name.find("::");
  if (colons == 0 || colons == string_view::npos) return false;
  const auto belongs = [](char c) {
    return c == '_' || c == '.' || is_digit(c) || (c >= 'a' && c <= 'z');
  };
  return std::all_of(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(colons), belongs) &&
         std::none_of(name.begin(), name.end(), [](char c) { return c == ' ' || c == '('; });
}

string_view behind_last_colon(string_view name) {
  const std::size_t colons = name.rfind("::");
  return colons == string_view::npos ? name : name.substr(colons + 2);
}

// TensorFlow writes "Conv2D: resnet/conv1/Conv2D", type and node.
bool read_tensorflow(string_view text, RangeText& result) {
  const std::size_t colon = text.find(": ");
  if (colon == 0 || colon == string_view::npos) return false;
  const string_view type = text.substr(0, colon);
  if (!std::all_of(type.begin(), type.end(),
                   [](char c) { return is_letter(c) || is_digit(c) || c == '_'; })) {
    return false;
  }
  result.kind = RangeKind::framework_op;
  result.type = type;
  result.name = text.substr(colon + 2);
  result.backward = result.name.find("gradients/") != string_view::npos ||
                    result.name.find("gradient_tape/") != string_view::npos;
  return true;
}

void read_pytorch(string_view text, RangeText& result) {
  const bool emitted = field(text, kSeq) || field(text, kOpId) || field(text, kSizes);
  string_view name = text;
  if (emitted) {
    name = text.substr(0, std::min({text.find(kSeq), text.find(kOpId), text.find(kSizes)}));
    if (const auto seq = field(text, kSeq)) result.seq = read_number(*seq);
    if (const auto sizes = field(text, kSizes)) result.sizes = read_sizes(*sizes);
  }
  const bool evaluates = name.starts_with(kEvaluate);
  if (evaluates) name.remove_prefix(kEvaluate.size());
  result.name = name;
  // A checkpoint runs the forward ops of a whole block, and their backward ops.
  if (name.starts_with("CheckpointFunction")) return;
  const bool backward = evaluates || (emitted && is_backward(name));
  if (!backward && !name.starts_with("aten::") && !(emitted && is_dispatched(name))) return;
  result.kind = RangeKind::framework_op;
  result.backward = backward;
  result.type = behind_last_colon(name);
}

constexpr std::array<string_view, 14> kLibraries{
    "cublas", "cublaslt", "cudnn", "cusparse", "cusparselt", "cusolver", "cufft",
    "curand", "cutensor", "cccl",  "nccl",     "mpi",        "nvshmem",  "ucx"};

constexpr std::array<string_view, 10> kCounting{"step",  "iteration", "iter",  "batch",  "epoch",
                                                "frame", "minibatch", "round", "sample", "request"};
constexpr std::array<string_view, 14> kNaming{"layer",  "block",  "stage",  "rank", "gpu",
                                              "level",  "device", "stream", "head", "expert",
                                              "worker", "thread", "bucket", "shard"};

// The last word of a name: "step" of "Warm-up Step", of "train_step" and of "ProfilerStep".
std::string last_word(string_view name) {
  std::size_t begin = name.size();
  while (begin > 0 && is_letter(name[begin - 1])) {
    --begin;
    const bool starts_upper = name[begin] >= 'A' && name[begin] <= 'Z';
    const bool after_lower = begin > 0 && name[begin - 1] >= 'a' && name[begin - 1] <= 'z';
    if (starts_upper && after_lower) break;
  }
  return lower(name.substr(begin));
}

string_view without(string_view text, string_view characters) {
  const std::size_t last = text.find_last_not_of(characters);
  return last == string_view::npos ? string_view{} : text.substr(0, last + 1);
}

// Cuts digits off the end; "" when there are none.
string_view take_digits(string_view& text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_digit(text[begin - 1])) --begin;
  const string_view digits = text.substr(begin);
  text = text.substr(0, begin);
  return digits;
}

constexpr std::size_t kTextsOfPart = std::size_t{1} << 14;

// Texts that one thread reads, with names under numbers of its own.
class TextPart {
 public:
  // The facts' name is kNoText where it is the text.
  RangeFacts read(StringId id, std::string_view text, DomainKind domain, uint32_t number) {
    const RangeText read = read_range_text(text, domain);
    RangeFacts facts{.text = id,
                     .name = read.name.size() == text.size() ? kNoText : names_.intern(read.name),
                     .type = names_.intern(read.type),
                     .sizes = names_.intern(read.sizes),
                     .seq = read.seq.value_or(kNoValue),
                     .kind = read.kind,
                     .backward = read.backward};
    if (read.kind != RangeKind::user) return facts;
    facts.loads_data = profile::is_data_loader_range(text);
    const NumberedName numbered = split_number(read.name);
    if (!numbered.number) return facts;
    facts.number = *numbered.number;
    counted_.push_back({number, {names_.intern(numbered.name), numbered.meaning}});
    return facts;
  }

  void add_names_to(profile::ProfileBuilder& builder) {
    for (StringId name = 0; name < names_.size(); ++name) {
      ids_.push_back(builder.intern(names_, name));
    }
  }

  // Behind add_names_to().
  void set_names(RangeFacts& facts) const {
    facts.name = facts.name == kNoText ? facts.text : ids_[facts.name];
    facts.type = ids_[facts.type];
    facts.sizes = ids_[facts.sizes];
  }
  void give_counted(std::unordered_map<uint32_t, RangeFactsReader::Counted>& all) const {
    for (auto [number, counted] : counted_) {
      counted.name = ids_[counted.name];
      all.emplace(number, counted);
    }
  }

 private:
  profile::StringTableBuilder names_;
  std::vector<StringId> ids_;  // in the profile, by the part's own number
  std::vector<std::pair<uint32_t, RangeFactsReader::Counted>> counted_;
};

}  // namespace

DomainKind kind_of_domain(string_view name) {
  const std::string known = lower(name);
  if (contains(kLibraries, known)) return DomainKind::library;
  return known.find("tensorflow") == std::string::npos ? DomainKind::other : DomainKind::tensorflow;
}

RangeText read_range_text(string_view text, DomainKind domain) {
  RangeText result;
  if (text.starts_with("{'traceMarker'")) {
    result.kind = RangeKind::marker_trace;
  } else if (text.starts_with("{'mod'") && read_op_marker(text)) {
    result.kind = RangeKind::marker_op;
  } else if (text.starts_with("{\"model_config\"")) {
    result.kind = RangeKind::marker_config;
  } else if (domain == DomainKind::library) {
    result.kind = RangeKind::library;
    result.name = text;
  } else if (domain != DomainKind::tensorflow || !read_tensorflow(text, result)) {
    read_pytorch(text, result);
  }
  return result;
}

NumberedName split_number(string_view text) {
  string_view rest = without(text, " ])");
  string_view digits = take_digits(rest);
  if (digits.empty()) return {text, std::nullopt, NumberedName::Meaning::unknown};
  // "10 to 20", "3/100", "0-9": the first number counts.
  for (const string_view link : {" to ", "/", " of ", "-", "..", ":"}) {
    if (!rest.ends_with(link)) continue;
    string_view before = without(rest.substr(0, rest.size() - link.size()), " ");
    const string_view first = take_digits(before);
    if (first.empty()) continue;
    digits = first;
    rest = before;
    break;
  }
  const string_view name = without(rest, " #_:=-[(");
  const bool apart = name.size() < rest.size();
  const std::string word = last_word(name);
  const bool counts = contains(kCounting, word);
  // "conv_1" and "block2" are names, as is "Linear(64, 8)".
  const bool spaced = apart && rest.find_last_of(" #:=[(") >= name.size() &&
                      rest.find_last_of(" #:=[(") != string_view::npos;
  const std::optional<int64_t> number = read_number(digits);
  if (name.empty() || name.ends_with(',') || !number || !(spaced || (apart && counts))) {
    return {text, std::nullopt, NumberedName::Meaning::unknown};
  }
  NumberedName result{name, number, NumberedName::Meaning::unknown};
  if (counts) result.meaning = NumberedName::Meaning::counts;
  if (contains(kNaming, word)) result.meaning = NumberedName::Meaning::names;
  return result;
}

RangeFactsReader::Result RangeFactsReader::read(profile::ProfileBuilder& builder) const {
  Result result;
  result.facts.resize(asked_.size());
  std::vector<TextPart> parts((asked_.size() + kTextsOfPart - 1) / kTextsOfPart);
  const auto for_each_text = [&](const auto& use) {
    base::parallel_for(parts.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t part = begin; part < end; ++part) {
        const std::size_t stop = std::min(asked_.size(), (part + 1) * kTextsOfPart);
        for (std::size_t i = part * kTextsOfPart; i < stop; ++i) use(parts[part], i);
      }
    });
  };
  for_each_text([&](TextPart& part, std::size_t i) {
    const Use& asked = asked_[i];
    result.facts[i] =
        part.read(asked.text, builder.text(asked.text), asked.domain, static_cast<uint32_t>(i));
  });
  for (TextPart& part : parts) {
    part.add_names_to(builder);
    part.give_counted(result.counted);
  }
  for_each_text([&](TextPart& part, std::size_t i) { part.set_names(result.facts[i]); });
  return result;
}

}  // namespace dlview::import::capture
