#include "generate/ranks/run.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace dlview::generate::ranks {
namespace {

constexpr int64_t kWhole = 1'000'000;  // of shares in millionths
constexpr int64_t kSecondNs = 1'000'000'000;

constexpr int64_t kDataNs = 1'000'000;       // data loading of an iteration
constexpr int64_t kCallNs = 2'600;           // of a launch on the host
constexpr int64_t kOpNs = 1'800;             // of an op beside its launches
constexpr int64_t kLaunchLatencyNs = 2'000;  // until the GPU starts
constexpr int64_t kGapNs = 600;              // between kernels of a stream
constexpr int64_t kBatchBytes = 1'572'864;

constexpr int64_t kBucketBytes = 26'214'400;  // DDP's 25 MiB
constexpr int64_t kGatherBytes = 4'194'304, kExchangeBytes = 8'388'608;
constexpr int64_t kBusBytesPerUs = 150'000;  // 150 GB/s

constexpr std::size_t kMostBuckets = 6, kMostGathers = 8;

// Uses of random numbers: each has numbers of its own, so that one option moves no other value.
enum class Purpose : uint64_t { speed = 1, transfer, rotation, clock, capture, lost, communicator };

Random draw(uint64_t seed, Purpose purpose, int64_t a = 0, int64_t b = 0, int64_t c = 0) {
  uint64_t state = seed * 0x9e3779b97f4a7c15 + static_cast<uint64_t>(purpose);
  for (const int64_t part : {a, b, c}) {
    state = (state ^ (state >> 29)) * 0xbf58476d1ce4e5b9 + static_cast<uint64_t>(part);
  }
  return Random(state ^ (state >> 32));
}

int64_t scaled(int64_t value, int64_t more_ppm) {
  return value + value / kWhole * more_ppm + value % kWhole * more_ppm / kWhole;
}

struct ModelKernel {
  const char* name;
  const char* long_name;
  int64_t ns;
  int32_t blocks, threads;
  bool tensor_cores;
};
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
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1",
     "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1", 62'000, 132,
     384, true},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64_warpgroupsize2x1x1",
     "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64_warpgroupsize2x1x1", 118'000, 132,
     384, true},
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
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_nn_n_tilesize128x128x64_warpgroupsize1x1x1",
     "sm90_xmma_gemm_bf16bf16_bf16f32_f32_nn_n_tilesize128x128x64_warpgroupsize1x1x1", 92'000, 132,
     384, true},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_nt_n_tilesize128x128x64_warpgroupsize1x1x1",
     "sm90_xmma_gemm_bf16bf16_bf16f32_f32_nt_n_tilesize128x128x64_warpgroupsize1x1x1", 97'000, 132,
     384, true},
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
    return std::move(plan_);
  }

 private:
  int64_t buckets_of(int64_t layers) const {
    return options_.ranks < 2 ? 0 : std::min<int64_t>(layers, kMostBuckets);
  }
  int64_t gathers_of(int64_t layers) const {
    return options_.groups.tensor < 2 ? 0 : std::min<int64_t>(layers, kMostGathers);
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

std::vector<std::pair<int64_t, std::size_t>> lost_calls(const Plan& plan,
                                                        const RanksOptions& options,
                                                        const RankPlace& place) {
  std::vector<std::pair<int64_t, std::size_t>> lost;
  const int64_t from = place.first_iteration + 1;
  const auto slots = std::ssize(plan.slots);
  for (const Skew::RankCount& each : options.skew.lost) {
    if (each.rank != place.rank || slots == 0) continue;
    Random random = draw(options.seed, Purpose::lost, place.rank);
    const int64_t most = std::min(each.count, (options.iterations - from) * slots);
    while (std::ssize(lost) < most) {
      const std::pair<int64_t, std::size_t> call(random.between(from, options.iterations - 1),
                                                 static_cast<std::size_t>(random.below(slots)));
      if (std::ranges::find(lost, call) == lost.end()) lost.push_back(call);
    }
  }
  std::ranges::sort(lost);
  return lost;
}

std::vector<std::size_t> lost_ops(const Record& record) {
  std::vector<std::size_t> ops;
  for (const Record::Launch& launch : record.launches) {
    if (launch.is_lost) ops.push_back(launch.op);
  }
  return ops;
}

int64_t true_transfer_ns(const Plan& plan, const RanksOptions& options, int64_t iteration,
                         std::size_t slot, int64_t group) {
  return draw(options.seed, Purpose::transfer, iteration, static_cast<int64_t>(slot), group)
      .around(plan.slots[slot].transfer_ns, 4);
}

Player::Player(const Plan& plan, const RanksOptions& options, const RankPlace& place,
               Record* record)
    : plan_(plan),
      options_(options),
      place_(place),
      record_(record),
      stream_free_ns_(plan.families.size()),
      slot_end_ns_(plan.slots.size()) {
  if (record_ != nullptr) lost_ = lost_calls(plan, options, place);
}

int64_t Player::more_ppm(SlowPart part) const {
  int64_t more = 0;
  for (const Skew::SlowRank& slow : options_.skew.stragglers) {
    if (slow.rank == place_.rank && slow.part == part) more += slow.more_ppm;
  }
  if (part == SlowPart::data) return more;
  for (const Skew::SlowHost& slow : options_.skew.hosts) {
    if (slow.host == place_.host) more += slow.more_ppm;
  }
  return more;
}

void Player::begin(int64_t iteration) {
  random_ = draw(options_.seed, Purpose::speed, place_.rank, iteration);
  if (iteration == 0) host_ns_ = random_.below(200'000);
  const int64_t noise = random_.between(-options_.skew.noise_ppm, options_.skew.noise_ppm);
  kernels_ppm_ = noise + more_ppm(SlowPart::kernels);
  data_ppm_ = more_ppm(SlowPart::data);
  if (options_.skew.rotating_ppm > 0 &&
      draw(options_.seed, Purpose::rotation, iteration).below(options_.ranks) == place_.rank) {
    kernels_ppm_ += options_.skew.rotating_ppm;
  }
  checkpoint_ns_ = 0;
  for (const Skew::SlowIteration& slow : options_.skew.all) {
    if (slow.iteration != iteration) continue;
    checkpoint_ns_ += scaled(plan_.iteration_ns, slow.more_ppm) - plan_.iteration_ns;
  }
  sequence_ = iteration * 1'000'000 / 10 + 1;
  next_step_ = 0;
  if (record_ == nullptr) return;
  record_->iteration = iteration;
  record_->start_ns = host_ns_;
}

std::size_t Player::open(std::size_t op, bool is_backward) {
  if (record_ == nullptr) return 0;
  int64_t sequence = -1;
  if (plan_.ops[op].has_sequence) {
    sequence = is_backward ? std::max<int64_t>(1, --backward_sequence_) : sequence_++;
    if (!is_backward) backward_sequence_ = sequence_;
  }
  record_->ops.push_back({op, host_ns_, 0, sequence, is_backward});
  return record_->ops.size() - 1;
}

void Player::close(std::size_t opened) {
  if (record_ != nullptr) record_->ops[opened].end_ns = host_ns_;
}

void Player::copy(std::size_t opened, int64_t bytes, profile::CopyKind kind) {
  const int64_t begin_ns = host_ns_;
  const int64_t start_ns =
      std::max(begin_ns + kCallNs + kLaunchLatencyNs, compute_free_ns_ + kGapNs);
  compute_free_ns_ = start_ns + 1'500 + bytes / 25;  // 25 GB/s
  // Pageable memory: the call returns after the copy.
  host_ns_ = compute_free_ns_ + 1'200;
  if (record_ == nullptr) return;
  record_->copies.push_back({begin_ns, host_ns_, start_ns, compute_free_ns_, bytes, opened, kind});
}

void Player::play(const Step& step) {
  switch (step.kind) {
    case StepKind::load_data: {
      if (checkpoint_ns_ > 0) {
        const std::size_t saving = open(plan_.checkpoint_op, false);
        host_ns_ += checkpoint_ns_;
        close(saving);
      }
      const std::size_t opened = open(step.op, false);
      host_ns_ += scaled(random_.around(kDataNs, 2), data_ppm_);
      return close(opened);
    }
    case StepKind::copy_batch: {
      const std::size_t opened = open(step.op, false);
      host(kOpNs, 40);
      copy(opened, kBatchBytes, profile::CopyKind::host_to_device);
      return close(opened);
    }
    case StepKind::op: {
      const std::size_t opened = open(step.op, step.is_backward);
      host(kOpNs, 40);
      for (std::size_t k = 0; k < step.count; ++k) {
        const std::size_t kernel = step.kernel(k);
        const int64_t begin_ns = host_ns_;
        host(kCallNs, 40);
        const int64_t start_ns = std::max(host_ns_ + kLaunchLatencyNs, compute_free_ns_ + kGapNs);
        compute_free_ns_ =
            start_ns + scaled(random_.around(plan_.kernels[kernel].ns, 3), kernels_ppm_);
        if (record_ == nullptr) continue;
        record_->launches.push_back({begin_ns, host_ns_, start_ns, compute_free_ns_, kernel, opened,
                                     kComputeStreamOfRank, -1, false});
      }
      host_ns_ += 400;
      return close(opened);
    }
    case StepKind::wait:
      compute_free_ns_ = std::max(compute_free_ns_, slot_end_ns_[step.first]);
      return;
    case StepKind::synchronize: {
      const std::size_t opened = open(step.op, false);
      host(kOpNs, 40);
      copy(opened, 4, profile::CopyKind::device_to_host);
      const int64_t begin_ns = host_ns_ + 300;
      host_ns_ += 2'300;
      if (record_ != nullptr) {
        record_->sync_start_ns = begin_ns;
        record_->sync_end_ns = host_ns_;
      }
      host_ns_ += 500;
      return close(opened);
    }
    case StepKind::collective:
      return;  // arrive() and finish()
  }
}

void Player::play_until(std::size_t step) {
  while (next_step_ < step) play(plan_.steps[next_step_++]);
}

int64_t Player::arrive(std::size_t slot) {
  play_until(plan_.slot_steps[slot]);
  const Step& step = plan_.steps[next_step_++];
  collective_op_ = open(step.op, step.is_backward);
  host(kOpNs + kNcclMarginNs, 40);
  const std::size_t family = plan_.slots[slot].family;
  collective_.api_start_ns = host_ns_;
  host(2 * kCallNs, 40);
  collective_.api_end_ns = host_ns_;
  host_ns_ += 2 * kNcclMarginNs;
  close(collective_op_);
  // After the kernels whose results it sends, and after the collective before it.
  collective_.start_ns = std::max({collective_.api_end_ns + kLaunchLatencyNs,
                                   compute_free_ns_ + kGapNs, stream_free_ns_[family] + kGapNs});
  return collective_.start_ns;
}

int64_t Player::finish(std::size_t slot, int64_t common_end_ns) {
  const std::size_t family = plan_.slots[slot].family;
  const int64_t end_ns = common_end_ns + random_.below(options_.skew.jitter_ns + 1);
  slot_end_ns_[slot] = stream_free_ns_[family] = end_ns;
  if (record_ == nullptr) return end_ns;
  collective_.end_ns = end_ns;
  collective_.kernel = plan_.slots[slot].kernel;
  collective_.op = collective_op_;
  collective_.stream = plan_.families[family].stream;
  collective_.slot = static_cast<int64_t>(slot);
  collective_.is_lost = std::ranges::binary_search(lost_, std::pair(record_->iteration, slot));
  record_->launches.push_back(collective_);
  return end_ns;
}

void Player::end() {
  play_until(plan_.steps.size());
  host_ns_ += 700;
  if (record_ != nullptr) record_->end_ns = host_ns_;
  host_ns_ += 300;  // until the next one begins
}

Ends::Ends(const Plan& plan, int64_t ranks, int64_t iterations) {
  for (const Slot& slot : plan.slots) {
    first_.push_back(stride_);
    stride_ += static_cast<std::size_t>(ranks / plan.families[slot.family].size);
  }
  ends_.resize(stride_ * static_cast<std::size_t>(iterations));
}

}  // namespace dlview::generate::ranks
