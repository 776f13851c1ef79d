// Texts of NVTX ranges and names of kernels and calls: what is read out of a text stands in it.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "fuzz/fuzz.h"
#include "import/capture/range_facts.h"
#include "profile/communication.h"
#include "profile/display_name.h"
#include "profile/tensor_core_rules.h"

namespace dlview::fuzz {
namespace {

using import::capture::DomainKind;
using import::capture::NumberedName;
using import::capture::RangeKind;
using import::capture::RangeText;

bool stands_in(std::string_view part, std::string_view text) {
  return part.empty() ||
         (part.data() >= text.data() && part.data() + part.size() <= text.data() + text.size());
}

// nlohmann's parser refuses numbers of more than 300 digits.
bool is_list(const std::string& text) {
  return text.size() > 300 || nlohmann::json::parse(text, nullptr, false).is_array();
}

void check_range(std::string_view text, DomainKind domain) {
  const RangeText range = import::capture::read_range_text(text, domain);
  require(stands_in(range.name, text) && stands_in(range.type, text),
          "a name or type is not part of the text", text);
  require(range.type.empty() || range.kind == RangeKind::framework_op,
          "a range that is no op has a type", text);
  require(range.sizes.empty() || is_list(range.sizes), "sizes are no list", range.sizes);
  require(domain == DomainKind::library || range.kind != RangeKind::library,
          "a library's range in another domain", text);
}

void check_number(std::string_view text) {
  const NumberedName numbered = import::capture::split_number(text);
  require(text.starts_with(numbered.name), "a name does not begin the text", text);
  if (!numbered.number) {
    require(numbered.name == text && numbered.meaning == NumberedName::Meaning::unknown,
            "a text without a number lost a part", text);
    return;
  }
  // Leading zeros apart, the number stands behind the name.
  std::string_view rest = text.substr(numbered.name.size());
  require(!numbered.name.empty() && *numbered.number >= 0, "a number without a name", text);
  require(rest.find(std::to_string(*numbered.number)) != std::string_view::npos,
          "the number is not in the text", text);
}

void check_names(std::string_view text) {
  const std::string_view call = profile::call_name(text);
  require(text.starts_with(call), "a call's name does not begin its text", text);
  require(profile::call_name(call).size() <= call.size(), "a call's name grows", text);
  const auto communication = profile::communication_of(text);
  require(!communication || !profile::to_text(*communication).empty(),
          "communication without a name", text);
  const auto in_op = profile::tensor_core_use(text, {}, true);
  const auto outside = profile::tensor_core_use(text, {}, false);
  require(in_op.rule == outside.rule && (!in_op.rule.empty() ? in_op.use == outside.use : true),
          "a rule decides differently in an eligible op", text);
  const auto before = profile::tensor_core_use(text, profile::ComputeCapability{6, 1}, true);
  require(before.use != profile::TensorCoreUse::yes, "a GPU without Tensor Cores uses them", text);
}

}  // namespace
}  // namespace dlview::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace dlview;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto domain :
       {import::capture::DomainKind::other, import::capture::DomainKind::library,
        import::capture::DomainKind::tensorflow}) {
    fuzz::check_range(text, domain);
  }
  fuzz::check_number(text);
  fuzz::check_names(text);
  fuzz::require(import::capture::kind_of_domain(text) == import::capture::kind_of_domain(text),
                "a domain has two kinds");
  return 0;
}
