#include "generate/ranks/plan.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace dlview::generate::ranks {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int64_t kBucketBytes = 26'214'400;  // DDP's 25 MiB
constexpr int64_t kGatherBytes = 4'194'304, kExchangeBytes = 8'388'608;
constexpr int64_t kBusBytesPerUs = 150'000;  // 150 GB/s
constexpr int64_t kMostBuckets = 6, kMostGathers = 8;

struct ModelKernel {
  const char* name;
  const char* long_name;
  int64_t ns;
  int32_t blocks, threads;
  bool tensor_cores;
};
constexpr ModelKernel gemm(const char* name, int64_t ns) {
  return {name, name, ns, 132, 384, true};
}
struct ModelOp {
  const char* name;
  bool has_sequence;
  std::initializer_list<std::size_t> kernels;  // in kModelKernels
};

enum ModelKernelIndex : std::size_t {
  kLayerNorm,
  kGemmSmall,
  kGemmLarge,
  kAttention,
  kAdd,
  kGelu,
  kLayerNormBackward,
  kLayerNormGamma,
  kGemmData,
  kGemmWeight,
  kAttentionBackward,
  kAttentionReduce,
  kGeluBackward,
  kLoss,
  kLossBackward,
  kOptimizer
};
constexpr ModelKernel kModelKernels[] = {
    {"vectorized_layer_norm_kernel",
     "void at::native::<unnamed>::vectorized_layer_norm_kernel<c10::BFloat16, float>(int, T2, "
     "const T1 *, const T1 *, const T1 *, T2 *, T2 *, T1 *)",
     14'000, 2'048, 128, false},
    gemm("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1", 62'000),
    gemm("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64_warpgroupsize2x1x1", 118'000),
    {"flash_fwd_kernel",
     "void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, 0, 0, cutlass::bfloat16_t>, "
     "0, 1, 0>(Flash_fwd_params)",
     81'000, 512, 128, true},
    {"vectorized_elementwise_kernel",
     "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add"
     "<c10::BFloat16>, std::array<char *, 3>>(int, T2, T3)",
     12'000, 4'096, 128, false},
    {"vectorized_elementwise_kernel",
     "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl"
     "(at::TensorIteratorBase &, at::native::GeluType)::[lambda() (instance 1)], std::array<char "
     "*, 2>>(int, T2, T3)",
     18'000, 8'192, 128, false},
    {"layer_norm_grad_input_kernel_vectorized",
     "void at::native::<unnamed>::layer_norm_grad_input_kernel_vectorized<c10::BFloat16, float>"
     "(const T1 *, const T1 *, const T2 *, const T2 *, const T1 *, T1 *, int)",
     17'000, 2'048, 128, false},
    {"GammaBetaBackwardCUDAKernelTemplate",
     "void at::native::<unnamed>::GammaBetaBackwardCUDAKernelTemplate<c10::BFloat16, float, 32, "
     "32, 256>(long, long, const T1 *, const T1 *, const T2 *, const T2 *, T1 *, T1 *)",
     21'000, 256, 256, false},
    gemm("sm90_xmma_gemm_bf16bf16_bf16f32_f32_nn_n_tilesize128x128x64_warpgroupsize1x1x1", 92'000),
    gemm("sm90_xmma_gemm_bf16bf16_bf16f32_f32_nt_n_tilesize128x128x64_warpgroupsize1x1x1", 97'000),
    {"flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel",
     "void flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<128, 64, 128, 8, "
     "2, 4, 2, 0, 0, cutlass::bfloat16_t>, 0, 1>(Flash_bwd_params)",
     176'000, 512, 256, true},
    {"flash_bwd_convert_dq_kernel",
     "void flash_bwd_convert_dq_kernel<Flash_bwd_kernel_traits<128, 64, 128, 8, 2, 4, 2, 0, 0, "
     "cutlass::bfloat16_t>>(Flash_bwd_params, int)",
     9'000, 512, 256, false},
    {"vectorized_elementwise_kernel",
     "void at::native::vectorized_elementwise_kernel<4, at::native::GeluBackwardCUDAKernelImpl"
     "(at::TensorIteratorBase &, at::native::GeluType)::[lambda() (instance 1)], std::array<char "
     "*, 3>>(int, T2, T3)",
     24'000, 8'192, 128, false},
    {"cunn_SoftMaxForward",
     "void at::native::<unnamed>::cunn_SoftMaxForward<8, c10::BFloat16, float, float, "
     "at::native::<unnamed>::LogSoftMaxForwardEpilogue>(T4 *, const T2 *, int)",
     44'000, 2'048, 1'024, false},
    {"cunn_SoftMaxBackward",
     "void at::native::<unnamed>::cunn_SoftMaxBackward<8, float, float, c10::BFloat16, "
     "at::native::<unnamed>::LogSoftMaxBackwardEpilogue>(T1 *, const T3 *, const T3 *, long)",
     52'000, 2'048, 1'024, false},
    {"multi_tensor_apply_kernel",
     "void at::native::<unnamed>::multi_tensor_apply_kernel<at::native::<unnamed>"
     "::FusedOptimizerTensorListMetadata<4>, at::native::<unnamed>::FusedAdamMathFunctor<float, "
     "4>>(T1, T2, T3...)",
     38'000, 640, 512, false}};

const ModelOp kForwardOps[] = {{"aten::layer_norm", true, {kLayerNorm}},
                               {"aten::linear", true, {kGemmSmall}},
                               {"aten::scaled_dot_product_attention", true, {kAttention}},
                               {"aten::linear", true, {kGemmSmall}},
                               {"aten::add", true, {kAdd}},
                               {"aten::layer_norm", true, {kLayerNorm}},
                               {"aten::linear", true, {kGemmLarge}},
                               {"aten::gelu", true, {kGelu}},
                               {"aten::linear", true, {kGemmLarge}},
                               {"aten::add", true, {kAdd}}};
const ModelOp kBackwardOps[] = {
    {"AddmmBackward0", true, {kGemmData, kGemmWeight}},
    {"GeluBackward0", true, {kGeluBackward}},
    {"AddmmBackward0", true, {kGemmData, kGemmWeight}},
    {"NativeLayerNormBackward0", true, {kLayerNormBackward, kLayerNormGamma}},
    {"AddmmBackward0", true, {kGemmData, kGemmWeight}},
    {"ScaledDotProductFlashAttentionBackward0", true, {kAttentionBackward, kAttentionReduce}},
    {"AddmmBackward0", true, {kGemmData, kGemmWeight}},
    {"NativeLayerNormBackward0", true, {kLayerNormBackward, kLayerNormGamma}}};
constexpr int64_t kKernelsPerLayer = 10 + 15;
constexpr int64_t kLossKernels = 2;

// One model kernel after another, each as often as an op launches it.
class PlanBuilder {
 public:
  explicit PlanBuilder(const RanksOptions& options) : options_(options) {
    for (const ModelKernel& kernel : kModelKernels) {
      plan_.kernels.push_back({kernel.name,
                               kernel.long_name,
                               kernel.ns,
                               {kernel.blocks, 1, 1},
                               {kernel.threads, 1, 1},
                               kernel.tensor_cores});
    }
    add_groups();
    plan_.data_op = op_index({"enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"});
    plan_.copy_op = op_index({"aten::copy_"});
    plan_.item_op = op_index({"aten::item"});
    plan_.checkpoint_op = op_index({"save_checkpoint"});
  }

  base::Result<Plan> build() {
    const int64_t kernels = options_.kernels / options_.iterations;
    const int64_t layers = layers_for(kernels);
    if (layers < 1) {
      const int64_t least = kKernelsPerLayer + collectives_of(1) + kLossKernels + 1;
      return base::Error{
          "Too few kernels",
          fmt::format("--kernels {} for {} iterations are {} each", options_.kernels,
                      options_.iterations, kernels),
          fmt::format("Use --kernels {} or fewer iterations", least * options_.iterations)};
    }
    plan_.kernels_per_iteration = kernels;
    plan_.steps.push_back({StepKind::load_data, plan_.data_op, 0, 0, false});
    plan_.steps.push_back({StepKind::copy_batch, plan_.copy_op, 0, 0, false});
    add_forward(layers);
    add_op({"aten::cross_entropy_loss", true, {kLoss}}, false);
    add_op({"LogSoftmaxBackward0", true, {kLossBackward}}, true);
    add_backward(layers);
    // The optimizer has the kernels that remain.
    const std::size_t optimizer = op_index({"Optimizer.step#AdamW.step", false, false});
    const int64_t rest =
        kernels - layers * kKernelsPerLayer - collectives_of(layers) - kLossKernels;
    plan_.steps.push_back(
        {StepKind::op, optimizer, kOptimizer, static_cast<std::size_t>(rest), false, true});
    plan_.steps.push_back({StepKind::synchronize, plan_.item_op, 0, 0, false});
    plan_.iteration_ns = usual_iteration_ns();
    if (options_.skew.rotating_ppm > 0) add_rotation();
    return std::move(plan_);
  }

 private:
  int64_t buckets_of(int64_t layers) const {
    return options_.ranks < 2 ? 0 : std::min(layers, kMostBuckets);
  }
  int64_t gathers_of(int64_t layers) const {
    return options_.groups.tensor < 2 ? 0 : std::min(layers, kMostGathers);
  }
  int64_t collectives_of(int64_t layers) const {
    return buckets_of(layers) + gathers_of(layers) + (options_.groups.expert < 2 ? 0 : 2);
  }
  int64_t layers_for(int64_t kernels) const {
    int64_t layers = kernels / kKernelsPerLayer;
    const auto takes = [&](int64_t count) {
      return count * kKernelsPerLayer + collectives_of(count) + kLossKernels + 1;
    };
    while (layers > 0 && takes(layers) > kernels) --layers;
    return layers;
  }

  void add_groups() {
    struct Wanted {
      const char* description;
      int64_t size, stream;
    };
    const Wanted wanted[] = {{"default_pg", options_.ranks, 20},
                             {"tp", options_.groups.tensor, 24},
                             {"ep", options_.groups.expert, 28}};
    for (const Wanted& each : wanted) {
      Family family;
      family.size = each.size;
      family.first_group = std::ssize(plan_.groups);
      family.stream = each.stream;
      plan_.families.push_back(family);
      if (each.size < 2) continue;
      for (int64_t first = 0; first < options_.ranks; first += each.size) {
        Group group;
        group.name = fmt::format("{}", plan_.groups.size());
        group.description = each.description;
        group.ranks.resize(static_cast<std::size_t>(each.size));
        std::iota(group.ranks.begin(), group.ranks.end(), first);
        Random random = draw(options_.seed, Purpose::communicator, std::ssize(plan_.groups));
        // Half of all hashes are above the largest int64.
        group.communicator = (static_cast<uint64_t>(random.below(INT64_MAX)) << 1) |
                             static_cast<uint64_t>(random.below(2));
        plan_.groups.push_back(std::move(group));
      }
    }
  }

  std::size_t op_index(const OpKind& kind) {
    const auto known = std::ranges::find(plan_.ops, kind.name, &OpKind::name);
    if (known != plan_.ops.end()) return static_cast<std::size_t>(known - plan_.ops.begin());
    plan_.ops.push_back(kind);
    return plan_.ops.size() - 1;
  }
  void add_op(const ModelOp& op, bool is_backward) {
    // The kernels of an op need not lie side by side: each run of them is a part of its list.
    const std::size_t first = plan_.kernels.size();
    if (op.kernels.size() == 1) {
      plan_.steps.push_back({StepKind::op, op_index({op.name, is_backward, op.has_sequence}),
                             *op.kernels.begin(), 1, is_backward});
      return;
    }
    const auto known = std::ranges::find(lists_, op.name, &List::name);
    std::size_t begin = first;
    if (known != lists_.end()) {
      begin = known->first;
    } else {
      for (const std::size_t kernel : op.kernels) plan_.kernels.push_back(plan_.kernels[kernel]);
      lists_.push_back({op.name, first});
    }
    plan_.steps.push_back({StepKind::op, op_index({op.name, is_backward, op.has_sequence}), begin,
                           op.kernels.size(), is_backward});
  }

  std::size_t add_slot(CollectiveType type, std::size_t family_index, int64_t message_bytes,
                       bool is_backward) {
    Family& family = plan_.families[family_index];
    const int64_t n = family.size;
    Slot slot;
    slot.type = type;
    slot.family = family_index;
    slot.place = family.places++;
    slot.message_bytes = message_bytes;
    // As nccl-tests: bytes and the factor of the bus bandwidth.
    const bool is_reduction = type == CollectiveType::all_reduce;
    slot.bytes = is_reduction ? message_bytes : message_bytes * n;
    const int64_t moved = slot.bytes * (n - 1) / n * (is_reduction ? 2 : 1);
    slot.transfer_ns = 12'000 + moved * 1'000 / kBusBytesPerUs;
    slot.kernel = plan_.kernels.size();
    const char* const name =
        type == CollectiveType::all_reduce   ? "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"
        : type == CollectiveType::all_gather ? "ncclDevKernel_AllGather_RING_LL"
                                             : "ncclDevKernel_SendRecv";
    const auto same = std::ranges::find(plan_.kernels, name, &KernelKind::name);
    if (same != plan_.kernels.end()) {
      slot.kernel = static_cast<std::size_t>(same - plan_.kernels.begin());
    } else {
      plan_.kernels.push_back({name,
                               fmt::format("{}(ncclDevKernelArgsStorage<4096ul>)", name),
                               slot.transfer_ns,
                               {24, 1, 1},
                               {640, 1, 1},
                               false});
    }
    const char* const op = type == CollectiveType::all_reduce   ? "c10d::allreduce_"
                           : type == CollectiveType::all_gather ? "c10d::_allgather_base_"
                                                                : "c10d::alltoall_base_";
    plan_.slots.push_back(slot);
    plan_.slot_steps.push_back(plan_.steps.size());
    plan_.steps.push_back({StepKind::collective, op_index({op, is_backward, false}),
                           plan_.slots.size() - 1, 1, is_backward});
    return plan_.slots.size() - 1;
  }
  void add_wait(std::size_t slot) { plan_.steps.push_back({StepKind::wait, 0, slot, 0, false}); }

  void add_forward(int64_t layers) {
    const int64_t gathers = gathers_of(layers);
    for (int64_t layer = 0; layer < layers; ++layer) {
      add_op(kForwardOps[0], false);
      // Spread evenly over the layers.
      if (layer * gathers / layers != (layer + 1) * gathers / layers) {
        add_wait(add_slot(CollectiveType::all_gather, 1, kGatherBytes, false));
      }
      for (std::size_t op = 1; op < std::size(kForwardOps); ++op) {
        const bool is_exchange = layer == layers / 2 && options_.groups.expert > 1;
        if (is_exchange && (op == 6 || op == 9)) {
          add_wait(add_slot(CollectiveType::all_to_all, 2, kExchangeBytes / options_.groups.expert,
                            false));
        }
        add_op(kForwardOps[op], false);
      }
    }
  }

  void add_backward(int64_t layers) {
    const int64_t buckets = buckets_of(layers);
    std::size_t last = 0;
    for (int64_t layer = 0; layer < layers; ++layer) {
      for (const ModelOp& op : kBackwardOps) add_op(op, true);
      const int64_t bucket = (layer + 1) * buckets / layers;
      if (bucket == layer * buckets / layers) continue;
      // DDP's first bucket is small.
      last = add_slot(CollectiveType::all_reduce, 0,
                      bucket == 1 && buckets > 1 ? kBucketBytes / 25 : kBucketBytes, true);
    }
    if (buckets > 0) add_wait(last);
  }

  // Each rank once in as many iterations as there are ranks, in another order each time.
  void add_rotation() {
    Random random = draw(options_.seed, Purpose::rotation);
    std::vector<int64_t> order(static_cast<std::size_t>(options_.ranks));
    std::iota(order.begin(), order.end(), int64_t{0});
    for (int64_t i = 0; i < options_.iterations; ++i) {
      const auto place = static_cast<std::size_t>(i % options_.ranks);
      const int64_t other = random.between(i % options_.ranks, options_.ranks - 1);
      std::swap(order[place], order[static_cast<std::size_t>(other)]);
      plan_.slow_ranks.push_back(order[place]);
    }
  }

  int64_t usual_iteration_ns() const {
    int64_t ns = kDataNs;
    for (const Step& step : plan_.steps) {
      if (step.kind != StepKind::op) continue;
      for (std::size_t k = 0; k < step.count; ++k) {
        ns += plan_.kernels[step.kernel(k)].ns + kGapNs;
      }
    }
    if (options_.ranks > 1) ns += plan_.slots.back().transfer_ns;
    return ns;
  }

  struct List {
    std::string name;
    std::size_t first = 0;
  };
  const RanksOptions& options_;
  Plan plan_;
  std::vector<List> lists_;
};

}  // namespace

base::Result<Plan> make_plan(const RanksOptions& options) {
  return PlanBuilder(options).build();
}

int64_t RankPlace::utc_ns(int64_t true_ns) const {
  // In parts, so that days of drift fit.
  const int64_t drift =
      true_ns / kSecondNs * drift_ns_per_s + true_ns % kSecondNs * drift_ns_per_s / kSecondNs;
  return kRunStartUtcNs + true_ns + offset_ns + drift;
}

std::string host_name(int64_t number) {
  std::string name;
  for (int64_t rest = number + 1; rest > 0; rest = (rest - 1) / 26) {
    name.insert(name.begin(), static_cast<char>('a' + (rest - 1) % 26));
  }
  return name;
}

std::vector<RankPlace> place_ranks(const RanksOptions& options) {
  const Skew& skew = options.skew;
  std::vector<RankPlace> places;
  for (int64_t rank = 0; rank < options.ranks; ++rank) {
    RankPlace place;
    place.rank = rank;
    place.gpu = rank % options.ranks_per_host;
    const int64_t host = rank / options.ranks_per_host;
    place.host = host_name(host);
    Random clock = draw(options.seed, Purpose::clock, host);
    place.offset_ns = clock.between(-skew.offset_ns, skew.offset_ns);
    place.drift_ns_per_s = clock.between(-skew.drift_ns_per_s, skew.drift_ns_per_s);
    // Up for a day to a year.
    place.boot_utc_ns =
        kRunStartUtcNs - clock.between(86'400, 31'536'000) * kSecondNs - clock.below(kSecondNs);
    // Captures of a host begin up to 3.7 ms apart.
    Random capture = draw(options.seed, Purpose::capture, rank);
    place.capture_start_ns = -6'000'000 + capture.below(3'700'000);
    place.process = 4'000 + 17 * place.gpu + capture.below(17);
    places.push_back(std::move(place));
  }
  const auto at = [&](int64_t rank) -> RankPlace& {
    return places[static_cast<std::size_t>(rank)];
  };
  for (const Skew::RankCount& late : skew.late) at(late.rank).first_iteration = late.count;
  for (const int64_t rank : skew.missing) at(rank).has_file = false;
  return places;
}

}  // namespace dlview::generate::ranks
