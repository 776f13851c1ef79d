// Facts from the text of an NVTX range: its kind, its name without running numbers, and PyTorch's
// suffix. Each distinct text is parsed once, on all cores.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/blocks.h"
#include "base/untouched_vector.h"
#include "profile/builder.h"
#include "profile/trace.h"

namespace dlview::import::capture {

enum class RangeKind : uint8_t {
  marker_trace,   // DLProf: {'traceMarker': [...], 'funcStack': '...'}
  marker_op,      // DLProf: {'mod': ..., 'op': ..., 'args': [...]}
  marker_config,  // DLProf: {"model_config": {...}}
  framework_op,   // "aten::add", "AddmmBackward0", "Conv2D: resnet/conv1"
  library,        // of a library that ops call: cuBLAS, NCCL, MPI
  user
};

// Kinds of NVTX domains, by their names, that change the meaning of a range's text.
enum class DomainKind : uint8_t { other, library, tensorflow };
inline constexpr std::size_t kDomainKinds = 3;

// A library is one that the ops of a framework or a program call.
DomainKind kind_of_domain(std::string_view name);

struct RangeText {
  RangeKind kind = RangeKind::user;
  std::string_view name;  // without what PyTorch adds: "aten::add"
  std::string_view type;  // of a framework's op: "add"
  bool backward = false;
  std::optional<int64_t> seq;  // pairs a backward op with the forward op that caused it
  std::string sizes;           // shapes of the inputs, a JSON list of lists; empty = not recorded
};

RangeText read_range_text(std::string_view text, DomainKind domain);

// A name apart from the number that it counts with: "step 12" is "step", 12; "Step 10 to 20" is
// "Step", 10; "ProfilerStep#3" is "ProfilerStep", 3.
struct NumberedName {
  std::string_view name;
  std::optional<int64_t> number;
  // Meaning of the number in a name: it counts ("step", "batch"), is part of the name ("layer",
  // "rank"), or depends on the other ranges of that name.
  enum class Meaning : uint8_t { unknown, counts, names } meaning = Meaning::unknown;
};

NumberedName split_number(std::string_view text);

struct RangeFacts {
  profile::StringId text = 0;
  profile::StringId name = 0;  // without running numbers
  profile::StringId type = 0, sizes = 0;
  profile::StringId data_type = 0, data_format = 0, parameters = 0, stack_trace = 0;  // of an op
  int64_t number = profile::kNoValue;  // that it counts with: 12 of "step 12"
  int64_t seq = profile::kNoValue;
  RangeKind kind = RangeKind::user;
  bool backward = false;
  bool loads_data = false;    // a user range in which a thread takes a batch
  bool has_direction = true;  // false for an op outside the forward and the backward pass
};

class RangeFactsReader {
 public:
  // A text that a range has in a domain of that kind.
  struct Use {
    profile::StringId text = 0;
    DomainKind domain = DomainKind::other;
  };

  // `texts` is above the ids of all texts that will be used.
  explicit RangeFactsReader(std::size_t texts) : texts_(texts) {}

  // Call once, before read(): calls set(i, number) for each of `uses` uses with the number of its
  // facts, in order of first use. Runs on several threads, each with a copy of use_of, which it
  // calls several times for the same i.
  template <typename UseOf, typename Set>
  void ask_all(std::size_t uses, const UseOf& use_of, const Set& set);

  struct Counted {
    profile::StringId name = 0;  // without the number
    NumberedName::Meaning meaning = NumberedName::Meaning::unknown;
  };
  struct Result {
    base::UntouchedVector<RangeFacts> facts;        // with their numbers, and the whole name
    std::unordered_map<uint32_t, Counted> counted;  // of texts with a number, by the facts' number
  };
  // Adds names to the builder, in the order in which the texts have them.
  Result read(profile::ProfileBuilder& builder) const;

 private:
  static constexpr uint32_t kNever = UINT32_MAX;
  static constexpr std::size_t kUsesOfBlock = std::size_t{1} << 16;

  // By text; empty until a domain of the kind is used.
  struct OfDomain {
    std::once_flag is_made;
    std::vector<uint32_t> first_use;
    base::UntouchedVector<uint32_t> number;  // of texts that are used
  };
  OfDomain& of(DomainKind domain) { return of_domain_[static_cast<std::size_t>(domain)]; }
  void note_use(const Use& use, uint32_t i);

  const std::size_t texts_;
  std::array<OfDomain, kDomainKinds> of_domain_;
  base::UntouchedVector<Use> asked_;  // by number
};

inline void RangeFactsReader::note_use(const Use& use, uint32_t i) {
  OfDomain& known = of(use.domain);
  std::call_once(known.is_made, [&] {
    known.first_use.assign(texts_, kNever);
    known.number.resize(texts_);
  });
  const std::atomic_ref first(known.first_use[use.text]);
  uint32_t before = first.load(std::memory_order_relaxed);
  while (i < before && !first.compare_exchange_weak(before, i, std::memory_order_relaxed)) continue;
}

template <typename UseOf, typename Set>
void RangeFactsReader::ask_all(std::size_t uses, const UseOf& use_of, const Set& set) {
  base::Blocks<std::size_t> blocks(uses, kUsesOfBlock);  // numbers that begin in a block
  const auto for_each_use = [&](const auto& take) {
    blocks.for_each([&](std::size_t& count, std::size_t begin, std::size_t end) {
      UseOf use_here = use_of;
      for (std::size_t i = begin; i < end; ++i) take(count, use_here(i), i);
    });
  };
  const auto is_first = [this](const Use& use, std::size_t i) {
    return of(use.domain).first_use[use.text] == i;
  };
  for_each_use([this](std::size_t&, const Use& use, std::size_t i) {
    note_use(use, static_cast<uint32_t>(i));
  });
  for_each_use([&](std::size_t& count, const Use& use, std::size_t i) {
    if (is_first(use, i)) ++count;
  });
  asked_.resize(base::sums_before(blocks.states()));
  for_each_use([&](std::size_t& next, const Use& use, std::size_t i) {
    if (!is_first(use, i)) return;
    asked_[next] = use;
    of(use.domain).number[use.text] = static_cast<uint32_t>(next++);
  });
  for_each_use([&](std::size_t&, const Use& use, std::size_t i) {
    set(i, of(use.domain).number[use.text]);
  });
}

}  // namespace dlview::import::capture
