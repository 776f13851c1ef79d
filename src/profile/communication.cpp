#include "profile/communication.h"

#include <array>

#include <fmt/format.h>

#include "profile/pattern_list.h"

namespace dlview::profile {
namespace {

// In both tables the first pattern that is found in a name decides.
struct LibraryPattern {
  std::string_view name, pattern;
};
constexpr auto kLibraries = std::to_array<LibraryPattern>({
    {"NCCL", R"re(\bnccl(Dev)?(Kernel|AllReduce|AllGather|ReduceScatter|Broadcast|Reduce|)re"
             R"re(SendRecv))re"},
    {"RCCL", R"re(\brccl)re"},
    {"NVSHMEM", R"re(\bnvshmem)re"},
    {"DeepEP", R"re(\bdeep_ep::)re"},
    {"MSCCL++", R"re(\bmscclpp)re"},
    {"TensorRT-LLM", R"re((one|two)ShotAllReduce|tensorrt_llm::.*([Aa]ll_?[Rr]educe|moe.*[Aa]ll)re"
                     R"re(_?[Tt]o_?[Aa]ll)|allreduce_fusion_kernel)re"},
    {"vLLM", R"re(cross_device_reduce_[12]stage)re"},
    {"PyTorch", R"re((multimem_)?(one|two)_shot_all_reduce|multimem_all_(reduce|gather))re"},
    {"Transformer Engine", R"re(\buserbuffers_)re"},
});

struct CollectivePattern {
  Collective collective;
  std::string_view title, pattern;
};
constexpr auto kCollectives = std::to_array<CollectivePattern>({
    {Collective::all_reduce, "AllReduce",
     R"re((?i)all_?reduce|cross_device_reduce|userbuffers_.*sum_inplace)re"},
    {Collective::reduce_scatter, "ReduceScatter", R"re((?i)reduce_?scatter)re"},
    {Collective::all_gather, "AllGather", R"re((?i)all_?gather)re"},
    {Collective::all_to_all, "AllToAll", R"re((?i)all_?to_?all|\bdeep_ep::)re"},
    {Collective::broadcast, "Broadcast", R"re((?i)broadcast)re"},
    {Collective::send_recv, "SendRecv", R"re((?i)send_?recv)re"},
    {Collective::reduce, "Reduce", R"re((?i)kernel_reduce|ncclreduce)re"},
});

}  // namespace

std::string_view to_text(Collective collective) {
  for (const CollectivePattern& known : kCollectives) {
    if (known.collective == collective) return known.title;
  }
  switch (collective) {
    case Collective::gather:
      return "Gather";
    case Collective::scatter:
      return "Scatter";
    case Collective::barrier:
      return "Barrier";
    case Collective::wait:
      return "Wait";
    default:
      return "communication";
  }
}

Collective collective_named(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  if (colon != std::string_view::npos) name.remove_prefix(colon + 1);
  if (name.starts_with("nccl")) name.remove_prefix(4);
  std::string text;
  for (const char letter : name) {
    if (letter == '_') continue;
    text += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  // The first that begins so decides.
  constexpr std::pair<std::string_view, Collective> kNames[] = {
      {"allreduce", Collective::all_reduce},
      {"allgather", Collective::all_gather},
      {"reducescatter", Collective::reduce_scatter},
      {"alltoall", Collective::all_to_all},
      {"broadcast", Collective::broadcast},
      {"bcast", Collective::broadcast},
      {"reduce", Collective::reduce},
      {"gather", Collective::gather},
      {"scatter", Collective::scatter},
      {"send", Collective::send_recv},
      {"recv", Collective::send_recv},
      {"barrier", Collective::barrier},
      {"wait", Collective::wait},
  };
  for (const auto& [begin, collective] : kNames) {
    if (std::string_view(text).starts_with(begin)) return collective;
  }
  return Collective::other;
}

std::string to_text(const Communication& communication) {
  std::string text(communication.library);
  if (communication.collective != Collective::other) {
    text += fmt::format(" {}", to_text(communication.collective));
  }
  return text;
}

std::optional<Communication> communication_of(std::string_view kernel_name) {
  static const PatternList libraries(kLibraries), collectives(kCollectives);
  const std::size_t library = libraries.find_first(kernel_name);
  if (library == kLibraries.size()) return std::nullopt;
  const std::size_t collective = collectives.find_first(kernel_name);
  return Communication{kLibraries[library].name, collective == kCollectives.size()
                                                     ? Collective::other
                                                     : kCollectives[collective].collective};
}

std::vector<uint8_t> communication_kernels(const Profile& profile) {
  enum : uint8_t { unread, computes, communicates };
  std::vector<uint8_t> names(profile.strings.size(), unread);
  const auto is_communication = [&](StringId name) {
    uint8_t& known = names[name];
    if (known == unread) known = communication_of(profile.text(name)) ? communicates : computes;
    return known == communicates;
  };
  const auto& kernels = profile.kernels;
  std::vector<uint8_t> flags;
  for (KernelIndex k{0}; k < kernels.size(); ++k) {
    if (!is_communication(kernels.name[k]) && !is_communication(kernels.long_name[k])) continue;
    flags.resize(kernels.size());
    flags[k] = 1;
  }
  return flags;
}

}  // namespace dlview::profile
