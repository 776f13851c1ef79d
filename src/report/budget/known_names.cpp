#include "report/budget/known_names.h"

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "aggregate/comparison/matching_names.h"
#include "aggregate/iterations.h"
#include "aggregate/key_names.h"
#include "base/utf8.h"
#include "profile/kernel_labels.h"

namespace dlview::report::budget {
namespace {

using aggregate::Aggregation;
using profile::OpIndex;
using profile::Profile;
using profile::StringId;

// FNV-1a: alike on every machine.
uint64_t name_hash(std::string_view text) {
  constexpr uint64_t kOffset = 14695981039346656037ULL, kPrime = 1099511628211ULL;
  uint64_t hash = kOffset;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return hash;
}

std::string kept_name(std::string name) {
  constexpr std::size_t kLongest = 120, kKept = 100;
  name = base::with_valid_utf8(name);
  if (name.size() <= kLongest) return name;
  return fmt::format("{} #{:016x}", base::with_valid_utf8(name.substr(0, kKept)), name_hash(name));
}

std::string known_op_name(const Profile& profile, OpIndex op) {
  return kept_name(aggregate::without_running_numbers(
      aggregate::readable_key(profile.text(profile.ops.name[op]))));
}

// The ops of the aggregation, by row: those that the filters keep.
std::map<profile::Row, std::string> op_names_of(const Profile& profile,
                                                const Aggregation& aggregation) {
  std::map<profile::Row, std::string> names;
  for (const aggregate::OpAggregate& op : aggregation.ops) {
    names.emplace(op.op, known_op_name(profile, op.op));
  }
  return names;
}

}  // namespace

void KnownNames::add(const KnownNames& other) {
  ops.insert(other.ops.begin(), other.ops.end());
  kernels.insert(other.kernels.begin(), other.kernels.end());
  synchronizations.insert(other.synchronizations.begin(), other.synchronizations.end());
}

KnownNames names_of(const Profile& profile, const Aggregation& aggregation) {
  KnownNames names;
  const std::map<profile::Row, std::string> ops = op_names_of(profile, aggregation);
  for (const auto& op : ops) names.ops.insert(op.second);

  const auto instances =
      aggregate::instances_of(aggregation.iteration_table->iterations, aggregation.selection.range);
  const auto& kernels = profile.kernels;
  std::set<std::pair<profile::Row, StringId>> kept;
  for (const aggregate::KernelAggregate& kernel : aggregation.kernels) {
    kept.emplace(kernel.op, kernel.name);
  }
  std::set<std::pair<StringId, StringId>> seen;
  std::pair<StringId, StringId> last{UINT32_MAX, UINT32_MAX};
  for (auto k = profile.instances.first_kernel[instances.first];
       k < profile.instances.first_kernel[instances.last]; ++k) {
    const std::pair pair{kernels.name[k], kernels.long_name[k]};
    if (pair == last) continue;
    if (!kept.contains({profile.instances.op[kernels.instance[k]], pair.first})) continue;
    last = pair;
    if (!seen.insert(pair).second) continue;
    names.kernels.insert(
        kept_name(profile::kernel_identity({profile.text(pair.first), profile.text(pair.second)})));
  }

  std::set<std::pair<StringId, profile::Row>> calls;
  const auto add_call = [&](profile::InstanceIndex instance, StringId name) {
    if (instance < instances.first || !(instance < instances.last)) return;
    const OpIndex op = profile.instances.op[instance];
    if (ops.contains(op)) calls.emplace(name, op);
  };
  for (std::size_t i = 0; i < profile.syncs.size(); ++i) {
    const profile::SyncIndex row(static_cast<profile::Row>(i));
    add_call(profile.syncs.instance[row], profile.syncs.name[row]);
  }
  std::map<StringId, bool> waits;
  for (std::size_t i = 0; i < profile.api_calls.size(); ++i) {
    const profile::ApiCallIndex row(static_cast<profile::Row>(i));
    const StringId name = profile.api_calls.name[row];
    const auto [known, is_new] = waits.try_emplace(name);
    if (is_new) {
      known->second = profile.text(name).find("Synchronize") != std::string_view::npos;
    }
    if (known->second) add_call(profile.api_calls.instance[row], name);
  }
  for (const auto& [name, op] : calls) {
    names.synchronizations.insert(
        kept_name(fmt::format("{} in {}", profile.text(name), ops.at(op))));
  }
  return names;
}

std::vector<std::string> new_names(const KnownNames& known, const KnownNames& run) {
  std::vector<std::string> names;
  const auto add = [&names](const KnownNames::Names& before, const KnownNames::Names& now,
                            std::string_view kind) {
    for (const std::string& name : now) {
      if (!before.contains(name)) names.push_back(fmt::format("{}{}", kind, name));
    }
  };
  add(known.ops, run.ops, "op ");
  add(known.kernels, run.kernels, "kernel ");
  add(known.synchronizations, run.synchronizations, "");
  return names;
}

double known_share(const KnownNames& known, const Profile& profile,
                   const Aggregation& aggregation) {
  int64_t known_gpu_ns = 0, gpu_ns = 0, known_cpu_ns = 0, cpu_ns = 0;
  for (const aggregate::OpAggregate& op : aggregation.ops) {
    const bool is_known = known.ops.contains(known_op_name(profile, op.op));
    gpu_ns += op.times.gpu.sum;
    cpu_ns += op.times.cpu.sum;
    if (!is_known) continue;
    known_gpu_ns += op.times.gpu.sum;
    known_cpu_ns += op.times.cpu.sum;
  }
  const int64_t all_ns = gpu_ns > 0 ? gpu_ns : cpu_ns;
  if (all_ns == 0) return 1;
  return static_cast<double>(gpu_ns > 0 ? known_gpu_ns : known_cpu_ns) /
         static_cast<double>(all_ns);
}

}  // namespace dlview::report::budget
